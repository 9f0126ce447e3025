"""A device behind the driver protocol: read by `uiautomator dump`, touched by `input`, both through adb.

A reading is dear (half a second and more on a phone), so nothing is read that nobody asked for, and one that has just
ended serves the next step too, unless something was sent meanwhile. It knows when to read, not what the words mean.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

import msgspec

from uiap.actions.ops import AnyOp, Invoke
from uiap.drivers.android.address import SCHEME, Address
from uiap.drivers.android.address import parse as parse_address
from uiap.drivers.android.applications import Applications
from uiap.drivers.android.commands import Commands
from uiap.drivers.android.device import CommandFailed, Device
from uiap.drivers.android.following import LogStream
from uiap.drivers.android.logcat import RELEVANT, LogLine, Reader
from uiap.drivers.android.screen import NotRead, Reading, Screen
from uiap.drivers.android.touch import Doubtful, Touch, Undone
from uiap.drivers.driver import Dispatched, ElementFacts, Evidence, Facts, Outcome, Refused, Unknown
from uiap.drivers.errors import CallTimedOut, ConnectionLost, DriverError, NotSupported, TargetGone
from uiap.drivers.events import ConsoleLine, GraphChanged, Navigated, PageError, Sink, TabOpened
from uiap.drivers.narrow import narrowed
from uiap.drivers.network_rules import NetworkRules
from uiap.drivers.one_screen import TAB, NoDialogs, NoFiles, NoStorage, OneScreen
from uiap.drivers.touchscreen.drawing import Drawing, Shown
from uiap.drivers.touchscreen.graph import DOCUMENT, PROFILE, Front, drawn
from uiap.drivers.touchscreen.hierarchy import Hierarchy, Node
from uiap.drivers.touchscreen.identity import Register
from uiap.drivers.touchscreen.judging import Seen
from uiap.drivers.touchscreen.perform import OPS, Hand
from uiap.errors import UiapError, Unavailable
from uiap.graph.diff import diff, is_empty
from uiap.spec.web import PageGraph, SnapshotOptions

READ_COST = 0.5
"""Seconds that one reading is taken to cost before the first was made."""
FRESH_S = 0.2
"""So long after it ended a reading serves the next step of the same action: from finding a target to touching it, and
from seeing an effect to seeing it last. uiautomator has waited for a still screen before it wrote."""
OURS_S = 1.0
"""Attribution by time: what a reading shows that began so soon after our input carries its token."""
LAUNCH_S = 30.0
READS_IN_GESTURE = 10
"""A gesture that reads back may take so many readings more than its time."""

ANDROID_FACTS = Facts(
    profile=PROFILE,
    push=False,
    world="none",
    atomic="reread",
    attribution="time",
    trusted_input=True,
    modes=("externalDriver", "semanticUi", "appAction"),
    ops=(*OPS, "invoke"),
    read_cost=READ_COST,
    doors=("navigate",),
)


class AndroidDriver:
    """One device, seen through the application that was named. `close` leaves the application as it is."""

    dialog = NoDialogs()
    files = NoFiles()
    storage = NoStorage()

    def __init__(self, device: Device, address: Address, secrets: Callable[[str], str] | None = None) -> None:
        self.device = device
        self.screen = Screen(device)
        self.applications = Applications(device)
        self.tabs = OneScreen(str(address))
        self._address = address
        self._touch = Touch(device)
        component = str(address._replace(serial="")).removeprefix(SCHEME)
        self._commands = Commands(self.applications, self.screen, self._touch, component)
        self._hand = Hand(self._touch, self, secrets)
        self._register = Register(f"{DOCUMENT}e")
        self._sink: Sink = lambda _: None
        self._log: LogStream | None = None
        self._busy = asyncio.Lock()
        self._cost = READ_COST
        self._reading: Reading | None = None
        self.drawing = Drawing(Hierarchy(0, ()))
        self._told: PageGraph | None = None
        self._seen = Seen({}, {}, self.drawing, self._register.remembers)
        self._seq = 0
        self._tokens = itertools.count(1)
        self._token: str | None = None
        self._input_at = 0.0
        self._closed = False

    @classmethod
    async def open(
        cls, address: str, *, environ: Mapping[str, str], secrets: Callable[[str], str] | None = None
    ) -> AndroidDriver:
        """`android:PACKAGE[/ACTIVITY][@SERIAL]` starts the application, `android:[@SERIAL]` takes what is in front."""
        wanted = parse_address(address)
        device = await Device.choose(wanted.serial, wanted.package, environ)
        driver = cls(device, wanted, secrets)
        if wanted.package:
            await driver.applications.start(f"{wanted.package}/{wanted.activity}".rstrip("/"))
        return driver

    @property
    def facts(self) -> Facts:
        """With the cost that readings of this device really have."""
        return replace(ANDROID_FACTS, read_cost=round(self._cost, 3))

    @property
    def log(self) -> Sequence[LogLine]:
        """What the device wrote of late, with its relevance."""
        return tuple(self._log.lines) if self._log is not None else ()

    # ------------------------------------------------------------------ the protocol

    async def start(self, sink: Sink) -> None:
        """Read until the application that was named stands in front."""
        self._sink = sink
        sink(TabOpened(tab=TAB, at=time.monotonic(), url=self.tabs.url))
        try:
            async with asyncio.timeout(LAUNCH_S):
                while not await self._is_up():
                    pass
        except TimeoutError:
            name = self._address.package or "anything"
            raise Unavailable(f"`{name}` was not in front within {LAUNCH_S:g} s") from None
        assert self._told is not None
        self._change(graph=self._told, reason="initial")
        await self._follow_log()

    async def observe(self, options: SnapshotOptions | None = None, *, tab: str | None = None) -> PageGraph:
        self._check(tab)
        return narrowed(await self._look(anew=True), options)

    async def flush(self, *, tab: str | None = None, glance: bool = False) -> int:
        self._check(tab)
        await self._look(anew=not glance)
        return self._seq

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]:
        self._check(None)
        await self._look()
        return {ref: self._seen.facts_of(ref) for ref in refs}

    async def perform(self, op: AnyOp, *, tab: str | None = None, timeout: float = 5.0) -> Outcome:
        if op.kind not in ANDROID_FACTS.ops or op.mode not in ANDROID_FACTS.modes:
            return Refused("unsupported", f"`{op.kind}` cannot be done as `{op.mode}` on a device")
        self._check(tab)
        self._touch.sent = False
        try:
            # windows are as long as readings are dear: a slow device is not a device that does nothing
            async with asyncio.timeout(timeout + READS_IN_GESTURE * self._cost):
                await self._look()  # atomic "reread": the guard is judged by what is there right now
                if refusal := self._seen.refusal(op):
                    return refusal
                before, at = self._seq, time.monotonic()
                token = f"op{next(self._tokens)}"
                self._token, self._input_at = token, at
                done = await self._carried(op)
        except TimeoutError:
            return self._doubt("timeout", "the device did not answer in time")
        except CallTimedOut as late:
            return self._doubt("timeout", late.message)
        except (ConnectionLost, TargetGone) as lost:
            return self._doubt("connection_lost", lost.message)
        except (Doubtful, Undone, CommandFailed, DriverError) as error:
            return self._doubt("interrupted", error.message)
        if isinstance(done, Refused):
            self._token = None
            return done
        return Dispatched(before, at, token=token, detail=done)

    async def _carried(self, op: AnyOp) -> Refused | dict[str, Any]:
        if not isinstance(op, Invoke):
            return await self._hand.carry(op)
        if op.action not in self._commands:
            return Refused("unsupported", f"a device knows no `{op.action}`")
        self._touch.sent = True
        try:
            return {"returned": await self._commands.run(op.action, op.args)}
        finally:
            self._input_at = time.monotonic()

    def _doubt(self, cause: Literal["timeout", "connection_lost", "interrupted"], why: str) -> Outcome:
        """Before anything went out, nothing happened; afterwards nobody knows."""
        return Unknown(cause, why) if self._touch.sent else Refused("unavailable", why)

    async def app_actions(self, *, tab: str | None = None) -> Sequence[Any]:
        return self._commands.described()

    async def navigate(self, url: str, *, tab: str | None = None, timeout: float = 30.0) -> Outcome:
        """An `android:` address starts that application; any other link is opened as if it had been pressed."""
        self._check(tab)
        before, at = self._seq, time.monotonic()
        self._token = f"op{next(self._tokens)}"
        try:
            if url.startswith(SCHEME):
                wanted = parse_address(url)
                if wanted.serial not in ("", self.device.serial) or not wanted.package:
                    return Refused("invalid", f"`{url}` is not an application on `{self.device.serial}`")
                await self.applications.start(f"{wanted.package}/{wanted.activity}".rstrip("/"))
            else:
                await self.applications.follow(url)
        except (CommandFailed, UiapError) as error:
            if isinstance(error, CallTimedOut | ConnectionLost):
                return Unknown(
                    "timeout" if isinstance(error, CallTimedOut) else "connection_lost", str(error)
                )
            return Refused("unavailable", error.message)
        self._input_at = time.monotonic()
        await self._look(anew=True)
        return Dispatched(before, at, token=self._token)

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> Evidence:
        self._check(tab)
        if kind == "annotated":
            raise NotSupported("pictures of a device are not annotated yet; ask for screenshot or ax")
        if kind == "ax" or hide:
            await self._look()
        if kind == "ax":
            rows = [_row(node) for node in self.drawing.hierarchy.nodes()]
            return Evidence(kind=kind, media_type="application/json", data=msgspec.json.encode(rows))
        boxes = [shown.node.bounds for ref in hide if (shown := self._seen.shown.get(ref)) is not None]
        return Evidence(kind=kind, media_type="image/png", data=await self.screen.picture(boxes))

    async def evaluate(self, expression: str, *, tab: str | None = None) -> Any:
        self._check(tab)
        raise NotSupported("a device evaluates nothing; use its actions")

    async def guard_network(self, rules: NetworkRules | None) -> None:
        if rules is not None:
            raise NotSupported("the requests of an application on a device cannot be guarded from here")

    async def close(self) -> None:
        self._closed = True
        if self._log is not None:
            self._log.close()

    # ------------------------------------------------------------------ the view of the hand

    def named(self, id: str) -> Shown | None:
        return self._seen.shown.get(id)

    async def again(self) -> Drawing:
        await self._look(anew=True)
        return self.drawing

    # ------------------------------------------------------------------ looking

    async def _is_up(self) -> bool:
        with suppress(NotRead):  # what is just being drawn may not come to rest at once
            await self._look(anew=True, tell=False)
        front = self._reading.front if self._reading is not None else Front()
        right = not self._address.package or front.package in ("", self._address.package)
        return right and bool(self._seen.elements)

    async def _look(self, *, anew: bool = False, tell: bool = True) -> PageGraph:
        """What is there now: a reading that has just ended, or a new one; one at a time."""
        async with self._busy:
            if self._told is not None and not anew and self._fresh():
                return self._told
            self._reading = None  # one that fails leaves nothing that could pass for now
            reading = await self.screen.read()
            self._cost += 0.5 * (reading.ended - reading.begun - self._cost)
            return self._take(reading, await self._drawn(reading), tell)

    def _fresh(self) -> bool:
        read = self._reading
        return read is not None and read.begun >= self._input_at and time.monotonic() - read.ended <= FRESH_S

    async def _drawn(self, reading: Reading) -> Drawing:
        size = await self.screen.size()
        made = Drawing(reading.hierarchy, size)
        width, height = made.screen
        outside = (
            root.bounds.right > width or root.bounds.bottom > height for root in reading.hierarchy.roots
        )
        if size is not None and any(outside):  # another size was set meanwhile
            made = Drawing(reading.hierarchy, await self.screen.size(anew=True))
        return made

    def _take(self, reading: Reading, made: Drawing, tell: bool) -> PageGraph:
        ids = self._register.names(made)
        front = reading.front if reading.front.package else _front(made)
        url = str(Address(front.package, front.activity, self._address.serial))
        after = drawn(made, ids, url=url, front=front, seq=self._seq + 1, now=_timestamp())
        self._reading, self.drawing = reading, made
        self._seen = Seen(
            {element.instance_id: element for element in after.elements},
            {ids[node]: shown for node, shown in made.shown.items()},
            made,
            self._register.remembers,
            modal=bool(after.modal_stack),
            keyboard=reading.keyboard,
        )
        self.tabs.url, self.tabs.title = url, front.path
        before = self._told
        delta = diff(before, after) if before is not None else None
        if delta is not None and before is not None and is_empty(delta):
            return before
        self._seq, self._told = self._seq + 1, after
        if tell:
            if before is not None and before.route.url != url:
                self._sink(Navigated(tab=TAB, at=time.monotonic(), url=url, new_document=True))
            self._change(delta=delta, **({"graph": after} if delta is None else {}))
        return after

    def _change(self, **what: Any) -> None:
        begun = self._reading.begun if self._reading is not None else 0.0
        ours = self._token if begun < max(self._input_at, self._touch.last) + OURS_S else None
        self._sink(
            GraphChanged(
                tab=TAB, at=time.monotonic(), revision=f"rev_{self._seq}", seq=self._seq, token=ours, **what
            )
        )

    # ------------------------------------------------------------------ the log

    async def _follow_log(self) -> None:
        package = self._address.package or (self._reading.front.package if self._reading else "")
        if not package:
            return
        reader = Reader(package, await self.applications.pids(package))
        self._log = LogStream(self.device, reader, self._logged)
        self._log.start()

    def _logged(self, line: LogLine) -> None:
        if line.relevance < RELEVANT:
            return
        at, text = time.monotonic(), f"{line.tag}: {line.message}"
        if line.level in ("error", "fatal") and line.relevance >= 0.9:
            self._sink(PageError(tab=TAB, at=at, text=text))
        else:
            self._sink(ConsoleLine(tab=TAB, at=at, level=line.level, text=text))

    # ------------------------------------------------------------------ judging

    def _check(self, tab: str | None) -> None:
        if self._closed:
            raise ConnectionLost("the driver is closed")
        if tab not in (None, TAB):
            raise TargetGone(f"there is no tab `{tab}`; list the tabs")


def _front(drawing: Drawing) -> Front:
    """Where the device does not say what is resumed, the window does."""
    return Front(next((root.package for root in drawing.hierarchy.roots if root.package), ""))


def _row(node: Node) -> dict[str, Any]:
    """Everything that the dump says of a node, except what a masked field holds."""
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


def _timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
