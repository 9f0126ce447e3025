"""The interpreter under the tests: what a finaliser does cannot fail the test it happens to run in."""

from __future__ import annotations

import ast
import gc

import pytest


class _ParsesAtItsEnd:
    """Garbage in a cycle, so that only a collection ends it; Python itself parses so to show a traceback."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        ast.parse("a + b")


def test_a_source_is_parsed_whole_while_finalisers_parse_as_well() -> None:
    once = "def f(a, b):\n    return [a + b, a * b]\n"
    threshold = gc.get_threshold()
    gc.set_threshold(50)
    try:
        for _ in range(20):
            _ParsesAtItsEnd()
            assert len(ast.parse(once * 50).body) == 50
    finally:
        gc.set_threshold(*threshold)


def test_collection_is_on_again_after_a_source_that_cannot_be_parsed() -> None:
    with pytest.raises(SyntaxError):
        ast.parse("a +")
    assert gc.isenabled()
