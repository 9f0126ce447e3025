"""Carries out what an action wants done to the page, and says what came of it as an event.

A command is answered at once or later; the desk feeds the answer back. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import urljoin

from msgspec import UNSET

from uiap.actions.ops import AnyOp, Guard, Invoke, ScrollIntoView
from uiap.drivers import driver as driven
from uiap.drivers.errors import BlockedByDialog, DriverError
from uiap.graph.store import GraphStore
from uiap.host.clock import Clock
from uiap.host.consent.obligations import redaction_documents
from uiap.host.execution.app_actions import AppActions
from uiap.host.execution.dispatch_check import DispatchCheck
from uiap.host.execution.presenter import Presenter
from uiap.host.execution.running import Lane, RunningAction
from uiap.host.observation.page import Page
from uiap.host.observation.vision import VisionReader
from uiap.host.privacy.redaction import Redaction
from uiap.host.records.ledger import LedgerStore
from uiap.host.records.store import StoreFailed
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.check import ProbeFacts
from uiap.runtime.read import read_element
from uiap.runtime.resolve import Candidates, gather
from uiap.spec.action import ActionTarget
from uiap.spec.web import ElementNode
from uiap.timeouts import ACTION_MS

Bind = Callable[[GraphStore, ActionTarget, Candidates], Candidates]
"""Completes what was gathered for a target by what a bundle knows of it."""
Came = when.Event | Awaitable[when.Event]


class Executor:
    """One lane per tab: one action at a time between executing and its result."""

    def __init__(
        self,
        page: Page,
        clock: Clock,
        ledger: LedgerStore,
        clearance: DispatchCheck,
        bind: Bind | None,
        apps: AppActions,
    ) -> None:
        self._page, self._clock, self._bind, self._apps = page, clock, bind, apps
        self._ledger, self._clearance = ledger, clearance
        self._presenter = Presenter(page.driver)
        self.eyes = VisionReader(page.driver)
        self._lanes: dict[str, Lane] = {}

    def lane(self, tab: str) -> Lane:
        return self._lanes.setdefault(tab, Lane())

    def carry(self, running: RunningAction, command: do.Command) -> Came:
        return self._CARRY[type(command)](self, running, command)

    # -- looking --------------------------------------------------------------------------------------------

    def _find(self, running: RunningAction, command: do.Find) -> Came:
        running.tab = self._page.tab()
        running.recorder.tab = running.tab.id
        if command.eyes:
            return self._seen(running, command)
        return self._found_anew(running, command) if command.anew else self._found(running, command)

    async def _seen(self, running: RunningAction, command: do.Find) -> when.Event:
        gathered = await self.eyes.gather(running.tab, command.target)
        return when.Found(at=self._clock.now(), gathered=gathered)

    async def _found_anew(self, running: RunningAction, command: do.Find) -> when.Event:
        with suppress(DriverError):
            await self._page.driver.flush(tab=running.tab.id)
        return self._found(running, command)

    def _found(self, running: RunningAction, command: do.Find) -> when.Event:
        tab = running.tab
        gathered = gather(tab.store, command.target, tab.recycled, command.affordances)
        if self._bind is not None:
            gathered = self._bind(tab.store, command.target, gathered)
        return when.Found(at=self._clock.now(), gathered=gathered)

    async def _probe(self, _running: RunningAction, command: do.Probe | do.ScrollTo) -> when.Event:
        try:
            facts = (await self._page.driver.probe([command.node]))[command.node]
        except BlockedByDialog:  # the driver refuses to act until it is answered, and says so
            return when.Probed(at=self._clock.now(), sighting=ProbeFacts(attached=True))
        return when.Probed(at=self._clock.now(), sighting=sighting(facts))

    async def _scroll(self, running: RunningAction, command: do.ScrollTo) -> when.Event:
        """Scroll, then look: the next probe tells whether it helped."""
        await self._page.driver.perform(ScrollIntoView(guard=Guard(node=command.node)), tab=running.tab.id)
        return await self._probe(running, command)

    def _read(self, running: RunningAction, command: do.ReadOut) -> Came:
        permission = running.machine.permission
        if (why := self._clearance.duty(running)) is not None:
            return when.Read(at=self._clock.now(), value={"withheld": why})
        documents = (*permission.policies.documents, *redaction_documents(permission.obligations))
        seen = Redaction(documents, permission.principal).masked_view(running.tab.store)
        value = read_element(seen, command.node, command.what)
        return when.Read(at=self._clock.now(), value=value)

    # -- acting ---------------------------------------------------------------------------------------------

    async def _take_lane(self, running: RunningAction, _command: do.TakeLane) -> when.Event:
        lane = self.lane(running.tab.id)
        waited = await lane.take() if running.lane is None else False
        running.lane = lane
        if running.done.done():  # cancelled while it waited for its turn
            running.free()
        return when.LaneTaken(at=self._clock.now(), waited=waited)

    def _watch(self, running: RunningAction, command: do.Watch) -> Came:
        # nobody has looked for an action without a target yet
        if command.target is None and not self._page.driver.facts.push:
            return self._watching_anew(running, command)
        return self._watching(running, command)

    async def _watching_anew(self, running: RunningAction, command: do.Watch) -> when.Event:
        with suppress(DriverError):
            await self._page.driver.flush(tab=running.tab.id)
        return self._watching(running, command)

    def _watching(self, running: RunningAction, command: do.Watch) -> when.Event:
        tab, now = running.tab, self._clock.now()
        running.watching, running.documents = True, tab.document_count
        tab.traffic.begin_action(now.mono)
        verdicts = tab.watch.open(command.signals, command.target, now.mono)
        return when.Watching(
            at=self._clock.now(), verdicts=verdicts, revision=tab.store.revision, focus=_focus(tab.store)
        )

    async def _record(self, running: RunningAction, _command: do.Record) -> when.Event:
        try:
            await self._ledger.record_intent(running.held, running.handle)
        except StoreFailed as failed:
            return when.NotRecorded(at=self._clock.now(), reason=str(failed))
        return when.Recorded(at=self._clock.now())

    async def _perform(self, running: RunningAction, command: do.Perform) -> when.Event:
        running.performing = True
        try:
            await self._presenter.present(running)
            if (refused := await self._clearance.refusal(running, command.op)) is not None:
                return refused
            await running.before_acting()
            if not await self._stands(running):
                return when.Refused(
                    at=self._clock.now(), reason="changed", detail="the picture shows something else now"
                )
            if running.done.done():  # it ended meanwhile: nothing is sent any more
                return when.Refused(at=self._clock.now(), reason="unavailable", detail="the action is over")
            return self._outcome(running, await self._done(running, command.op))
        finally:
            running.performing = False
            if running.done.done():
                running.free()

    async def _stands(self, running: RunningAction) -> bool:
        """No event can check paint, so it is read again right before the press (HOUSE §3, `reread`)."""
        resolved = running.machine.resolved
        seen = resolved.winner.candidate.seen if resolved is not None else None
        return seen is None or await self.eyes.still_shows(seen)

    async def _done(self, running: RunningAction, op: AnyOp) -> driven.PerformOutcome:
        """By the driver, or by a function of the program, which has the action's whole time."""
        if not isinstance(op, Invoke):
            return await self._page.driver.perform(op, tab=running.tab.id)
        limit = running.machine.request.timeout_ms
        seconds = (ACTION_MS if limit is UNSET else limit) / 1000
        if op.source == "program":
            return await self._apps.call(op, seconds)
        return await self._page.driver.perform(op, tab=running.tab.id, timeout=seconds)

    async def _go(self, running: RunningAction, command: do.Go) -> when.Event:
        await self._presenter.present(running)
        if (refused := await self._clearance.refusal(running)) is not None:
            return refused
        await running.before_acting()
        full = urljoin(running.tab.store.route.url, command.url)
        return self._outcome(running, await self._page.driver.navigate(full, tab=running.tab.id))

    def _outcome(self, running: RunningAction, outcome: driven.PerformOutcome) -> when.Event:
        at, tab = self._clock.now(), running.tab
        if isinstance(outcome, driven.PerformRefused):
            return when.Refused(at=at, reason=outcome.reason, detail=outcome.detail)
        if isinstance(outcome, driven.PerformUnknown):
            return when.Lost(at=at, cause=outcome.cause, detail=outcome.detail)
        tab.watch.dispatched(outcome.token, outcome.at)
        if running.machine.primitive.traceable:
            tab.traffic.input_dispatched(outcome.at, at.mono if outcome.requests_reported is None else None)
        if outcome.requests_reported is not None:
            outcome.requests_reported.add_done_callback(
                lambda _: tab.traffic.input_ended(outcome.at, self._clock.now().mono)
            )
        tab.watch.returned(outcome.detail.get("returned", {}))
        running.recorder.record_dispatch(outcome.at, outcome.token)
        standing = self._page.driver.dialog.current(tab.id)
        asks = None if standing is None else f"{standing.kind} `{standing.message[:200]}`"
        return when.Dispatched(
            at=at,
            seq=outcome.seq,
            interrupted_by=outcome.interrupted_by,
            dialog=asks,
            detail=dict(outcome.detail),
        )

    # -- verifying ------------------------------------------------------------------------------------------

    async def _look(self, running: RunningAction, command: do.Look) -> when.Event:
        """Everything the page has is here before its answer is; one that cannot answer was heard as far as it goes."""
        with suppress(DriverError):
            await self._page.driver.flush(tab=running.tab.id, quick=command.glance)
        return self.observation(running, looked=not command.glance, glanced=command.glance)

    def observation(
        self, running: RunningAction, *, looked: bool = False, glanced: bool = False
    ) -> when.Observed:
        traffic, now = running.tab.traffic, self._clock.now()
        return when.Observed(
            at=now,
            report=running.tab.watch.report(traffic.attribution()),
            requests_open=traffic.loading_count
            if running.machine.expectation.arrival
            else traffic.open_count(now.mono),
            request_failed=traffic.failure,
            quiet_since=traffic.idle_since,
            navigated=running.tab.document_count > running.documents,
            element=_judged(running),
            focus=_focus(running.tab.store),
            looked=looked,
            glanced=glanced,
        )

    _CARRY: ClassVar[Mapping[type[do.Command], Callable[[Any, RunningAction, Any], Came]]] = MappingProxyType(
        {
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
        }
    )


def _judged(running: RunningAction) -> ElementNode | None:
    """The target, where what it holds is to be judged."""
    action = running.machine
    if action.expectation.held is None or action.target is None:
        return None
    return running.tab.store.element(action.target.instance_id)


def _focus(store: GraphStore) -> str | None:
    focus = store.focus.target if store.focus is not None else None
    return focus if isinstance(focus, str) else None


def sighting(facts: driven.ElementFacts) -> ProbeFacts:
    """A driver's facts as the runtime's checks read them."""
    state = facts.detail.get("state") or {}
    return ProbeFacts(
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
        bbox=facts.bbox,
    )


def _covering(said: Any) -> str | None:
    if isinstance(said, dict):
        return " ".join(str(said[key]) for key in ("role", "tag", "name") if said.get(key)) or None
    return said if isinstance(said, str) else None
