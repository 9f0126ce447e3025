"""Constructs that a manifest may not contain are found before the text is parsed."""

from __future__ import annotations

import pytest

from uiap.authoring.documents.scan import MAX_DEPTH, scan


@pytest.mark.parametrize(
    "text",
    ["a: &anchor 1\nb: *anchor\n", "a: !!python/object x\n", "%YAML 1.1\n---\na: 1\n", "[" * (MAX_DEPTH + 1)],
)
def test_a_forbidden_construct_is_found_with_its_position(text: str) -> None:
    found = scan(text)
    assert found is not None
    assert found.line == 1 and found.column >= 1 and found.hint


@pytest.mark.parametrize(
    "text",
    [
        "a: 'R&D'\nb: \"*\"\nc: wow!\n",
        "text: |\n  & * ! stay text in a block\nnext: 1\n",
        "# a comment with &anchor\na: [1, 2]\n",
        "",
    ],
)
def test_the_same_signs_are_fine_where_they_mean_nothing(text: str) -> None:
    assert scan(text) is None
