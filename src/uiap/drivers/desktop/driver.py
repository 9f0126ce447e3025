"""A desktop application behind the driver protocol: read through AT-SPI, pressed through AT-SPI or XTEST.

Every event of the application makes it look again as a whole, and it looks again now and then by itself, because not
everything is told; what differs goes on as a delta. It knows when to look, not what the words mean.
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
from uiap.drivers.desktop.vocabulary import DIALOGS
from uiap.drivers.driver import (
    CapturedEvidence,
    DriverFacts,
    ElementFacts,
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
"""Seconds for one reading of an application with some hundred objects."""
REREAD_S = 1.0
"""How long nothing may be told before the application is read all the same."""
ATTRIBUTION_S = 1.0
"""Attribution by time: what changes so soon after our input carries its token; habits of its own are known as such."""

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
)


class DesktopDriver(SingleScreenDriver):
    """One application. `open` starts it or attaches to it; `close` ends only what was started."""

    facts = DESKTOP_FACTS

    def __init__(
        self,
        bus: Bus,
        screen: XDisplay,
        application: Application,
        secrets: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(f"{SCHEME}{application.name}")
        self.application = application
        self._bus, self._screen = bus, screen
        self._reader = ApplicationReader(bus, application.ref.app)
        self._hand = DesktopGestures(bus, screen, application.pid, secrets, self._look_on)
        self._revisions = RevisionTracker()
        self._news = asyncio.Event()
        self._reading = asyncio.Lock()
        self._following: asyncio.Task[None] | None = None
        self._drawing = ObjectTree(())
        self._gone = self._dead = False
        self._token: str | None = None
        self._ours_until = 0.0

    @classmethod
    async def open(
        cls,
        address: str,
        *,
        environ: Mapping[str, str],
        secrets: Callable[[str], str] | None = None,
    ) -> Self:
        """`desktop:COMMAND` starts an application, `desktop:@NAME` or `desktop:@PID` takes one that runs."""
        command = parse_command(address)
        if not environ.get("DISPLAY"):
            raise Unavailable("no X display here: DISPLAY is not set; start Xvfb or log in to a desktop")
        screen = await asyncio.to_thread(XDisplay, environ["DISPLAY"])
        bus: Bus | None = None
        try:
            bus = await Bus.open(environ)
            await screen.turn(screen.announce, bus.address)
            attach = command[0].startswith("@")
            found = find_running(bus, command[0][1:]) if attach else start_application(bus, command, environ)
            return cls(bus, screen, await found, secrets)
        except BaseException:
            if bus is not None:
                bus.close()
            screen.close()
            raise

    # ------------------------------------------------------------------ the protocol

    async def start(self, sink: Sink) -> None:
        """Listen, then look until a window is there."""
        self._revisions.start(sink, self.tabs.url)
        await self._bus.hear(self._heard)
        try:
            async with asyncio.timeout(LAUNCH_S):
                while not await self._is_up():
                    await self._wait_for_news(POLL_S)
        except TimeoutError:
            raise Unavailable(f"`{self.application.name}` showed no window within {LAUNCH_S:g} s") from None
        if self._gone:
            raise Unavailable(f"`{self.application.name}` ended before it showed a window")
        self._revisions.emit_initial()
        self._following = asyncio.create_task(self._follow())

    async def observe(self, options: SnapshotOptions | None = None, *, tab: str | None = None) -> PageGraph:
        self._check(tab)
        return apply_snapshot_options(await self._look(), options)

    async def flush(self, *, tab: str | None = None, quick: bool = False) -> int:
        self._check(tab)
        await self._look()
        return self._revisions.seq

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        self._check(None)
        await self._look()
        found = self._revisions.elements
        return {
            ref: element_facts(ref, found.get(ref), obscured=self._behind(ref) is not None) for ref in refs
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
                await self._look()  # atomic "reread": the guard is judged by what is there right now
                if refusal := self._refusal(op):
                    return refusal
                item = self._drawing.shown.get(op.guard.node) if op.guard is not None else None
                before, at, sent = self._revisions.seq, time.monotonic(), True
                self._token, self._ours_until = self._revisions.next_token(), at + ATTRIBUTION_S
                token = self._token
                done = await self._hand.carry(op, item, self._drawing)
        except (TimeoutError, CallTimedOut):
            if sent:
                return PerformUnknown("timeout", "the application did not answer; it may still carry it out")
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
        except BusCallRejected as declined:  # it answered, but not what it did before that
            return (
                PerformUnknown("interrupted", declined.message)
                if sent
                else PerformRefused("unavailable", declined.message)
            )
        if isinstance(done, PerformRefused):
            self._token = None
            return done
        self._ours_until = time.monotonic() + ATTRIBUTION_S
        self._news.set()
        return PerformDispatched(before, at, token=token, detail=done)

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = NAVIGATION_S
    ) -> PerformOutcome:
        self._check(tab)
        return PerformRefused("unsupported", "a desktop application has no addresses; press what leads there")

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        self._check(tab)
        graph = await self._look()
        if kind == "ax":
            rows = [
                {"role": one.role, "name": one.name or None, "node": one.instance_id}
                for one in graph.elements
            ]
            return CapturedEvidence(kind=kind, media_type="application/json", data=msgspec.json.encode(rows))
        if kind == "annotated":
            raise NotSupported("pictures of a desktop are not annotated yet; ask for screenshot or ax")
        windows = [item.place for item in self._drawing.scopes() if item.place is not None]
        if not windows:
            raise TargetGone("the application shows no window")
        boxes = [
            item.place for ref in hide if (item := self._drawing.shown.get(ref)) is not None and item.place
        ]
        picture = await self._screen.turn(self._screen.picture, _bounding_box(windows), boxes)
        return CapturedEvidence(kind=kind, media_type="image/png", data=picture)

    async def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._following is not None:
            self._following.cancel()
            await asyncio.gather(self._following, return_exceptions=True)
        await self.application.end()
        self._bus.close()
        self._screen.close()

    # ------------------------------------------------------------------ looking

    def _heard(self, sender: str) -> None:
        if sender == self.application.ref.app:
            self._news.set()

    async def _is_up(self) -> bool:
        """It shows something; right after its start it may not even answer yet."""
        with suppress(ObjectGone):
            return bool((await self._look(tell=False)).elements) or self._gone
        return False

    async def _wait_for_news(self, seconds: float = REREAD_S) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def _look_on(self) -> ObjectTree:
        await self._wait_for_news(POLL_S)
        await self._look()
        return self._drawing

    async def _follow(self) -> None:
        while not self._gone:
            await self._wait_for_news()
            try:
                await self._look()
            except CallTimedOut as late:
                self._revisions.emit(Hung(tab=TAB, at=time.monotonic(), seconds=late.seconds))
            except DriverError:
                return

    async def _look(self, *, tell: bool = True) -> PageGraph:
        """Read it all, tell what differs, and give it back; one reading at a time."""
        async with self._reading:
            self._news.clear()  # what happens from here on may be missing from this reading
            try:
                items = () if self._gone else await self._reader.read()
            except TargetGone:
                self._gone, items = True, ()
                if await self.application.died():
                    self._died()
            if self._dead:
                raise TargetGone(f"`{self.application.name}` has crashed; open it again")
            self._drawing = ObjectTree([await self._with_modality(item) for item in items])
            self.tabs.title = next((one.name for one in self._drawing.scopes() if one.name), "")
            after = build_graph(
                self._drawing,
                url=self.tabs.url,
                title=self.tabs.title,
                seq=self._revisions.seq + 1,
                now=current_timestamp(),
            )
            token = self._token if time.monotonic() < self._ours_until else None
            return self._revisions.update(after, token, emit=tell)

    async def _with_modality(self, item: AccessibleObject) -> AccessibleObject:
        """A dialog that does not say itself that it is modal may have told the display."""
        if item.role not in DIALOGS or not item.showing or item.place is None or "modal" in item.states:
            return item
        modal = await self._screen.turn(self._screen.is_modal_at, *item.place.middle)
        return replace(item, states=item.states | {"modal"}) if modal else item

    def _died(self) -> None:
        """A crash is no effect of anything: what was there is not told to have gone."""
        self._dead = True
        self._revisions.emit(Crashed(tab=TAB, at=time.monotonic()))

    # ------------------------------------------------------------------ judging

    def _refusal(self, op: AnyOp) -> PerformRefused | None:
        if self._gone:
            return PerformRefused("unavailable", "the application has ended")
        if op.guard is None:
            return PerformRefused("invalid", f"`{op.kind}` needs a target") if op.needs_target else None
        element = self._revisions.elements.get(op.guard.node)
        if element is None:
            return PerformRefused("gone", f"`{op.guard.node}` is not in the window any more; observe again")
        return guard_mismatch(element, op.guard) or self._behind(op.guard.node)

    def _behind(self, node: str) -> PerformRefused | None:
        """A modal dialog takes all input that is meant for other windows."""
        told, element = self._revisions.current, self._revisions.elements.get(node)
        stack = told.modal_stack if told is not None else UNSET
        if not stack or element is None or element.scope_id in stack:
            return None
        if scope_id(self._drawing.shown[node]) in stack:
            return None
        return PerformRefused("obscured", "a modal dialog stands before it")


def _bounding_box(places: Sequence[ObjectBox]) -> ObjectBox:
    left, top = min(one.x for one in places), min(one.y for one in places)
    right, bottom = max(one.x + one.width for one in places), max(one.y + one.height for one in places)
    return ObjectBox(left, top, right - left, bottom - top)
