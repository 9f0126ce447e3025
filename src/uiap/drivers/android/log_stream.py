"""Follow the log of a device in a thread, and report its lines as they are written."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from adbutils.errors import AdbError

from uiap.drivers.android.device import Device
from uiap.drivers.android.logcat import LogcatParser, LogLine
from uiap.drivers.android.remote_process import STOP_S, RemoteProcess
from uiap.drivers.errors import DriverError

MAX_LINES = 2000


class LogStream:
    """The log of one device, until `close` or until the device is gone."""

    def __init__(self, device: Device, parser: LogcatParser, on_line: Callable[[LogLine], None]) -> None:
        self.lines: deque[LogLine] = deque(maxlen=MAX_LINES)
        """The last lines, with their relevance."""
        self._device, self._parser, self._on_line = device, parser, on_line
        self._process: RemoteProcess | None = None
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._follow, args=(loop,), name="uiap-logcat", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """Stop following; return when the process on the device has ended or does not answer."""
        self._closed.set()
        await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        if self._process is not None:
            self._process.stop()
        if self._thread is not None:
            self._thread.join(STOP_S)
        if self._process is not None:
            self._process.disconnect()

    def _follow(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(OSError, AdbError, DriverError):  # the device is gone, or the stream is closed
            process = self._process = self._device.start_process("logcat -v threadtime -T 1")
            if self._closed.is_set():  # `close` was called while the process started
                process.stop()
            partial = b""
            while data := process.read():
                *lines, partial = (partial + data).split(b"\n")
                for line in lines:
                    parsed = self._parser.parse(line.decode("utf-8", "replace").rstrip("\r"))
                    if parsed is not None:
                        with suppress(RuntimeError):  # the event loop is closed
                            loop.call_soon_threadsafe(self._add, parsed)

    def _add(self, line: LogLine) -> None:
        if not self._closed.is_set():
            self.lines.append(line)
            self._on_line(line)
