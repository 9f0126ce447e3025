"""Policy obligations that the host fulfils: notify, custom and redact.

An obligation that cannot be fulfilled refuses the action, because a rule must never be followed in part. The runtime
fulfils `limitExecutionModes`, `requireVerification`, `uiap.requireSettled` and `audit` where they apply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from msgspec import UNSET

from uiap.host.records.audit import Audit
from uiap.policy.obligation_names import SETTLED
from uiap.runtime import commands as do
from uiap.runtime.action import ActionTerms
from uiap.spec.policy import (
    CustomObligation,
    NotifyObligation,
    PolicyDefaults,
    PolicyDocument,
    PolicyObligation,
    RedactionMatch,
    RedactionRule,
    RedactObligation,
)
from uiap.spec.web import ElementNode

NotifyChannel = Callable[[dict[str, Any]], None]
"""Notifies a channel of a decision. The notification holds no arguments."""
CustomHandler = Callable[[dict[str, Any], dict[str, Any]], None]
"""Fulfils a custom obligation. Gets its parameters and the decision; an exception refuses the action."""
AUDIT_CHANNEL = "audit"
"""The channel that always exists: the audit log and its listeners."""


class Obliged(Protocol):
    """An action whose decision carries obligations."""

    terms: ActionTerms
    target: ElementNode | None
    decision: do.RecordDecision | None


class Obligations:
    """The notification channels and custom handlers of one page."""

    def __init__(
        self,
        audit: Audit,
        channels: Mapping[str, NotifyChannel] = MappingProxyType({}),
        customs: Mapping[str, CustomHandler] = MappingProxyType({}),
    ) -> None:
        self._audit = audit
        self.channels: dict[str, NotifyChannel] = {AUDIT_CHANNEL: lambda _notification: None, **channels}
        self.custom_handlers: dict[str, CustomHandler] = dict(customs)

    def refusal(self, action: Obliged) -> str | None:
        """Fulfil all obligations of the decision before dispatch. Return why one cannot be fulfilled, or None."""
        for one in () if action.decision is None else action.decision.decision.obligations:
            if (why := self._fulfil(one, action)) is not None:
                return why
        return None

    def _fulfil(self, one: PolicyObligation, action: Obliged) -> str | None:
        notification = _notification(action)
        if isinstance(one, NotifyObligation):
            name = AUDIT_CHANNEL if one.channel is UNSET else one.channel
            channel = self.channels.get(name)
            if channel is None:
                return f"a rule must notify `{name}`, but no such channel is set up; configure it first"
            channel(notification)
            self._audit.record("notified", session=action.terms.session, handle=action.terms.handle, by=name)
        if isinstance(one, CustomObligation) and one.name != SETTLED:
            return self._fulfil_custom(one, notification)
        return None

    def _fulfil_custom(self, one: CustomObligation, notification: dict[str, Any]) -> str | None:
        handler = self.custom_handlers.get(one.name)
        if handler is None:
            return f"a rule requires `{one.name}`, but no handler for it is set up; register one first"
        try:
            handler({} if one.params is UNSET else dict(one.params), notification)
        except Exception as error:
            return f"the obligation `{one.name}` could not be fulfilled: {type(error).__name__}"
        return None


def _notification(action: Obliged) -> dict[str, Any]:
    """Return what a channel is notified of, without arguments."""
    decision, element = action.decision, action.target
    return {
        "actionId": action.terms.request.action_id,
        "actionHandle": action.terms.handle,
        "principal": action.terms.principal.id,
        "target": "" if element is None else element.stable_id or element.name or element.role,
        "decision": "" if decision is None else decision.decision.decision_id,
    }


def redaction_documents(obligations: tuple[PolicyObligation, ...]) -> tuple[PolicyDocument, ...]:
    """Return `redact` obligations as a policy document that masks what this action reads."""
    rules = [
        RedactionRule(
            id=f"obligation-{n}",
            match=RedactionMatch(data_classes=one.data_classes),
            mode="mask" if one.mode is UNSET else one.mode,
        )
        for n, one in enumerate(obligations)
        if isinstance(one, RedactObligation)
    ]
    if not rules:
        return ()
    return (
        PolicyDocument(
            model_version="0.1", id="obligations", defaults=PolicyDefaults(), redaction=tuple(rules)
        ),
    )
