"""The driver of an Android device: it reads by `uiautomator dump` and sends `input` commands, both through adb.

If allowed, it uses the server of uiautomator2 instead. It knows how to start an application and how to read its log.
`touchscreen` decides when the screen is read.
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
    [op for op in OPS if op != "pinch"],  # `input` supports one finger only
)
SERVER_FACTS = touchscreen_facts(ANDROID_PROFILE, OPS)


class AndroidDriver(TouchscreenDriver):
    """One device with its requested application. `close` leaves the application running."""

    def __init__(
        self,
        device: Device,
        address: AndroidAddress,
        secrets: Callable[[str], str] | None = None,
        server: UiAutomatorServer | None = None,
    ) -> None:
        self.device = device
        self.screen = AndroidScreen(device, server)
        self._server, self._server_loss_reported = server, False
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
        """Open a device: `android:PACKAGE[/ACTIVITY][@SERIAL]` starts the application.

        `android:[@SERIAL]` takes the foreground application.
        """
        parsed = parse_address(address)
        device = await Device.choose(parsed.serial, parsed.package, environ)
        if parsed.package:
            await DeviceApplications(device).start(parsed.component)
        server = await UiAutomatorServer.start(device) if is_allowed(environ) else None
        return cls(device, parsed, secrets, server)

    @property
    def log(self) -> Sequence[LogLine]:
        """The last log lines of the device, with their relevance."""
        return tuple(self._log.lines) if self._log is not None else ()

    async def start(self, sink: Sink) -> None:
        await super().start(sink)
        await self._follow_log()

    async def close(self) -> None:
        self._closed = True
        to_close = [one for one in (self._log, self._server) if one is not None]
        await asyncio.gather(*(one.close() for one in to_close))

    # ------------------------------------------------------------------ reading and input through adb

    async def _read_screen(self) -> ScreenSnapshot:
        try:
            return await self.screen.read()
        finally:
            self._report_server_loss()

    def _report_server_loss(self) -> None:
        """Continue with plain adb if the server has ended, and report that once."""
        if (
            self._server is not None
            and self._server.lost_reason
            and not self._server_loss_reported
            and not self._closed
        ):
            self._server_loss_reported, self._facts = True, ANDROID_FACTS
            at = time.monotonic()
            self._revisions.emit(ConsoleLine(tab=TAB, at=at, level="warning", text=self._server.lost_reason))

    async def _before_input(self) -> None:
        """Emit and clear the last toast, so that every toast that is read later is newer than the next input."""
        if self._server is None or self._server.lost_reason:
            return
        with suppress(ServerFailed, ServerLost):
            if toast := await self._server.toast():
                self._emit_toasts({toast}, self._token)
            await self._server.clear_toast()
            self._toasts = set()

    def _unsupported_reason(self, op: AnyOp) -> str:
        if op.kind != "pinch":
            return super()._unsupported_reason(op)
        return PINCH_HINT if self._server is None else self._server.lost_reason

    async def _build_layout(self, snapshot: ScreenSnapshot) -> ScreenLayout:
        size = await self.screen.size()
        layout = ScreenLayout(snapshot.hierarchy, size)
        width, height = layout.screen
        outside = (
            root.bounds.right > width or root.bounds.bottom > height for root in snapshot.hierarchy.roots
        )
        if size is not None and any(outside):  # the size was changed meanwhile
            layout = ScreenLayout(snapshot.hierarchy, await self.screen.size(refresh=True))
        return layout

    async def _take_screenshot(self, hide: Sequence[ScreenBounds]) -> bytes:
        return await self.screen.screenshot(hide)

    async def _follow_link(self, url: str) -> PerformRefused | None:
        """Start the application of an `android:` address; open any other link as if it had been pressed."""
        if not url.startswith(SCHEME):
            await self.applications.open_link(url)
            return None
        address = parse_address(url)
        if address.serial not in ("", self.device.serial) or not address.package:
            return PerformRefused(
                "invalid",
                f"`{url}` is not an application on `{self.device.serial}`; open another session for it",
            )
        await self.applications.start(address.component)
        return None

    def _address_of(self, foreground: ForegroundApp) -> str:
        return str(AndroidAddress(foreground.package, foreground.activity, self._address.serial))

    def _is_expected_app(self, foreground: ForegroundApp) -> bool:
        return not self._address.package or foreground.package in ("", self._address.package)

    # ------------------------------------------------------------------ the log

    async def _follow_log(self) -> None:
        package = self._address.package or (self._snapshot.foreground.package if self._snapshot else "")
        if not package:
            return
        parser = LogcatParser(package, await self.applications.pids(package))
        self._log = LogStream(self.device, parser, self._on_log_line)
        self._log.start()

    def _on_log_line(self, line: LogLine) -> None:
        if line.relevance < RELEVANT:
            return
        at, text = time.monotonic(), f"{line.tag}: {line.message}"
        if line.level in ("error", "fatal") and line.relevance >= 0.9:
            self._revisions.emit(PageError(tab=TAB, at=at, text=text))
        else:
            self._revisions.emit(ConsoleLine(tab=TAB, at=at, level=line.level, text=text))
