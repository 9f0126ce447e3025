"""A device behind the driver protocol: read by `uiautomator dump`, touched by `input`, both through adb; and by the
server of uiautomator2 where it is allowed.

It knows how an application is started and what its log says; when a screen is read is the touch screen's own affair.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from uiap.actions.ops import AnyOp
from uiap.drivers.android.address import SCHEME, AndroidAddress
from uiap.drivers.android.address import parse as parse_address
from uiap.drivers.android.applications import DeviceApplications
from uiap.drivers.android.commands import AndroidCommands
from uiap.drivers.android.device import Device
from uiap.drivers.android.log_stream import LogStream
from uiap.drivers.android.logcat import RELEVANT, LogcatParser, LogLine
from uiap.drivers.android.screen import AndroidScreen
from uiap.drivers.android.server import PINCH_HINT, ServerFailed, ServerLost, UiAutomatorServer, is_allowed
from uiap.drivers.android.touch import AdbTouch
from uiap.drivers.driver import PerformRefused
from uiap.drivers.events import ConsoleLine, PageError, Sink
from uiap.drivers.single_screen import TAB
from uiap.drivers.touchscreen.driver import TouchscreenDriver, touchscreen_facts
from uiap.drivers.touchscreen.elements import ScreenLayout
from uiap.drivers.touchscreen.graph import ForegroundApp
from uiap.drivers.touchscreen.hierarchy import ScreenBounds
from uiap.drivers.touchscreen.perform import OPS
from uiap.drivers.touchscreen.snapshot import ScreenSnapshot
from uiap.spec.versions import ANDROID_PROFILE

ANDROID_FACTS = touchscreen_facts(
    ANDROID_PROFILE,
    [op for op in OPS if op != "pinch"],  # `input` has one finger
)
SERVER_FACTS = touchscreen_facts(ANDROID_PROFILE, OPS)


class AndroidDriver(TouchscreenDriver):
    """One device, seen through the application that was named. `close` leaves the application as it is."""

    def __init__(
        self,
        device: Device,
        address: AndroidAddress,
        secrets: Callable[[str], str] | None = None,
        server: UiAutomatorServer | None = None,
    ) -> None:
        self.device = device
        self.screen = AndroidScreen(device, server)
        self._server, self._goes_on = server, False
        self.applications = DeviceApplications(device)
        self._address = address
        self._log: LogStream | None = None
        touch = AdbTouch(device, server)
        component = str(address._replace(serial="")).removeprefix(SCHEME)
        commands = AndroidCommands(self.applications, self.screen, touch, component)
        facts = ANDROID_FACTS if server is None else SERVER_FACTS
        super().__init__(str(address), facts, touch, commands, secrets)

    @classmethod
    async def open(
        cls, address: str, *, environ: Mapping[str, str], secrets: Callable[[str], str] | None = None
    ) -> AndroidDriver:
        """`android:PACKAGE[/ACTIVITY][@SERIAL]` starts the application, `android:[@SERIAL]` takes what is in front."""
        wanted = parse_address(address)
        device = await Device.choose(wanted.serial, wanted.package, environ)
        if wanted.package:
            await DeviceApplications(device).start(wanted.component)
        server = await UiAutomatorServer.start(device) if is_allowed(environ) else None
        return cls(device, wanted, secrets, server)

    @property
    def log(self) -> Sequence[LogLine]:
        """What the device wrote of late, with its relevance."""
        return tuple(self._log.lines) if self._log is not None else ()

    async def start(self, sink: Sink) -> None:
        await super().start(sink)
        await self._follow_log()

    async def close(self) -> None:
        self._closed = True
        lasting = [one for one in (self._log, self._server) if one is not None]
        await asyncio.gather(*(one.close() for one in lasting))

    # ------------------------------------------------------------------ what the wire brings

    async def _read(self) -> ScreenSnapshot:
        try:
            return await self.screen.read()
        finally:
            self._go_on()

    def _go_on(self) -> None:
        """By plain adb, where the server has ended; said once."""
        if self._server is not None and self._server.lost and not self._goes_on and not self._closed:
            self._goes_on, self._facts = True, ANDROID_FACTS
            at = time.monotonic()
            self._revisions.emit(ConsoleLine(tab=TAB, at=at, level="warning", text=self._server.lost))

    async def _put_away(self) -> None:
        """An earlier toast is told while it still is earlier, and forgotten: none that is read later is older."""
        if self._server is None or self._server.lost:
            return
        with suppress(ServerFailed, ServerLost):
            if said := await self._server.toast():
                self._tell_toasts({said}, self._token)
            await self._server.forget_toast()
            self._toasts = set()

    def _why_not(self, op: AnyOp) -> str:
        if op.kind != "pinch":
            return super()._why_not(op)
        return PINCH_HINT if self._server is None else self._server.lost

    async def _drawn(self, reading: ScreenSnapshot) -> ScreenLayout:
        size = await self.screen.size()
        made = ScreenLayout(reading.hierarchy, size)
        width, height = made.screen
        outside = (
            root.bounds.right > width or root.bounds.bottom > height for root in reading.hierarchy.roots
        )
        if size is not None and any(outside):  # another size was set meanwhile
            made = ScreenLayout(reading.hierarchy, await self.screen.size(anew=True))
        return made

    async def _picture(self, hide: Sequence[ScreenBounds]) -> bytes:
        return await self.screen.picture(hide)

    async def _follow_link(self, url: str) -> PerformRefused | None:
        """An `android:` address starts that application; any other link is opened as if it had been pressed."""
        if not url.startswith(SCHEME):
            await self.applications.follow(url)
            return None
        wanted = parse_address(url)
        if wanted.serial not in ("", self.device.serial) or not wanted.package:
            return PerformRefused("invalid", f"`{url}` is not an application on `{self.device.serial}`")
        await self.applications.start(wanted.component)
        return None

    def _address_of(self, front: ForegroundApp) -> str:
        return str(AndroidAddress(front.package, front.activity, self._address.serial))

    def _is_wanted(self, front: ForegroundApp) -> bool:
        return not self._address.package or front.package in ("", self._address.package)

    # ------------------------------------------------------------------ the log

    async def _follow_log(self) -> None:
        package = self._address.package or (self._reading.front.package if self._reading else "")
        if not package:
            return
        reader = LogcatParser(package, await self.applications.pids(package))
        self._log = LogStream(self.device, reader, self._logged)
        self._log.start()

    def _logged(self, line: LogLine) -> None:
        if line.relevance < RELEVANT:
            return
        at, text = time.monotonic(), f"{line.tag}: {line.message}"
        if line.level in ("error", "fatal") and line.relevance >= 0.9:
            self._revisions.emit(PageError(tab=TAB, at=at, text=text))
        else:
            self._revisions.emit(ConsoleLine(tab=TAB, at=at, level=line.level, text=text))
