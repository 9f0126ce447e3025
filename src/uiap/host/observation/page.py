"""The page as the host holds it: one graph store, watch and traffic log per tab, fed by the driver's events.

It passes each event on to its listeners and does not know what they use it for.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeVar
from urllib.parse import urlsplit

from msgspec import UNSET, structs

from uiap.discovery.safety.redaction import mask_text
from uiap.drivers import events as seen
from uiap.drivers.driver import Driver
from uiap.drivers.errors import ConnectionLost, DriverError, PageGone, TargetGone
from uiap.graph.identity import enclosing_record_key
from uiap.graph.known_names import KnownNames
from uiap.graph.store import Applied, GraphStore, NeedsResync
from uiap.host.observation.origins import OriginRegister
from uiap.host.observation.outside import HTTP_ERROR, outside_event, refused_tab
from uiap.host.observation.page_turns import PageTurns
from uiap.host.observation.traffic import Traffic
from uiap.origin import OPAQUE, origin_of
from uiap.policy.origins import SessionOrigins
from uiap.runtime.ledger import ReportedPage
from uiap.signals.answers import ReceivedAnswer
from uiap.signals.correction import ReportedEffect, ReportedEffects
from uiap.signals.watch import EffectWatch
from uiap.spec.action import ActionResultPayload
from uiap.spec.base import JsonObject
from uiap.spec.web import NetworkResponseSignal, PageGraph, RouteInfo, SnapshotOptions, WebSignal

T = TypeVar("T")
LARGE_READ, LARGE_LOAD = 1_500, 8_000
"""Pages with more elements are read, or loaded, in a thread."""
log = logging.getLogger("uiap.page")
EventListener = Callable[[seen.AnyEvent], None]
MAX_SIGNALS, MAX_REVISIONS = 500, 500
READ_S = 1.0  # a read waits this long for a busy page


class RecordedSignal(NamedTuple):
    """A signal, the sequence number of the graph when it arrived, and the time."""

    signal: WebSignal
    seq: int
    at: float


@dataclass
class TabView:
    """One tab: its graph, its watch, its traffic and its recent signals."""

    id: str
    store: GraphStore = field(default_factory=GraphStore)
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    traffic: Traffic = field(default_factory=Traffic)
    document_count: int = 0
    crashed: bool = False
    """The tab crashed, and no graph has arrived since."""
    writes: int = 0
    """The number of gestures that may have written on this tab."""
    recycled: dict[str, str] = field(default_factory=dict)
    """Elements that show another record than when the graph was last reported, with the record they had."""
    reported: ReportedPage = field(default_factory=lambda: ReportedPage("", 0))
    """The revision that was reported to a caller last, and how often one was."""
    recent_signals: deque[RecordedSignal] = field(default_factory=lambda: deque(maxlen=MAX_SIGNALS))
    """The latest signals, oldest first."""
    signal_count: int = 0
    signal_counts: dict[str, int] = field(default_factory=dict)
    """The signal count at the time a revision was last reported, or else at the time it arrived."""
    reported_effects: ReportedEffects = field(default_factory=ReportedEffects)
    corrections: list[JsonObject] = field(default_factory=list)
    """The corrections of earlier results, oldest first."""
    watch: EffectWatch = field(init=False)

    def __post_init__(self) -> None:
        self.watch = EffectWatch(self.store)

    def mark_reported(self) -> None:
        """Note that a caller got the current graph: from now on, references mean its elements."""
        self.recycled.clear()
        self.reported = ReportedPage(self.store.revision, self.reported.reports + 1)
        self.mark_revision()

    def mark_revision(self) -> None:
        """Remember the signal count of the current revision."""
        self.signal_counts[self.store.revision] = self.signal_count
        if len(self.signal_counts) > MAX_REVISIONS:
            del self.signal_counts[next(iter(self.signal_counts))]

    def record_signal(self, signal: WebSignal, at: float) -> None:
        self.recent_signals.append(RecordedSignal(signal, self.store.seq, at))
        self.signal_count += 1

    def end_action(self, result: ActionResultPayload, mono: float) -> None:
        """Stop watching for an action. The effect of a reported success is still followed for a while."""
        tokens, changes = self.watch.close(mono)
        for note in (result.metadata or {}).get("notes", ()):
            log.info("%s: %s", result.action_id, note)
        if result.status == "succeeded":
            effect = ReportedEffect(result.action_handle, result.action_id, tokens, changes, mono)
            self.reported_effects.add(effect)
        self.traffic.end_action()

    def record_recycled(self, event: seen.GraphChanged) -> None:
        """Note the elements that a list reuses for another record. Call this before the change is applied."""
        for id, record in _records(event, self.store):
            known = self.store.element(id)
            before = enclosing_record_key(known) if known is not None else None
            if before is not None and before != record:
                self.recycled.setdefault(id, before)


def _application(url: str) -> str:
    """Return the origin of a web page. An application outside the web is named by its scheme and authority."""
    origin, split = origin_of(url), urlsplit(url)
    if origin != OPAQUE:
        return origin
    return f"{split.scheme}://{split.netloc}" if split.netloc else ""


def _records(event: seen.GraphChanged, known: GraphStore) -> Iterator[tuple[str, str | None]]:
    """Yield known elements whose record the event states, with that record."""
    if event.graph is not None:
        for element in event.graph.elements:
            if element.instance_id in known.elements:
                yield element.instance_id, enclosing_record_key(element)
    elif event.delta is not None and event.delta.elements is not UNSET:
        updated = event.delta.elements.updated
        for patch in () if updated is UNSET else updated:
            metadata = patch.patch.get("metadata", UNSET)
            if metadata is None or (isinstance(metadata, dict) and "record" in metadata):
                yield patch.key, (metadata or {}).get("record")


class Page:
    """All tabs of one driver. `receive` is the driver's event sink."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.origins = OriginRegister()
        self.app_origin = ""
        """The origin of the first page. Idempotency keys belong to it and to the caller."""
        self.tabs: dict[str, TabView] = {}
        self._openers: dict[str, str] = {}
        """The tab whose page opened each popup."""
        self._listeners: list[EventListener] = []
        self.known_names: KnownNames | None = None
        """The names of a bundle for elements and scopes, on every tab."""
        self.name_route: Callable[[RouteInfo], RouteInfo] | None = None
        """Returns a route with the id that a bundle gives it."""
        self.preparations: list[Callable[[seen.GraphChanged], None]] = []
        """Called with a graph before it is applied; in a thread if the graph is large."""
        self.turns: PageTurns[seen.AnyEvent] = PageTurns(self._handle)
        self._resyncs: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        await self.driver.start(self.receive)

    def use_names(
        self, names: KnownNames | None, name_route: Callable[[RouteInfo], RouteInfo] | None
    ) -> None:
        """Use the names of a bundle on every tab, or none. Pages that are open are named when they are read again."""
        self.known_names, self.name_route = names, name_route
        for tab in self.tabs.values():
            tab.store.known_names = names

    async def read_again(self) -> None:
        """Read every open tab as a whole. Its route and its annotations may mean something else now."""
        for tab in list(self.tabs.values()):
            with suppress(DriverError, TimeoutError):
                graph = await self.driver.observe(SnapshotOptions(include_bbox=True), tab=tab.id)
                await self.turns.settled()
                named = self._with_name(graph)
                if not self.driver.facts.push or tab.store.route != named.route:
                    tab.store.load(named, "resync")  # the driver does not report what it was asked to read

    def _with_name(self, graph: PageGraph) -> PageGraph:
        return (
            graph if self.name_route is None else structs.replace(graph, route=self.name_route(graph.route))
        )

    def listen(self, listener: EventListener) -> Callable[[], None]:
        """Call the listener with each event. Return a function that stops this."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener) if listener in self._listeners else None

    def tab(self, id: str | None = None) -> TabView:
        key = id or self.driver.tabs.active
        known = self.tabs.get(key)
        if known is None:  # not setdefault: that would build a view for every message
            known = self.tabs[key] = TabView(key)
            known.store.known_names = self.known_names
        return known

    @property
    def session_origins(self) -> SessionOrigins:
        """Return the origins that this session may read and act on."""
        return self.origins.facts(self.tab().store.route.url)

    def tab_of(self, node: str) -> TabView:
        """Return the tab whose graph holds this element, or the active tab if none does."""
        return next((tab for tab in self.tabs.values() if tab.store.element(node) is not None), self.tab())

    async def wait_for_graph(self, timeout: float = 15.0) -> TabView:
        """Return the active tab once its first graph has arrived."""
        self.turns.share.mark()
        tab = self.live_tab()
        async with asyncio.timeout(timeout):
            await self.turns.settled()
            await tab.ready.wait()
        return self.live_tab()

    def live_tab(self) -> TabView:
        """Return the active tab. Raise PageGone if its graph shows a page that is no longer there."""
        try:
            tab = self.tab()
        except (TargetGone, ConnectionLost):
            raise PageGone(
                "the browser has stopped, or its last tab was closed; open a new session"
            ) from None
        if tab.crashed:
            raise PageGone("the tab crashed; navigate to the page again, or open a new session")
        return tab

    def tab_for(self, action_id: str) -> TabView:
        """Return the tab that an action is for. Only a navigation may use a tab that crashed."""
        return self.tab() if action_id == "nav.navigate" else self.live_tab()

    async def read_active_tab(self) -> TabView:
        """Return the active tab with every change that its page made before the call.

        A page that cannot answer is returned as it is known: a dialog is open, or its script is busy.
        """
        tab = await self.wait_for_graph()
        if not self.driver.facts.push:
            await self.flush(tab.id)
            return tab
        with suppress(DriverError, TimeoutError):
            async with asyncio.timeout(READ_S):
                await self.driver.flush(tab=tab.id)
        await self.turns.settled()
        return tab

    async def flush(self, tab: str | None = None, *, quick: bool = False) -> None:
        """Bring the graph up to date: it then has every change that the page made before the call.

        The driver only reports the changes. A large graph is loaded in a thread, and later changes wait for it.
        """
        try:
            await self.driver.flush(tab=tab, quick=quick)
        finally:
            await self.turns.settled()

    # -- events of the driver -------------------------------------------------------------------------------

    def receive(self, event: seen.AnyEvent) -> None:
        """Handle an event of the driver, or keep it until the work that is reading the page has ended."""
        self.turns.receive(event)

    async def apart(self, work: Callable[[], T]) -> T:
        """Run work that reads the whole active tab: in a thread if the tab is large, with its events held back."""
        if len(self.tab().store.elements) <= LARGE_READ:
            return work()
        return await self.turns.run(work)

    def _handle(self, event: seen.AnyEvent) -> None:
        if isinstance(event, seen.GraphChanged):
            event = self._with_route_name(event)
            if self._is_large_load(event):
                self._load_apart(event)
                return
        self._apply(event)

    def _with_route_name(self, event: seen.GraphChanged) -> seen.GraphChanged:
        """Return the event with the route id of the bundle. Everything that reads the page then sees it."""
        if self.name_route is None:
            return event
        if event.graph is not None:
            return replace(event, graph=self._with_name(event.graph))
        if event.delta is not None and event.delta.route is not UNSET:
            delta = structs.replace(event.delta, route=self.name_route(event.delta.route))
            return replace(event, delta=delta)
        return event

    def _is_large_load(self, event: seen.GraphChanged) -> bool:
        """Return whether the event replaces the page by a large one. A resync is compared with the old page."""
        graph = event.graph
        return (
            graph is not None
            and len(graph.elements) > LARGE_LOAD
            and event.reason not in ("resync", "requested")
        )

    def _load_apart(self, event: seen.GraphChanged) -> None:
        loaded = GraphStore()

        def load() -> None:
            assert event.graph is not None
            loaded.load(event.graph, event.reason or "initial")
            for prepare in self.preparations:
                prepare(event)

        self.turns.start(load, lambda: self._apply(event, loaded))

    def _apply(self, event: seen.AnyEvent, loaded: GraphStore | None = None) -> None:
        match event:
            case seen.GraphChanged():
                if loaded is None:
                    for prepare in self.preparations:
                        prepare(event)
                self._apply_graph(event, loaded)
            case seen.SignalObserved():
                tab = self.tab(event.tab)
                tab.record_signal(event.signal, event.at)
                tab.watch.signal_received(event.signal, event.seq, event.at, event.token)
            case seen.PaintObserved():
                watch = self.tab(event.tab).watch
                watch.paint_received(event.token, event.node, event.text, event.at, route=event.route)
            case seen.WorkReported():
                self.tab(event.tab).watch.work_received(event.token, event.work, event.at)
            case seen.AnswerReceived():
                self._record_answer(event)
            case seen.OutsideEffect() | seen.TabOpened() | seen.DownloadBegun() | seen.Downloaded():
                self._record_outside(event)
            case seen.RequestSent():
                self.tab(event.tab).traffic.request_sent(
                    event.request,
                    event.resource,
                    event.method,
                    event.url,
                    event.initiator,
                    event.at,
                    embedded=event.embedded,
                )
            case seen.ResponseReceived():
                self._record_response(event)
            case seen.RequestEnded():
                self.tab(event.tab).traffic.request_ended(event.request, event.failed, event.reason, event.at)
            case seen.Navigated(new_document=True, document=None):
                self._record_outside(event)
                self.tab(event.tab).document_count += 1
                self.tab(event.tab).traffic.document_replaced()
            case seen.Crashed():
                self.tab(event.tab).crashed = True
            case seen.TabClosed():
                self.tabs.pop(event.tab, None)
                self._openers.pop(event.tab, None)
        for listener in list(self._listeners):
            listener(event)

    def _apply_graph(self, event: seen.GraphChanged, loaded: GraphStore | None) -> None:
        tab = self.tab(event.tab)
        tab.crashed = False
        tab.record_recycled(event)
        applied: Applied | NeedsResync | None = None
        if event.graph is not None:
            if origin_of(event.graph.route.url) != origin_of(tab.store.route.url):
                self.origins.remember(tab.store)
            if loaded is not None:
                tab.store.adopt(loaded)
            else:
                applied = tab.store.load(event.graph, event.reason or "initial")
            self.app_origin = self.app_origin or _application(event.graph.route.url)
        else:
            assert event.delta is not None
            applied = tab.store.apply(event.delta)
        if isinstance(applied, NeedsResync):
            self._resync(tab)
            return
        tab.mark_revision()
        tab.watch.incidental.record(event.dismissed)
        tab.watch.graph_changed(event.delta, event.seq, event.at, event.token, event.not_caused)
        tab.ready.set()
        if event.delta is None:
            tab.reported_effects.clear()
            return
        for signal in tab.reported_effects.corrections(event.token, tab.store, event.at):
            tab.corrections.append(signal.payload or {})
            document = next(iter(tab.store.documents), "")
            self.receive(
                seen.SignalObserved(tab=tab.id, at=event.at, signal=signal, document=document, seq=event.seq)
            )

    def _record_answer(self, event: seen.AnswerReceived) -> None:
        refusal = None if event.refusal is None else mask_text(event.refusal)
        self.tab(event.tab).watch.answer_received(
            ReceivedAnswer(event.token, event.question, refusal, event.at, event.refusal_kind, event.undone)
        )

    def _record_outside(self, event: seen.AnyEvent) -> None:
        """Pass an effect outside of the page on to the tab that caused it."""
        if isinstance(event, seen.TabOpened) and event.opener is not None:
            self._openers[event.tab] = event.opener
        tab = self.opener_of(event) if isinstance(event, seen.TabOpened | seen.Navigated) else event.tab
        if tab is not None and (effect := outside_event(event)) is not None:
            self.tab(tab).watch.outside_received(effect)

    def opener_of(self, event: seen.AnyEvent) -> str | None:
        """Return the tab that opened the tab of this event, if the event says that it opened or where it is."""
        return self._openers.get(event.tab) if isinstance(event, seen.TabOpened | seen.Navigated) else None

    def _record_response(self, event: seen.ResponseReceived) -> None:
        self._record_refused_tab(event)
        signal = NetworkResponseSignal(url=event.url, method=event.method or UNSET, status=event.status)
        tab = self.tab(event.tab)
        tab.traffic.response_received(event.request, event.status, event.at)
        tab.record_signal(signal, event.at)
        tab.watch.signal_received(signal, tab.store.seq + 1, event.at)

    def _record_refused_tab(self, event: seen.ResponseReceived) -> None:
        """Pass the refusal of the page of a new tab on to the tab that opened it."""
        opener = self._openers.get(event.tab)
        first = event.resource == "Document" and self.tab(event.tab).document_count <= 1
        if opener is not None and first and event.status >= HTTP_ERROR:
            self.tab(opener).watch.outside_received(refused_tab(event))

    def _resync(self, tab: TabView) -> None:
        """Read the whole graph after a delta was missed."""

        async def reload() -> None:
            graph = await self.driver.observe(tab=tab.id)
            tab.store.load(self._with_name(graph), "resync")

        task = asyncio.create_task(reload())
        self._resyncs.add(task)
        task.add_done_callback(self._resyncs.discard)

    async def close(self) -> None:
        for task in list(self._resyncs):
            task.cancel()
        self.turns.share.close()
        await self.driver.close()
