"""What rules oblige to beyond yes and no, as far as it is done by the host: notify, custom, redact.

An obligation that nobody here can meet is a refusal: a rule that wants somebody told, or something done, is not
half-followed. `limitExecutionModes`, `requireVerification` and `audit` are met where they apply.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

from msgspec import UNSET

from uiap.host.records.audit import Audit
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
"""A channel by its name; gets what was decided about what, without arguments."""
CustomHandler = Callable[[dict[str, Any], dict[str, Any]], None]
"""Does what a custom obligation asks for: gets its parameters and what was decided. An exception is a refusal."""
AUDIT_CHANNEL = "audit"
"""The channel that is always there: the audit, and everybody who hears it."""


class Obliged(Protocol):
    """An action whose decision carries obligations."""

    terms: ActionTerms
    target: ElementNode | None
    decision: do.RecordDecision | None


class Obligations:
    def __init__(
        self,
        audit: Audit,
        channels: Mapping[str, NotifyChannel] = MappingProxyType({}),
        customs: Mapping[str, CustomHandler] = MappingProxyType({}),
    ) -> None:
        self._audit = audit
        self.channels: dict[str, NotifyChannel] = {AUDIT_CHANNEL: lambda _told: None, **channels}
        self.custom_handlers: dict[str, CustomHandler] = dict(customs)

    def refusal(self, action: Obliged) -> str | None:
        """Meet every obligation of the decision before the gesture. Return why one cannot be met, or None."""
        for one in () if action.decision is None else action.decision.decision.obligations:
            if (why := self._fulfil(one, action)) is not None:
                return why
        return None

    def _fulfil(self, one: PolicyObligation, action: Obliged) -> str | None:
        told = _notice(action)
        if isinstance(one, NotifyObligation):
            name = AUDIT_CHANNEL if one.channel is UNSET else one.channel
            channel = self.channels.get(name)
            if channel is None:
                return f"a rule wants `{name}` notified, and no such channel is set up here"
            channel(told)
            self._audit.record("notified", session=action.terms.session, handle=action.terms.handle, by=name)
        if isinstance(one, CustomObligation):
            return self._fulfil_custom(one, told)
        return None

    def _fulfil_custom(self, one: CustomObligation, told: dict[str, Any]) -> str | None:
        doing = self.custom_handlers.get(one.name)
        if doing is None:
            return f"a rule obliges to `{one.name}`, which nobody here can do"
        try:
            doing({} if one.params is UNSET else dict(one.params), told)
        except Exception as error:
            return f"the obligation `{one.name}` could not be met: {type(error).__name__}"
        return None


def _notice(action: Obliged) -> dict[str, Any]:
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
    """`redact` obligations as a document: what this action reads is withheld accordingly."""
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
