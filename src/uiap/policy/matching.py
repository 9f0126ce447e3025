"""Does a rule's match fit a case? Compiled once: a rule becomes a few tests on the case, cheapest first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from uiap.policy.case import Case
from uiap.policy.glob import is_literal, matcher
from uiap.spec.policy import PolicyMatch

Test = Callable[[Case], bool]

_ONE: dict[str, str] = {
    "principal_types": "principal_type",
    "operations": "operation",
    "action_kinds": "action_kind",
    "execution_modes": "execution_mode",
    "side_effect_classes": "side_effect",
    "risk_levels": "risk_level",
    "roles": "role",
    "scope_kinds": "scope_kind",
    "interaction_modes": "interaction_mode",
}
_GLOBS: dict[str, str] = {
    "principal_ids": "principal_id",
    "action_ids": "action_id",
    "stable_ids": "stable_id",
    "meanings": "meaning",
    "scope_ids": "scope_id",
    "route_ids": "route_id",
    "origins": "origin",
    "workflow_ids": "workflow_id",
}
_SETS: dict[str, str] = {
    "principal_roles": "principal_roles",
    "risk_tags": "risk_tags",
    "data_classes": "data_classes",
}


def compile_match(match: PolicyMatch) -> Test:
    """All given members must match (AND); inside a list, any entry does (OR)."""
    tests = list(_tests(match))
    return lambda case: all(test(case) for test in tests)


def _tests(match: PolicyMatch) -> list[Test]:
    tests: list[Test] = []
    for given, fact in _ONE.items():
        if (wanted := getattr(match, given)) is not UNSET:
            tests.append(_one_of(fact, frozenset(wanted)))
    for given, fact in _SETS.items():
        if (wanted := getattr(match, given)) is not UNSET:
            tests.append(_meets(fact, frozenset(wanted)))
    for given, fact in _GLOBS.items():
        if (wanted := getattr(match, given)) is not UNSET:
            tests.append(_globbed(fact, wanted))
    if match.grants_all is not UNSET:
        needed = frozenset(match.grants_all)
        tests.append(lambda case: needed <= case.grants)
    if match.grants_missing is not UNSET:
        absent = frozenset(match.grants_missing)
        tests.append(lambda case: not absent <= case.grants)
    if match.not_ is not UNSET:
        inner = compile_match(match.not_)
        tests.append(lambda case: not inner(case))
    return tests


def _one_of(fact: str, wanted: frozenset[Any]) -> Test:
    return lambda case: getattr(case, fact) in wanted


def _meets(fact: str, wanted: frozenset[Any]) -> Test:
    return lambda case: not wanted.isdisjoint(getattr(case, fact))


def _globbed(fact: str, patterns: tuple[str, ...]) -> Test:
    literal = frozenset(p for p in patterns if is_literal(p))
    globs = [matcher(p) for p in patterns if not is_literal(p)]

    def test(case: Case) -> bool:
        value = getattr(case, fact)
        return value is not None and (value in literal or any(glob(value) for glob in globs))

    return test


def anchor(match: PolicyMatch) -> tuple[str, frozenset[Any]] | None:
    """The fact and values without which the rule cannot match: what the rule table is indexed by."""
    for given in ("action_ids", "stable_ids", "meanings", "route_ids", "scope_ids", "workflow_ids"):
        wanted = getattr(match, given)
        if wanted is not UNSET and all(is_literal(p) for p in wanted):
            return _GLOBS[given], frozenset(wanted)
    for given in ("side_effect_classes", "roles", "scope_kinds", "interaction_modes", "execution_modes"):
        if (wanted := getattr(match, given)) is not UNSET:
            return _ONE[given], frozenset(wanted)
    for given in ("risk_tags", "data_classes"):
        if (wanted := getattr(match, given)) is not UNSET:
            return _SETS[given], frozenset(wanted)
    for given in ("risk_levels", "operations", "principal_types"):
        if (wanted := getattr(match, given)) is not UNSET:
            return _ONE[given], frozenset(wanted)
    return None
