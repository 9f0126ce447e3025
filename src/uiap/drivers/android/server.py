"""uiautomator2's program on the device, where the user allows it: two fingers, toasts, and readings of the screen.

The library brings the program and nothing else. Its client does a call again whose answer was lost, and a gesture that
may have happened is never done twice here; nor do its calls heed a bound (ADR 13). Only one program may read the screen
of a device: while this one runs it is asked, and when it has ended, for whatever reason, `uiautomator` can do it again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import secrets
import threading
import time
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from adbutils.errors import AdbError

from uiap.drivers.android.device import Device, quote_command
from uiap.drivers.android.remote_process import STOP_S, RemoteProcess
from uiap.drivers.errors import DriverError
from uiap.drivers.touchscreen.touch_input import PINCH_MS, Point
from uiap.errors import Unavailable

SETTING = "UIAP_ANDROID_SERVER"
PINCH_HINT = (
    f"`input` has one finger; set {SETTING}=1 to allow the program of uiautomator2 on the device, which has two, or "
    "open the device through Appium"
)
MAIN = "com.wetest.uia2.Main"
FOLDER = "/data/local/tmp"
PORTS = range(20000, 30000)
START_S, READ_S, CALL_S = 30.0, 30.0, 4.0
"""What is no reading ends within the time of a gesture, so that it can still go on without."""
STEP_MS = 5
MAX_DEPTH = 200
ANY_SELECTOR = {"mask": 0, "childOrSibling": [], "childOrSiblingSelector": []}
"""A gesture is for points; what else it names is not looked for."""
_SERVER_BROKEN_WORDS = ("UiAutomation not connected", "DeadObjectException", "DeadSystem")


class ServerFailed(DriverError):
    """It answered that something went wrong."""


class ServerLost(DriverError):
    """It runs no more. Where it was `reached`, it may have done what it was asked to."""

    def __init__(self, message: str, *, reached: bool) -> None:
        super().__init__(message)
        self.reached = reached


def is_allowed(environ: Mapping[str, str]) -> bool:
    return environ.get(SETTING, "").lower() in ("1", "true", "yes")


class UiAutomatorServer:
    def __init__(self, device: Device, program: RemoteProcess, port: int) -> None:
        self._device, self._program, self._port = device, program, port
        self._said, self._started = b"", False
        self._news, self._ended = threading.Event(), threading.Event()
        self._ending = asyncio.Lock()
        self.lost = ""
        """Why it runs no more."""
        self._thread = threading.Thread(target=self._listen, name="uiap-server", daemon=True)
        self._thread.start()

    @classmethod
    async def start(cls, device: Device) -> UiAutomatorServer:
        """Put it there, unless it is; back when it answers."""
        jar = _server_jar()
        digest = await asyncio.to_thread(lambda: hashlib.sha256(jar.read_bytes()).hexdigest())
        name = f"{FOLDER}/uiap-u2-{digest[:16]}.jar"
        await device.put(jar, name)
        port = secrets.choice(PORTS)
        line = f"CLASSPATH={name} {quote_command('app_process', '/', MAIN, '-p', port)} 2>&1"
        server = cls(device, await asyncio.to_thread(device.lasting, line), port)
        try:
            await asyncio.to_thread(server._wait)
        except BaseException:
            await server.close()
            raise
        return server

    async def close(self) -> None:
        """Back when it has ended on the device, or does not answer."""
        async with self._ending:
            self.lost = self.lost or "the session has ended"
            await asyncio.to_thread(self._end)

    # -- what it can do -------------------------------------------------------------------------------------

    async def hierarchy(self) -> str:
        """Of the window in front, as `uiautomator dump` writes it."""
        return str(await self._call("dumpWindowHierarchy", False, MAX_DEPTH, True, seconds=READ_S) or "")

    async def pinch(self, one: tuple[Point, Point], other: tuple[Point, Point]) -> None:
        """Two fingers, each from its first point to its second."""
        points = [{"x": x, "y": y} for x, y in (one[0], other[0], one[1], other[1])]
        done = await self._call("gesture", ANY_SELECTOR, *points, PINCH_MS // STEP_MS)
        if done is not True:
            raise ServerFailed("the device did not take both fingers")

    async def toast(self) -> str:
        """The last one since `forget_toast`, be it gone by now."""
        return str(await self._call("getLastToast") or "")

    async def forget_toast(self) -> None:
        await self._call("clearLastToast")

    # -- calls ----------------------------------------------------------------------------------------------

    async def _call(self, method: str, *params: Any, seconds: float = 0.0) -> Any:
        if self.lost:
            raise ServerLost(self.lost, reached=False)
        seconds = seconds or CALL_S
        asked = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            # the socket has the bound; this one is for what hangs before it
            async with asyncio.timeout(seconds + 5):
                data = await asyncio.to_thread(self._asked, "POST", "/jsonrpc/0", json.dumps(asked), seconds)
            said = json.loads(data)
        except AdbError:
            raise await self._lose("it does not listen any more", reached=False) from None
        except (OSError, HTTPException, ValueError) as error:
            why = f"no answer within {seconds:g} s" if isinstance(error, TimeoutError) else "it hung up"
            raise await self._lose(f"{why} (`{method}`)", reached=True) from error
        if "error" in said:
            wrong = str(said["error"].get("message", ""))[:300]
            if any(word in data.decode("utf-8", "replace") for word in _SERVER_BROKEN_WORDS):
                raise await self._lose(wrong, reached=True)
            raise ServerFailed(f"the program on the device failed at `{method}`: {wrong}")
        return said.get("result")

    def _asked(self, method: str, path: str, body: str | None, seconds: float) -> bytes:
        """One request by a connection of its own; AdbError where nobody listens."""
        wire = self._device.dial(self._port, seconds)
        asked = HTTPConnection("127.0.0.1", self._port)
        asked.sock = wire
        try:
            asked.request(method, path, body, {"Content-Type": "application/json"})
            answer = asked.getresponse()
            data = answer.read()
        finally:
            asked.close()
        if answer.status != 200:
            raise HTTPException(f"status {answer.status}")
        return data

    # -- its life -------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        while data := self._program.read():
            if not self._started:  # later it repeats what is on the clipboard
                self._said = (self._said + data)[-4096:]
                self._news.set()
        self._ended.set()
        self._news.set()

    def _wait(self) -> None:
        """Until it answers; what it says is a reason to ask, and so is time."""
        until = time.monotonic() + START_S
        while not self._answers():
            if self._ended.is_set() or time.monotonic() > until:
                raise Unavailable(f"the program of uiautomator2 does not run on the device: {self._why()}")
            self._news.wait(0.25)
            self._news.clear()
        self._started, self._said = True, b""

    def _answers(self) -> bool:
        try:
            return self._asked("GET", "/ping", None, CALL_S) == b"pong"
        except (AdbError, OSError, HTTPException):
            return False

    def _why(self) -> str:
        said = self._said.decode("utf-8", "replace")
        if "already registered" in said:
            return "another program reads its screen (uiautomator2, Appium, a test); end that one"
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        return next(
            (line for line in lines if "Exception" in line), lines[-1] if lines else "it says nothing"
        )[:300]

    async def _lose(self, why: str, *, reached: bool) -> ServerLost:
        """It is ended for good, whatever became of it: what half runs would keep all others from the screen."""
        async with self._ending:
            if not self.lost:
                self.lost = (
                    f"the program of uiautomator2 on the device has ended: {why}; the session goes on by plain adb, "
                    "without pinch and toasts; open it again to have them"
                )
                await asyncio.to_thread(self._end)
        return ServerLost(self.lost, reached=reached)

    def _end(self) -> None:
        self._program.end()
        self._thread.join(STOP_S)
        self._program.cut()


def _server_jar() -> Path:
    """The file that the library brings. It is not imported: it would bring much else."""
    found = find_spec("uiautomator2")
    jar = Path(found.origin).parent / "assets" / "u2.jar" if found is not None and found.origin else None
    if jar is None or not jar.exists():
        raise Unavailable(f"{SETTING} needs the extra android-server: pip install 'uiap[android-server]'")
    return jar
