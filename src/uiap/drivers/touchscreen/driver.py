"""The driver protocol for a touch screen, over any connection: when the screen is read, and what an outcome means.

A reading is expensive (0.5 s and more on a phone), so the screen is read only on request. The next step may reuse a
snapshot that has just ended, unless an input was sent meanwhile. `elements` decides roles and names.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

import msgspec

from uiap.actions.ops import AnyOp, Invoke
from uiap.drivers.driver import (
    CapturedEvidence,
    DriverFacts,
    DriverSurface,
    ElementFacts,
    PageSchedule,
    PerformDispatched,
    PerformOutcome,
    PerformRefused,
    PerformUnknown,
)
from uiap.drivers.errors import CallTimedOut, ConnectionLost, DriverError, NotSupported, TargetGone
from uiap.drivers.events import SignalObserved, Sink
from uiap.drivers.revisions import RevisionTracker, current_timestamp
from uiap.drivers.single_screen import TAB, SingleScreenDriver
from uiap.drivers.snapshot_view import apply_snapshot_options
from uiap.drivers.touchscreen.commands import DeviceCommands
from uiap.drivers.touchscreen.dispatch_check import TouchDispatchCheck
from uiap.drivers.touchscreen.elements import ScreenElement, ScreenLayout
from uiap.drivers.touchscreen.graph import DOCUMENT, ForegroundApp, build_graph
from uiap.drivers.touchscreen.hierarchy import Hierarchy, Node, ScreenBounds
from uiap.drivers.touchscreen.identity import NodeRegistry
from uiap.drivers.touchscreen.perform import TouchGestures
from uiap.drivers.touchscreen.snapshot import ScreenSnapshot, ScreenUnreadable
from uiap.drivers.touchscreen.touch_input import TouchInput
from uiap.drivers.touchscreen.vocabulary import TOUCHSCREEN_VOCABULARY
from uiap.errors import UiapError, Unavailable
from uiap.spec.web import PageGraph, SnapshotOptions, ToastShownSignal
from uiap.timeouts import GESTURE_S, NAVIGATION_S

READ_COST_S = 0.5
"""Estimated seconds of one reading, until the first one is measured."""
SNAPSHOT_VALID_S = 0.2
"""The next step of the same action reuses a snapshot for this long: from the target to the touch, and from the effect
to its confirmation. The program that wrote the snapshot had waited for an idle screen."""
ATTRIBUTION_S = 1.0
"""Attribution by time: a change is attributed to our input if its reading started at most this long after it."""
LAUNCH_S = 30.0
TOAST_CLASS = "Toast"
READS_IN_GESTURE = 10
"""The timeout of a gesture is extended by the cost of this many readings."""


def touchscreen_facts(
    profile: str, ops: Sequence[str], surfaces: tuple[DriverSurface, ...] = ("navigate",)
) -> DriverFacts:
    """Return the facts of a touch screen that is read from outside; `ops` are the gestures of its connection."""
    return DriverFacts(
        profile=profile,
        push=False,
        world="none",
        atomic="reread",
        attribution="time",
        trusted_input=True,
        modes=("externalDriver", "semanticUi", "appAction"),
        ops=(*ops, "invoke"),
        read_cost_s=READ_COST_S,
        surfaces=surfaces,
        vocabulary=TOUCHSCREEN_VOCABULARY,
    )


class TouchscreenDriver(SingleScreenDriver, ABC):
    """One device. `commands` are its commands besides touches."""

    def __init__(
        self,
        url: str,
        facts: DriverFacts,
        touch_input: TouchInput,
        commands: DeviceCommands,
        secrets: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(url)
        self._facts, self._input, self._commands = facts, touch_input, commands
        self._gestures = TouchGestures(touch_input, self, secrets)
        self._registry = NodeRegistry(f"{DOCUMENT}e")
        self._revisions = RevisionTracker()
        self._read_lock = asyncio.Lock()
        self._read_cost_s = facts.read_cost_s
        self._snapshot: ScreenSnapshot | None = None
        self.layout = ScreenLayout(Hierarchy(0, ()))
        self._dispatch_check = TouchDispatchCheck({}, {}, self.layout, self._registry.is_recent)
        self._token: str | None = None
        self._input_at = 0.0
        self._toasts: set[str] = set()

    @property
    def facts(self) -> DriverFacts:
        """The facts with the measured read cost of this device."""
        return replace(self._facts, read_cost_s=round(self._read_cost_s, 3))

    # ------------------------------------------------------------------ to be implemented for each connection

    @abstractmethod
    async def _read_screen(self) -> ScreenSnapshot:
        """Read the screen; raise `ScreenUnreadable` if that is not possible."""

    @abstractmethod
    async def _take_screenshot(self, hide: Sequence[ScreenBounds]) -> bytes:
        """Return a PNG of the screen with black boxes over these parts."""

    @abstractmethod
    async def _follow_link(self, url: str) -> PerformRefused | None:
        """Open an address, or return why it cannot be opened."""

    @abstractmethod
    def _address_of(self, foreground: ForegroundApp) -> str:
        """Return the URL for the route of the graph."""

    def _is_expected_app(self, foreground: ForegroundApp) -> bool:
        """Return whether the foreground application is the requested one."""
        return True

    async def _build_layout(self, snapshot: ScreenSnapshot) -> ScreenLayout:
        return ScreenLayout(snapshot.hierarchy)

    async def _before_input(self) -> None:
        """Discard leftovers of earlier inputs, so that they are not taken for effects of the next one."""

    def _unsupported_reason(self, op: AnyOp) -> str:
        """Return why this device does not support a gesture."""
        return f"`{op.kind}` cannot be done as `{op.mode}` on a device"

    # ------------------------------------------------------------------ driver protocol

    async def start(self, sink: Sink) -> None:
        """Read until the requested application is in the foreground."""
        self._revisions.start(sink, self.tabs.url)
        try:
            async with asyncio.timeout(LAUNCH_S):
                while not await self._is_ready():
                    pass
        except TimeoutError:
            raise Unavailable(f"`{self.tabs.url}` was not in the foreground within {LAUNCH_S:g} s") from None
        self._revisions.emit_initial()

    async def observe(self, options: SnapshotOptions | None = None, *, tab: str | None = None) -> PageGraph:
        self._check(tab)
        return apply_snapshot_options(await self._refresh(force=True), options)

    async def flush(self, *, tab: str | None = None, quick: bool = False) -> int:
        self._check(tab)
        await self._refresh(force=not quick)
        return self._revisions.seq

    async def drawn(self, *, tab: str | None = None) -> None:
        return None

    async def schedule(self, *, tab: str | None = None) -> PageSchedule:
        return PageSchedule()

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        self._check(None)
        await self._refresh()
        return {ref: self._dispatch_check.facts_of(ref) for ref in refs}

    async def perform(
        self, op: AnyOp, *, tab: str | None = None, timeout: float = GESTURE_S
    ) -> PerformOutcome:
        if op.kind not in self._facts.ops or op.mode not in self._facts.modes:
            return PerformRefused("unsupported", self._unsupported_reason(op))
        self._check(tab)
        self._input.sent = False
        try:
            # the timeout grows with the read cost: a slow device is not a device that does nothing
            async with asyncio.timeout(timeout + READS_IN_GESTURE * self._read_cost_s):
                if op.guard is not None or not isinstance(op, Invoke):
                    await self._refresh()  # atomic "reread": the guard is checked against the current screen
                if refusal := self._dispatch_check.refusal(op):
                    return refusal
                await self._before_input()
                before, at = self._revisions.seq, time.monotonic()
                token = self._token = self._revisions.next_token()
                self._input_at = at
                result = await self._execute(op)
        except TimeoutError:
            return self._uncertain_outcome("timeout", "the device did not answer in time")
        except DriverError as error:
            return self._uncertain_outcome(_unknown_cause(error), error.message)
        if isinstance(result, PerformRefused):
            self._token = None
            return result
        return PerformDispatched(before, at, token=token, detail=result)

    async def _execute(self, op: AnyOp) -> PerformRefused | dict[str, Any]:
        if not isinstance(op, Invoke):
            return await self._gestures.perform(op)
        if op.action not in self._commands:
            return PerformRefused("unsupported", f"the device has no command `{op.action}`")
        self._input.sent = True
        try:
            return {"returned": await self._commands.run(op.action, op.args)}
        finally:
            self._input_at = time.monotonic()

    def _uncertain_outcome(
        self, cause: Literal["timeout", "connection_lost", "interrupted"], detail: str
    ) -> PerformOutcome:
        """Return a refusal if no input was sent, else an unknown outcome."""
        return PerformUnknown(cause, detail) if self._input.sent else PerformRefused("unavailable", detail)

    async def app_actions(self, *, tab: str | None = None) -> Sequence[Any]:
        return self._commands.descriptors()

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = NAVIGATION_S
    ) -> PerformOutcome:
        self._check(tab)
        await self._before_input()
        before, at = self._revisions.seq, time.monotonic()
        self._token = self._revisions.next_token()
        try:
            async with asyncio.timeout(timeout):
                if refused := await self._follow_link(url):
                    return refused
        except TimeoutError:
            return PerformUnknown("timeout", f"the device did not open `{url}` within {timeout:g} s")
        except (CallTimedOut, ConnectionLost) as lost:
            return PerformUnknown(_unknown_cause(lost), lost.message)
        except UiapError as error:
            return PerformRefused("unavailable", error.message)
        self._input_at = time.monotonic()
        await self._refresh(force=True)
        return PerformDispatched(before, at, token=self._token)

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax", "pdf"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        self._check(tab)
        if kind == "annotated":
            raise NotSupported("screenshots of a device are not annotated yet; ask for `screenshot` or `ax`")
        if kind == "ax" or hide:
            await self._refresh()
        if kind == "ax":
            rows = [_ax_row(node) for node in self.layout.hierarchy.nodes()]
            return CapturedEvidence(kind=kind, media_type="application/json", data=msgspec.json.encode(rows))
        boxes = [
            one.node.bounds for ref in hide if (one := self._dispatch_check.elements.get(ref)) is not None
        ]
        return CapturedEvidence(kind=kind, media_type="image/png", data=await self._take_screenshot(boxes))

    # ------------------------------------------------------------------ the screen for gestures

    def element_by_id(self, id: str) -> ScreenElement | None:
        return self._dispatch_check.elements.get(id)

    async def reread(self) -> ScreenLayout:
        await self._refresh(force=True)
        return self.layout

    # ------------------------------------------------------------------ reading

    async def _is_ready(self) -> bool:
        with suppress(ScreenUnreadable):  # a starting application may not be idle yet
            await self._refresh(force=True, emit=False)
        foreground = self._snapshot.foreground if self._snapshot is not None else ForegroundApp()
        return self._is_expected_app(foreground) and bool(self._dispatch_check.nodes)

    async def _refresh(self, *, force: bool = False, emit: bool = True) -> PageGraph:
        """Return the current graph, from a fresh snapshot or a new reading. Only one reading runs at a time."""
        async with self._read_lock:
            current = self._revisions.current
            if current is not None and not force and self._is_snapshot_fresh():
                return current
            self._snapshot = None  # after a failed reading there is no current snapshot
            snapshot = await self._read_screen()
            self._read_cost_s += 0.5 * (snapshot.ended_at - snapshot.started_at - self._read_cost_s)
            return self._apply_snapshot(snapshot, await self._build_layout(snapshot), emit)

    def _is_snapshot_fresh(self) -> bool:
        snapshot = self._snapshot
        return (
            snapshot is not None
            and snapshot.started_at >= self._input_at
            and time.monotonic() - snapshot.ended_at <= SNAPSHOT_VALID_S
        )

    def _apply_snapshot(self, snapshot: ScreenSnapshot, layout: ScreenLayout, emit: bool) -> PageGraph:
        ids = self._registry.assign_ids(layout)
        foreground = snapshot.foreground if snapshot.foreground.package else _foreground_of_windows(layout)
        url, seq = self._address_of(foreground), self._revisions.seq + 1
        after = build_graph(
            layout,
            ids,
            profile=self._facts.profile,
            url=url,
            foreground=foreground,
            seq=seq,
            now=current_timestamp(),
        )
        self._snapshot, self.layout = snapshot, layout
        self._dispatch_check = TouchDispatchCheck(
            {element.instance_id: element for element in after.elements},
            {ids[node]: element for node, element in layout.elements.items()},
            layout,
            self._registry.is_recent,
            modal=bool(after.modal_stack),
            keyboard_shown=snapshot.keyboard_shown,
        )
        self.tabs.url, self.tabs.title = url, foreground.path
        is_ours = snapshot.started_at < max(self._input_at, self._input.last_sent_at) + ATTRIBUTION_S
        token = self._token if is_ours else None
        published = self._revisions.update(after, token, emit=emit)
        toasts = {node.text for node in layout.hierarchy.nodes() if node.class_name == TOAST_CLASS}
        self._emit_toasts((toasts | {snapshot.toast}) - {""}, token)
        return published

    def _emit_toasts(self, toasts: set[str], token: str | None) -> None:
        """Emit each new toast once. Toasts disappear by themselves, so nothing is emitted when one is gone."""
        for text in sorted(toasts - self._toasts):
            signal, seq = ToastShownSignal(text=text), self._revisions.seq
            at = time.monotonic()
            self._revisions.emit(
                SignalObserved(tab=TAB, at=at, signal=signal, document=DOCUMENT, seq=seq, token=token)
            )
        self._toasts = toasts


def _unknown_cause(error: DriverError) -> Literal["timeout", "connection_lost", "interrupted"]:
    if isinstance(error, CallTimedOut):
        return "timeout"
    return "connection_lost" if isinstance(error, ConnectionLost | TargetGone) else "interrupted"


def _foreground_of_windows(layout: ScreenLayout) -> ForegroundApp:
    """Return the application of the first window, for devices that do not report the resumed activity."""
    return ForegroundApp(next((root.package for root in layout.hierarchy.roots if root.package), ""))


def _ax_row(node: Node) -> dict[str, Any]:
    """Return all attributes of a node, except the text of a password field."""
    is_secret = node.has("password")
    return {
        "class": node.cls,
        "text": "" if is_secret else node.text,
        "description": node.description,
        "resourceId": node.resource_id,
        "package": node.package,
        "flags": sorted(node.flags),
        "bounds": list(node.bounds),
        **node.extra_attributes,
    }
