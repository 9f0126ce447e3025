"""Carries out the commands of actions on a page, and answers each with an event. It decides nothing."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any, ClassVar
from urllib.parse import urljoin

import msgspec
from msgspec import UNSET

from uiap.actions.navigate import address_fault
from uiap.actions.ops import AnyOp, Focus, Guard, Highlight, Holds, Hover, Invoke, Scroll, ScrollIntoView
from uiap.drivers import driver as driven
from uiap.drivers.errors import BlockedByDialog, DriverError
from uiap.graph.store import GraphStore
from uiap.host.bundles.in_use import BundleInUse
from uiap.host.clock import Clock
from uiap.host.consent.obligations import redaction_documents
from uiap.host.execution.app_actions import AppActions
from uiap.host.execution.dispatch_check import DispatchCheck
from uiap.host.execution.presenter import Presenter
from uiap.host.execution.running import Lane, RunningAction, tab_surroundings
from uiap.host.observation.page import LARGE_READ, Page
from uiap.host.observation.traffic import Traffic
from uiap.host.observation.vision import VisionReader
from uiap.host.privacy.private_values import PrivateValues
from uiap.host.privacy.questions import ActionReader, asked_signals, visible_candidates
from uiap.host.privacy.redaction import Redaction
from uiap.host.records.ledger import LedgerStore
from uiap.host.records.store import StoreFailed
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.check import ProbeFacts
from uiap.runtime.read import NothingToRead, read_element
from uiap.runtime.resolve import gather, hint_of
from uiap.signals.effect_report import EffectReport
from uiap.spec.web import ElementNode
from uiap.timeouts import ACTION_MS

Answer = when.Event | Awaitable[when.Event]
"""The answer to a command, now or later."""
RunWorkflow = Callable[[RunningAction, Invoke, float], Awaitable[driven.PerformOutcome]]
"""Runs a workflow with the arguments of an action, for at most this many seconds."""


READING_OPS = (Focus, Highlight, Holds, Hover, Scroll, ScrollIntoView)
"""Gestures that write nothing."""


class Executor:
    """Carries out the commands of actions on one page. Each tab has one lane, so one action at a time acts on it."""

    def __init__(
        self,
        page: Page,
        clock: Clock,
        ledger: LedgerStore,
        check: DispatchCheck,
        knowledge: BundleInUse | None,
        apps: AppActions,
        values: PrivateValues,
    ) -> None:
        self._redact = values.redaction_for
        self._page, self._clock, self._apps = page, clock, apps
        self._knowledge = knowledge or BundleInUse()
        self._ledger, self._check = ledger, check
        self.presenter = Presenter(page.driver)
        self.vision = VisionReader(page.driver)
        self.run_workflow: RunWorkflow | None = None
        """Runs a workflow of the bundle for an action. Set where the session has workflows."""
        self._lanes: dict[str, Lane] = {}

    def lane(self, tab: str) -> Lane:
        return self._lanes.setdefault(tab, Lane())

    def carry_out(self, running: RunningAction, command: do.Command) -> Answer:
        return self._METHODS[type(command)](self, running, command)

    # -- finding the target ---------------------------------------------------------------------------------

    def _find(self, running: RunningAction, command: do.Find) -> Answer:
        running.tab = self._page.tab()
        running.recorder.tab = running.tab.id
        if command.vision:
            return self._find_painted(running, command)
        if hint_of(command.target) is not None:
            return self._find_hinted(running, command)
        if command.refresh and not self._knowledge.hints(running.tab.store, command.target):
            return self._find_refreshed(running, command)
        large = len(running.tab.store.elements) > LARGE_READ
        if self._knowledge.hints(running.tab.store, command.target):
            return self._find_by_binding(running, command)
        return self._find_in_thread(running, command) if large else self._find_now(running, command)

    async def _find_painted(self, running: RunningAction, command: do.Find) -> when.Event:
        candidates = await self.vision.gather(running.tab, command.target)
        return when.Found(at=self._clock.now(), candidates=candidates)

    async def _find_hinted(self, running: RunningAction, command: do.Find) -> when.Event:
        """Ask the driver for the elements of a css or xpath hint."""
        hint, driver = hint_of(command.target), self._page.driver
        ids: tuple[str, ...] = ()
        with suppress(DriverError):
            await self._page.flush(running.tab.id)
            if hint is not None and isinstance(driver, driven.SupportsHints):
                ids = tuple(await driver.elements_by_hint(*hint, tab=running.tab.id))
        return self._find_now(running, command, ids)

    async def _find_by_binding(self, running: RunningAction, command: do.Find) -> when.Event:
        """Find the element of a binding; by its css and xpath hints only where nothing else finds it (RUN-17)."""
        found = await self._find_refreshed(running, command)
        driver, store = self._page.driver, running.tab.store
        if (
            not isinstance(found, when.Found)
            or found.candidates.candidates
            or not isinstance(driver, driven.SupportsHints)
        ):
            return found
        for hint in self._knowledge.hints(store, command.target):
            with suppress(DriverError):
                ids = tuple(await driver.elements_by_hint(*hint, tab=running.tab.id))
                hinted = self._knowledge.bind_hinted(store, command.target, ids)
                if hinted.candidates:
                    return when.Found(at=self._clock.now(), candidates=hinted)
        return found

    async def _find_refreshed(self, running: RunningAction, command: do.Find) -> when.Event:
        with suppress(DriverError):
            await self._page.flush(running.tab.id)
        return await self._find_in_thread(running, command)

    async def _find_in_thread(self, running: RunningAction, command: do.Find) -> when.Event:
        return await self._page.apart(lambda: self._find_now(running, command))

    def _find_now(self, running: RunningAction, command: do.Find, hinted: tuple[str, ...] = ()) -> when.Event:
        tab = running.tab
        candidates = gather(tab.store, command.target, tab.recycled, command.affordances, hinted)
        redaction = self._redact(running.terms.principal)
        candidates = visible_candidates(
            candidates, redaction, tab.store, command.target, tab.recycled, command.affordances, hinted
        )
        candidates = self._knowledge.bind(tab.store, command.target, candidates)
        return when.Found(at=self._clock.now(), candidates=candidates)

    async def _probe(self, running: RunningAction, command: do.Probe | do.ScrollTo) -> when.Event:
        try:
            facts = (await self._page.driver.probe([command.node]))[command.node]
        except BlockedByDialog:  # the driver refuses the gesture itself until the dialog is answered
            return self._probed(running, command.node, ProbeFacts(attached=True))
        return self._probed(running, command.node, probe_facts(facts))

    def _probed(self, running: RunningAction, node: str, facts: ProbeFacts) -> when.Event:
        element = running.tab.store.element(node)
        args = running.terms.request.args or {}
        around = None if element is None else tab_surroundings(running.tab, element, args)
        if around is not None and isinstance(text := args.get("text"), str):
            source = self._page.origins.source_of(text, around.origin, running.tab.store)
            around = msgspec.structs.replace(around, carried_from=source)
        return when.Probed(at=self._clock.now(), facts=facts, around=around)

    async def _scroll_to(self, running: RunningAction, command: do.ScrollTo) -> when.Event:
        await self._page.driver.perform(ScrollIntoView(guard=Guard(node=command.node)), tab=running.tab.id)
        return await self._probe(running, command)

    async def _read_element(self, running: RunningAction, command: do.ReadElement) -> when.Event:
        """Read the element as it is now, and as its principal may see it. A script may change a value silently."""
        with suppress(DriverError):
            await self._page.flush(running.tab.id)
        if (why := self._check.unmet_obligation(running)) is not None:
            return when.ElementRead(at=self._clock.now(), value={"withheld": why})
        decision = running.decision
        obligations = () if decision is None else decision.decision.obligations
        documents = (*running.policies.documents, *redaction_documents(obligations))
        view = Redaction(documents, running.terms.principal).masked_view(running.tab.store)
        try:
            value = read_element(view, command.node, command.what)
        except NothingToRead as error:
            return when.ElementRead(at=self._clock.now(), missing=str(error))
        return when.ElementRead(at=self._clock.now(), value=value)

    # -- acting ---------------------------------------------------------------------------------------------

    async def _take_lane(self, running: RunningAction, _command: do.TakeLane) -> when.Event:
        lane = self.lane(running.tab.id)
        holder = lane.holder
        if (
            holder is not None
            and holder is not running
            and holder.handoff is not None
            and holder.awaits_person
        ):
            return when.LaneHeld(at=self._clock.now(), handle=holder.handle, note=holder.handoff.note)
        waited = await lane.take(running) if running.lane is None else False
        running.lane = lane
        if running.done.done():  # cancelled while it waited for the lane
            running.free_lane()
        return when.LaneTaken(at=self._clock.now(), waited=waited)

    def _open_watch(self, running: RunningAction, command: do.OpenWatch) -> Answer:
        if command.target is None and not self._page.driver.facts.push:
            return self._open_refreshed_watch(
                running, command
            )  # nothing has read the page for this action yet
        return self._open_watch_now(running, command)

    async def _open_refreshed_watch(self, running: RunningAction, command: do.OpenWatch) -> when.Event:
        with suppress(DriverError):
            await self._page.flush(running.tab.id)
        return self._open_watch_now(running, command)

    def _open_watch_now(self, running: RunningAction, command: do.OpenWatch) -> when.Event:
        tab, now = running.tab, self._clock.now()
        running.watch, running.documents = command, tab.document_count
        tab.traffic.begin_action(now.mono)
        verdicts = tab.watch.open(command.signals, command.target, now.mono, self._reader_view(running))
        return when.WatchOpened(
            at=self._clock.now(), verdicts=verdicts, revision=tab.store.revision, focus=_focus(tab.store)
        )

    def _reader_view(self, running: RunningAction) -> ActionReader | None:
        """Return the page as the principal sees it; None if it may see everything, or asks for nothing."""
        principal, asked = running.terms.principal, asked_signals(running.terms.request)
        if not asked or self._redact(principal).reads_all:
            return None
        return ActionReader(asked, running.tab.store, lambda: self._redact(principal))

    async def _record_intent(self, running: RunningAction, _command: do.RecordIntent) -> when.Event:
        try:
            await self._ledger.record_intent(running.claim, running.handle)
        except StoreFailed as failed:
            return when.IntentNotRecorded(at=self._clock.now(), reason=str(failed))
        return when.IntentRecorded(at=self._clock.now())

    async def _perform(self, running: RunningAction, command: do.Perform) -> when.Event:
        running.performing = True
        try:
            await self.presenter.present(running)
            if (refused := await self._check.refusal(running, command)) is not None:
                return refused
            await running.capture_before()
            if not await self._still_painted(running):
                return when.Refused(
                    at=self._clock.now(), reason="changed", detail="the picture shows something else now"
                )
            if running.done.done():  # the action ended meanwhile, so nothing is dispatched any more
                return when.Refused(at=self._clock.now(), reason="unavailable", detail="the action is over")
            if not isinstance(command.op, READING_OPS):  # a question that waits was about another page
                running.tab.writes += 1
            return self._outcome(running, await self._dispatch(running, command.op), command.traceable)
        finally:
            running.performing = False
            if running.done.done():
                running.free_lane()

    async def _still_painted(self, running: RunningAction) -> bool:
        """Read painted text again right before the press: no input event can check it."""
        painted = None if running.use_target is None else running.use_target.painted
        return painted is None or await self.vision.still_shows(painted)

    async def _dispatch(self, running: RunningAction, op: AnyOp) -> driven.PerformOutcome:
        """Dispatch by the driver, or call a function of the program, which gets the action's whole time."""
        if not isinstance(op, Invoke):
            return await self._page.driver.perform(op, tab=running.tab.id)
        limit = running.terms.request.timeout_ms
        seconds = (ACTION_MS if limit is UNSET else limit) / 1000
        if op.source == "program":
            return await self._apps.call(op, seconds)
        if op.source == "workflow":
            return await self._run_workflow(running, op, seconds)
        return await self._page.driver.perform(op, tab=running.tab.id, timeout=seconds)

    async def _run_workflow(
        self, running: RunningAction, op: Invoke, seconds: float
    ) -> driven.PerformOutcome:
        """Run a workflow of the bundle. Its steps are actions of their own, so this one leaves them its lane."""
        if self.run_workflow is None or running.owner is None:
            return driven.PerformRefused(
                "unsupported", f"the workflow `{op.action}` cannot run in this session"
            )
        watch, tab = running.watch, running.tab
        running.watch = None
        tab.watch.close(self._clock.now().mono)
        tab.traffic.end_action()
        running.free_lane()
        try:
            return await self.run_workflow(running, op, seconds)
        finally:
            await self._take_lane(running, do.TakeLane())
            if watch is not None and not running.done.done():
                self._open_watch_now(running, watch)

    async def _navigate(self, running: RunningAction, command: do.Navigate) -> when.Event:
        await self.presenter.present(running)
        if (refused := await self._check.refusal(running, command)) is not None:
            return refused
        await running.capture_before()
        full = urljoin(running.tab.store.route.url, command.url)
        if (why := address_fault(full, running.terms.principal.type)) is not None:
            return when.Refused(at=self._clock.now(), reason="invalid", detail=why)
        outcome = await self._go_to(running, full, keep_page=command.keep_page)
        if isinstance(outcome, driven.PerformDispatched):
            self._open_origins(running, command, full)
        return self._outcome(running, outcome, command.traceable)

    async def _go_to(self, running: RunningAction, url: str, *, keep_page: bool) -> driven.PerformOutcome:
        """Change the route inside the running page if that is wanted and possible; otherwise load the URL."""
        driver, tab = self._page.driver, running.tab.id
        if keep_page and isinstance(driver, driven.SupportsInPageRoutes):
            routed = await driver.change_route(url, tab=tab)
            if routed is not None:
                return routed
        return await driver.navigate(url, tab=tab)

    def _open_origins(self, running: RunningAction, command: do.Navigate, url: str) -> None:
        """Add the origins that were opened: by a person, by a person's grant, or as the first of the session."""
        origins, arrived = self._page.origins, running.tab.store.route.url
        if running.terms.principal.type == "user" or not running.terms.origins.act:
            origins.open(url)
            origins.open(arrived)  # a redirect leads to what was opened
        elif command.needs_grant:
            origins.allow_reading(url)

    def _outcome(self, running: RunningAction, outcome: driven.PerformOutcome, traceable: bool) -> when.Event:
        at, tab = self._clock.now(), running.tab
        if isinstance(outcome, driven.PerformRefused):
            return when.Refused(at=at, reason=outcome.reason, detail=outcome.detail)
        if isinstance(outcome, driven.PerformUnknown):
            return when.OutcomeLost(at=at, cause=outcome.cause, detail=outcome.detail)
        tab.watch.dispatched(outcome.token, outcome.at)
        if traceable:
            tab.traffic.input_dispatched(outcome.at, at.mono if outcome.requests_reported is None else None)
        if outcome.requests_reported is not None:
            outcome.requests_reported.add_done_callback(
                lambda _: tab.traffic.input_ended(outcome.at, self._clock.now().mono)
            )
        tab.watch.returned(outcome.detail.get("returned", {}))
        running.recorder.record_dispatch(outcome.at, outcome.token)
        dialog = self._page.driver.dialog.current(tab.id)
        text = None if dialog is None else f"{dialog.kind} `{dialog.message[:200]}`"
        return when.Dispatched(
            at=at,
            seq=outcome.seq,
            interrupted_by=outcome.interrupted_by,
            dialog=text,
            detail=dict(outcome.detail),
        )

    # -- verifying ------------------------------------------------------------------------------------------

    async def _observe(self, running: RunningAction, command: do.Observe) -> when.Event:
        """Read the page, then report. A page that cannot answer is reported as far as it is known."""
        tab, plan, begun = running.tab.id, driven.PageSchedule(), self._clock.now().mono
        with suppress(DriverError):
            plan = await self._page.driver.schedule(tab=tab) if command.ahead else plan
            await self._page.flush(tab, quick=command.quick)
        observed = self.observation(running, complete=not command.quick, quick=command.quick)
        return msgspec.structs.replace(
            observed,
            read_at=begun,
            quiet_ahead=plan.quiet_for,
            starting_for=plan.starting_for,
            content_coming=plan.content_coming,
        )

    def observation(
        self, running: RunningAction, *, complete: bool = False, quick: bool = False
    ) -> when.Observed:
        """Return what happened on the tab since the watch of this action was opened."""
        traffic, now, watch = running.tab.traffic, self._clock.now(), running.watch
        arrival = watch is not None and watch.arrival
        report = running.tab.watch.report(traffic.attribution(), now.mono)
        return when.Observed(
            at=now,
            report=report,
            requests_open=traffic.loading_count if arrival else traffic.open_count(now.mono),
            request_failed=_failed_request(traffic, report, arrival=arrival),
            failed_parts=traffic.failed_parts() if arrival else (),
            idle_since=traffic.idle_since,
            navigated=running.tab.document_count > running.documents,
            loading=running.tab.store.route.status == "loading",
            parts_loaded_at=traffic.parts_loaded_at,
            element=_followed_target(running),
            focus=_focus(running.tab.store),
            complete=complete,
            quick=quick,
        )

    _METHODS: ClassVar[Mapping[type[do.Command], Callable[[Any, RunningAction, Any], Answer]]] = (
        MappingProxyType(
            {
                do.Find: _find,
                do.Probe: _probe,
                do.ScrollTo: _scroll_to,
                do.TakeLane: _take_lane,
                do.OpenWatch: _open_watch,
                do.RecordIntent: _record_intent,
                do.Perform: _perform,
                do.Navigate: _navigate,
                do.ReadElement: _read_element,
                do.Observe: _observe,
            }
        )
    )


def _failed_request(traffic: Traffic, report: EffectReport, *, arrival: bool) -> str | None:
    """Return the request that failed for the action. A page that arrived is open, whatever failed inside it."""
    if arrival:
        return traffic.document_failure()
    return report.refusal or traffic.failure(scripted=report.work is None)


def _followed_target(running: RunningAction) -> ElementNode | None:
    """Return the target as it is now, or the element that replaced it, where its value is judged."""
    if running.watch is None or not running.watch.follow_target or running.target is None:
        return None
    return running.tab.store.current(running.target.instance_id)


def _focus(store: GraphStore) -> str | None:
    focus = store.focus.target if store.focus is not None else None
    return focus if isinstance(focus, str) else None


def probe_facts(facts: driven.ElementFacts) -> ProbeFacts:
    """Return the facts of a driver as the checks of the runtime read them."""
    state = facts.detail.get("state") or {}
    return ProbeFacts(
        attached=facts.attached,
        visible=facts.visible,
        enabled=facts.enabled,
        editable=state.get("editable"),
        readonly=state.get("readonly") is True,
        focusable=facts.detail.get("focusable"),
        blocked=facts.detail.get("blocked") is True,
        busy=state.get("busy") is True,
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
        return str(said.get("words") or "") or None
    return said if isinstance(said, str) else None
