"""What must be true before anything is sent: the decision is on disk, and a person granted exactly this (B2.6)."""

from __future__ import annotations

from contextlib import suppress

from uiap.actions.ops import AnyOp
from uiap.drivers.driver import ElementFacts
from uiap.drivers.errors import DriverError
from uiap.host.clock import Clock
from uiap.host.consent.approval import confirmed_target_change
from uiap.host.consent.grants import Grants
from uiap.host.consent.obligations import Obligations
from uiap.host.execution.running import RunningAction
from uiap.host.privacy.secrets import Secrets, origin_of
from uiap.host.records import audit_records
from uiap.host.records.audit import Audit
from uiap.host.records.store import StoreFailed
from uiap.runtime import commands as do
from uiap.runtime import events as when


class DispatchCheck:
    """The last look before a gesture."""

    def __init__(
        self, clock: Clock, audit: Audit, grants: Grants, secrets: Secrets, obligations: Obligations
    ) -> None:
        self._clock, self._audit, self._grants, self._secrets = clock, audit, grants, secrets
        self.obligations = obligations
        self.revision: str | None = None
        """Of the rules in force, where they became stricter since the session began."""

    def attest(self, running: RunningAction, command: do.Attest) -> None:
        """B2.6: the decision is on its way to the disk before anything follows; a gesture waits until it is there."""
        wall = self._clock.now().wall
        record = audit_records.decision_record(self._audit.new_id(), running.machine, command.decision, wall)
        running.attested = self._audit.record_durably(
            "decision",
            session=running.session,
            handle=running.handle,
            by=command.confirmed_by or running.machine.permission.principal.id,
            record=record,
        )
        running.attested.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def refusal(self, running: RunningAction, op: AnyOp | None = None) -> when.Event | None:
        """Is it written down, did a person grant exactly this, is every obligation met? Else nothing is sent."""
        refused = await self._refusal(running, op)
        if refused is None and (why := self.duty(running)) is not None:
            return when.Refused(at=self._clock.now(), reason="invalid", detail=why)
        return refused

    def duty(self, running: RunningAction) -> str | None:
        """What the rules oblige to, done once before the first gesture; or why it cannot be."""
        if running.obliged:
            return None
        why = self.obligations.refusal(running.machine, running.session)
        running.obliged = why is None
        return why

    async def _refusal(self, running: RunningAction, op: AnyOp | None) -> when.Event | None:
        machine = running.machine
        if self.revision not in (None, machine.permission.policies.revision):
            stricter = "the rules became stricter after this was decided; ask again"
            return when.Refused(at=self._clock.now(), reason="invalid", detail=stricter)
        try:
            if running.attested is not None:
                await running.attested
        except StoreFailed as failed:
            return when.Refused(at=self._clock.now(), reason="unrecorded", detail=str(failed))
        node = None if machine.target is None else running.tab.store.element(machine.target.instance_id)
        secret = None if op is None else self._secrets.refusal(op, node, origin_of(running.tab.store, node))
        if secret is not None:
            self._audit.record("secret", session=running.session, handle=running.handle, reason=secret)
            return when.Refused(at=self._clock.now(), reason="invalid", detail=secret)
        if not machine.permission.needs_grant:
            return None
        granted = machine.permission.confirmed
        if granted is not None and granted.digest == running.cleared:
            return None  # a later gesture of the same plan
        facts = await _facts(running)  # and only then the graph, so that both are of this moment
        node = None if machine.target is None else running.tab.store.element(machine.target.instance_id)
        why = confirmed_target_change(machine, node, origin_of(running.tab.store, node), facts)
        if why is not None:
            return when.Refused(at=self._clock.now(), reason="changed", detail=why)
        rejected = self._grants.redeem(granted, self._clock.now().mono)
        if rejected is not None or granted is None:
            self._audit.record(
                "grant_rejected",
                session=running.session,
                handle=running.handle,
                reason=f"at dispatch: {rejected}",
            )
            detail = f"the grant is {rejected}; ask the person again"
            return when.Refused(at=self._clock.now(), reason="unconfirmed", detail=detail)
        running.cleared = granted.digest
        return None


async def _facts(running: RunningAction) -> ElementFacts | None:
    """The target as it is this moment; where it cannot be asked, the gesture's own guard has the last word."""
    target = running.machine.target
    if target is None:
        return None
    with suppress(DriverError):
        return (await running.page.driver.probe([target.instance_id])).get(target.instance_id)
    return None
