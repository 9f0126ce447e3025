"""Whether a run may start: version, mode, grants, parameters and conditions, before anything is done (WF-9b)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import UNSET

from uiap.spec.capability import ActionDescriptor
from uiap.spec.workflow import (
    WorkflowDefinition,
    WorkflowErrorCode,
    WorkflowErrorDescriptor,
    WorkflowListPayload,
    WorkflowStartPayload,
)
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.index import MODE_GRANTS, Situation, missing_to_start
from uiap.workflow.parameters import defaults, never_collected, problems
from uiap.workflow.run import WorkflowTerms
from uiap.workflow.validation import RuleViolation, rule_violations


def start_terms(
    definitions: Sequence[WorkflowDefinition],
    asked: WorkflowStartPayload,
    instance_id: str,
    situation: Situation,
    facts: ConditionFacts | None = None,
    actions: tuple[ActionDescriptor, ...] = (),
) -> WorkflowTerms | WorkflowErrorDescriptor:
    """Return the terms of the run, or why it cannot start."""
    named = [one for one in definitions if one.id == asked.workflow_id]
    if not named:
        return _refusal("unknown_workflow", f"there is no workflow `{asked.workflow_id}`")
    definition = next((one for one in named if asked.version in (UNSET, one.version)), None)
    if definition is None:
        known = ", ".join(f"`{one.version}`" for one in named)
        return _refusal("version_mismatch", f"`{asked.workflow_id}` is {known}, not `{asked.version}`")
    wrong = [one.message for one in load_errors(definition)]
    if wrong:
        return _refusal("unknown_workflow", f"`{definition.id}` is not valid: {'; '.join(wrong)}")
    mode = definition.interaction_modes[0] if asked.mode is UNSET else asked.mode
    if mode not in definition.interaction_modes:
        known = ", ".join(definition.interaction_modes)
        return _refusal("mode_not_allowed", f"`{definition.id}` runs in {known}, not in {mode}")
    missing_grants = sorted((MODE_GRANTS[mode] | set(definition.required_grants or ())) - situation.grants)
    if missing_grants:
        return _refusal("missing_grant", f"`{definition.id}` needs {', '.join(missing_grants)}")
    given = asked.parameters or {}
    bad = [*problems(definition, given), *never_collected(definition, {**defaults(definition), **given})]
    if bad:
        return _refusal("invalid_parameter", "; ".join(bad))
    missing = [*missing_to_start(definition, WorkflowListPayload(mode=mode), situation, facts)]
    if missing:
        return _refusal(
            "entry_condition_failed", f"`{definition.id}` cannot start here: {'; '.join(missing)}"
        )
    return WorkflowTerms(
        instance_id=instance_id, definition=definition, mode=mode, parameters=given, actions=actions
    )


def load_errors(definition: WorkflowDefinition) -> list[RuleViolation]:
    """Return the rules that a definition violates so that it cannot run (WF-13)."""
    plain = msgspec.to_builtins(definition)
    return [one for one in rule_violations(plain) if one.severity == "error"]


def _refusal(code: WorkflowErrorCode, message: str) -> WorkflowErrorDescriptor:
    return WorkflowErrorDescriptor(code=code, message=message)
