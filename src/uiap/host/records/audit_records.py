"""Audit records of actions: the decision before the gesture, the result after it.

Arguments are recorded only where the audit level asks for them, and never a secret.
"""

from __future__ import annotations

import msgspec
from msgspec import UNSET, UnsetType

from uiap.runtime.action import ActionTerms
from uiap.runtime.commands import RecordDecision
from uiap.runtime.confirmation import HIDDEN, masked_args
from uiap.runtime.permission import OPERATIONS
from uiap.spec.action import ActionResultPayload
from uiap.spec.base import JsonObject
from uiap.spec.policy import AuditObligation, AuditRecord, PolicyPrincipal


def decision_record(
    id: str, terms: ActionTerms, command: RecordDecision, wall: str, *, full: bool = False
) -> AuditRecord:
    """Return the record of a policy decision. `full` records the arguments, whatever the obligations say."""
    request, principal = terms.request, terms.principal
    return AuditRecord(
        audit_id=id,
        ts=wall,
        session_id=terms.session,
        principal=PolicyPrincipal(type=principal.type, id=principal.id),
        action_id=request.action_id,
        action_handle=terms.handle,
        target=UNSET if request.target is UNSET else request.target.ref,
        operation=OPERATIONS.get(request.action_id, "act"),
        decision=command.decision,
        args=_args(terms, command, full),
    )


def result_record(
    id: str, terms: ActionTerms, command: RecordDecision | None, result: ActionResultPayload, wall: str
) -> AuditRecord | UnsetType:
    """Return the record of a result, or UNSET if the action ended before policy was asked."""
    if command is None:
        return UNSET
    record = decision_record(id, terms, command, wall)
    return msgspec.structs.replace(
        record, outcome=result.status, side_effect_state=result.side_effect_state, args=UNSET
    )


def _args(terms: ActionTerms, command: RecordDecision, full: bool) -> JsonObject | UnsetType:
    """Return the arguments as a person may see them, if the audit level is `full`."""
    obligations = command.decision.obligations
    asked = any(isinstance(one, AuditObligation) and one.level == "full" for one in obligations)
    if not (asked or full):
        return UNSET
    args = {} if terms.request.args is UNSET else terms.request.args
    return masked_args(args, masked=not HIDDEN.isdisjoint(command.data_classes))
