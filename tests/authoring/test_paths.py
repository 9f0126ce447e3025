"""Names that could lead out of a package, or mean two things (robustness A2, A4)."""

from __future__ import annotations

import pytest

from uiap.authoring.paths import collisions, fault_of

BAD = [
    "",
    "..",
    "../x.uiap.yaml",
    "a/../../x",
    "a/./b",
    "a//b",
    "a/",
    "/etc/passwd",
    "//server/share/x",
    "\\\\server\\share\\x",
    "a\\b",
    "..\\x",
    "C:\\x",
    "C:x",
    "c:/x",
    "file:///etc/passwd",
    "file:x",
    "http://a/b",
    "https://a/b",
    "data:text/plain,x",
    "~/x",
    "~root/x",
    "a\x00b",
    "a\nb",
    "a\x7fb",
    "CON",
    "a/nul.uiap.yaml",
    "LPT1",
    "com1.txt",
    "a ",
    " a",
    "a.",
    "a/b. /c",
    "a:b",
    "a?b",
    "a*b",
    'a"b',
    "a|b",
    "a<b",
    "x" * 300,
]


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("path", BAD)
def test_a_path_that_could_lead_outside_is_refused(path: str) -> None:
    assert fault_of(path)


@pytest.mark.parametrize(
    "path",
    [
        "package.uiap.yaml",
        "bindings/routes.uiap.yaml",
        "a-b_c/d.e.json",
        "tür/größe.uiap.yaml",
        ".x/y",
        "a..b",
    ],
)
def test_a_plain_relative_path_is_fine(path: str) -> None:
    assert fault_of(path) is None


def test_names_that_differ_only_in_case_are_found() -> None:
    assert collisions(["a/B.yaml", "a/b.yaml", "c.yaml"]) == [("a/B.yaml", "a/b.yaml")]
    assert collisions(["straße", "STRASSE"]) == [("STRASSE", "straße")]
