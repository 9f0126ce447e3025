"""Which workflows start by themselves (WF-8): only those declared `automatic`, here, once, and if policy allows it."""

from __future__ import annotations

from collections.abc import Iterable, Set

from msgspec import UNSET

from uiap.policy.evaluate import PolicySet
from uiap.policy.request import PolicyRequest
from uiap.spec.capability import RiskLevel
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.workflow import ActionStep, WorkflowDefinition, WorkflowListPayload, WorkflowStartMode
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.index import Situation, missing_to_start

START = "uiap.workflow.start"
"""The action that a rule of a policy names to allow or deny an automatic start."""
STARTS_BY_ITSELF: tuple[WorkflowStartMode, ...] = ("automatic",)


def due(
    definitions: Iterable[WorkflowDefinition],
    started: Set[str],
    situation: Situation,
    facts: ConditionFacts,
) -> list[WorkflowDefinition]:
    """Return the automatic workflows that can start here and did not start in this session."""
    asked = WorkflowListPayload()
    return [
        one
        for one in definitions
        if one.start_mode in STARTS_BY_ITSELF and one.id not in started
        if not any(missing_to_start(one, asked, situation, facts))
    ]


def may_start(definition: WorkflowDefinition, principal: PolicyPrincipal, policies: PolicySet) -> bool:
    """Return whether policy allows the start without asking anybody. A start that needs a person does not happen.

    A workflow that acts must therefore declare that its risk is `safe`. Each of its actions is decided on as always.
    """
    mode = definition.interaction_modes[0]
    acts = mode != "guide" and any(isinstance(step, ActionStep) for step in definition.steps)
    request = PolicyRequest(
        principal_type=principal.type,
        principal_id=principal.id,
        principal_roles=frozenset(principal.roles or ()),
        grants=frozenset(principal.grants or ()),
        action_id=START,
        side_effect="unknown" if acts else "none",
        risk_level=_risk(definition, acts),
        risk_explicit=definition.risk is not UNSET,
        workflow_id=definition.id,
        interaction_mode=mode,
    )
    return policies.decide(request).effect == "allow"


def _risk(definition: WorkflowDefinition, acts: bool) -> RiskLevel:
    if definition.risk is not UNSET:
        return definition.risk.level
    return "confirm" if acts else "safe"
