"""Regular expressions of other people, matched in time that grows only linearly with the text.

Python's matcher tries again from each position, so that `(a+)+$` on a text that a page chose stops the event loop. This
one reads each character once and keeps all states in which the pattern may be. Back references and look-around need
more than that, and are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

from re import _constants as op  # type: ignore[attr-defined]  # isort: skip
from re import _parser  # type: ignore[attr-defined]  # isort: skip

MAX_STATES = 2_000
MAX_TEXT = 10_000
"""Longer texts are refused."""
MAX_WORK = 100_000
"""The states that one search may visit. Transitions that were seen before cost nothing."""
_MAX_CACHED = 2_000

Test: TypeAlias = Callable[[str], bool]
_CATEGORIES: dict[Any, Test] = {
    op.CATEGORY_DIGIT: str.isdecimal,
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_WORD: lambda one: _is_word(one),
}
_NEGATED = {
    op.CATEGORY_NOT_DIGIT: op.CATEGORY_DIGIT,
    op.CATEGORY_NOT_SPACE: op.CATEGORY_SPACE,
    op.CATEGORY_NOT_WORD: op.CATEGORY_WORD,
}


class PatternRefused(ValueError):
    """The pattern is no regular expression, is too large, or needs more than one reading of the text."""


class _Node(NamedTuple):
    """One state: a test of the next character, or a condition on the position, or neither."""

    following: list[int]
    test: Test | None = None
    at: Any = None


class _Around(NamedTuple):
    """States, and what the conditions on a position ask about it."""

    states: frozenset[int]
    is_start: bool
    word_before: bool
    is_last: bool
    word_after: bool
    is_end: bool


class LinearPattern:
    """A compiled pattern."""

    def __init__(self, pattern: str) -> None:
        try:
            parsed = _parser.parse(pattern)
        except (re.error, RecursionError, OverflowError) as error:
            raise PatternRefused(f"`{pattern[:100]}` is no regular expression: {error}") from None
        self._flags = parsed.state.flags
        if self._flags & (re.MULTILINE | re.LOCALE | re.ASCII):
            raise PatternRefused("the flags m, L and a are not supported")
        self._nodes: list[_Node] = []
        self._accept = self._node()
        self._start = self._sequence(parsed, self._accept)
        self._closures: dict[_Around, frozenset[int]] = {}
        self._steps: dict[tuple[frozenset[int], str], frozenset[int]] = {}
        self._work = 0

    def found_in(self, text: str) -> bool:
        """Return whether the pattern matches somewhere in the text. Raise PatternRefused if that takes too long."""
        if len(text) > MAX_TEXT:
            raise PatternRefused("the text is too long for a pattern")
        self._work, before = 0, ""
        current = frozenset((self._start,))
        for at in range(len(text) + 1):
            after = text[at : at + 1]
            is_end = at == len(text) or (at == len(text) - 1 and after == "\n")
            reached = self._closure(
                _Around(current, not before, _is_word(before), not after, _is_word(after), is_end)
            )
            if self._accept in reached:
                return True
            if self._work > MAX_WORK:
                raise PatternRefused("the pattern takes too long on this text")
            current, before = self._step(reached, after), after
        return False

    def _step(self, reached: frozenset[int], character: str) -> frozenset[int]:
        """Return the states after one more character. A match may begin at each character."""
        key = (reached, character)
        found = self._steps.get(key)
        if found is None:
            self._work += len(reached)
            passed = (self._nodes[one] for one in reached)
            matching = (one for one in passed if one.test and character and one.test(character))
            found = frozenset((self._start, *(to for one in matching for to in one.following)))
            _remember(self._steps, key, found)
        return found

    def _closure(self, around: _Around) -> frozenset[int]:
        """Return the states that are reached without another character."""
        if (known := self._closures.get(around)) is not None:
            return known
        open_, seen = list(around.states), set(around.states)
        while open_:
            node = self._nodes[open_.pop()]
            if node.test is not None or (node.at is not None and not _holds(node.at, around)):
                continue
            fresh = [to for to in node.following if to not in seen]
            seen.update(fresh)
            open_ += fresh
        self._work += len(seen)
        found = frozenset(seen)
        _remember(self._closures, around, found)
        return found

    # -- compilation, from the end to the start -------------------------------------------------------------

    def _node(self, *following: int, test: Test | None = None, at: Any = None) -> int:
        if len(self._nodes) >= MAX_STATES:
            raise PatternRefused("the pattern is too large")
        self._nodes.append(_Node(list(following), test, at))
        return len(self._nodes) - 1

    def _sequence(self, items: Any, then: int) -> int:
        for kind, argument in reversed(list(items)):
            then = self._item(kind, argument, then)
        return then

    def _item(self, kind: Any, argument: Any, then: int) -> int:
        if kind is op.BRANCH:
            return self._node(*(self._sequence(one, then) for one in argument[1]))
        if kind is op.SUBPATTERN:
            if argument[1] or argument[2]:
                raise PatternRefused("flags of a group are not supported")
            return self._sequence(argument[3], then)
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            least, most, items = argument
            return self._repeat(least, most, items, then)
        if kind is op.AT:
            return self._node(then, at=argument)
        return self._node(then, test=self._test(kind, argument))

    def _repeat(self, least: int, most: Any, items: Any, then: int) -> int:
        if least > MAX_STATES or (most is not op.MAXREPEAT and most > MAX_STATES):
            raise PatternRefused("the pattern is too large")
        if most is op.MAXREPEAT:
            again = self._node(then)
            self._nodes[again].following.append(self._sequence(items, again))
            then = again
        else:
            for _ in range(most - least):
                then = self._node(then, self._sequence(items, then))
        for _ in range(least):
            then = self._sequence(items, then)
        return then

    def _test(self, kind: Any, argument: Any) -> Test:
        if kind is op.ANY:
            return (lambda _: True) if self._flags & re.DOTALL else (lambda one: one != "\n")
        if kind is op.LITERAL:
            return self._cased(lambda one: ord(one) == argument)
        if kind is op.NOT_LITERAL:
            same = self._cased(lambda one: ord(one) == argument)
            return lambda one: not same(one)
        if kind is op.IN:
            return self._set(argument)
        raise PatternRefused("the pattern refers back or looks around, which is not supported")

    def _set(self, items: Any) -> Test:
        negated = items[0][0] is op.NEGATE
        tests = [_member(kind, argument) for kind, argument in (items[1:] if negated else items)]
        any_of = self._cased(lambda one: any(test(one) for test in tests))
        return (lambda one: not any_of(one)) if negated else any_of

    def _cased(self, test: Test) -> Test:
        if not self._flags & re.IGNORECASE:
            return test
        return lambda one: any(test(form) for form in {one, one.lower()[:1], one.upper()[:1]})


def _member(kind: Any, argument: Any) -> Test:
    if kind is op.LITERAL:
        return lambda one: ord(one) == argument
    if kind is op.RANGE:
        first, last = argument
        return lambda one: first <= ord(one) <= last
    if kind is op.CATEGORY and argument in _NEGATED:
        inverse = _CATEGORIES[_NEGATED[argument]]
        return lambda one: not inverse(one)
    return _CATEGORIES[argument]


def _holds(at: Any, around: _Around) -> bool:
    """Return whether a condition on the position holds."""
    if at in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
        return around.is_start
    if at is op.AT_END:
        return around.is_end
    if at is op.AT_END_STRING:
        return around.is_last
    boundary = around.word_before != around.word_after
    return boundary is (at is op.AT_BOUNDARY)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _remember(cache: dict[Any, frozenset[int]], key: Any, found: frozenset[int]) -> None:
    if len(cache) >= _MAX_CACHED:
        cache.clear()
    cache[key] = found


@lru_cache(256)
def linear_pattern(pattern: str) -> LinearPattern:
    """Return the compiled pattern. Raise PatternRefused."""
    return LinearPattern(pattern)
