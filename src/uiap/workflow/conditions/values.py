"""Conditions on values: parameter, result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from uiap.linear_pattern import PatternRefused, linear_pattern
from uiap.spec.workflow import ParameterCondition, ResultCondition
from uiap.workflow.conditions.facts import FALSE, ConditionFacts, ConditionVerdict, decided, undecided
from uiap.workflow.values import MissingValue, result_at


def _same(value: Any, other: Any) -> bool:
    """Compare as JSON: true is not 1."""
    return isinstance(value, bool) == isinstance(other, bool) and bool(value == other)


_COMPARE: Mapping[str, Callable[[Any, Any], bool]] = MappingProxyType(
    {
        "eq": _same,
        "neq": lambda value, other: not _same(value, other),
        "in": lambda value, other: any(_same(value, one) for one in other),
        "gt": lambda value, other: value > other,
        "gte": lambda value, other: value >= other,
        "lt": lambda value, other: value < other,
        "lte": lambda value, other: value <= other,
        "matches": lambda value, other: linear_pattern(other).found_in(value),
    }
)


def parameter(condition: ParameterCondition, facts: ConditionFacts) -> ConditionVerdict:
    """A parameter without a value makes every comparison false."""
    has_value = condition.name in facts.parameters
    if condition.op == "exists":
        return decided(has_value)
    if not has_value:
        return FALSE
    return _compare(condition.op, facts.parameters[condition.name], condition.value, condition.name)


def result(condition: ResultCondition, facts: ConditionFacts) -> ConditionVerdict:
    path = f"{condition.step_id}.{condition.path}" if condition.path else condition.step_id
    try:
        value = result_at(path, facts.results)
    except MissingValue:
        return FALSE
    return decided(True) if condition.op == "exists" else _compare(condition.op, value, condition.value, path)


def _compare(op: str, value: Any, other: Any, name: str) -> ConditionVerdict:
    try:
        return decided(_COMPARE[op](value, other))
    except (TypeError, PatternRefused):
        return undecided(f"`{name}` cannot be compared by `{op}`")
