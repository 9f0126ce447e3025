"""The compiled rules of one document: for each value of a fact, the matching rules as bits of one number.

Finding the matching rules takes a few lookups and an AND for any number of rules. Results are cached, because an
application sends similar requests again and again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec import UNSET

from uiap.policy.matching import FactTest, RequestTest, compile_match, fact_tests
from uiap.policy.request import PolicyRequest
from uiap.spec.policy import PolicyRule

MAX_CACHED = 4096
"""The size of each cache. A full cache is cleared."""


class CompiledRule(NamedTuple):
    """A rule with its priority and its exception."""

    priority: int
    rule: PolicyRule
    unless: RequestTest | None
    """The compiled `not` of the rule's match."""


class _Column:
    """One fact: the rules without a condition on it, and the conditions of the others."""

    def __init__(self, all_rules: int) -> None:
        self.unconditional = all_rules
        self.conditions: list[tuple[int, list[FactTest]]] = []
        self.masks: dict[Any, int] = {}

    def add(self, bit: int, tests: list[FactTest]) -> None:
        self.unconditional &= ~bit
        self.conditions.append((bit, tests))

    def mask(self, value: Any) -> int:
        found = self.unconditional
        for bit, tests in self.conditions:
            if all(test(value) for test in tests):
                found |= bit
        if len(self.masks) >= MAX_CACHED:
            self.masks.clear()
        self.masks[value] = found
        return found


class RuleTable:
    """The enabled rules of a document. A set of rules is a number, with one bit per rule in document order."""

    def __init__(self, rules: tuple[PolicyRule, ...]) -> None:
        enabled = [rule for rule in rules if rule.enabled is not False]
        self._compiled = [CompiledRule(_priority(r), r, _unless(r)) for r in enabled]
        self._all_rules = (1 << len(enabled)) - 1
        self._columns: dict[str, _Column] = {}
        self._conditional = 0
        for number, one in enumerate(self._compiled):
            self._add_rule(1 << number, one)
        self._cache: dict[int, tuple[CompiledRule, ...]] = {0: ()}

    def _add_rule(self, bit: int, one: CompiledRule) -> None:
        if one.unless is not None:
            self._conditional |= bit
        tests_by_fact: dict[str, list[FactTest]] = {}
        for fact, test in fact_tests(one.rule.match):
            tests_by_fact.setdefault(fact, []).append(test)
        for fact, tests in tests_by_fact.items():
            self._columns.setdefault(fact, _Column(self._all_rules)).add(bit, tests)

    def matching(self, request: PolicyRequest) -> int:
        """Return the set of rules that match a request."""
        found = self._all_rules
        for fact, column in self._columns.items():
            value = getattr(request, fact)
            mask = column.masks.get(value)
            found &= column.mask(value) if mask is None else mask
            if not found:
                return 0
        remaining = found & self._conditional
        while remaining:
            bit = remaining & -remaining
            remaining ^= bit
            unless = self._compiled[bit.bit_length() - 1].unless
            if unless is not None and unless(request):
                found ^= bit
        return found

    def rules(self, found: int) -> tuple[CompiledRule, ...]:
        """Return the rules of a set, in document order."""
        rules = self._cache.get(found)
        if rules is None:
            rules = tuple(one for number, one in enumerate(self._compiled) if found >> number & 1)
            if len(self._cache) >= MAX_CACHED:
                self._cache = {0: ()}
            self._cache[found] = rules
        return rules


def _unless(rule: PolicyRule) -> RequestTest | None:
    return None if rule.match.not_ is UNSET else compile_match(rule.match.not_)


def _priority(rule: PolicyRule) -> int:
    return 0 if rule.priority is UNSET else rule.priority
