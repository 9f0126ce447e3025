"""A desktop application behind the driver protocol: read through AT-SPI, pressed through AT-SPI or XTEST.

Every event of the application makes it look again as a whole, and it looks again now and then by itself, because not
everything is told; what differs goes on as a delta. It knows when to look, not what the words mean.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal, Self

import msgspec
from msgspec import UNSET

from uiap.actions.ops import AnyOp, Guard
from uiap.drivers.desktop.bus import Bus, Declined, ObjectGone
from uiap.drivers.desktop.display import Screen
from uiap.drivers.desktop.graph import PROFILE, Drawing, drawn, scope_id
from uiap.drivers.desktop.launch import LAUNCH_S, LOOK_S, SCHEME, Application, running, started, wanted
from uiap.drivers.desktop.perform import OPS, Hand
from uiap.drivers.desktop.reading import Item, Place, Reader
from uiap.drivers.desktop.words import DIALOGS
from uiap.drivers.driver import Dispatched, ElementFacts, Evidence, Facts, Outcome, Refused, Unknown
from uiap.drivers.errors import CallTimedOut, ConnectionLost, DriverError, NotSupported, TargetGone
from uiap.drivers.events import Crashed, GraphChanged, Hung, Sink, TabOpened
from uiap.drivers.narrow import narrowed
from uiap.drivers.network_rules import NetworkRules
from uiap.drivers.one_screen import TAB, NoDialogs, NoFiles, NoStorage, OneScreen
from uiap.errors import Unavailable
from uiap.graph.diff import diff, is_empty
from uiap.spec.web import ElementNode, PageGraph, SnapshotOptions

READ_COST = 0.03
"""Seconds for one reading of an application with some hundred objects."""
LOOK_AGAIN_S = 1.0
"""How long nothing may be told before the application is read all the same."""
OURS_S = 1.0
"""Attribution by time: what changes so soon after our input carries its token; habits of its own are known as such."""

DESKTOP_FACTS = Facts(
    profile=PROFILE,
    push=True,
    world="none",
    atomic="reread",
    attribution="time",
    trusted_input=True,
    modes=("semanticUi", "externalDriver"),
    ops=OPS,
    read_cost=READ_COST,
    doors=(),
)


class DesktopDriver:
    """One application. `open` starts it or attaches to it; `close` ends only what was started."""

    facts = DESKTOP_FACTS
    dialog = NoDialogs()
    files = NoFiles()
    storage = NoStorage()

    def __init__(
        self, bus: Bus, screen: Screen, application: Application, secrets: Callable[[str], str] | None = None
    ) -> None:
        self.application = application
        self.url = f"{SCHEME}{application.name}"
        self.tabs = OneScreen(self.url)
        self._bus, self._screen = bus, screen
        self._reader = Reader(bus, application.ref.app)
        self._hand = Hand(bus, screen, application.pid, secrets, self._look_on)
        self._sink: Sink = lambda _: None
        self._news = asyncio.Event()
        self._reading = asyncio.Lock()
        self._following: asyncio.Task[None] | None = None
        self._drawing = Drawing(())
        self._told: PageGraph | None = None
        self._elements: dict[str, ElementNode] = {}
        self._seq = 0
        self._gone = self._closed = self._dead = False
        self._tokens = itertools.count(1)
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
        command = wanted(address)
        if not environ.get("DISPLAY"):
            raise Unavailable("no X display here: DISPLAY is not set; start Xvfb or log in to a desktop")
        screen = await asyncio.to_thread(Screen, environ["DISPLAY"])
        bus: Bus | None = None
        try:
            bus = await Bus.open(environ)
            await screen.turn(screen.announce, bus.address)
            attach = command[0].startswith("@")
            found = running(bus, command[0][1:]) if attach else started(bus, command, environ)
            return cls(bus, screen, await found, secrets)
        except BaseException:
            if bus is not None:
                bus.close()
            screen.close()
            raise

    # ------------------------------------------------------------------ the protocol

    async def start(self, sink: Sink) -> None:
        """Listen, then look until a window is there."""
        self._sink = sink
        sink(TabOpened(tab=TAB, at=time.monotonic(), url=self.url))
        await self._bus.hear(self._heard)
        try:
            async with asyncio.timeout(LAUNCH_S):
                while not await self._is_up():
                    await self._wait_for_news(LOOK_S)
        except TimeoutError:
            raise Unavailable(f"`{self.application.name}` showed no window within {LAUNCH_S:g} s") from None
        if self._gone:
            raise Unavailable(f"`{self.application.name}` ended before it showed a window")
        assert self._told is not None
        self._change(graph=self._told, reason="initial")
        self._following = asyncio.create_task(self._follow())

    async def observe(self, options: SnapshotOptions | None = None, *, tab: str | None = None) -> PageGraph:
        self._check(tab)
        return narrowed(await self._look(), options)

    async def flush(self, *, tab: str | None = None, glance: bool = False) -> int:
        self._check(tab)
        await self._look()
        return self._seq

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        self._check(None)
        await self._look()
        return {ref: self._facts_of(ref) for ref in refs}

    async def perform(self, op: AnyOp, *, tab: str | None = None, timeout: float = 5.0) -> Outcome:
        if op.kind not in OPS or op.mode not in DESKTOP_FACTS.modes:
            return Refused("unsupported", f"`{op.kind}` cannot be done as `{op.mode}` on a desktop")
        self._check(tab)
        sent = False
        try:
            async with asyncio.timeout(timeout):
                await self._look()  # atomic "reread": the guard is judged by what is there right now
                if refusal := self._refusal(op):
                    return refusal
                item = self._drawing.shown.get(op.guard.node) if op.guard is not None else None
                before, at, sent = self._seq, time.monotonic(), True
                self._token, self._ours_until = f"op{next(self._tokens)}", at + OURS_S
                token = self._token
                done = await self._hand.carry(op, item, self._drawing)
        except (TimeoutError, CallTimedOut):
            if sent:
                return Unknown("timeout", "the application did not answer; it may still carry it out")
            return Refused("unavailable", "the application does not answer")
        except TargetGone as gone:
            return Unknown("closed", gone.message) if sent else Refused("unavailable", gone.message)
        except ConnectionLost as lost:
            return Unknown("connection_lost", lost.message) if sent else Refused("unavailable", lost.message)
        except Declined as declined:  # it answered, but not what it did before that
            return (
                Unknown("interrupted", declined.message) if sent else Refused("unavailable", declined.message)
            )
        if isinstance(done, Refused):
            self._token = None
            return done
        self._ours_until = time.monotonic() + OURS_S
        self._news.set()
        return Dispatched(before, at, token=token, detail=done)

    async def navigate(self, url: str, *, tab: str | None = None, timeout: float = 30.0) -> Outcome:
        self._check(tab)
        return Refused("unsupported", "a desktop application has no addresses; press what leads there")

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> Evidence:
        self._check(tab)
        graph = await self._look()
        if kind == "ax":
            rows = [
                {"role": one.role, "name": one.name or None, "node": one.instance_id}
                for one in graph.elements
            ]
            return Evidence(kind=kind, media_type="application/json", data=msgspec.json.encode(rows))
        if kind == "annotated":
            raise NotSupported("pictures of a desktop are not annotated yet; ask for screenshot or ax")
        windows = [item.place for item in self._drawing.scopes() if item.place is not None]
        if not windows:
            raise TargetGone("the application shows no window")
        boxes = [
            item.place for ref in hide if (item := self._drawing.shown.get(ref)) is not None and item.place
        ]
        picture = await self._screen.turn(self._screen.picture, _around(windows), boxes)
        return Evidence(kind=kind, media_type="image/png", data=picture)

    async def evaluate(self, expression: str, *, tab: str | None = None) -> Any:
        self._check(tab)
        raise NotSupported("a desktop application evaluates nothing")

    async def guard_network(self, rules: NetworkRules | None) -> None:
        if rules is not None:
            raise NotSupported("the requests of a desktop application cannot be guarded from here")

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

    async def _wait_for_news(self, seconds: float = LOOK_AGAIN_S) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._news.wait()

    async def _look_on(self) -> Drawing:
        await self._wait_for_news(LOOK_S)
        await self._look()
        return self._drawing

    async def _follow(self) -> None:
        while not self._gone:
            await self._wait_for_news()
            try:
                await self._look()
            except CallTimedOut as late:
                self._sink(Hung(tab=TAB, at=time.monotonic(), seconds=late.seconds))
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
            self._drawing = Drawing([await self._with_modality(item) for item in items])
            self.tabs.title = next((one.name for one in self._drawing.scopes() if one.name), "")
            after = drawn(
                self._drawing, url=self.url, title=self.tabs.title, seq=self._seq + 1, now=_timestamp()
            )
            return self._take(after, tell)

    async def _with_modality(self, item: Item) -> Item:
        """A dialog that does not say itself that it is modal may have told the display."""
        if item.role not in DIALOGS or not item.showing or item.place is None or "modal" in item.states:
            return item
        modal = await self._screen.turn(self._screen.is_modal_at, *item.place.middle)
        return replace(item, states=item.states | {"modal"}) if modal else item

    def _died(self) -> None:
        """A crash is no effect of anything: what was there is not told to have gone."""
        self._dead = True
        self._sink(Crashed(tab=TAB, at=time.monotonic()))

    def _take(self, after: PageGraph, tell: bool) -> PageGraph:
        delta = diff(self._told, after) if self._told is not None else None
        if delta is not None and is_empty(delta):
            assert self._told is not None
            return self._told
        self._seq, self._told = self._seq + 1, after
        self._elements = {element.instance_id: element for element in after.elements}
        if tell:
            self._change(delta=delta, **({"graph": after} if delta is None else {}))
        return after

    def _change(self, **what: Any) -> None:
        at = time.monotonic()
        token = self._token if at < self._ours_until else None
        self._sink(
            GraphChanged(tab=TAB, at=at, revision=f"rev_{self._seq}", seq=self._seq, token=token, **what)
        )

    # ------------------------------------------------------------------ judging

    def _check(self, tab: str | None) -> None:
        if self._closed:
            raise ConnectionLost("the driver is closed")
        if tab not in (None, TAB):
            raise TargetGone(f"there is no tab `{tab}`; list the tabs")

    def _refusal(self, op: AnyOp) -> Refused | None:
        if self._gone:
            return Refused("unavailable", "the application has ended")
        if op.guard is None:
            return Refused("invalid", f"`{op.kind}` needs a target") if op.needs_target else None
        return self._mismatch(op.guard) or self._behind(op.guard.node)

    def _mismatch(self, guard: Guard) -> Refused | None:
        """The guard's terms, one by one."""
        element = self._elements.get(guard.node)
        if element is None:
            return Refused("gone", f"`{guard.node}` is not in the window any more; observe again")
        if guard.role is not None and element.role != guard.role:
            return Refused("changed", "role_changed")
        if guard.name is not None and (element.name or "") != guard.name:
            return Refused("changed", "name_changed")
        if guard.record is not None:
            return Refused("changed", "record_changed")
        if element.state.visible is not True:
            return Refused("hidden", "hidden")
        if guard.enabled and element.state.enabled is not True:
            return Refused("disabled", "disabled")
        return None

    def _behind(self, node: str) -> Refused | None:
        """A modal dialog takes all input that is meant for other windows."""
        stack = self._told.modal_stack if self._told is not None else UNSET
        if (
            not stack
            or self._elements[node].scope_id in stack
            or scope_id(self._drawing.shown[node]) in stack
        ):
            return None
        return Refused("obscured", "a modal dialog stands before it")

    def _facts_of(self, ref: str) -> ElementFacts:
        element = self._elements.get(ref)
        if element is None:
            return ElementFacts(node=ref, attached=False)
        return ElementFacts(
            node=ref,
            attached=True,
            visible=element.state.visible is True,
            enabled=element.state.enabled is True,
            in_viewport=element.state.in_viewport is True,
            obscured=self._behind(ref) is not None,
            role=element.role,
            name=element.name or None,
            bbox=element.bbox or None,
        )


def _around(places: Sequence[Place]) -> Place:
    left, top = min(one.x for one in places), min(one.y for one in places)
    right, bottom = max(one.x + one.width for one in places), max(one.y + one.height for one in places)
    return Place(left, top, right - left, bottom - top)


def _timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
