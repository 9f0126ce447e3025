"""uiap.policy.*: the rules in force, and decisions in advance. These are advice: each action is decided again."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import UNSET

from uiap.actions.invoke import domain_action
from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS
from uiap.host.clock import Clock
from uiap.host.consent.principals import effective_principal
from uiap.host.execution.app_actions import AppActions
from uiap.host.loop.dispatch import Call, Outcome, Reply
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page
from uiap.host.records.audit import Audit, AuditEntry
from uiap.ids import IdMaker, new_seed
from uiap.policy.builtin import Rules
from uiap.policy.evaluate import PolicySet
from uiap.policy.request import PolicyRequest
from uiap.runtime.permission import PermissionRequest, appraise_request, decision, policy_request
from uiap.runtime.resolve import Resolved, gather, resolve
from uiap.runtime.surroundings import full_surroundings
from uiap.spec.action import ActionTarget
from uiap.spec.policy import (
    PolicyAuditPayload,
    PolicyChangedPayload,
    PolicyDecisionPayload,
    PolicyDocumentPayload,
    PolicyEvaluatePayload,
    PolicyGetPayload,
    PolicyPrincipal,
)


class PolicyHandler:
    """Answers policy requests for one page under one set of rules."""

    def __init__(
        self,
        page: Page,
        clock: Clock,
        rules: Rules,
        policies: Callable[[], PolicySet],
        apps: AppActions | None = None,
        audit: Audit | None = None,
    ) -> None:
        self._page, self._clock, self._rules, self._policies = page, clock, rules, policies
        self._app_actions = apps
        self._ids = IdMaker(new_seed())
        self._subscribers: dict[str, SessionConnection] = {}
        if audit is not None:
            audit.listen(self._on_audit_entry)

    @property
    def policies(self) -> PolicySet:
        return self._policies()

    def get(self, call: Call) -> Outcome:
        request: PolicyGetPayload = call.payload
        self._subscribers[call.connection.id] = call.connection
        unchanged = request.known_revision == self.policies.revision
        payload = PolicyDocumentPayload(
            revision=self.policies.revision,
            documents=() if unchanged else self.policies.documents,
            unchanged=True if unchanged else UNSET,
        )
        return Reply("uiap.policy.document", payload)

    # -- sessions that asked for the rules get changes and audit records ------------------------------------

    def publish_change(self) -> None:
        """Notify the sessions that asked for the rules."""
        for connection in self._subscribers.values():
            connection.publish("uiap.policy.changed", PolicyChangedPayload(revision=self.policies.revision))

    def _on_audit_entry(self, entry: AuditEntry) -> None:
        """Publish an audit record to observers and systems. Agents do not get the records of other agents."""
        if entry.record is UNSET:
            return
        for connection in list(self._subscribers.values()):
            principal = connection.session.principal
            if principal is not None and principal.type in ("observer", "system"):
                connection.publish("uiap.policy.audit", PolicyAuditPayload(record=entry.record))

    def end_session(self, connection: SessionConnection) -> None:
        self._subscribers.pop(connection.id, None)

    def evaluate(self, call: Call) -> Outcome:
        request: PolicyEvaluatePayload = call.payload
        found = self._case(request, effective_principal(call.connection.session.principal, self._rules))
        ruling = self.policies.decide(found)
        decided = decision(ruling, self._ids.next("dec"), self._clock.now().wall, self.policies.revision)
        return Reply("uiap.policy.decision", PolicyDecisionPayload(decision=decided))

    def _case(self, request: PolicyEvaluatePayload, principal: PolicyPrincipal) -> PolicyRequest:
        primitive = self._primitive(request.action_id or "")
        if primitive is None:
            return PolicyRequest(
                principal_type=principal.type,
                principal_id=principal.id,
                grants=frozenset(principal.grants or ()),
                operation=request.operation,
                action_id=request.action_id or None,
                action_known=request.action_id is UNSET,
                side_effect="none" if request.action_id is UNSET else "unknown",
            )
        resolved = self._resolved(request, primitive.id)
        matter = PermissionRequest(
            primitive=primitive,
            args={} if request.args is UNSET else request.args,
            resolved=resolved,
            declared=primitive.risk,
            trusted_risk=resolved is not None and resolved.winner.candidate.vouched,
            workflow=None if request.workflow is UNSET else request.workflow,
            origins=self._page.session_origins,
        )
        judged = policy_request(matter, appraise_request(matter), principal)
        unresolved = request.target is not UNSET and resolved is None
        mode = None if request.execution_mode is UNSET else request.execution_mode
        return msgspec.structs.replace(judged, target_certain=not unresolved, execution_mode=mode)

    def _primitive(self, id: str) -> Primitive | None:
        """Return an action of the protocol or of the program. Actions of a page are judged when they are requested."""
        declared = None if self._app_actions is None else self._app_actions.declared_by_program(id)
        return ACTIONS.get(id) if declared is None else domain_action(declared)

    def _resolved(self, request: PolicyEvaluatePayload, action_id: str) -> Resolved | None:
        if request.target is UNSET:
            return None
        target, store = ActionTarget(ref=request.target), self._page.tab().store
        found = resolve(target, gather(store, target), action_id)
        if not isinstance(found, Resolved):
            return None
        return found.in_surroundings(full_surroundings(store, found.winner.candidate.element))
