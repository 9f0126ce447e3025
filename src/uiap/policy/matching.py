"""Does a rule's match fit a case? Compiled once: a rule becomes a few tests, each on one fact of the case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from uiap.policy.glob import is_literal, matcher
from uiap.policy.request import PolicyRequest
from uiap.spec.policy import PolicyMatch

RequestTest = Callable[[PolicyRequest], bool]
FactTest = Callable[[Any], bool]

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


def compile_match(match: PolicyMatch) -> RequestTest:
    """All given members must match (AND); inside a list, any entry does (OR)."""
    tests = fact_tests(match)
    inner = None if match.not_ is UNSET else compile_match(match.not_)

    def test(case: PolicyRequest) -> bool:
        fits = all(one(getattr(case, fact)) for fact, one in tests)
        return fits and (inner is None or not inner(case))

    return test


def fact_tests(match: PolicyMatch) -> list[tuple[str, FactTest]]:
    """What a match asks of single facts; everything but its `not`."""
    tests: list[tuple[str, FactTest]] = []
    for given, fact in _ONE.items():
        if (wanted := getattr(match, given)) is not UNSET:
            tests.append((fact, frozenset(wanted).__contains__))
    for given, fact in _SETS.items():
        if (wanted := getattr(match, given)) is not UNSET:
            tests.append((fact, _meets(frozenset(wanted))))
    for given, fact in _GLOBS.items():
        if (wanted := getattr(match, given)) is not UNSET:
            tests.append((fact, _globbed(wanted)))
    if match.grants_all is not UNSET:
        tests.append(("grants", frozenset(match.grants_all).issubset))
    if match.grants_missing is not UNSET:
        absent = frozenset(match.grants_missing)
        tests.append(("grants", lambda grants: not absent <= grants))
    return tests


def _meets(wanted: frozenset[Any]) -> FactTest:
    return lambda values: not wanted.isdisjoint(values)


def _globbed(patterns: tuple[str, ...]) -> FactTest:
    literal = frozenset(p for p in patterns if is_literal(p))
    globs = [matcher(p) for p in patterns if not is_literal(p)]

    def test(value: str | None) -> bool:
        return value is not None and (value in literal or any(glob(value) for glob in globs))

    return test
