"""Confirmations and handoffs: decides who may answer which question, and records every answer in the audit log.

An agent's own session can never grant. Every refused grant is recorded as `grant_rejected` (ACT-SEC.2). Channels
(terminal, page, program, webhook) are responsible for reaching a person.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import UNSET

from uiap.digests import json_digest
from uiap.drivers.driver import ElementFacts
from uiap.host.clock import Clock
from uiap.host.consent.answered import BY_ITSELF, question_facts
from uiap.host.consent.grants import Grants
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.records.audit import Audit
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import ActionTerms
from uiap.runtime.grant_terms import GrantTerms, box_of, overlap
from uiap.runtime.surroundings import Surroundings
from uiap.spec.action import (
    ActionConfirmationDenyPayload,
    ActionConfirmationGrantPayload,
)
from uiap.spec.core import ErrorPayload
from uiap.spec.policy import PolicyHandoffCompletedPayload, PolicyPrincipal
from uiap.spec.tools import (
    PendingConfirmation,
    PendingHandoff,
    ToolsHandoffEndedPayload,
    ToolsHandoffEndPayload,
    ToolsPendingGrantedPayload,
    ToolsPendingGrantPayload,
)
from uiap.spec.web import ElementNode

Key = tuple[str, str, str, str, str]
ONLY_ONCE = "this question can only be answered once; grant it without `remember`"
NOT_A_PERSON = "only a person may grant; this session belongs to an agent"


class PendingAnswer(Protocol):
    """An action that waits for a person's answer."""

    terms: ActionTerms
    target: ElementNode | None
    decision: do.RecordDecision | None
    question: do.AskPerson | None
    handoff: do.HandOff | None

    @property
    def handle(self) -> str: ...

    @property
    def session(self) -> str: ...

    @property
    def awaits_confirmation(self) -> bool: ...

    @property
    def awaits_person(self) -> bool: ...


class Channel(Protocol):
    """A way to reach a person."""

    def ask(self, question: PendingConfirmation) -> None:
        """Start asking the person; return at once."""
        ...

    async def close(self) -> None: ...


class Approvals:
    """The pending confirmations and handoffs of one page."""

    def __init__(
        self,
        clock: Clock,
        audit: Audit,
        grants: Grants,
        find: Callable[[str], PendingAnswer | None],
        feed: Callable[[str, when.Event], None],
    ) -> None:
        self.clock, self.audit, self.grants = clock, audit, grants
        self._find, self._feed = find, feed
        self._remembered: dict[Key, str] = {}
        self.channels: list[Channel] = []

    # -- from the wire --------------------------------------------------------------------------------------

    def on_grant(self, call: Call) -> Outcome:
        """`action.confirmation.grant`: only a person may grant, and only what they were shown (ACT-5.4, ACT-SEC.2)."""
        payload: ActionConfirmationGrantPayload = call.payload
        refused = self.grant(
            payload.action_handle, call.connection.session.principal, None, call.connection.id
        )
        return refused or Reply("action.confirmation.grant", payload)

    def on_signed_grant(self, call: Call) -> Outcome:
        """`x.uiap.tools.pending.grant`: a grant with a signed proof of what the person was shown."""
        payload: ToolsPendingGrantPayload = call.payload
        refused = self.grant(
            payload.action_handle,
            call.connection.session.principal,
            payload.token or None,
            call.connection.id,
            remember=payload.remember == "session",
        )
        granted = ToolsPendingGrantedPayload(action_handle=payload.action_handle)
        return refused or Reply("x.uiap.tools.pending.granted", granted)

    def on_deny(self, call: Call) -> Outcome:
        """`action.confirmation.deny`: a session may deny its own actions; only a person may deny others."""
        payload: ActionConfirmationDenyPayload = call.payload
        principal = call.connection.session.principal
        waiting = self._find_awaiting(payload.action_handle)
        if waiting is None:
            return _not_waiting(payload.action_handle)
        if not _is_person(principal) and waiting.session != call.connection.id:
            return decline("forbidden", "this action belongs to another session")
        by = principal.id if principal is not None else "controller"
        reason = None if payload.reason is UNSET else payload.reason
        self.deny(waiting, by, reason)
        return Reply("action.confirmation.deny", payload)

    def on_handoff_end(self, call: Call) -> Outcome:
        """`x.uiap.tools.handoff.end`: the person did the step, or declines it."""
        payload: ToolsHandoffEndPayload = call.payload
        refused = self.end_handoff(
            payload.action_handle, call.connection.session.principal, payload.outcome == "done"
        )
        return refused or Reply(
            "x.uiap.tools.handoff.ended", ToolsHandoffEndedPayload(action_handle=payload.action_handle)
        )

    def on_handoff_completed(self, call: Call) -> Outcome:
        """`uiap.policy.handoff.completed`: the same, as an event from a person's session."""
        payload: PolicyHandoffCompletedPayload = call.payload
        return self.end_handoff(
            payload.handoff_id, call.connection.session.principal, payload.outcome == "done"
        )

    # -- answers --------------------------------------------------------------------------------------------

    def grant(
        self,
        handle: str,
        principal: PolicyPrincipal | None,
        token: str | None = None,
        session: str = "",
        *,
        remember: bool = False,
    ) -> ErrorPayload | None:
        """Accept a grant and let the action continue. Return the refusal if it is not valid; refusals are audited.

        With `remember` the person also allows later questions of the same kind, until the session ends.
        """
        if principal is None or principal.type != "user":
            who = "nobody" if principal is None else principal.id
            return self._reject(
                handle,
                who,
                session,
                "forbidden",
                NOT_A_PERSON,
            )
        waiting = self._find_awaiting(handle)
        asked = None if waiting is None or waiting.question is None else waiting.question.terms
        if waiting is None or asked is None:
            self._reject(
                handle, principal.id, session, "invalid_state", "it does not wait for a confirmation"
            )
            return _not_waiting(handle)
        if remember and _kind_key(waiting) is None:
            return self._reject(handle, principal.id, session, "invalid_state", ONLY_ONCE)
        rejected = self.grants.accept(principal.id, token, asked, self.clock.now().mono, remember=remember)
        if rejected is not None:
            return self._reject(
                handle,
                principal.id,
                session,
                "forbidden",
                f"the grant is {rejected}; list the pending confirmations and decide again",
            )
        self._remember(waiting, principal.id, kind=remember)
        self.audit.record(
            "granted",
            session=waiting.session,
            handle=handle,
            by=principal.id,
            bond=asked.digest,
            reason=_remembered_text(waiting) if remember else "",
        )
        self._feed(waiting.handle, when.Granted(at=self.clock.now(), by=principal.id, digest=asked.digest))
        return None

    def deny(self, waiting: PendingAnswer, by: str, reason: str | None) -> None:
        """Record a denial and pass it to the action."""
        self.audit.record(
            "denied", session=waiting.session, handle=waiting.handle, by=by, reason=reason or ""
        )
        self._feed(waiting.handle, when.Denied(at=self.clock.now(), by=by, reason=reason))

    def deny_from_channel(self, handle: str, by: str, reason: str | None) -> None:
        """Deny an action for a channel that has proved whose answer it carries."""
        if (waiting := self._find_awaiting(handle)) is not None:
            self.deny(waiting, by, reason)

    def reject_answer(self, handle: str, by: str, session: str, why: str) -> None:
        """Record an answer of a channel that is not valid."""
        self._reject(handle, by, session, "forbidden", why)

    def end_handoff(self, handle: str, principal: PolicyPrincipal | None, done: bool) -> ErrorPayload | None:
        """End a handoff: the person did the step, or declined it. Return the refusal if it is not valid."""
        if principal is None or principal.type != "user":
            return self._reject(
                handle,
                "nobody" if principal is None else principal.id,
                "",
                "forbidden",
                "only the person who did the step may report it",
            )
        waiting = self._find(handle)
        if waiting is None or not waiting.awaits_person:
            return decline("invalid_state", f"`{handle}` is not handed off to a person")
        self.audit.record(
            "handoff",
            session=waiting.session,
            handle=handle,
            by=principal.id,
            reason="done" if done else "declined",
        )
        self._feed(waiting.handle, when.HandedBack(at=self.clock.now(), by=principal.id, done=done))
        return None

    def request_confirmation(self, waiting: PendingAnswer) -> None:
        """Record that an action asks for confirmation. Ask the channels, or reuse an answer the person remembered."""
        assert waiting.question is not None
        terms = waiting.question.terms
        detail = question_facts(waiting.question.kind)
        self.audit.record(
            "asked", session=waiting.session, handle=waiting.handle, bond=terms.digest, detail=detail
        )
        keys = (self._key(waiting), _kind_key(waiting))
        person = next(
            (self._remembered[key] for key in keys if key is not None and key in self._remembered), None
        )
        if person is None or self.grants.accept(
            person, self.grants.token(terms), terms, self.clock.now().mono
        ):
            self._notify_channels(waiting)
            return
        self.audit.record(
            "granted",
            session=waiting.session,
            handle=waiting.handle,
            by=person,
            bond=terms.digest,
            reason=BY_ITSELF,
        )
        self._feed(waiting.handle, when.Granted(at=self.clock.now(), by=person, digest=terms.digest))

    def _notify_channels(self, waiting: PendingAnswer) -> None:
        question = self.pending_confirmation(waiting) if self.channels else None
        if question is not None:
            for channel in self.channels:
                channel.ask(question)

    async def close(self) -> None:
        for channel in self.channels:
            await channel.close()

    def end_session(self, session: str) -> None:
        """Forget the answers that were remembered for a session."""
        self._remembered = {key: by for key, by in self._remembered.items() if key[0] != session}

    # -- pending questions ----------------------------------------------------------------------------------

    def pending_confirmation(self, waiting: PendingAnswer) -> PendingConfirmation | None:
        """Return the question for a person's channel, with the digest that a grant must sign."""
        question, decision = waiting.question, waiting.decision
        if question is None or decision is None:
            return None
        asked = question.terms
        return PendingConfirmation(
            action_handle=waiting.handle,
            bond=asked.digest,
            expires_in_ms=max(0, round((asked.expires - self.clock.now().mono) * 1000)),
            principal=waiting.terms.principal.id,
            origin=asked.origin or UNSET,
            decided_by=decision.decided_by or UNSET,
            fields=question.fields or UNSET,
            kind=UNSET if question.kind is None else question.kind.text,
            request=question.payload,
        )

    def pending_handoff(self, waiting: PendingAnswer) -> PendingHandoff | None:
        """Return the step that waits for a person, or None."""
        if waiting.handoff is None or not waiting.awaits_person:
            return None
        return PendingHandoff(action_handle=waiting.handle, note=waiting.handoff.note)

    # -- inside ---------------------------------------------------------------------------------------------

    def _find_awaiting(self, handle: str) -> PendingAnswer | None:
        found = self._find(handle)
        return found if found is not None and found.awaits_confirmation else None

    def _reject(self, handle: str, by: str, session: str, code: str, why: str) -> ErrorPayload:
        self.audit.record("grant_rejected", session=session, handle=handle, by=by, reason=why)
        return decline(code, why)

    def _key(self, waiting: PendingAnswer) -> Key | None:
        """Return the key of `remember: session`, made of action and stable id. Without a stable id return None."""
        question, element = waiting.question, waiting.target
        if question is None or not question.remember or element is None or element.stable_id is UNSET:
            return None
        terms = question.terms
        return (waiting.session, terms.action, element.stable_id, terms.origin, terms.policy)

    def _remember(self, waiting: PendingAnswer, person: str, *, kind: bool) -> None:
        for key in (self._key(waiting), _kind_key(waiting) if kind else None):
            if key is not None:
                self._remembered[key] = person


def _remembered_text(waiting: PendingAnswer) -> str:
    kind = None if waiting.question is None else waiting.question.kind
    return "" if kind is None else f"for this session: {kind.text}"


def _kind_key(waiting: PendingAnswer) -> Key | None:
    """Return the key of a kind of question: the same session, policy, origin, verb, scope, target and risk."""
    question = waiting.question
    if question is None or question.kind is None:
        return None
    terms = question.terms
    return (waiting.session, terms.action, question.kind.digest, terms.origin, terms.policy)


def _is_person(principal: PolicyPrincipal | None) -> bool:
    return principal is not None and principal.type == "user"


def _not_waiting(handle: str) -> ErrorPayload:
    return decline("invalid_state", f"`{handle}` does not wait for a confirmation")


def confirmed_target_change(
    shown: ElementNode | None,
    granted: GrantTerms | None,
    now: ElementNode | None,
    around: Surroundings | None,
    facts: ElementFacts | None,
) -> str | None:
    """Compare the element a person was shown with the element as it is now. Return what changed, or None."""
    if shown is None:
        return None
    if now is None:
        return "the element a person confirmed is no longer on the page"
    if (
        granted is not None
        and around is not None
        and (why := _surroundings_change(granted, around)) is not None
    ):
        return why
    if granted is not None and facts is not None and not overlap(granted.box, box_of(facts.bbox)):
        return "its position changed after a person confirmed it"
    for term, current in (("role", facts and facts.role), ("name", facts and facts.name)):
        confirmed = getattr(shown, term)
        if isinstance(current, str) and isinstance(confirmed, str) and current != confirmed:
            return f"its {term} changed after a person confirmed it"
    for term in ("stable_id", "role", "name", "text", "document_id", "risk", "default_action"):
        if getattr(shown, term) != getattr(now, term):
            return f"its {term.replace('_', ' ')} changed after a person confirmed it"
    return None


def _surroundings_change(granted: GrantTerms, around: Surroundings) -> str | None:
    if granted.origin and around.origin != granted.origin:
        return "its document now has another origin than the one that was confirmed"
    if granted.writes != around.writes:
        return "another action wrote on this page after a person was asked"
    if granted.fields != json_digest(around.fields):
        return "a value of the form changed after a person confirmed it"
    return None
