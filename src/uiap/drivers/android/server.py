"""The server of uiautomator2 on the device, if the user allows it: two fingers, toasts, and readings of the screen.

The library contributes only the program. Its client repeats a call whose answer was lost, but a gesture that may have
happened must not be sent twice. Its calls also have no timeout (ADR 13). Only one program can read the screen of a
device: this server while it runs, and `uiautomator` after it has ended for any reason.
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
    f"`input` supports one finger only; set {SETTING}=1 to allow the server of uiautomator2 on the device, or open the "
    "device through Appium"
)
MAIN = "com.wetest.uia2.Main"
FOLDER = "/data/local/tmp"
PORTS = range(20000, 30000)
START_S, READ_S, CALL_S = 30.0, 30.0, 4.0
"""Calls other than readings end within the timeout of a gesture, which can then continue without the server."""
STEP_MS = 5
MAX_DEPTH = 200
ANY_SELECTOR = {"mask": 0, "childOrSibling": [], "childOrSiblingSelector": []}
"""A gesture takes points, so its selector matches anything."""
_SERVER_BROKEN_WORDS = ("UiAutomation not connected", "DeadObjectException", "DeadSystem")


class ServerFailed(DriverError):
    """The server answered with an error."""


class ServerLost(DriverError):
    """The server has ended. If `may_have_run`, it may have executed the call before."""

    def __init__(self, message: str, *, may_have_run: bool) -> None:
        super().__init__(message)
        self.may_have_run = may_have_run


def is_allowed(environ: Mapping[str, str]) -> bool:
    return environ.get(SETTING, "").lower() in ("1", "true", "yes")


class UiAutomatorServer:
    """The server on one device."""

    def __init__(self, device: Device, process: RemoteProcess, port: int) -> None:
        self._device, self._process, self._port = device, process, port
        self._startup_output, self._started = b"", False
        self._output_event, self._exited = threading.Event(), threading.Event()
        self._stop_lock = asyncio.Lock()
        self.lost_reason = ""
        """Why the server has ended; empty while it runs."""
        self._thread = threading.Thread(target=self._read_output, name="uiap-server", daemon=True)
        self._thread.start()

    @classmethod
    async def start(cls, device: Device) -> UiAutomatorServer:
        """Copy the server to the device if needed, start it, and wait until it answers."""
        jar = _server_jar()
        digest = await asyncio.to_thread(lambda: hashlib.sha256(jar.read_bytes()).hexdigest())
        name = f"{FOLDER}/uiap-u2-{digest[:16]}.jar"
        await device.push_file(jar, name)
        port = secrets.choice(PORTS)
        line = f"CLASSPATH={name} {quote_command('app_process', '/', MAIN, '-p', port)} 2>&1"
        server = cls(device, await asyncio.to_thread(device.start_process, line), port)
        try:
            await asyncio.to_thread(server._wait_until_ready)
        except BaseException:
            await server.close()
            raise
        return server

    async def close(self) -> None:
        """Stop the server; return when it has ended or does not answer."""
        async with self._stop_lock:
            self.lost_reason = self.lost_reason or "the session has ended"
            await asyncio.to_thread(self._stop)

    # -- calls for the driver -------------------------------------------------------------------------------

    async def hierarchy(self) -> str:
        """Return the hierarchy of the front window, in the form of `uiautomator dump`."""
        return str(await self._call("dumpWindowHierarchy", False, MAX_DEPTH, True, timeout_s=READ_S) or "")

    async def pinch(self, one: tuple[Point, Point], other: tuple[Point, Point]) -> None:
        """Move two fingers, each from its first point to its second."""
        points = [{"x": x, "y": y} for x, y in (one[0], other[0], one[1], other[1])]
        done = await self._call("gesture", ANY_SELECTOR, *points, PINCH_MS // STEP_MS)
        if done is not True:
            raise ServerFailed("the device did not accept a gesture with two fingers")

    async def toast(self) -> str:
        """Return the last toast since `clear_toast`, even if it is no longer shown."""
        return str(await self._call("getLastToast") or "")

    async def clear_toast(self) -> None:
        await self._call("clearLastToast")

    # -- JSON-RPC -------------------------------------------------------------------------------------------

    async def _call(self, method: str, *params: Any, timeout_s: float = 0.0) -> Any:
        if self.lost_reason:
            raise ServerLost(self.lost_reason, may_have_run=False)
        timeout_s = timeout_s or CALL_S
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        try:
            # the socket has the timeout; this one covers a hang before the socket is open
            async with asyncio.timeout(timeout_s + 5):
                data = await asyncio.to_thread(
                    self._http_request, "POST", "/jsonrpc/0", json.dumps(request), timeout_s
                )
            answer = json.loads(data)
        except AdbError:
            raise await self._mark_lost("it no longer accepts connections", may_have_run=False) from None
        except (OSError, HTTPException, ValueError) as error:
            reason = (
                f"no answer within {timeout_s:g} s"
                if isinstance(error, TimeoutError)
                else "it closed the connection"
            )
            raise await self._mark_lost(f"{reason} (`{method}`)", may_have_run=True) from error
        if "error" in answer:
            message = str(answer["error"].get("message", ""))[:300]
            if any(word in data.decode("utf-8", "replace") for word in _SERVER_BROKEN_WORDS):
                raise await self._mark_lost(message, may_have_run=True)
            raise ServerFailed(f"the server of uiautomator2 failed at `{method}`: {message}")
        return answer.get("result")

    def _http_request(self, method: str, path: str, body: str | None, timeout_s: float) -> bytes:
        """Send one request on a new connection and return the body; raise `AdbError` if nothing listens."""
        sock = self._device.connect_port(self._port, timeout_s)
        connection = HTTPConnection("127.0.0.1", self._port)
        connection.sock = sock
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise HTTPException(f"status {answer.status}")
        return data

    # -- start and stop -------------------------------------------------------------------------------------

    def _read_output(self) -> None:
        while data := self._process.read():
            if not self._started:  # later it prints the contents of the clipboard
                self._startup_output = (self._startup_output + data)[-4096:]
                self._output_event.set()
        self._exited.set()
        self._output_event.set()

    def _wait_until_ready(self) -> None:
        """Wait until the server answers; poll after each output, and at least every 0.25 s."""
        deadline = time.monotonic() + START_S
        while not self._responds():
            if self._exited.is_set() or time.monotonic() > deadline:
                raise Unavailable(
                    f"the server of uiautomator2 does not start on the device: {self._startup_error()}"
                )
            self._output_event.wait(0.25)
            self._output_event.clear()
        self._started, self._startup_output = True, b""

    def _responds(self) -> bool:
        try:
            return self._http_request("GET", "/ping", None, CALL_S) == b"pong"
        except (AdbError, OSError, HTTPException):
            return False

    def _startup_error(self) -> str:
        output = self._startup_output.decode("utf-8", "replace")
        if "already registered" in output:
            return "another program reads its screen (uiautomator2, Appium, a test); stop that program"
        lines = [line.strip() for line in output.splitlines() if line.strip()]
        return next(
            (line for line in lines if "Exception" in line), lines[-1] if lines else "it printed nothing"
        )[:300]

    async def _mark_lost(self, reason: str, *, may_have_run: bool) -> ServerLost:
        """Stop the server for good: a server that half runs would keep all other programs from the screen."""
        async with self._stop_lock:
            if not self.lost_reason:
                self.lost_reason = (
                    f"the server of uiautomator2 on the device has ended: {reason}; the session continues with plain "
                    "adb, without pinch and toasts; open it again to get them back"
                )
                await asyncio.to_thread(self._stop)
        return ServerLost(self.lost_reason, may_have_run=may_have_run)

    def _stop(self) -> None:
        self._process.stop()
        self._thread.join(STOP_S)
        self._process.disconnect()


def _server_jar() -> Path:
    """Return the server file of the library, without importing the library and its dependencies."""
    found = find_spec("uiautomator2")
    jar = Path(found.origin).parent / "assets" / "u2.jar" if found is not None and found.origin else None
    if jar is None or not jar.exists():
        raise Unavailable(f"{SETTING} needs the extra android-server: pip install 'uiap[android-server]'")
    return jar
