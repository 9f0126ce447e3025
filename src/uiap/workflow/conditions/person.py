"""Conditions on the person and the application: grant, role, capability, custom."""

from __future__ import annotations

from uiap.spec.workflow import CapabilityCondition, CustomCondition, GrantCondition, RoleCondition
from uiap.workflow.conditions.facts import ConditionFacts, ConditionVerdict, decided, undecided


def grant(condition: GrantCondition, facts: ConditionFacts) -> ConditionVerdict:
    return decided(condition.grant in facts.grants)


def role(condition: RoleCondition, facts: ConditionFacts) -> ConditionVerdict:
    return decided(condition.role in facts.roles)


def capability(condition: CapabilityCondition, facts: ConditionFacts) -> ConditionVerdict:
    return decided(condition.action_id in facts.actions)


def custom(condition: CustomCondition, facts: ConditionFacts) -> ConditionVerdict:
    judge = facts.custom.get(condition.name)
    if judge is None:
        return undecided(f"nothing here judges the custom condition `{condition.name}`")
    holds = judge(condition.params or {})
    return (
        undecided(f"the custom condition `{condition.name}` is not decided")
        if holds is None
        else decided(holds)
    )
