"""A touch screen behind the driver protocol, whatever the wire: when it is read, and what an outcome means.

A reading is dear (half a second and more on a phone), so nothing is read that nobody asked for, and one that has just
ended serves the next step too, unless something was sent meanwhile. It does not know what the words mean.
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
from uiap.errors import UiapError, Unavailable
from uiap.spec.web import PageGraph, SnapshotOptions, ToastShownSignal
from uiap.timeouts import GESTURE_S, NAVIGATION_S

READ_COST_S = 0.5
"""Seconds that one reading is taken to cost before the first was made."""
SNAPSHOT_VALID_S = 0.2
"""So long after it ended a reading serves the next step of the same action: from finding a target to touching it, and
from seeing an effect to seeing it last. Whatever wrote it had waited for a still screen."""
ATTRIBUTION_S = 1.0
"""Attribution by time: what a reading shows that began so soon after our input carries its token."""
LAUNCH_S = 30.0
TOAST_CLASS = "Toast"
READS_IN_GESTURE = 10
"""A gesture that reads back may take so many readings more than its time."""


def touchscreen_facts(
    profile: str, ops: Sequence[str], surfaces: tuple[DriverSurface, ...] = ("navigate",)
) -> DriverFacts:
    """What is true of every touch screen that is read from outside; `ops`: which gestures its wire has."""
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
    )


class TouchscreenDriver(SingleScreenDriver, ABC):
    """One device. `commands`: what it can do besides touches."""

    def __init__(
        self,
        url: str,
        facts: DriverFacts,
        fingers: TouchInput,
        commands: DeviceCommands,
        secrets: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(url)
        self._facts, self._fingers, self._commands = facts, fingers, commands
        self._hand = TouchGestures(fingers, self, secrets)
        self._register = NodeRegistry(f"{DOCUMENT}e")
        self._revisions = RevisionTracker()
        self._busy = asyncio.Lock()
        self._cost = facts.read_cost_s
        self._reading: ScreenSnapshot | None = None
        self.drawing = ScreenLayout(Hierarchy(0, ()))
        self._seen = TouchDispatchCheck({}, {}, self.drawing, self._register.remembers)
        self._token: str | None = None
        self._input_at = 0.0
        self._toasts: set[str] = set()

    @property
    def facts(self) -> DriverFacts:
        """With the cost that readings of this device really have."""
        return replace(self._facts, read_cost_s=round(self._cost, 3))

    # ------------------------------------------------------------------ what a wire brings

    @abstractmethod
    async def _read(self) -> ScreenSnapshot:
        """The screen as it is now; NotRead where it cannot be read."""

    @abstractmethod
    async def _picture(self, hide: Sequence[ScreenBounds]) -> bytes:
        """A PNG of the screen with these parts blackened."""

    @abstractmethod
    async def _follow_link(self, url: str) -> PerformRefused | None:
        """Go to an address, or say why not."""

    @abstractmethod
    def _address_of(self, front: ForegroundApp) -> str:
        """What the route of the graph says."""

    def _is_wanted(self, front: ForegroundApp) -> bool:
        """Whether what is in front is what was asked for."""
        return True

    async def _drawn(self, reading: ScreenSnapshot) -> ScreenLayout:
        return ScreenLayout(reading.hierarchy)

    async def _put_away(self) -> None:
        """Right before something is sent: what is left of before must not pass for its effect."""

    def _why_not(self, op: AnyOp) -> str:
        """Why a gesture is not in the facts."""
        return f"`{op.kind}` cannot be done as `{op.mode}` on a device"

    # ------------------------------------------------------------------ the protocol

    async def start(self, sink: Sink) -> None:
        """Read until the application that was named stands in front."""
        self._revisions.start(sink, self.tabs.url)
        try:
            async with asyncio.timeout(LAUNCH_S):
                while not await self._is_up():
                    pass
        except TimeoutError:
            raise Unavailable(f"`{self.tabs.url}` was not in front within {LAUNCH_S:g} s") from None
        self._revisions.emit_initial()

    async def observe(self, options: SnapshotOptions | None = None, *, tab: str | None = None) -> PageGraph:
        self._check(tab)
        return apply_snapshot_options(await self._look(anew=True), options)

    async def flush(self, *, tab: str | None = None, quick: bool = False) -> int:
        self._check(tab)
        await self._look(anew=not quick)
        return self._revisions.seq

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        self._check(None)
        await self._look()
        return {ref: self._seen.facts_of(ref) for ref in refs}

    async def perform(
        self, op: AnyOp, *, tab: str | None = None, timeout: float = GESTURE_S
    ) -> PerformOutcome:
        if op.kind not in self._facts.ops or op.mode not in self._facts.modes:
            return PerformRefused("unsupported", self._why_not(op))
        self._check(tab)
        self._fingers.sent = False
        try:
            # windows are as long as readings are dear: a slow device is not a device that does nothing
            async with asyncio.timeout(timeout + READS_IN_GESTURE * self._cost):
                if op.guard is not None or not isinstance(op, Invoke):
                    await self._look()  # atomic "reread": the guard is judged by what is there right now
                if refusal := self._seen.refusal(op):
                    return refusal
                await self._put_away()
                before, at = self._revisions.seq, time.monotonic()
                token = self._token = self._revisions.next_token()
                self._input_at = at
                done = await self._carried(op)
        except TimeoutError:
            return self._doubt("timeout", "the device did not answer in time")
        except DriverError as error:
            return self._doubt(_unknown_cause(error), error.message)
        if isinstance(done, PerformRefused):
            self._token = None
            return done
        return PerformDispatched(before, at, token=token, detail=done)

    async def _carried(self, op: AnyOp) -> PerformRefused | dict[str, Any]:
        if not isinstance(op, Invoke):
            return await self._hand.carry(op)
        if op.action not in self._commands:
            return PerformRefused("unsupported", f"a device knows no `{op.action}`")
        self._fingers.sent = True
        try:
            return {"returned": await self._commands.run(op.action, op.args)}
        finally:
            self._input_at = time.monotonic()

    def _doubt(self, cause: Literal["timeout", "connection_lost", "interrupted"], why: str) -> PerformOutcome:
        """Before anything went out, nothing happened; afterwards nobody knows."""
        return PerformUnknown(cause, why) if self._fingers.sent else PerformRefused("unavailable", why)

    async def app_actions(self, *, tab: str | None = None) -> Sequence[Any]:
        return self._commands.described()

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = NAVIGATION_S
    ) -> PerformOutcome:
        self._check(tab)
        await self._put_away()
        before, at = self._revisions.seq, time.monotonic()
        self._token = self._revisions.next_token()
        try:
            if refused := await self._follow_link(url):
                return refused
        except (CallTimedOut, ConnectionLost) as lost:
            return PerformUnknown(_unknown_cause(lost), lost.message)
        except UiapError as error:
            return PerformRefused("unavailable", error.message)
        self._input_at = time.monotonic()
        await self._look(anew=True)
        return PerformDispatched(before, at, token=self._token)

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        self._check(tab)
        if kind == "annotated":
            raise NotSupported("pictures of a device are not annotated yet; ask for screenshot or ax")
        if kind == "ax" or hide:
            await self._look()
        if kind == "ax":
            rows = [_ax_row(node) for node in self.drawing.hierarchy.nodes()]
            return CapturedEvidence(kind=kind, media_type="application/json", data=msgspec.json.encode(rows))
        boxes = [shown.node.bounds for ref in hide if (shown := self._seen.shown.get(ref)) is not None]
        return CapturedEvidence(kind=kind, media_type="image/png", data=await self._picture(boxes))

    # ------------------------------------------------------------------ the view of the hand

    def named(self, id: str) -> ScreenElement | None:
        return self._seen.shown.get(id)

    async def again(self) -> ScreenLayout:
        await self._look(anew=True)
        return self.drawing

    # ------------------------------------------------------------------ looking

    async def _is_up(self) -> bool:
        with suppress(ScreenUnreadable):  # what is just being drawn may not come to rest at once
            await self._look(anew=True, tell=False)
        front = self._reading.front if self._reading is not None else ForegroundApp()
        return self._is_wanted(front) and bool(self._seen.elements)

    async def _look(self, *, anew: bool = False, tell: bool = True) -> PageGraph:
        """What is there now: a reading that has just ended, or a new one; one at a time."""
        async with self._busy:
            told = self._revisions.current
            if told is not None and not anew and self._fresh():
                return told
            self._reading = None  # one that fails leaves nothing that could pass for now
            reading = await self._read()
            self._cost += 0.5 * (reading.ended - reading.begun - self._cost)
            return self._take(reading, await self._drawn(reading), tell)

    def _fresh(self) -> bool:
        read = self._reading
        return (
            read is not None
            and read.begun >= self._input_at
            and time.monotonic() - read.ended <= SNAPSHOT_VALID_S
        )

    def _take(self, reading: ScreenSnapshot, made: ScreenLayout, tell: bool) -> PageGraph:
        ids = self._register.names(made)
        front = reading.front if reading.front.package else _foreground_of_windows(made)
        url, seq = self._address_of(front), self._revisions.seq + 1
        after = build_graph(
            made, ids, profile=self._facts.profile, url=url, front=front, seq=seq, now=current_timestamp()
        )
        self._reading, self.drawing = reading, made
        self._seen = TouchDispatchCheck(
            {element.instance_id: element for element in after.elements},
            {ids[node]: shown for node, shown in made.shown.items()},
            made,
            self._register.remembers,
            modal=bool(after.modal_stack),
            keyboard=reading.keyboard,
        )
        self.tabs.url, self.tabs.title = url, front.path
        ours = reading.begun < max(self._input_at, self._fingers.last) + ATTRIBUTION_S
        token = self._token if ours else None
        taken = self._revisions.update(after, token, emit=tell)
        shown = {node.text for node in made.hierarchy.nodes() if node.kind == TOAST_CLASS}
        self._tell_toasts((shown | {reading.toast}) - {""}, token)
        return taken

    def _tell_toasts(self, now: set[str], token: str | None) -> None:
        """They go by themselves, so each is told once, when it is first read."""
        for text in sorted(now - self._toasts):
            signal, seq = ToastShownSignal(text=text), self._revisions.seq
            at = time.monotonic()
            self._revisions.emit(
                SignalObserved(tab=TAB, at=at, signal=signal, document=DOCUMENT, seq=seq, token=token)
            )
        self._toasts = now


def _unknown_cause(error: DriverError) -> Literal["timeout", "connection_lost", "interrupted"]:
    if isinstance(error, CallTimedOut):
        return "timeout"
    return "connection_lost" if isinstance(error, ConnectionLost | TargetGone) else "interrupted"


def _foreground_of_windows(drawing: ScreenLayout) -> ForegroundApp:
    """Where the device does not say what is resumed, the window does."""
    return ForegroundApp(next((root.package for root in drawing.hierarchy.roots if root.package), ""))


def _ax_row(node: Node) -> dict[str, Any]:
    """Everything that the device says of a node, except what a masked field holds."""
    secret = node.has("password")
    return {
        "class": node.cls,
        "text": "" if secret else node.text,
        "description": node.description,
        "resourceId": node.resource_id,
        "package": node.package,
        "flags": sorted(node.flags),
        "bounds": list(node.bounds),
        **node.more,
    }
