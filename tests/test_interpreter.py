"""The interpreter of the tests: a finaliser cannot fail the test during which it runs."""

from __future__ import annotations

import ast
import gc

import pytest


class _ParsesInFinaliser:
    """An object in a cycle, so that only the garbage collector finalises it. Python parses like this for tracebacks."""

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
            _ParsesInFinaliser()
            assert len(ast.parse(once * 50).body) == 50
    finally:
        gc.set_threshold(*threshold)


def test_collection_is_on_again_after_a_source_that_cannot_be_parsed() -> None:
    with pytest.raises(SyntaxError):
        ast.parse("a +")
    assert gc.isenabled()
