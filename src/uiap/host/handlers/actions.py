"""Runs actions: gives each request its machine, feeds it events, has its commands carried out.

An intent that must not happen twice is on disk before it is carried out, and `accepted` is said only once its own
record is. What the ledger knows is answered without doing anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from time import thread_time
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.actions.invoke import DeclaredAction
from uiap.drivers import events as seen
from uiap.drivers.errors import DriverError
from uiap.errors import fault
from uiap.host.clock import Clock
from uiap.host.consent.approval import Approvals
from uiap.host.consent.grants import Grants
from uiap.host.consent.obligations import Obligations
from uiap.host.consent.principals import effective_principal
from uiap.host.execution import handoff
from uiap.host.execution.app_actions import AppActions, Handler
from uiap.host.execution.dispatch_check import DispatchCheck
from uiap.host.execution.executor import Bind, Executor
from uiap.host.execution.running import Hear, ReplayedAction, RunningAction
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page
from uiap.host.privacy.journal_masking import Pages
from uiap.host.privacy.private_values import PrivateValues
from uiap.host.privacy.redaction import Redaction
from uiap.host.privacy.secrets import Secrets
from uiap.host.records import audit_records, tables
from uiap.host.records.audit import Audit
from uiap.host.records.journal import Journal
from uiap.host.records.ledger import LedgerClaim, LedgerStore
from uiap.host.records.trace import Recorder, TraceStore
from uiap.host.records.writer import Writer
from uiap.ids import IdMaker, new_seed
from uiap.policy.builtin import Rules, documents_of
from uiap.policy.evaluate import PolicySet
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.ledger import (
    InProgress,
    KeyConflict,
    Replay,
    UnknownOutcome,
    UnknownOutcomes,
    replay_result,
)
from uiap.runtime.machine import Action, Terms
from uiap.runtime.modes import Abilities
from uiap.spec.action import (
    ActionAcceptedPayload,
    ActionCancelledPayload,
    ActionCancelPayload,
    ActionConfirmationRequestPayload,
    ActionProgressPayload,
    ActionRequestPayload,
    ActionResultPayload,
)
from uiap.spec.core import ErrorPayload
from uiap.spec.policy import (
    PolicyDocument,
    PolicyPrincipal,
)
from uiap.spec.tools import PendingConfirmation, PendingHandoff
from uiap.spec.versions import POLICY_EXTENSION


class ActionHandler:
    """All actions of one page."""

    def __init__(
        self,
        page: Page,
        clock: Clock,
        writer: Writer | None = None,
        *,
        rules: Rules = "standard",
        bind: Bind | None = None,
        grants: Grants | None = None,
        secrets: Secrets | None = None,
        handlers: Mapping[str, Handler] | None = None,
    ) -> None:
        self.page, self.clock, self.rules = page, clock, rules
        self.policies = PolicySet(documents_of(rules), seconds=thread_time)
        self.decided_by: Rules = rules
        """What actions are judged by; `rules` says who calls."""
        self.audit = Audit(clock, writer)
        self.grants = grants or Grants()
        self.secrets = secrets or Secrets({}, keyring=False)
        self.approvals = Approvals(clock, self.audit, self.grants, self._running_by, self.hear)
        self.private_values = PrivateValues(self.policies.documents, self.secrets.revealed_values)
        page.listen(self._learn)
        self.ledger = LedgerStore(writer, clock)
        self.traces = TraceStore(page, clock, writer, self.private_values.records_redaction)
        self.obligations = Obligations(self.audit)
        self._clearance = DispatchCheck(clock, self.audit, self.grants, self.secrets, self.obligations)
        self._doubts = UnknownOutcomes()
        self.app_actions = AppActions(page.driver, handlers)
        self._hands = Executor(page, clock, self.ledger, self._clearance, bind, self.app_actions)
        self._journal = Journal(writer) if writer is not None else None
        self._ids = IdMaker(new_seed())
        self._running: dict[str, RunningAction] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        page.listen(self._heard)

    # -- from the wire --------------------------------------------------------------------------------------

    async def requested(self, call: Call) -> Outcome:
        """`action.request`: accepted once that is durable, or refused before anything happened (ACT-5.1a)."""
        meant = await self.app_actions.meant(call.payload)
        if isinstance(meant, ErrorPayload):
            return meant
        request = meant.request
        taken = await self.accept(
            request,
            self._discreet(call.connection),
            call.connection.id,
            principal=call.connection.session.principal,
            declared=meant.declared,
        )
        if isinstance(taken, ErrorPayload):
            return taken
        accepted = ActionAcceptedPayload(
            action_handle=taken.handle, action_id=request.action_id, status="accepted"
        )
        call.connection.answer(call.id, Reply("action.accepted", accepted))
        self.start(taken)
        return None

    def cancel(self, call: Call) -> Outcome:
        payload: ActionCancelPayload = call.payload
        running = self._running.get(payload.action_handle)
        if running is None:
            return decline("invalid_state", f"no action `{payload.action_handle}` is under way")
        reason = None if payload.reason is UNSET else payload.reason
        call.connection.answer(
            call.id,
            Reply(
                "action.cancelled",
                ActionCancelledPayload(
                    action_handle=running.handle, status="cancelled", reason=payload.reason
                ),
            ),
        )
        self._feed(running, when.Cancelled(at=self.clock.now(), reason=reason))
        return None

    def hear(self, handle: str, event: when.Event) -> None:
        """Something happened to an action outside of the page: a person answered."""
        if (running := self._running.get(handle)) is not None:
            self._feed(running, event)

    def tighten(self, more: tuple[PolicyDocument, ...]) -> None:
        """Further documents from now on; of all of them the strictest counts, so nothing becomes laxer."""
        together = (*self.policies.documents, *more)
        self.policies = PolicySet(together, seconds=thread_time)
        self.decided_by = together
        self.private_values.use_policies(together)
        self._clearance.revision = self.policies.revision
        self.audit.record(
            "rules", reason=f"now {', '.join(one.id for one in together)}: {self.policies.revision}"
        )

    def redaction(self, connection: SessionConnection) -> Redaction:
        """What whoever sits there may read."""
        return self.private_values.redaction_for(
            effective_principal(connection.session.principal, self.rules)
        )

    def _discreet(self, connection: SessionConnection) -> Hear:
        """Every message of an action, without what this session may not read or did not ask to hear."""

        def hear(type: str, payload: msgspec.Struct) -> None:
            agreed = connection.session.agreement
            if type.startswith("uiap.policy.") and (
                agreed is None or POLICY_EXTENSION not in agreed.canonical
            ):
                return
            connection.publish(type, self.redaction(connection).text_mask.mask_payload(payload))

        return hear

    def _learn(self, event: seen.AnyEvent) -> None:
        if isinstance(event, seen.GraphChanged):
            self.private_values.on_event(event, self.page.tab(event.tab).store.element)

    @asynccontextmanager
    async def turn(self, tab: str) -> AsyncIterator[None]:
        """The tab is somebody's for as long as this lasts: no action acts on it meanwhile."""
        lane = self._hands.lane(tab)
        await lane.take()
        try:
            yield
        finally:
            lane.free()

    def _running_by(self, handle: str) -> RunningAction | None:
        return self._running.get(handle)

    # -- one action -----------------------------------------------------------------------------------------

    async def accept(
        self,
        request: ActionRequestPayload,
        hear: Hear,
        session: str,
        *,
        principal: PolicyPrincipal | None = None,
        declared: DeclaredAction | None = None,
    ) -> RunningAction | ReplayedAction | ErrorPayload:
        """Give the request a machine, and write down that it was taken; or answer it from the ledger (§12.6)."""
        acting = effective_principal(principal, self.rules)
        held, handle = LedgerClaim(request, self.page.app_origin, acting.id), self._ids.secret("act")
        row = (tables.actions, self._row(request, handle, session, held))
        admission = await self.ledger.admit(held, handle, self._running, row)
        match admission:
            case KeyConflict():
                key = request.idempotency_key
                return decline("conflict", f"`{key}` is the key of another request; use a new one")
            case Replay(result=result):
                known: asyncio.Future[ActionResultPayload] = asyncio.get_running_loop().create_future()
                known.set_result(result)
                return ReplayedAction(handle, hear, known)
            case InProgress(handle=first):
                return ReplayedAction(handle, hear, self._running[first].done)
        doubt = admission.why if isinstance(admission, UnknownOutcome) else self._doubt(request, held)
        terms = Terms(
            handle=handle,
            request=request,
            abilities=self._abilities(declared),
            rules=self.decided_by,
            session=session,
            principal=acting,
            declared=declared,
            doubt=doubt,
        )
        causal = terms.abilities.attribution == "causal"
        recorder = Recorder(
            terms.handle, request, self.clock.now(), self.private_values.records_redaction, causal=causal
        )
        running = RunningAction(Action(terms), hear, self.page, session, held, recorder)
        running.machine.permission.use(self.policies)
        self._running[handle] = running
        self.traces.start(running.recorder, running.tab.id)
        if self._journal is not None:
            running.pages = Pages(self._journal, self.private_values, terms, self.clock.now())
        return running

    def _abilities(self, declared: DeclaredAction | None) -> Abilities:
        facts = self.page.driver.facts
        ours = declared is not None and declared.source == "program"  # that takes no driver
        modes = tuple(dict.fromkeys(("appAction", *facts.modes))) if ours else facts.modes
        return Abilities(
            modes=(*modes, "visionAssist") if self._hands.eyes.available else modes,
            trusted_input=facts.trusted_input,
            attribution=facts.attribution,
            atomic=facts.atomic,
            pace=0.0 if facts.push else facts.read_cost_s,
        )

    def _doubt(self, request: ActionRequestPayload, held: LedgerClaim) -> str | None:
        """Without a key: the same again is refused until a later revision was observed (companions §12.6)."""
        if held.key is not None:
            return None
        tab = self.page.tab()
        return self._doubts.about(held.owner, held.digest, tab.reported_revision, tab.report_count)

    def start(self, taken: RunningAction | ReplayedAction) -> None:
        if isinstance(taken, RunningAction):
            self._feed(taken, when.Started(at=self.clock.now()))
            return

        def tell(original: asyncio.Future[ActionResultPayload]) -> None:
            taken.hear("action.result", replay_result(original.result(), taken.handle))

        if taken.original.done():
            tell(taken.original)
        else:
            taken.original.add_done_callback(tell)

    async def run(
        self,
        request: ActionRequestPayload,
        hear: Hear,
        session: str = "local",
        *,
        principal: PolicyPrincipal | None = None,
    ) -> ActionResultPayload:
        """Accept, start, and wait for the one result."""
        meant = await self.app_actions.meant(request)
        if isinstance(meant, ErrorPayload):
            raise fault(str(meant.code), meant.message)
        taken = await self.accept(meant.request, hear, session, principal=principal, declared=meant.declared)
        if isinstance(taken, ErrorPayload):
            raise fault(str(taken.code), taken.message)
        self.start(taken)
        if isinstance(taken, ReplayedAction):
            return replay_result(await taken.original, taken.handle)
        return await taken.done

    def _row(
        self, request: ActionRequestPayload, handle: str, session: str, held: LedgerClaim
    ) -> dict[str, Any]:
        key = request.idempotency_key
        return {
            "handle": handle,
            "session": session,
            "action": request.action_id,
            "key": key if isinstance(key, str) else None,
            "digest": held.digest,
            "stage": "accepted",
            "wall": self.clock.now().wall,
        }

    # -- events in, commands out ----------------------------------------------------------------------------

    def _feed(self, running: RunningAction, event: when.Event) -> None:
        """Events are taken one after the other: what a command causes at once waits for the commands after it."""
        running.events.append(event)
        if len(running.events) > 1:
            return
        while running.events:
            commands = running.machine.handle(running.events[0])
            self._journal_step(running, running.events[0], commands)
            for command in commands:
                self._carry(running, command)
            running.events.popleft()

    def _journal_step(self, running: RunningAction, event: when.Event, commands: list[do.Command]) -> None:
        running.steps += 1
        if running.pages is not None:
            running.pages.stepped(running.steps, event, commands, running.machine)

    def _carry(self, running: RunningAction, command: do.Command) -> None:
        match command:
            case do.Emit():
                self._emit(running, command)
            case do.Attest():
                self._clearance.attest(running, command)
            case do.WakeAt():
                self._wake(running, command)
            case do.Finish():
                self._finish(running, command)
            case _:
                came = self._hands.carry(running, command)
                if isinstance(came, when.Event):
                    self._feed(running, came)
                else:
                    self._later(running, came)

    def _later(self, running: RunningAction, work: Awaitable[when.Event]) -> None:
        async def guarded() -> None:
            try:
                came = await work
                self._feed(running, came)
                if isinstance(came, when.Dispatched) and running.machine.state == "VERIFYING":
                    # what the page did at once is here already
                    self._feed(running, self._hands.observation(running))
            except DriverError as error:
                self._feed(running, when.PageLost(at=self.clock.now(), cause=error.message))
            except Exception as error:  # a defect of ours still owes the caller its one result
                self._feed(running, when.PageLost(at=self.clock.now(), cause=f"defect: {error!r}"))
                raise

        self._spawn(guarded())

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _emit(self, running: RunningAction, command: do.Emit) -> None:
        payload = command.payload
        self.private_values.learn_args(running.machine.args, running.machine.target)
        if isinstance(payload, ActionConfirmationRequestPayload):
            running.asked = payload
        if isinstance(payload, ActionProgressPayload):
            running.recorder.record_stage(payload, self.clock.now().mono)
        if command.type != "action.cancelled":  # that one answers the cancel request itself
            running.hear(command.type, payload)
        handoff.begun(running)
        if isinstance(payload, ActionConfirmationRequestPayload):
            self.approvals.request_confirmation(running)

    def _wake(self, running: RunningAction, command: do.WakeAt) -> None:
        if running.alarm is not None:
            running.alarm.cancel()
        running.alarm = self.clock.call_at(
            command.mono, lambda: self._feed(running, when.Woke(at=self.clock.now()))
        )

    def _finish(self, running: RunningAction, command: do.Finish) -> None:
        tab, result, now = running.tab, command.result, self.clock.now()
        if running.alarm is not None:
            running.alarm.cancel()
        running.recorder.record_result(
            result, now.mono, tab.traffic.own_requests() if running.watching else []
        )
        if running.watching:
            tab.watch.close(now.mono)
            tab.traffic.end_action()
            running.watching = False
        if not running.performing:  # else the lane is freed once nothing more can reach the page
            running.free()
        self._running.pop(running.handle, None)
        self.audit.record(
            "result",
            session=running.session,
            handle=running.handle,
            by=running.machine.permission.principal.id,
            record=audit_records.result_record(self.audit.new_id(), running.machine, result, now.wall),
        )
        handoff.ended(running, result)
        self.ledger.record_outcome(running.held, running.handle, self._kept(running, result))
        self._note_doubt(running, result)
        if (work := self.traces.finish(running.recorder, tab)) is not None:
            self._spawn(work)
        if not running.done.done():
            running.done.set_result(result)

    def _kept(self, running: RunningAction, result: ActionResultPayload) -> ActionResultPayload:
        """A result as it is written down: what was read out of a private field is not."""
        target = running.machine.target
        if result.return_value is not UNSET and target is not None and self.private_values.is_private(target):
            result = msgspec.structs.replace(result, return_value={"withheld": True})
        return self.private_values.records_redaction().text_mask.mask_payload(result)

    def _note_doubt(self, running: RunningAction, result: ActionResultPayload) -> None:
        held, machine, tab = running.held, running.machine, running.tab
        if held.key is not None or machine.terms.doubt is not None:
            return
        unknown = (
            result.side_effect_state == "unknown"
            and machine.primitive.idempotency(machine.args) != "idempotent"
        )
        base = str(machine.account.metadata.get("baseRevision", tab.store.revision))
        self._doubts.ended(held.owner, held.digest, unknown, base, tab.report_count)

    # -- what the page does meanwhile -----------------------------------------------------------------------

    def _heard(self, event: seen.AnyEvent) -> None:
        for running in list(self._running.values()):
            if running.tab.id != event.tab:
                continue
            if isinstance(event, seen.Crashed | seen.TabClosed):
                cause = "the tab crashed" if isinstance(event, seen.Crashed) else "the tab was closed"
                self._feed(running, when.PageLost(at=self.clock.now(), cause=cause))
            elif isinstance(event, seen.PageDialogClosed):
                answered = when.DialogAnswered(at=self.clock.now(), accepted=event.accepted)
                self._feed(running, answered)
            elif running.machine.state == "VERIFYING" or (running.watching and running.machine.handoff):
                self._feed(running, self._hands.observation(running))
            elif running.machine.state == "RECOVERING" and isinstance(event, seen.GraphChanged):
                self._feed(running, when.PageChanged(at=self.clock.now()))

    @property
    def pending(self) -> tuple[ActionConfirmationRequestPayload, ...]:
        """What waits for a person."""
        waiting = (r for r in self._running.values() if r.machine.state == "AWAITING_CONFIRMATION")
        return tuple(r.asked for r in waiting if r.asked is not None)

    @property
    def pending_details(self) -> tuple[PendingConfirmation, ...]:
        """The same with what a person's channel needs to answer."""
        waiting = (r for r in self._running.values() if r.machine.state == "AWAITING_CONFIRMATION")
        return tuple(found for r in waiting if (found := self.approvals.pending_confirmation(r)) is not None)

    @property
    def handoffs(self) -> tuple[PendingHandoff, ...]:
        """Steps that are in a person's hands."""
        running = self._running.values()
        return tuple(found for r in running if (found := self.approvals.pending_handoff(r)) is not None)

    def end(self, session: str) -> None:
        """The session is over: its actions end, truthfully, each with its result."""
        self.approvals.end_session(session)
        for running in [r for r in self._running.values() if r.session == session]:
            self._feed(running, when.Cancelled(at=self.clock.now(), reason="the session ended"))

    async def settle(self) -> None:
        """End what is under way, truthfully: every accepted action gets its result."""
        await self.approvals.close()
        for running in list(self._running.values()):
            self._feed(running, when.Cancelled(at=self.clock.now(), reason="the session ended"))
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
