"""Lines and columns: correct in block and flow style, at bounded cost."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from uiap.authoring.diagnostic import Diagnostic
from uiap.authoring.documents.position import MAX_BYTES, SourceMap, with_positions
from uiap.authoring.pointer import parse

TEXT = """\
a: 1
list:
  - id: x   # first
    deep: {k: [1, {n: 2}]}
  - id: y
"quoted key": |
  text
  more
last: end
"""


@pytest.mark.parametrize(
    ("pointer", "line", "column"),
    [
        ("", 1, 1),
        ("/a", 1, 1),
        ("/list", 2, 1),
        ("/list/0", 3, 5),
        ("/list/0/deep", 4, 5),
        ("/list/0/deep/k", 4, 12),
        ("/list/0/deep/k/1/n", 4, 20),
        ("/list/1/id", 5, 5),
        ("/quoted key", 6, 1),
        ("/last", 9, 1),
        ("/list/1/missing", 5, 5),
        ("/nowhere/at/all", 1, 1),
    ],
)
def test_a_pointer_has_its_own_position_or_that_of_its_nearest_parent(
    pointer: str, line: int, column: int
) -> None:
    place = SourceMap(TEXT).position(parse(pointer))
    assert place is not None
    assert (place.line, place.column) == (line, column)


def problem(severity: str, file: str) -> Diagnostic:
    return Diagnostic(code="c", severity=severity, message="m", file=file, pointer="/a")  # type: ignore[arg-type]


def test_errors_get_positions_before_warnings_if_the_budget_is_small() -> None:
    big = "a: 1\nb: " + "x" * (MAX_BYTES - 100)
    texts = {"one": big, "two": big}
    found = with_positions([problem("warning", "one"), problem("error", "two")], texts)
    assert [(d.file, d.line is UNSET) for d in found] == [("two", False), ("one", True)]


def test_problems_of_a_large_file_have_a_pointer_without_a_line() -> None:
    (found,) = with_positions([problem("error", "x")], {"x": "a: " + "x" * MAX_BYTES})
    assert (found.line, found.pointer) == (UNSET, "/a")
