"""All kinds of conditions, one row each, and the verdict on a group of them (WF-5b).

A condition that cannot be decided is neither true nor false inside `all`, `any` and `not`. A group with such a
verdict does not hold, and its reason becomes a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from uiap.spec.workflow import AllCondition, AnyCondition, NotCondition, WorkflowCondition
from uiap.workflow.conditions import page, person, values
from uiap.workflow.conditions.facts import FALSE, TRUE, ConditionFacts, ConditionVerdict, decided, undecided

ConditionJudge: TypeAlias = Callable[[Any, ConditionFacts], ConditionVerdict]


def all_hold(conditions: Iterable[WorkflowCondition], facts: ConditionFacts) -> ConditionVerdict:
    """Return the verdict on a list of conditions that must all hold."""
    verdicts = [judge(one, facts) for one in conditions]
    if any(one.holds is False for one in verdicts):
        return FALSE
    return next((one for one in verdicts if one.holds is None), TRUE)


def _all(condition: AllCondition, facts: ConditionFacts) -> ConditionVerdict:
    return all_hold(condition.conditions, facts)


def _any(condition: AnyCondition, facts: ConditionFacts) -> ConditionVerdict:
    verdicts = [judge(one, facts) for one in condition.conditions]
    if any(one.holds for one in verdicts):
        return TRUE
    return next((one for one in verdicts if one.holds is None), FALSE)


def _not(condition: NotCondition, facts: ConditionFacts) -> ConditionVerdict:
    verdict = judge(condition.condition, facts)
    return undecided(verdict.why) if verdict.holds is None else decided(not verdict.holds)


CONDITIONS: Mapping[str, ConditionJudge] = MappingProxyType(
    {
        "route": page.route,
        "element": page.element,
        "state": page.state,
        "signal": page.signal,
        "parameter": values.parameter,
        "grant": person.grant,
        "role": person.role,
        "capability": person.capability,
        "result": values.result,
        "all": _all,
        "any": _any,
        "not": _not,
        "custom": person.custom,
    }
)


def judge(condition: WorkflowCondition, facts: ConditionFacts) -> ConditionVerdict:
    """Return the verdict on one condition."""
    return CONDITIONS[condition.kind](condition, facts)


def judge_groups(
    groups: Iterable[Iterable[WorkflowCondition]], facts: ConditionFacts
) -> tuple[tuple[bool, ...], tuple[str, ...]]:
    """Return whether each group holds, and a warning for each that could not be decided."""
    verdicts = [all_hold(group, facts) for group in groups]
    warnings = tuple(one.why for one in verdicts if one.holds is None)
    return tuple(one.holds is True for one in verdicts), warnings
