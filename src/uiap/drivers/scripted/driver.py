"""A driver without an interface: the application of `app.py` behind the driver protocol, for tests.

Keeps every promise of the protocol and declares by its facts what it can do; faults are injected, never random.
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
    """One tab: the page it shows, its revisions, and what stands in its way."""

    def __init__(self, tab_id: str, opener: str | None) -> None:
        self.id = tab_id
        self.opener = opener
        self.app: App
        self.seq = 0
        self.told: PageGraph | None = None
        self.dialog: Dialog | None = None
        self.crashed = False


class ScriptedDriver:
    """Drives a scripted application: `pages` by address, beginning with the first."""

    def __init__(
        self,
        *pages: ScriptedPage,
        facts: DriverFacts = SCRIPTED_FACTS,
        clock: Callable[[], float] = time.monotonic,
        secrets: Callable[[str], str] | None = None,
    ) -> None:
        self.facts = facts
        self.pages = {page.url: page for page in pages}
        self.first = pages[0].url
        self.performed: list[AnyOp] = []
        """Every op that reached the application, in order."""
        self.state: StorageState = {"cookies": [], "origins": []}
        self._clock = clock
        self._hand = ScriptedGestures(secrets)
        self._sink: Sink = lambda _: None
        self._tabs: dict[str, ScriptedTab] = {}
        self._active = ""
        self._numbers = itertools.count(1)
        self._documents = itertools.count(1)
        self._tokens = itertools.count(1)
        self._closed = False
        self._faults: deque[ScriptedFault] = deque()
        self._rules: NetworkRules | None = None

    # ------------------------------------------------------------------ the protocol

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
        self._active = self.open_tab(self.first, None).id

    async def observe(self, options: SnapshotOptions | None = None, *, tab: str | None = None) -> PageGraph:
        shown = self._asked(tab)
        self._tell(shown)
        return apply_snapshot_options(shown.app.graph(shown.seq, self._now()), options)

    async def flush(self, *, tab: str | None = None, quick: bool = False) -> int:
        shown = self._asked(tab)
        self._tell(shown)
        return shown.seq

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        return {ref: self._probe(ref) for ref in refs}

    async def perform(
        self, op: AnyOp, *, tab: str | None = None, timeout: float = GESTURE_S
    ) -> PerformOutcome:
        shown = self._tab_of(op.guard.node) if op.guard is not None else self.tab(tab)
        if shown is None:
            return PerformRefused("gone", "the document of the target is gone; observe again")
        fault = self._faults.popleft() if self._faults and self._faults[0].matches(op) else None
        if fault is not None and fault.before is not None:
            fault.before(shown.app)
            self._tell(shown)
        refusal = self._refusal(shown, op)
        if refusal is not None:
            return refusal
        if fault is not None and fault.wait_for is not None:
            await fault.wait_for.wait()
        if fault is not None and fault.outcome is not None and not fault.reaches_app:
            return fault.outcome
        done = PerformDispatched(shown.seq, self._clock(), token=f"op{next(self._tokens)}")
        self.performed.append(op)
        if fault is None or not fault.no_effect:
            self._hand.react(shown.app, op)
        done = replace(done, detail=read_back(shown.app, op))
        outcome = self._carry_out(shown, done)
        return outcome if fault is None or fault.outcome is None else fault.outcome

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = NAVIGATION_S
    ) -> PerformOutcome:
        shown = self.tab(tab)
        if shown.dialog is not None:
            return PerformRefused("dialog", f"a JavaScript {shown.dialog.kind} is open; answer it first")
        if self._blocked(shown, "GET", url, "Document"):
            return PerformRefused("unavailable", "net::ERR_BLOCKED_BY_CLIENT")
        if url not in self.pages:
            return PerformRefused("unavailable", f"there is no page `{url}` in the script")
        done = PerformDispatched(shown.seq, self._clock())
        self._show(shown, url, "navigation")
        return done

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        shown = self._asked(tab)
        if kind != "ax":
            raise NotSupported("a scripted interface has no picture; ask for ax")
        nodes = [{"role": widget.role, "name": widget.name} for widget in shown.app.widgets.values()]
        return CapturedEvidence(kind=kind, media_type="application/json", data=msgspec.json.encode(nodes))

    async def evaluate(self, expression: str, *, tab: str | None = None) -> Any:
        """The state of a widget by its script key."""
        return dict(self._asked(tab).app.widgets[expression].state)

    async def guard_network(self, rules: NetworkRules | None) -> None:
        self._rules = rules

    async def close(self) -> None:
        self._closed = True
        for tab in list(self._tabs.values()):
            self.drop_tab(tab)

    # ------------------------------------------------------------------ from outside, for tests

    def change(self, handler: Callable[[App], None], *, tab: str | None = None) -> None:
        """The application changes by itself (a timer, another user)."""
        shown = self.tab(tab)
        handler(shown.app)
        self._carry_out(shown, None)

    def node(self, key: str, *, tab: str | None = None) -> str:
        """The instanceId a widget has now."""
        return self.tab(tab).app.node_id(key)

    def inject(self, fault: ScriptedFault) -> None:
        """The next matching op meets this fault."""
        self._faults.append(fault)

    def crash(self, *, tab: str | None = None) -> None:
        shown = self.tab(tab)
        shown.crashed = True
        self._sink(Crashed(tab=shown.id, at=self._clock()))

    def lose_next_delta(self, *, tab: str | None = None) -> None:
        """The consumer never hears of the next change."""
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
        self._show(tab, url, "initial")
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
        self._tell(tab)

    # ------------------------------------------------------------------ inside

    def _asked(self, tab: str | None) -> ScriptedTab:
        shown = self.tab(tab)
        if shown.crashed:
            raise TargetGone("the tab crashed; navigate to go on")
        if shown.dialog is not None:
            raise BlockedByDialog(f"a JavaScript {shown.dialog.kind} is open; answer it first")
        return shown

    def _tab_of(self, node: str) -> ScriptedTab | None:
        key = node.partition("e")[0]
        return next((tab for tab in self._tabs.values() if tab.app.document == key), None)

    def _refusal(self, tab: ScriptedTab, op: AnyOp) -> PerformRefused | None:
        if tab.crashed:
            return PerformRefused("unavailable", "the tab crashed; navigate to go on")
        if tab.dialog is not None:
            return PerformRefused("dialog", f"a JavaScript {tab.dialog.kind} is open; answer it first")
        if op.kind not in self.facts.ops or op.mode not in self.facts.modes:
            return PerformRefused("unsupported", f"`{op.kind}` cannot be done as `{op.mode}` here")
        return self._hand.refusal(tab.app, op)

    def _carry_out(self, tab: ScriptedTab, done: PerformDispatched | None) -> PerformDispatched:
        """What handlers asked for: requests, changes, signals, then what takes the page away."""
        app, token = tab.app, done.token if done is not None else None
        for url, method, status in app.requests:
            self._request(tab, url, method, status)
        app.requests.clear()
        self._tell(tab, token)
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
            self._show(tab, app.destination, "navigation")
        return replace(done or PerformDispatched(tab.seq), interrupted_by=interrupted)

    def _show(self, tab: ScriptedTab, url: str, reason: SnapshotReason) -> None:
        tab.app = App(f"d{next(self._documents)}", self.pages.get(url) or ScriptedPage(url))
        tab.crashed = False
        if reason == "navigation":
            self._sink(Navigated(tab=tab.id, at=self._clock(), url=url, new_document=True))
        tab.seq += 1
        tab.told = tab.app.graph(tab.seq, self._now())
        self._changed(tab, graph=tab.told, reason=reason)

    def _tell(self, tab: ScriptedTab, token: str | None = None) -> None:
        """One delta for all that changed since the last one."""
        assert tab.told is not None
        after = tab.app.graph(tab.seq + 1, self._now())
        delta = diff(msgspec.structs.replace(tab.told, revision=f"rev_{tab.seq}", seq=tab.seq), after)
        if not is_empty(delta):
            tab.seq += 1
            tab.told = after
            self._changed(tab, delta=delta, token=token)

    def _changed(
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
        if self._blocked(tab, method, url, "Fetch"):
            return
        where: dict[str, Any] = {"tab": tab.id, "at": self._clock(), "request": f"r{next(self._tokens)}"}
        self._sink(RequestSent(**where, url=url, method=method, resource="Fetch"))
        self._sink(ResponseReceived(**where, url=url, method=method, status=status, resource="Fetch"))
        self._sink(RequestEnded(**where, failed=False))

    def _blocked(self, tab: ScriptedTab, method: str, url: str, resource: str) -> bool:
        asked = PendingRequest(method=method, url=url, resource=resource)
        reason = block_reason(self._rules, asked) if self._rules is not None else None
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
