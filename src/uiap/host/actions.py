"""Runs actions: gives each request its machine, feeds it events, carries out its commands.

One lane per tab: one action at a time between executing and its result. An intent that must not happen twice is on
disk before it is carried out, and `accepted` is said only once its own record is.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import urljoin

import msgspec
from msgspec import UNSET

from uiap.actions.ops import Guard, ScrollIntoView
from uiap.actions.registry import ACTIONS
from uiap.drivers import driver as driven
from uiap.drivers import events as seen
from uiap.drivers.errors import DialogBlocks, DriverError
from uiap.graph.store import GraphStore
from uiap.host import tables, trail
from uiap.host.approval import Approvals, changed
from uiap.host.audit import Audit
from uiap.host.clock import Alarm, Clock
from uiap.host.dispatch import Call, Outcome, Reply, decline
from uiap.host.grants import Grants
from uiap.host.journal import Journal
from uiap.host.page import Page, TabView
from uiap.host.principals import effective
from uiap.host.store import StoreFailed
from uiap.host.writer import Writer
from uiap.ids import IdMaker, new_seed
from uiap.policy.builtin import Rules, policy_set
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.check import Sighting
from uiap.runtime.machine import Action, Terms
from uiap.runtime.modes import Abilities
from uiap.runtime.read import read_out
from uiap.runtime.resolve import Gathered, gather
from uiap.spec.action import (
    ActionAcceptedPayload,
    ActionCancelledPayload,
    ActionCancelPayload,
    ActionConfirmationRequestPayload,
    ActionRequestPayload,
    ActionResultPayload,
    ActionTarget,
)
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.tools import PendingConfirmation, PendingHandoff
from uiap.spec.web import ElementNode

Hear = Callable[[str, msgspec.Struct], None]
"""Gets every message of an action: its type and payload."""
Bind = Callable[[GraphStore, ActionTarget, Gathered], Gathered]
"""Completes what was gathered for a target by what a bundle knows of it."""


class Lane:
    """Turns on one tab, in order of asking."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()

    async def take(self) -> bool:
        waited = self._lock.locked()
        await self._lock.acquire()
        return waited

    def free(self) -> None:
        if self._lock.locked():
            self._lock.release()


class Running:
    """One action under way."""

    def __init__(self, machine: Action, hear: Hear, page: Page, session: str) -> None:
        self.machine, self.hear, self.page, self.session = machine, hear, page, session
        self.asked: ActionConfirmationRequestPayload | None = None
        self.alarm: Alarm | None = None
        self.events: deque[when.Event] = deque()
        self.tab: TabView = page.tab()
        self.lane: Lane | None = None
        self.attested: asyncio.Future[None] | None = None
        """Done once the last decision about it is on disk."""
        self.cleared = False
        """A person's grant was redeemed for it."""
        self.watching = self.performing = False
        self.documents = self.steps = 0
        self.done: asyncio.Future[ActionResultPayload] = asyncio.get_running_loop().create_future()

    @property
    def handle(self) -> str:
        return self.machine.terms.handle


class ActionDesk:
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
    ) -> None:
        self.page, self.clock, self.rules = page, clock, rules
        self.policies = policy_set(rules)
        self.audit = Audit(clock, writer)
        self.grants = grants or Grants()
        self.approvals = Approvals(clock, self.audit, self.grants, self._running_by, self.hear)
        self._bind = bind
        self._writer = writer
        self._journal = Journal(writer) if writer is not None else None
        self._ids = IdMaker(new_seed())
        self._running: dict[str, Running] = {}
        self._lanes: dict[str, Lane] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        page.listen(self._heard)

    # -- from the wire --------------------------------------------------------------------------------------

    async def requested(self, call: Call) -> Outcome:
        """`action.request`: accepted once that is durable, or refused before anything happened (ACT-5.1a)."""
        request: ActionRequestPayload = call.payload
        if request.action_id not in ACTIONS:
            known = ", ".join(sorted(ACTIONS))
            return decline(
                "action_unsupported", f"`{request.action_id}` is not an action here; there are {known}"
            )
        running = await self.accept(
            request, call.seat.publish, call.seat.id, principal=call.seat.session.principal
        )
        accepted = ActionAcceptedPayload(
            action_handle=running.handle, action_id=request.action_id, status="accepted"
        )
        call.seat.answer(call.id, Reply("action.accepted", accepted))
        self.start(running)
        return None

    def cancel(self, call: Call) -> Outcome:
        payload: ActionCancelPayload = call.payload
        running = self._running.get(payload.action_handle)
        if running is None:
            return decline("invalid_state", f"no action `{payload.action_handle}` is under way")
        reason = None if payload.reason is UNSET else payload.reason
        call.seat.answer(
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

    def _running_by(self, handle: str) -> Running | None:
        return self._running.get(handle)

    # -- one action -----------------------------------------------------------------------------------------

    async def accept(
        self,
        request: ActionRequestPayload,
        hear: Hear,
        session: str,
        *,
        principal: PolicyPrincipal | None = None,
    ) -> Running:
        """Give the request a machine, and write down that it was taken."""
        facts = self.page.driver.facts
        terms = Terms(
            handle=self._ids.secret("act"),
            request=request,
            abilities=Abilities(
                modes=facts.modes,
                trusted_input=facts.trusted_input,
                attribution=facts.attribution,
                atomic=facts.atomic,
            ),
            rules=self.rules,
            session=session,
            principal=effective(principal, self.rules),
        )
        if self._writer is not None:
            await self._writer.write((tables.actions, self._row(terms, session)))
        running = Running(Action(terms), hear, self.page, session)
        running.machine.permission.use(self.policies)
        self._running[running.handle] = running
        if self._journal is not None:
            self._journal.opened(running.handle, "action", self.clock.now(), terms)
        return running

    def start(self, running: Running) -> None:
        self._feed(running, when.Started(at=self.clock.now()))

    async def run(
        self,
        request: ActionRequestPayload,
        hear: Hear,
        session: str = "local",
        *,
        principal: PolicyPrincipal | None = None,
    ) -> ActionResultPayload:
        """Accept, start, and wait for the one result."""
        running = await self.accept(request, hear, session, principal=principal)
        self.start(running)
        return await running.done

    def _row(self, terms: Terms, session: str) -> dict[str, Any]:
        digest = sha256(msgspec.json.encode(terms.request, order="sorted")).hexdigest()
        key = terms.request.idempotency_key
        return {
            "handle": terms.handle,
            "session": session,
            "action": terms.request.action_id,
            "key": key if isinstance(key, str) else None,
            "digest": digest,
            "stage": "accepted",
            "wall": self.clock.now().wall,
        }

    # -- events in, commands out ----------------------------------------------------------------------------

    def _feed(self, running: Running, event: when.Event) -> None:
        """Events are taken one after the other: what a command causes at once waits for the commands after it."""
        running.events.append(event)
        if len(running.events) > 1:
            return
        while running.events:
            commands = running.machine.handle(running.events[0])
            self._journal_step(running, running.events[0], commands)
            for command in commands:
                self._CARRY[type(command)](self, running, command)
            running.events.popleft()

    def _journal_step(self, running: Running, event: when.Event, commands: list[do.Command]) -> None:
        running.steps += 1
        if self._journal is not None:
            self._journal.stepped(running.handle, "action", running.steps, event, commands)

    def _later(self, running: Running, work: Any) -> None:
        async def guarded() -> None:
            try:
                self._feed(running, await work)
            except DriverError as error:
                self._feed(running, when.PageLost(at=self.clock.now(), cause=error.message))
            except Exception as error:  # a defect of ours still owes the caller its one result
                self._feed(running, when.PageLost(at=self.clock.now(), cause=f"defect: {error!r}"))
                raise

        task = asyncio.create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _emit(self, running: Running, command: do.Emit) -> None:
        if isinstance(command.payload, ActionConfirmationRequestPayload):
            running.asked = command.payload
        if command.type != "action.cancelled":  # that one answers the cancel request itself
            running.hear(command.type, command.payload)
        if isinstance(command.payload, ActionConfirmationRequestPayload):
            self.approvals.asked(running)

    def _attest(self, running: Running, command: do.Attest) -> None:
        """B2.6: the decision is on its way to the disk before anything follows; a gesture waits until it is there."""
        record = trail.decided(self.audit.new_id(), running.machine, command.decision, self.clock.now().wall)
        running.attested = asyncio.ensure_future(
            self.audit.assure(
                "decision",
                session=running.session,
                handle=running.handle,
                by=command.confirmed_by or running.machine.permission.principal.id,
                record=record,
            )
        )
        running.attested.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _cleared(self, running: Running) -> when.Event | None:
        """The last look before something is sent: is it written down, and did a person grant exactly this?"""
        machine = running.machine
        try:
            if running.attested is not None:
                await running.attested
        except StoreFailed as failed:
            return when.Refused(at=self.clock.now(), reason="unrecorded", detail=str(failed))
        if running.cleared or not machine.permission.needs_grant:
            return None
        node = None if machine.target is None else running.tab.store.element(machine.target.instance_id)
        why = changed(machine, node)
        if why is not None:
            return when.Refused(at=self.clock.now(), reason="changed", detail=why)
        rejected = self.grants.redeem(machine.permission.confirmed, self.clock.now().mono)
        if rejected is not None:
            self.audit.note(
                "grant_rejected",
                session=running.session,
                handle=running.handle,
                reason=f"at dispatch: {rejected}",
            )
            detail = f"the grant is {rejected}; ask the person again"
            return when.Refused(at=self.clock.now(), reason="unconfirmed", detail=detail)
        running.cleared = True
        return None

    def _find(self, running: Running, command: do.Find) -> None:
        running.tab = self.page.tab()
        if command.anew:
            self._later(running, self._found_anew(running, command))
        else:
            self._feed(running, self._found(running, command))

    async def _found_anew(self, running: Running, command: do.Find) -> when.Event:
        with suppress(DriverError):
            await self.page.driver.flush(tab=running.tab.id)
        return self._found(running, command)

    def _found(self, running: Running, command: do.Find) -> when.Event:
        tab = running.tab
        gathered = gather(tab.store, command.target, tab.recycled, command.affordances)
        if self._bind is not None:
            gathered = self._bind(running.tab.store, command.target, gathered)
        return when.Found(at=self.clock.now(), gathered=gathered)

    def _probe(self, running: Running, command: do.Probe) -> None:
        self._later(running, self._probed(command.node))

    async def _probed(self, node: str) -> when.Event:
        try:
            facts = (await self.page.driver.probe([node]))[node]
        except DialogBlocks:  # the driver refuses to act until it is answered, and says so
            return when.Probed(at=self.clock.now(), sighting=Sighting(attached=True))
        return when.Probed(at=self.clock.now(), sighting=sighting(facts))

    def _scroll(self, running: Running, command: do.ScrollTo) -> None:
        self._later(running, self._scrolled(running, command.node))

    async def _scrolled(self, running: Running, node: str) -> when.Event:
        """Scroll, then look: the next probe tells whether it helped."""
        await self.page.driver.perform(ScrollIntoView(guard=Guard(node=node)), tab=running.tab.id)
        return await self._probed(node)

    def _take_lane(self, running: Running, _command: do.TakeLane) -> None:
        self._later(running, self._lane_taken(running))

    async def _lane_taken(self, running: Running) -> when.Event:
        lane = self._lanes.setdefault(running.tab.id, Lane())
        waited = await lane.take() if running.lane is None else False
        running.lane = lane
        if running.done.done():  # cancelled while it waited for its turn
            self._free(running)
        return when.LaneTaken(at=self.clock.now(), waited=waited)

    def _watch(self, running: Running, command: do.Watch) -> None:
        running.watching, running.documents = True, running.tab.documents
        running.tab.traffic.begin(self.clock.now().mono)
        verdicts = running.tab.watch.open(command.signals, command.target, self.clock.now().mono)
        revision = running.tab.store.revision
        self._feed(
            running,
            when.Watching(
                at=self.clock.now(), verdicts=verdicts, revision=revision, focus=_focus(running.tab.store)
            ),
        )

    def _record(self, running: Running, _command: do.Record) -> None:
        self._later(running, self._recorded(running))

    async def _recorded(self, running: Running) -> when.Event:
        if self._writer is not None:
            row = {"handle": running.handle, "wall": self.clock.now().wall, "stage": "intent", "body": b""}
            try:
                await self._writer.write((tables.stages, row))
            except StoreFailed as failed:
                return when.NotRecorded(at=self.clock.now(), reason=str(failed))
        return when.Recorded(at=self.clock.now())

    def _perform(self, running: Running, command: do.Perform) -> None:
        self._later(running, self._performed(running, command))

    async def _performed(self, running: Running, command: do.Perform) -> when.Event:
        running.performing = True
        try:
            if (refused := await self._cleared(running)) is not None:
                return refused
            return self._outcome(running, await self.page.driver.perform(command.op, tab=running.tab.id))
        finally:
            running.performing = False
            if running.done.done():
                self._free(running)

    def _go(self, running: Running, command: do.Go) -> None:
        self._later(running, self._gone(running, command.url))

    async def _gone(self, running: Running, url: str) -> when.Event:
        full = urljoin(running.tab.store.route.url, url)
        if (refused := await self._cleared(running)) is not None:
            return refused
        return self._outcome(running, await self.page.driver.navigate(full, tab=running.tab.id))

    def _outcome(self, running: Running, outcome: driven.Outcome) -> when.Event:
        at = self.clock.now()
        if isinstance(outcome, driven.Refused):
            return when.Refused(at=at, reason=outcome.reason, detail=outcome.detail)
        if isinstance(outcome, driven.Unknown):
            return when.Lost(at=at, cause=outcome.cause, detail=outcome.detail)
        running.tab.watch.dispatched(outcome.token, outcome.at)
        running.tab.traffic.dispatched(outcome.at, at.mono)
        return when.Dispatched(
            at=at,
            seq=outcome.seq,
            interrupted_by=outcome.interrupted_by,
            dialog=self._dialog(running),
            detail=dict(outcome.detail),
        )

    def _dialog(self, running: Running) -> str | None:
        standing = self.page.driver.dialog.open(running.tab.id)
        return None if standing is None else f"{standing.kind} `{standing.message[:200]}`"

    def _read(self, running: Running, command: do.ReadOut) -> None:
        value = read_out(running.tab.store, command.node, command.what)
        self._feed(running, when.Read(at=self.clock.now(), value=value))

    def _look(self, running: Running, _command: do.Look) -> None:
        self._later(running, self._looked(running))

    async def _looked(self, running: Running) -> when.Event:
        """Everything the page has is here before its answer is; one that cannot answer was heard as far as it goes."""
        with suppress(DriverError):
            await self.page.driver.flush(tab=running.tab.id)
        return self._observation(running, looked=True)

    def _observation(self, running: Running, *, looked: bool = False) -> when.Observed:
        traffic, now = running.tab.traffic, self.clock.now()
        return when.Observed(
            at=now,
            report=running.tab.watch.report(traffic.traced()),
            requests_open=traffic.loading if running.machine.expectation.arrival else traffic.open(now.mono),
            request_failed=traffic.failed,
            quiet_since=traffic.quiet_since,
            navigated=running.tab.documents > running.documents,
            element=_judged(running),
            focus=_focus(running.tab.store),
            looked=looked,
        )

    def _wake(self, running: Running, command: do.WakeAt) -> None:
        if running.alarm is not None:
            running.alarm.cancel()
        running.alarm = self.clock.call_at(
            command.mono, lambda: self._feed(running, when.Woke(at=self.clock.now()))
        )

    def _finish(self, running: Running, command: do.Finish) -> None:
        if running.alarm is not None:
            running.alarm.cancel()
        if running.watching:
            running.tab.watch.close(self.clock.now().mono)
            running.tab.traffic.end()
            running.watching = False
        if not running.performing:  # else the lane is freed once nothing more can reach the page
            self._free(running)
        self._running.pop(running.handle, None)
        self.audit.note(
            "result",
            session=running.session,
            handle=running.handle,
            by=running.machine.permission.principal.id,
            record=trail.ended(self.audit.new_id(), running.machine, command.result, self.clock.now().wall),
        )
        if self._writer is not None:
            body = msgspec.json.encode(command.result)
            row = {"handle": running.handle, "wall": self.clock.now().wall, "stage": "result", "body": body}
            self._writer.put(tables.stages, row)
        if not running.done.done():
            running.done.set_result(command.result)

    def _free(self, running: Running) -> None:
        if running.lane is not None:
            running.lane.free()
            running.lane = None

    # -- what the page does meanwhile -----------------------------------------------------------------------

    def _heard(self, event: seen.AnyEvent) -> None:
        for running in list(self._running.values()):
            if running.tab.id != event.tab:
                continue
            if isinstance(event, seen.Crashed | seen.TabClosed):
                cause = "the tab crashed" if isinstance(event, seen.Crashed) else "the tab was closed"
                self._feed(running, when.PageLost(at=self.clock.now(), cause=cause))
            elif isinstance(event, seen.DialogClosed):
                answered = when.DialogAnswered(at=self.clock.now(), accepted=event.accepted)
                self._feed(running, answered)
            elif running.machine.state == "VERIFYING" or (running.watching and running.machine.handoff):
                self._feed(running, self._observation(running))
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
        return tuple(found for r in waiting if (found := self.approvals.confirmation(r)) is not None)

    @property
    def handoffs(self) -> tuple[PendingHandoff, ...]:
        """Steps that are in a person's hands."""
        running = self._running.values()
        return tuple(found for r in running if (found := self.approvals.handoff(r)) is not None)

    def end(self, session: str) -> None:
        """The session is over: its actions end, truthfully, each with its result."""
        self.approvals.end(session)
        for running in [r for r in self._running.values() if r.session == session]:
            self._feed(running, when.Cancelled(at=self.clock.now(), reason="the session ended"))

    async def settle(self) -> None:
        """End what is under way, truthfully: every accepted action gets its result."""
        for running in list(self._running.values()):
            self._feed(running, when.Cancelled(at=self.clock.now(), reason="the session ended"))
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    _CARRY: ClassVar[Mapping[type[do.Command], Callable[[Any, Running, Any], None]]] = MappingProxyType(
        {
            do.Emit: _emit,
            do.Attest: _attest,
            do.Find: _find,
            do.Probe: _probe,
            do.ScrollTo: _scroll,
            do.TakeLane: _take_lane,
            do.Watch: _watch,
            do.Record: _record,
            do.Perform: _perform,
            do.Go: _go,
            do.ReadOut: _read,
            do.Look: _look,
            do.WakeAt: _wake,
            do.Finish: _finish,
        }
    )


def _judged(running: Running) -> ElementNode | None:
    """The target, where what it holds is to be judged."""
    action = running.machine
    if action.expectation.held is None or action.target is None:
        return None
    return running.tab.store.element(action.target.instance_id)


def _focus(store: GraphStore) -> str | None:
    focus = store.focus.target if store.focus is not None else None
    return focus if isinstance(focus, str) else None


def sighting(facts: driven.ElementFacts) -> Sighting:
    """A driver's facts as the runtime's checks read them."""
    state = facts.detail.get("state") or {}
    return Sighting(
        attached=facts.attached,
        visible=facts.visible,
        enabled=facts.enabled,
        editable=state.get("editable"),
        readonly=state.get("readonly") is True,
        blocked=facts.detail.get("blocked") is True,
        stable=facts.stable,
        obscured=facts.obscured,
        covering=_covering(facts.detail.get("covering")),
        in_viewport=facts.in_viewport,
        hovered=facts.detail.get("hovered") is True,
        role=facts.role,
        name=facts.name,
        record=facts.record,
    )


def _covering(said: Any) -> str | None:
    if isinstance(said, dict):
        return " ".join(str(said[key]) for key in ("role", "tag", "name") if said.get(key)) or None
    return said if isinstance(said, str) else None
