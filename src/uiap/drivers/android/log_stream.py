"""The device's log as it is written: a thread of its own reads it, and what is relevant is told as it comes."""

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
    """Follows one device; ends by `close`, or with the device."""

    def __init__(self, device: Device, reader: LogcatParser, heard: Callable[[LogLine], None]) -> None:
        self.lines: deque[LogLine] = deque(maxlen=MAX_LINES)
        """What was written of late, with its relevance."""
        self._device, self._reader, self._heard = device, reader, heard
        self._program: RemoteProcess | None = None
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._follow, args=(loop,), name="uiap-logcat", daemon=True)
        self._thread.start()

    async def close(self) -> None:
        """Back when the device has no program of ours any more, or does not answer."""
        self._ended.set()
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        if self._program is not None:
            self._program.end()
        if self._thread is not None:
            self._thread.join(STOP_S)
        if self._program is not None:
            self._program.cut()

    def _follow(self, loop: asyncio.AbstractEventLoop) -> None:
        with suppress(OSError, AdbError, DriverError):  # the device went, or we did
            program = self._program = self._device.lasting("logcat -v threadtime -T 1")
            if self._ended.is_set():  # meanwhile, and nobody knew of it yet
                program.end()
            held = b""
            while data := program.read():
                *whole, held = (held + data).split(b"\n")
                for line in whole:
                    said = self._reader.read(line.decode("utf-8", "replace").rstrip("\r"))
                    if said is not None:
                        with suppress(RuntimeError):  # the loop has ended
                            loop.call_soon_threadsafe(self._take, said)

    def _take(self, line: LogLine) -> None:
        if not self._ended.is_set():
            self.lines.append(line)
            self._heard(line)
