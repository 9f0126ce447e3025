"""The last check before a gesture: the decision is durable, and a person granted exactly this."""

from __future__ import annotations

from contextlib import suppress

from uiap.drivers.driver import ElementFacts
from uiap.drivers.errors import DriverError
from uiap.host.clock import Clock
from uiap.host.consent.approval import confirmed_target_change
from uiap.host.consent.grants import Grants
from uiap.host.consent.obligations import Obligations
from uiap.host.execution.running import RunningAction, tab_surroundings
from uiap.host.privacy.secrets import Secrets, origin_of
from uiap.host.records import audit_records
from uiap.host.records.audit import Audit
from uiap.host.records.store import StoreFailed
from uiap.runtime import commands as do
from uiap.runtime import events as when


class DispatchCheck:
    """Stores decisions, and refuses every gesture that a decision does not cover."""

    def __init__(
        self, clock: Clock, audit: Audit, grants: Grants, secrets: Secrets, obligations: Obligations
    ) -> None:
        self._clock, self._audit, self._grants, self._secrets = clock, audit, grants, secrets
        self.obligations = obligations
        self.revision: str | None = None
        """The revision of the rules in force, if they became stricter since the session began."""

    def record_decision(self, running: RunningAction, command: do.RecordDecision) -> None:
        """Begin to store the decision. A gesture waits until it is durable."""
        wall = self._clock.now().wall
        record = audit_records.decision_record(
            self._audit.new_id(), running.terms, command, wall, full=running.policies.audits_fully
        )
        running.decision = command
        running.decision_stored = self._audit.record_durably(
            "decision",
            session=running.session,
            handle=running.handle,
            by=command.confirmed_by or running.terms.principal.id,
            record=record,
        )
        # a gesture that never comes leaves a failure unread, which asyncio would log
        running.decision_stored.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def refusal(self, running: RunningAction, command: do.Perform | do.Navigate) -> when.Event | None:
        """Return why the gesture may not be dispatched, or None if it may."""
        refused = await self._refusal(running, command)
        if refused is None and (why := self.unmet_obligation(running)) is not None:
            return self._refused("invalid", why)
        return refused

    def unmet_obligation(self, running: RunningAction) -> str | None:
        """Meet the obligations of the rules once, before the first gesture; return why one cannot be met."""
        if running.obligations_met:
            return None
        why = self.obligations.refusal(running)
        running.obligations_met = why is None
        return why

    async def _refusal(self, running: RunningAction, command: do.Perform | do.Navigate) -> when.Event | None:
        decision = None if running.decision is None else running.decision.decision
        if self.revision is not None and decision is not None and decision.policy_revision != self.revision:
            return self._refused("invalid", "the rules became stricter after this was decided; ask again")
        try:
            if running.decision_stored is not None:
                await running.decision_stored
        except StoreFailed as failed:
            return self._refused("unrecorded", str(failed))
        if (why := self._secret_refusal(running, command)) is not None:
            self._audit.record("secret", session=running.session, handle=running.handle, reason=why)
            return self._refused("invalid", why)
        return await self._grant_refusal(running, command) if command.needs_grant else None

    def _secret_refusal(self, running: RunningAction, command: do.Perform | do.Navigate) -> str | None:
        if not isinstance(command, do.Perform):
            return None
        store = running.tab.store
        node = None if running.target is None else store.element(running.target.instance_id)
        return self._secrets.refusal(command.op, node, origin_of(store, node))

    async def _grant_refusal(
        self, running: RunningAction, command: do.Perform | do.Navigate
    ) -> when.Event | None:
        granted = command.grant
        if granted is not None and granted.digest == running.redeemed_grant:
            return None  # a later gesture of the same plan
        facts = await _probe_target(running)  # before the graph, so that both describe this moment
        store, target = running.tab.store, running.target
        node = None if target is None else store.element(target.instance_id)
        around = None if node is None else tab_surroundings(running.tab, node)
        why = confirmed_target_change(target, granted, node, around, facts)
        if why is not None:
            return self._refused("changed", why)
        rejected = self._grants.redeem(granted, self._clock.now().mono)
        if rejected is not None or granted is None:
            self._audit.record(
                "grant_rejected",
                session=running.session,
                handle=running.handle,
                reason=f"at dispatch: {rejected}",
            )
            return self._refused("unconfirmed", f"the grant is {rejected}; ask the person again")
        running.redeemed_grant = granted.digest
        return None

    def _refused(self, reason: str, detail: str) -> when.Event:
        return when.Refused(at=self._clock.now(), reason=reason, detail=detail)


async def _probe_target(running: RunningAction) -> ElementFacts | None:
    """Return the facts of the target now, or None if it cannot be probed; the gesture's guard checks it anyway."""
    if running.target is None:
        return None
    with suppress(DriverError):
        return (await running.page.driver.probe([running.target.instance_id])).get(running.target.instance_id)
    return None
