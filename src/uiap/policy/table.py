"""The rules of one document, compiled: indexed by what they cannot do without, so that a decision asks few of them."""

from __future__ import annotations

from typing import Any, NamedTuple

from msgspec import UNSET

from uiap.policy.case import Case
from uiap.policy.matching import Test, anchor, compile_match
from uiap.spec.policy import PolicyRule


class Compiled(NamedTuple):
    order: int
    priority: int
    rule: PolicyRule
    test: Test


class RuleTable:
    """`matching(case)` gives the enabled rules that fit, in document order."""

    def __init__(self, rules: tuple[PolicyRule, ...]) -> None:
        self._by_fact: dict[str, dict[Any, list[Compiled]]] = {}
        self._always: list[Compiled] = []
        for order, rule in enumerate(rules):
            if rule.enabled is not False:
                self._file(Compiled(order, _priority(rule), rule, compile_match(rule.match)))

    def _file(self, compiled: Compiled) -> None:
        found = anchor(compiled.rule.match)
        if found is None:
            self._always.append(compiled)
            return
        fact, values = found
        shelf = self._by_fact.setdefault(fact, {})
        for value in values:
            shelf.setdefault(value, []).append(compiled)

    def matching(self, case: Case) -> list[Compiled]:
        asked = list(self._always)
        for fact, shelf in self._by_fact.items():
            value = getattr(case, fact)
            if isinstance(value, frozenset):
                for one in value:
                    asked += shelf.get(one, ())
            elif value in shelf:
                asked += shelf[value]
        found = {one.order: one for one in asked if one.test(case)}
        return [found[order] for order in sorted(found)]


def _priority(rule: PolicyRule) -> int:
    return 0 if rule.priority is UNSET else rule.priority
