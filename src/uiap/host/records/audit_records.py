"""Audit records of actions: the decision before, the result after. Arguments only where asked for, never secrets."""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from uiap.runtime.confirmation import HIDDEN, masked_args
from uiap.runtime.machine import Action
from uiap.runtime.permission import OPERATIONS
from uiap.spec.action import ActionResultPayload
from uiap.spec.base import JsonObject
from uiap.spec.policy import AuditObligation, AuditRecord, PolicyDecision, PolicyPrincipal


def decision_record(id: str, machine: Action, decision: PolicyDecision, wall: str) -> AuditRecord:
    target = machine.request.target
    permission = machine.permission
    return AuditRecord(
        audit_id=id,
        ts=wall,
        session_id=machine.terms.session,
        principal=PolicyPrincipal(type=permission.principal.type, id=permission.principal.id),
        action_id=machine.primitive.id,
        action_handle=machine.terms.handle,
        target=UNSET if target is UNSET else target.ref,
        operation=OPERATIONS.get(machine.primitive.id, "act"),
        decision=decision,
        args=_args(machine, decision),
    )


def result_record(
    id: str, machine: Action, result: ActionResultPayload, wall: str
) -> AuditRecord | UnsetType:
    """UNSET where it ended before policy was asked."""
    if machine.permission.decision is None:
        return UNSET
    record = decision_record(id, machine, machine.permission.decision, wall)
    return msgspec.structs.replace(
        record, outcome=result.status, side_effect_state=result.side_effect_state, args=UNSET
    )


def _args(machine: Action, decision: PolicyDecision) -> JsonObject | UnsetType:
    """§5.4: only with level `full`, and then as a person may see them."""
    asked = any(isinstance(one, AuditObligation) and one.level == "full" for one in decision.obligations)
    if not (asked or machine.permission.policies.audits_fully):
        return UNSET
    return masked_args(machine.args, masked=not HIDDEN.isdisjoint(machine.permission.appraisal.data_classes))
