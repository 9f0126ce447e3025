"""The rules of one document, compiled: for each value of a fact, which rules it lets through, as bits of one number.

A decision is then a few lookups and an AND, however many rules there are. What one set of rules comes to is
remembered too: an application asks the same questions again and again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec import UNSET

from uiap.policy.matching import FactTest, RequestTest, compile_match, fact_tests
from uiap.policy.request import PolicyRequest
from uiap.spec.policy import PolicyRule

MAX_CACHED = 4096
"""So many values of a fact, and so many sets of rules; then all of them are forgotten."""


class CompiledRule(NamedTuple):
    priority: int
    rule: PolicyRule
    unless: RequestTest | None
    """The compiled `not` of its match."""


class _Column:
    """One fact: the rules that ask nothing of it, and what the others ask."""

    def __init__(self, everyone: int) -> None:
        self.silent = everyone
        self.asking: list[tuple[int, list[FactTest]]] = []
        self.masks: dict[Any, int] = {}

    def ask(self, bit: int, tests: list[FactTest]) -> None:
        self.silent &= ~bit
        self.asking.append((bit, tests))

    def mask(self, value: Any) -> int:
        found = self.silent
        for bit, tests in self.asking:
            if all(test(value) for test in tests):
                found |= bit
        if len(self.masks) >= MAX_CACHED:
            self.masks.clear()
        self.masks[value] = found
        return found


class RuleTable:
    """`matching(case)` gives the enabled rules that fit, as bits in document order; `rules` turns them back."""

    def __init__(self, rules: tuple[PolicyRule, ...]) -> None:
        enabled = [rule for rule in rules if rule.enabled is not False]
        self._compiled = [CompiledRule(_priority(r), r, _unless(r)) for r in enabled]
        self._everyone = (1 << len(enabled)) - 1
        self._columns: dict[str, _Column] = {}
        self._conditional = 0
        for number, one in enumerate(self._compiled):
            self._file(1 << number, one)
        self._known: dict[int, tuple[CompiledRule, ...]] = {0: ()}

    def _file(self, bit: int, one: CompiledRule) -> None:
        if one.unless is not None:
            self._conditional |= bit
        asked: dict[str, list[FactTest]] = {}
        for fact, test in fact_tests(one.rule.match):
            asked.setdefault(fact, []).append(test)
        for fact, tests in asked.items():
            self._columns.setdefault(fact, _Column(self._everyone)).ask(bit, tests)

    def matching(self, case: PolicyRequest) -> int:
        found = self._everyone
        for fact, column in self._columns.items():
            value = getattr(case, fact)
            mask = column.masks.get(value)
            found &= column.mask(value) if mask is None else mask
            if not found:
                return 0
        doubtful = found & self._conditional
        while doubtful:
            bit = doubtful & -doubtful
            doubtful ^= bit
            unless = self._compiled[bit.bit_length() - 1].unless
            if unless is not None and unless(case):
                found ^= bit
        return found

    def rules(self, found: int) -> tuple[CompiledRule, ...]:
        """In document order."""
        known = self._known.get(found)
        if known is None:
            known = tuple(one for number, one in enumerate(self._compiled) if found >> number & 1)
            if len(self._known) >= MAX_CACHED:
                self._known = {0: ()}
            self._known[found] = known
        return known


def _unless(rule: PolicyRule) -> RequestTest | None:
    return None if rule.match.not_ is UNSET else compile_match(rule.match.not_)


def _priority(rule: PolicyRule) -> int:
    return 0 if rule.priority is UNSET else rule.priority
