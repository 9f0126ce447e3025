"""A driver without a real interface, for tests: the application of `app.py` behind the driver protocol.

It satisfies the whole protocol, and its facts declare its capabilities. Faults are injected, never random.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from uiap.actions.ops import OP_KINDS, AnyOp
from uiap.drivers.driver import (
    CapturedEvidence,
    Dialog,
    DriverFacts,
    ElementFacts,
    PageSchedule,
    PerformDispatched,
    PerformOutcome,
    PerformRefused,
    StorageState,
    TabInfo,
)
from uiap.drivers.errors import BlockedByDialog, CallFailed, ConnectionLost, NotSupported, TargetGone
from uiap.drivers.events import (
    AnyEvent,
    Crashed,
    GraphChanged,
    Navigated,
    PageDialogClosed,
    PageDialogOpened,
    RequestBlocked,
    RequestEnded,
    RequestSent,
    ResponseReceived,
    SignalObserved,
    Sink,
    TabClosed,
    TabOpened,
)
from uiap.drivers.network_rules import NetworkRules, PendingRequest, block_reason
from uiap.drivers.scripted.app import App, ScriptedPage
from uiap.drivers.scripted.fault import ScriptedFault
from uiap.drivers.scripted.gestures import ScriptedGestures, read_back
from uiap.drivers.scripted.surfaces import ScriptedDialogs, ScriptedFiles, ScriptedStorage, ScriptedTabs
from uiap.drivers.snapshot_view import apply_snapshot_options
from uiap.graph.diff import diff, is_empty
from uiap.instant import timestamp
from uiap.spec.web import PageGraph, PageGraphDelta, SnapshotOptions, SnapshotReason
from uiap.timeouts import GESTURE_S, NAVIGATION_S

SCRIPTED_FACTS = DriverFacts(
    profile="web@0.1",
    push=True,
    world="none",
    atomic="event",
    attribution="causal",
    trusted_input=True,
    modes=("semanticUi", "externalDriver"),
    ops=tuple(kind for kind in OP_KINDS if kind not in ("invoke", "setFiles")),
    read_cost_s=0.0,
)


class ScriptedTab:
    """One tab: its page, its revisions, an open dialog, and whether it crashed."""

    def __init__(self, tab_id: str, opener: str | None) -> None:
        self.id = tab_id
        self.opener = opener
        self.app: App
        self.seq = 0
        self.last_graph: PageGraph | None = None
        self.dialog: Dialog | None = None
        self.crashed = False


class ScriptedDriver:
    """Drives a scripted application; it starts on the first page."""

    def __init__(
        self,
        *pages: ScriptedPage,
        facts: DriverFacts = SCRIPTED_FACTS,
        clock: Callable[[], float] = time.monotonic,
        secrets: Callable[[str], str] | None = None,
    ) -> None:
        self.facts = facts
        self.viewport = (1280, 800)
        self.pages = {page.url: page for page in pages}
        self.first_url = pages[0].url
        self.performed: list[AnyOp] = []
        """Every op that reached the application, in order."""
        self.state: StorageState = {"cookies": [], "origins": []}
        self._clock = clock
        self._gestures = ScriptedGestures(secrets)
        self._sink: Sink = lambda _: None
        self._tabs: dict[str, ScriptedTab] = {}
        self._active = ""
        self._numbers = itertools.count(1)
        self._documents = itertools.count(1)
        self._tokens = itertools.count(1)
        self._closed = False
        self._faults: deque[ScriptedFault] = deque()
        self._rules: NetworkRules | None = None

    # ------------------------------------------------------------------ driver protocol

    @property
    def tabs(self) -> ScriptedTabs:
        return ScriptedTabs(self)

    @property
    def dialog(self) -> ScriptedDialogs:
        return ScriptedDialogs(self)

    @property
    def files(self) -> ScriptedFiles:
        return ScriptedFiles()

    @property
    def storage(self) -> ScriptedStorage:
        return ScriptedStorage(self)

    async def start(self, sink: Sink) -> None:
        self._sink = sink
        self._active = self.open_tab(self.first_url, None).id

    async def observe(self, options: SnapshotOptions | None = None, *, tab: str | None = None) -> PageGraph:
        current = self._readable_tab(tab)
        self._emit_delta(current)
        return apply_snapshot_options(current.app.graph(current.seq, self._now()), options)

    async def flush(self, *, tab: str | None = None, quick: bool = False) -> int:
        current = self._readable_tab(tab)
        self._emit_delta(current)
        return current.seq

    async def drawn(self, *, tab: str | None = None) -> None:
        return None

    async def schedule(self, *, tab: str | None = None) -> PageSchedule:
        return PageSchedule()

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        return {ref: self._probe(ref) for ref in refs}

    async def perform(
        self, op: AnyOp, *, tab: str | None = None, timeout: float = GESTURE_S
    ) -> PerformOutcome:
        current = self._tab_of(op.guard.node) if op.guard is not None else self.tab(tab)
        if current is None:
            return PerformRefused("gone", "the document of the target is gone; observe again")
        fault = self._faults.popleft() if self._faults and self._faults[0].matches(op) else None
        if fault is not None and fault.before is not None:
            fault.before(current.app)
            self._emit_delta(current)
        refusal = self._refusal(current, op)
        if refusal is not None:
            return refusal
        if fault is not None and fault.wait_for is not None:
            await fault.wait_for.wait()
        if fault is not None and fault.outcome is not None and not fault.reaches_app:
            return fault.outcome
        dispatched = PerformDispatched(current.seq, self._clock(), token=f"op{next(self._tokens)}")
        self.performed.append(op)
        if fault is None or not fault.no_effect:
            self._gestures.react(current.app, op)
        dispatched = replace(dispatched, detail=read_back(current.app, op))
        outcome = self._apply_requests(current, dispatched)
        return outcome if fault is None or fault.outcome is None else fault.outcome

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = NAVIGATION_S
    ) -> PerformOutcome:
        current = self.tab(tab)
        if current.dialog is not None:
            return PerformRefused("dialog", f"a JavaScript {current.dialog.kind} is open; answer it first")
        if self._block_if_forbidden(current, "GET", url, "Document"):
            return PerformRefused("unavailable", "net::ERR_BLOCKED_BY_CLIENT")
        if url not in self.pages:
            return PerformRefused("unavailable", f"there is no page `{url}` in the script")
        dispatched = PerformDispatched(current.seq, self._clock())
        self._exchange(current, url, "GET", 200, "Document")
        self._load_page(current, url, "navigation")
        return dispatched

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax", "pdf"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        current = self._readable_tab(tab)
        if kind != "ax":
            raise NotSupported("a scripted interface has no picture; ask for ax")
        nodes = [{"role": widget.role, "name": widget.name} for widget in current.app.widgets.values()]
        return CapturedEvidence(kind=kind, media_type="application/json", data=msgspec.json.encode(nodes))

    async def evaluate(self, expression: str, *, tab: str | None = None) -> Any:
        """Return the state of the widget with this key."""
        return dict(self._readable_tab(tab).app.widgets[expression].state)

    async def guard_network(self, rules: NetworkRules | None) -> None:
        self._rules = rules

    async def close(self) -> None:
        self._closed = True
        for tab in list(self._tabs.values()):
            self.drop_tab(tab)

    # ------------------------------------------------------------------ for tests

    def change(self, handler: Callable[[App], None], *, tab: str | None = None) -> None:
        """Change the application without a gesture, as a timer or another user does."""
        current = self.tab(tab)
        handler(current.app)
        self._apply_requests(current, None)

    def node(self, key: str, *, tab: str | None = None) -> str:
        """Return the current instanceId of a widget."""
        return self.tab(tab).app.node_id(key)

    def inject(self, fault: ScriptedFault) -> None:
        """Apply this fault to the next matching op."""
        self._faults.append(fault)

    def crash(self, *, tab: str | None = None) -> None:
        current = self.tab(tab)
        current.crashed = True
        self._sink(Crashed(tab=current.id, at=self._clock()))

    def lose_next_delta(self, *, tab: str | None = None) -> None:
        """Skip a revision number, as if one delta had been lost."""
        self.tab(tab).seq += 1

    # ------------------------------------------------------------------ tabs

    def tab(self, tab: str | None = None) -> ScriptedTab:
        if self._closed:
            raise ConnectionLost("the driver is closed")
        found = self._tabs.get(tab or self._active)
        if found is None:
            raise TargetGone(f"there is no tab `{tab or self._active}`; list the tabs")
        return found

    def all_tabs(self) -> tuple[TabInfo, ...]:
        return tuple(
            TabInfo(
                tab=tab.id,
                url=tab.app.url,
                title=tab.app.title,
                active=tab.id == self._active,
                opener=tab.opener,
                crashed=tab.crashed,
            )
            for tab in self._tabs.values()
        )

    def open_tab(self, url: str, opener: str | None) -> ScriptedTab:
        tab = ScriptedTab(f"t{next(self._numbers)}", opener)
        self._tabs[tab.id] = tab
        self._sink(TabOpened(tab=tab.id, at=self._clock(), url=url, opener=opener))
        self._load_page(tab, url, "initial")
        return tab

    def drop_tab(self, tab: ScriptedTab) -> None:
        del self._tabs[tab.id]
        if self._active == tab.id and self._tabs:
            self._active = tab.opener if tab.opener in self._tabs else next(reversed(self._tabs))
        self._sink(TabClosed(tab=tab.id, at=self._clock()))

    def activate(self, tab: str) -> None:
        self._active = self.tab(tab).id

    def answer(self, tab: ScriptedTab, accept: bool) -> None:
        if tab.dialog is None:
            raise CallFailed("dialog", 0, "no dialog is open")
        tab.dialog = None
        self._sink(PageDialogClosed(tab=tab.id, at=self._clock(), accepted=accept))
        self._emit_delta(tab)

    # ------------------------------------------------------------------ internals

    def _readable_tab(self, tab: str | None) -> ScriptedTab:
        current = self.tab(tab)
        if current.crashed:
            raise TargetGone("the tab crashed; navigate to continue")
        if current.dialog is not None:
            raise BlockedByDialog(f"a JavaScript {current.dialog.kind} is open; answer it first")
        return current

    def _tab_of(self, node: str) -> ScriptedTab | None:
        key = node.partition("e")[0]
        return next((tab for tab in self._tabs.values() if tab.app.document == key), None)

    def _refusal(self, tab: ScriptedTab, op: AnyOp) -> PerformRefused | None:
        if tab.crashed:
            return PerformRefused("unavailable", "the tab crashed; navigate to continue")
        if tab.dialog is not None:
            return PerformRefused("dialog", f"a JavaScript {tab.dialog.kind} is open; answer it first")
        if op.kind not in self.facts.ops or op.mode not in self.facts.modes:
            return PerformRefused("unsupported", f"`{op.kind}` cannot be dispatched as `{op.mode}` here")
        return self._gestures.refusal(tab.app, op)

    def _apply_requests(self, tab: ScriptedTab, dispatched: PerformDispatched | None) -> PerformDispatched:
        """Execute the requests of handlers: network requests, changes, signals, then dialogs and navigation."""
        app, token = tab.app, dispatched.token if dispatched is not None else None
        for url, method, status in app.requests:
            self._request(tab, url, method, status)
        app.requests.clear()
        self._emit_delta(tab, token)
        for signal in app.signals:
            self._sink(
                SignalObserved(
                    tab=tab.id,
                    at=self._clock(),
                    signal=signal,
                    document=app.document,
                    seq=tab.seq,
                    token=token,
                )
            )
        app.signals.clear()
        interrupted: Literal["dialog", "navigation"] | None = None
        if app.dialog is not None:
            tab.dialog, app.dialog = app.dialog, None
            interrupted = "dialog"
            self._sink(
                PageDialogOpened(
                    tab=tab.id,
                    at=self._clock(),
                    kind=tab.dialog.kind,
                    message=tab.dialog.message,
                    default=tab.dialog.default,
                    url=app.url,
                )
            )
        if app.popup is not None:
            url, app.popup = app.popup, None
            self.open_tab(url, tab.id)
        if app.destination is not None:
            interrupted = "navigation"
            self._load_page(tab, app.destination, "navigation")
        return replace(dispatched or PerformDispatched(tab.seq), interrupted_by=interrupted)

    def _load_page(self, tab: ScriptedTab, url: str, reason: SnapshotReason) -> None:
        tab.app = App(f"d{next(self._documents)}", self.pages.get(url) or ScriptedPage(url))
        tab.crashed = False
        if reason == "navigation":
            self._sink(Navigated(tab=tab.id, at=self._clock(), url=url, new_document=True))
        tab.seq += 1
        tab.last_graph = tab.app.graph(tab.seq, self._now())
        self._emit_change(tab, graph=tab.last_graph, reason=reason)

    def _emit_delta(self, tab: ScriptedTab, token: str | None = None) -> None:
        """Emit one delta with all changes since the last one."""
        assert tab.last_graph is not None
        after = tab.app.graph(tab.seq + 1, self._now())
        delta = diff(msgspec.structs.replace(tab.last_graph, revision=f"rev_{tab.seq}", seq=tab.seq), after)
        if not is_empty(delta):
            tab.seq += 1
            tab.last_graph = after
            self._emit_change(tab, delta=delta, token=token)

    def _emit_change(
        self,
        tab: ScriptedTab,
        *,
        graph: PageGraph | None = None,
        delta: PageGraphDelta | None = None,
        reason: SnapshotReason | None = None,
        token: str | None = None,
    ) -> None:
        if self.facts.push:
            event: AnyEvent = GraphChanged(
                tab=tab.id,
                at=self._clock(),
                revision=f"rev_{tab.seq}",
                seq=tab.seq,
                graph=graph,
                delta=delta,
                reason=reason,
                token=token,
            )
            self._sink(event)

    def _request(self, tab: ScriptedTab, url: str, method: str, status: int) -> None:
        if not self._block_if_forbidden(tab, method, url, "Fetch"):
            self._exchange(tab, url, method, status, "Fetch")

    def _exchange(self, tab: ScriptedTab, url: str, method: str, status: int, resource: str) -> None:
        """Report a request and its response."""
        common: dict[str, Any] = {"tab": tab.id, "at": self._clock(), "request": f"r{next(self._tokens)}"}
        self._sink(RequestSent(**common, url=url, method=method, resource=resource))
        self._sink(ResponseReceived(**common, url=url, method=method, status=status, resource=resource))
        self._sink(RequestEnded(**common, failed=False))

    def _block_if_forbidden(self, tab: ScriptedTab, method: str, url: str, resource: str) -> bool:
        request = PendingRequest(method=method, url=url, resource=resource)
        reason = block_reason(self._rules, request) if self._rules is not None else None
        if reason is not None:
            self._sink(
                RequestBlocked(
                    tab=tab.id, at=self._clock(), url=url, method=method, resource=resource, reason=reason
                )
            )
        return reason is not None

    def _probe(self, ref: str) -> ElementFacts:
        tab = self._tab_of(ref)
        widget = tab.app.find(ref) if tab is not None else None
        if widget is None:
            return ElementFacts(node=ref, attached=False)
        state = widget.state
        return ElementFacts(
            node=ref,
            attached=True,
            visible=state.get("visible", True),
            enabled=state.get("enabled", True),
            in_viewport=state.get("inViewport", True),
            obscured=state.get("obscured", False),
            stable=state.get("stable", True),
            role=widget.role,
            name=widget.name,
            record=widget.record,
            bbox=widget.node_fields.get("bbox"),
            detail={"hovered": tab is not None and tab.app.hovered == widget.key},
        )

    def _now(self) -> str:
        return timestamp(datetime.now(UTC))
