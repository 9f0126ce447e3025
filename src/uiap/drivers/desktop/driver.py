"""The driver of a desktop application: it reads through AT-SPI, and presses through AT-SPI or XTEST.

Every event of the application triggers a complete reading, and so does a timer, because toolkits do not report every
change. Differences are emitted as deltas. This module knows when to read; `graph` knows roles and names.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal, Self

import msgspec
from msgspec import UNSET

from uiap.actions.ops import AnyOp
from uiap.drivers.desktop.bus import Bus, BusCallRejected, ObjectGone
from uiap.drivers.desktop.display import XDisplay
from uiap.drivers.desktop.graph import PROFILE, ObjectTree, build_graph, scope_id
from uiap.drivers.desktop.launch import (
    LAUNCH_S,
    POLL_S,
    SCHEME,
    Application,
    find_running,
    parse_command,
    start_application,
)
from uiap.drivers.desktop.perform import OPS, DesktopGestures
from uiap.drivers.desktop.snapshot import AccessibleObject, ApplicationReader, ObjectBox
from uiap.drivers.desktop.vocabulary import DESKTOP_VOCABULARY, DIALOGS
from uiap.drivers.driver import (
    CapturedEvidence,
    DriverFacts,
    ElementFacts,
    PageSchedule,
    PerformDispatched,
    PerformOutcome,
    PerformRefused,
    PerformUnknown,
)
from uiap.drivers.errors import CallTimedOut, ConnectionLost, DriverError, NotSupported, TargetGone
from uiap.drivers.events import Crashed, Hung, Sink
from uiap.drivers.guard_terms import element_facts, guard_mismatch
from uiap.drivers.revisions import RevisionTracker, current_timestamp
from uiap.drivers.single_screen import TAB, SingleScreenDriver
from uiap.drivers.snapshot_view import apply_snapshot_options
from uiap.errors import Unavailable
from uiap.spec.web import PageGraph, SnapshotOptions
from uiap.timeouts import GESTURE_S, NAVIGATION_S

READ_COST_S = 0.03
"""Seconds for one reading of an application with a few hundred objects."""
REREAD_S = 1.0
"""The application is read again after this time without an event."""
ATTRIBUTION_S = 1.0
"""Attribution by time: a change at most this long after our input gets its token.

Changes that the application repeats by itself are recognized elsewhere."""

DESKTOP_FACTS = DriverFacts(
    profile=PROFILE,
    push=True,
    world="none",
    atomic="reread",
    attribution="time",
    trusted_input=True,
    modes=("semanticUi", "externalDriver"),
    ops=OPS,
    read_cost_s=READ_COST_S,
    surfaces=(),
    vocabulary=DESKTOP_VOCABULARY,
)


class DesktopDriver(SingleScreenDriver):
    """One application. `open` starts it or attaches to it; `close` ends it only if it was started here."""

    facts = DESKTOP_FACTS

    def __init__(
        self,
        bus: Bus,
        display: XDisplay,
        application: Application,
        secrets: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(f"{SCHEME}{application.name}")
        self.application = application
        self._bus, self._display = bus, display
        self._reader = ApplicationReader(bus, application.ref.app)
        self._gestures = DesktopGestures(bus, display, application.pid, secrets, self._wait_and_reread)
        self._revisions = RevisionTracker()
        self._changed = asyncio.Event()
        self._read_lock = asyncio.Lock()
        self._watch_task: asyncio.Task[None] | None = None
        self._tree = ObjectTree(())
        self._ended = self._crashed = False
        self._token: str | None = None
        self._attribute_until = 0.0

    @classmethod
    async def open(
        cls,
        address: str,
        *,
        environ: Mapping[str, str],
        secrets: Callable[[str], str] | None = None,
    ) -> Self:
        """Start an application (`desktop:COMMAND`) or attach to one (`desktop:@NAME`, `desktop:@PID`)."""
        command = parse_command(address)
        if not environ.get("DISPLAY"):
            raise Unavailable("there is no X display: DISPLAY is not set; start Xvfb or log in to a desktop")
        display = await asyncio.to_thread(XDisplay, environ["DISPLAY"])
        bus: Bus | None = None
        try:
            bus = await Bus.open(environ)
            await display.run(display.publish_bus_address, bus.address)
            attach = command[0].startswith("@")
            found = find_running(bus, command[0][1:]) if attach else start_application(bus, command, environ)
            return cls(bus, display, await found, secrets)
        except BaseException:
            if bus is not None:
                bus.close()
            display.close()
            raise

    # ------------------------------------------------------------------ driver protocol

    async def start(self, sink: Sink) -> None:
        """Subscribe to events, then read until the application shows a window."""
        self._revisions.start(sink, self.tabs.url)
        await self._bus.subscribe(self._on_activity)
        try:
            async with asyncio.timeout(LAUNCH_S):
                while not await self._is_ready():
                    await self._wait_for_change(POLL_S)
        except TimeoutError:
            raise Unavailable(f"`{self.application.name}` showed no window within {LAUNCH_S:g} s") from None
        if self._ended:
            raise Unavailable(f"`{self.application.name}` ended before it showed a window")
        self._revisions.emit_initial()
        self._watch_task = asyncio.create_task(self._watch())

    async def observe(self, options: SnapshotOptions | None = None, *, tab: str | None = None) -> PageGraph:
        self._check(tab)
        return apply_snapshot_options(await self._refresh(), options)

    async def flush(self, *, tab: str | None = None, quick: bool = False) -> int:
        self._check(tab)
        await self._refresh()
        return self._revisions.seq

    async def drawn(self, *, tab: str | None = None) -> None:
        return None

    async def schedule(self, *, tab: str | None = None) -> PageSchedule:
        return PageSchedule()

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        self._check(None)
        await self._refresh()
        found = self._revisions.elements
        return {
            ref: element_facts(ref, found.get(ref), obscured=self._blocked_by_dialog(ref) is not None)
            for ref in refs
        }

    async def perform(
        self, op: AnyOp, *, tab: str | None = None, timeout: float = GESTURE_S
    ) -> PerformOutcome:
        if op.kind not in OPS or op.mode not in DESKTOP_FACTS.modes:
            return PerformRefused("unsupported", f"`{op.kind}` cannot be done as `{op.mode}` on a desktop")
        self._check(tab)
        sent = False
        try:
            async with asyncio.timeout(timeout):
                await self._refresh()  # atomic "reread": the guard is checked against the current window
                if refusal := self._refusal(op):
                    return refusal
                item = self._tree.elements.get(op.guard.node) if op.guard is not None else None
                before, at, sent = self._revisions.seq, time.monotonic(), True
                self._token, self._attribute_until = self._revisions.next_token(), at + ATTRIBUTION_S
                token = self._token
                result = await self._gestures.perform(op, item, self._tree)
        except (TimeoutError, CallTimedOut):
            if sent:
                return PerformUnknown(
                    "timeout", "the application did not answer; it may still execute the gesture"
                )
            return PerformRefused("unavailable", "the application does not answer")
        except TargetGone as gone:
            return (
                PerformUnknown("closed", gone.message)
                if sent
                else PerformRefused("unavailable", gone.message)
            )
        except ConnectionLost as lost:
            return (
                PerformUnknown("connection_lost", lost.message)
                if sent
                else PerformRefused("unavailable", lost.message)
            )
        except BusCallRejected as rejected:  # the error does not say what the application did before it
            return (
                PerformUnknown("interrupted", rejected.message)
                if sent
                else PerformRefused("unavailable", rejected.message)
            )
        if isinstance(result, PerformRefused):
            self._token = None
            return result
        self._attribute_until = time.monotonic() + ATTRIBUTION_S
        self._changed.set()
        return PerformDispatched(before, at, token=token, detail=result)

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = NAVIGATION_S
    ) -> PerformOutcome:
        self._check(tab)
        return PerformRefused(
            "unsupported", "a desktop application has no addresses; press the controls that lead there"
        )

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax", "pdf"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        self._check(tab)
        graph = await self._refresh()
        if kind == "ax":
            rows = [
                {"role": one.role, "name": one.name or None, "node": one.instance_id}
                for one in graph.elements
            ]
            return CapturedEvidence(kind=kind, media_type="application/json", data=msgspec.json.encode(rows))
        if kind == "annotated":
            raise NotSupported("screenshots of a desktop are not annotated yet; ask for `screenshot` or `ax`")
        windows = [item.box for item in self._tree.scopes() if item.box is not None]
        if not windows:
            raise TargetGone("the application shows no window")
        boxes = [item.box for ref in hide if (item := self._tree.elements.get(ref)) is not None and item.box]
        png = await self._display.run(self._display.capture_png, _bounding_box(windows), boxes)
        return CapturedEvidence(kind=kind, media_type="image/png", data=png)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._watch_task is not None:
            self._watch_task.cancel()
            await asyncio.gather(self._watch_task, return_exceptions=True)
        await self.application.terminate()
        self._bus.close()
        self._display.close()

    # ------------------------------------------------------------------ reading

    def _on_activity(self, sender: str) -> None:
        if sender == self.application.ref.app:
            self._changed.set()

    async def _is_ready(self) -> bool:
        """Return whether the application shows an element or has ended; a starting one may not answer yet."""
        with suppress(ObjectGone):
            return bool((await self._refresh(emit=False)).elements) or self._ended
        return False

    async def _wait_for_change(self, seconds: float = REREAD_S) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    async def _wait_and_reread(self) -> ObjectTree:
        await self._wait_for_change(POLL_S)
        await self._refresh()
        return self._tree

    async def _watch(self) -> None:
        while not self._ended:
            await self._wait_for_change()
            try:
                await self._refresh()
            except CallTimedOut as late:
                self._revisions.emit(Hung(tab=TAB, at=time.monotonic(), seconds=late.seconds))
            except DriverError:
                return

    async def _refresh(self, *, emit: bool = True) -> PageGraph:
        """Read the application, emit the differences, and return the graph. Only one reading runs at a time."""
        async with self._read_lock:
            self._changed.clear()  # this reading may miss changes from here on
            try:
                items = () if self._ended else await self._reader.read()
            except TargetGone:
                self._ended, items = True, ()
                if await self.application.was_killed():
                    self._report_crash()
            if self._crashed:
                raise TargetGone(f"`{self.application.name}` has crashed; open it again")
            self._tree = ObjectTree([await self._with_modality(item) for item in items])
            self.tabs.title = next((one.name for one in self._tree.scopes() if one.name), "")
            after = build_graph(
                self._tree,
                url=self.tabs.url,
                title=self.tabs.title,
                seq=self._revisions.seq + 1,
                now=current_timestamp(),
            )
            token = self._token if time.monotonic() < self._attribute_until else None
            return self._revisions.update(after, token, emit=emit)

    async def _with_modality(self, item: AccessibleObject) -> AccessibleObject:
        """Add the state `modal` to a dialog that reports it only to the X display."""
        if item.role not in DIALOGS or not item.showing or item.box is None or "modal" in item.states:
            return item
        modal = await self._display.run(self._display.is_modal_at, *item.box.center)
        return replace(item, states=item.states | {"modal"}) if modal else item

    def _report_crash(self) -> None:
        """Emit the crash. A crash is not an effect of an action, so the removed elements are not reported."""
        self._crashed = True
        self._revisions.emit(Crashed(tab=TAB, at=time.monotonic()))

    # ------------------------------------------------------------------ dispatch check

    def _refusal(self, op: AnyOp) -> PerformRefused | None:
        if self._ended:
            return PerformRefused("unavailable", "the application has ended")
        if op.guard is None:
            return PerformRefused("invalid", f"`{op.kind}` needs a target") if op.needs_target else None
        element = self._revisions.elements.get(op.guard.node)
        if element is None:
            return PerformRefused("gone", f"`{op.guard.node}` is no longer in the window; observe again")
        return guard_mismatch(element, op.guard) or self._blocked_by_dialog(op.guard.node)

    def _blocked_by_dialog(self, node: str) -> PerformRefused | None:
        """Return a refusal if a modal dialog takes the input of the element's window."""
        current, element = self._revisions.current, self._revisions.elements.get(node)
        modal_scopes = current.modal_stack if current is not None else UNSET
        if not modal_scopes or element is None or element.scope_id in modal_scopes:
            return None
        if scope_id(self._tree.elements[node]) in modal_scopes:
            return None
        return PerformRefused("obscured", "a modal dialog blocks the element; answer it first")


def _bounding_box(boxes: Sequence[ObjectBox]) -> ObjectBox:
    left, top = min(one.x for one in boxes), min(one.y for one in boxes)
    right, bottom = max(one.x + one.width for one in boxes), max(one.y + one.height for one in boxes)
    return ObjectBox(left, top, right - left, bottom - top)
