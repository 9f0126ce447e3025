"""Compilation of a rule's `match`: it becomes a few tests, each on one fact of a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET

from uiap.policy.glob import is_literal, matcher
from uiap.policy.request import PolicyRequest
from uiap.spec.policy import PolicyMatch

RequestTest = Callable[[PolicyRequest], bool]
FactTest = Callable[[Any], bool]

_VALUE_FACTS: dict[str, str] = {
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
_GLOB_FACTS: dict[str, str] = {
    "principal_ids": "principal_id",
    "action_ids": "action_id",
    "stable_ids": "stable_id",
    "meanings": "meaning",
    "scope_ids": "scope_id",
    "route_ids": "route_id",
    "origins": "origin",
    "workflow_ids": "workflow_id",
}
_SET_FACTS: dict[str, str] = {
    "principal_roles": "principal_roles",
    "risk_tags": "risk_tags",
    "data_classes": "data_classes",
}


def compile_match(match: PolicyMatch) -> RequestTest:
    """Return the test of a match: all members must match, and any entry of a list."""
    tests = fact_tests(match)
    inner = None if match.not_ is UNSET else compile_match(match.not_)

    def test(request: PolicyRequest) -> bool:
        fits = all(one(getattr(request, fact)) for fact, one in tests)
        return fits and (inner is None or not inner(request))

    return test


def fact_tests(match: PolicyMatch) -> list[tuple[str, FactTest]]:
    """Return the tests of a match on single facts, without its `not`."""
    tests: list[tuple[str, FactTest]] = []
    for given, fact in _VALUE_FACTS.items():
        if (wanted := getattr(match, given)) is not UNSET:
            tests.append((fact, frozenset(wanted).__contains__))
    for given, fact in _SET_FACTS.items():
        if (wanted := getattr(match, given)) is not UNSET:
            tests.append((fact, _overlaps(frozenset(wanted))))
    for given, fact in _GLOB_FACTS.items():
        if (wanted := getattr(match, given)) is not UNSET:
            tests.append((fact, _matches_glob(wanted)))
    if match.grants_all is not UNSET:
        tests.append(("grants", frozenset(match.grants_all).issubset))
    if match.grants_missing is not UNSET:
        absent = frozenset(match.grants_missing)
        tests.append(("grants", lambda grants: not absent <= grants))
    return tests


def _overlaps(wanted: frozenset[Any]) -> FactTest:
    return lambda values: not wanted.isdisjoint(values)


def _matches_glob(patterns: tuple[str, ...]) -> FactTest:
    literal = frozenset(p for p in patterns if is_literal(p))
    globs = [matcher(p) for p in patterns if not is_literal(p)]

    def test(value: str | None) -> bool:
        return value is not None and (value in literal or any(glob(value) for glob in globs))

    return test
