"""Credentials and endpoints in the text of a manifest."""

from __future__ import annotations

import pytest

from uiap.authoring.documents.lints import text_lints


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("a: 1\npassword: hunter2hunter2\n", ["credential_in_manifest"]),
        ("url: https://api.internal.example/v1\n", ["endpoint_in_manifest"]),
        ("environments:\n  staging:\n    baseUrls: [https://app.example]\n", []),
        ("title: Passwords and keys\n", []),
    ],
)
def test_only_values_that_look_like_secrets_or_endpoints_are_found(text: str, codes: list[str]) -> None:
    found = list(text_lints(text))
    assert [lint.code for lint in found] == codes
    assert all(lint.severity == "warning" for lint in found)


def test_a_finding_names_its_line_and_never_the_value() -> None:
    (found,) = text_lints(b"a: 1\npassword: hunter2hunter2\n")
    assert "line 2" in found.message
    assert "hunter2" not in found.message + found.hint
