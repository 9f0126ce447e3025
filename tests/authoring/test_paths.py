"""File names that could lead out of a package, or that are ambiguous."""

from __future__ import annotations

import json

import pytest

from tests.authoring.bad_paths import BAD
from tests.authoring.folders import built, codes, package
from uiap.authoring.paths import collisions, path_fault


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("path", BAD)
def test_a_path_that_could_lead_outside_is_refused(path: str) -> None:
    assert path_fault(path)


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("path", BAD)
def test_a_manifest_path_that_could_lead_outside_is_an_error_of_the_build(path: str) -> None:
    """A file with that name exists, and is still not read."""
    files = package()
    root = json.loads(files["package.uiap.yaml"])
    root["spec"]["manifests"].append({"id": "evil", "kind": "Actions", "path": path})
    files["package.uiap.yaml"] = json.dumps(root)
    assert set(codes(built(files))) == {"bad_path"}
    assert "bad_path" in codes(built({**files, path: "kind: Actions"}))


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
def test_a_plain_relative_path_is_accepted(path: str) -> None:
    assert path_fault(path) is None


def test_names_that_differ_only_in_case_are_found() -> None:
    assert collisions(["a/B.yaml", "a/b.yaml", "c.yaml"]) == [("a/B.yaml", "a/b.yaml")]
    assert collisions(["straße", "STRASSE"]) == [("STRASSE", "straße")]
