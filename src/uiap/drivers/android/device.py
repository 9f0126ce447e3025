"""One device through adb: commands with a bound, and errors that say what to do. Knows shells, and no screens.

The wire is adbutils'. Every command is made of words that are quoted here: nothing that was typed, read or named is
ever read by the device's shell as anything but one word (MDM-P1).
"""

from __future__ import annotations

import asyncio
import shlex
import socket
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from adbutils import AdbClient, AdbDevice, Network, adb_path
from adbutils.errors import AdbConnectionError, AdbError, AdbTimeout

from uiap.drivers.android.remote_process import SUPERVISED, RemoteProcess
from uiap.drivers.errors import CallTimedOut, ConnectionLost, DriverError
from uiap.errors import Unavailable

T = TypeVar("T")
SHELL_S, TRANSFER_S, SERVER_S = 10.0, 180.0, 20.0
SERVER_HOST, SERVER_PORT = "127.0.0.1", 5037
_DEVICE_GONE_WORDS = ("not found", "device offline", "closed", "no device", "disconnected", "unauthorized")


class CommandFailed(DriverError):
    """The device ran it and said no."""

    def __init__(self, command: str, code: int, said: str) -> None:
        super().__init__(f"`{command}` failed on the device (code {code}): {said or 'it said nothing'}")
        self.exit_code, self.said = code, said


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """What a command wrote, and how it ended."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace")

    @property
    def complaint(self) -> str:
        """The last line of what it said went wrong, else of what it said at all."""
        lines = [*self.text.splitlines(), *self.err.decode("utf-8", "replace").splitlines()]
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


def quote_command(*args: object) -> str:
    """A command line in which every argument is one word to the shell."""
    return " ".join(shlex.quote(str(arg)) for arg in args)


class Device:
    """Calls run in threads, one socket each; a lost device is asked for again by its serial."""

    def __init__(self, client: AdbClient, serial: str) -> None:
        self.serial = serial
        self._client = client
        self._wire: AdbDevice | None = None

    @classmethod
    async def choose(cls, serial: str, package: str, environ: Mapping[str, str]) -> Device:
        """By serial; else the only one; else the only one that has the application."""
        client = _client(environ)
        await _run_in_thread(lambda: _ensure_server(client), "adb start-server", SERVER_S)
        seen = await _run_in_thread(lambda: _device_states(client), "adb devices", SHELL_S)
        ready = [one for one, state in seen.items() if state == "device"]
        if serial:
            if serial in ready:
                return cls(client, serial)
            raise Unavailable(_not_ready_message(serial, seen))
        if not ready:
            raise Unavailable(_none_ready_message(seen))
        if len(ready) > 1 and package:
            having = [one for one in ready if await cls(client, one).has(package)]
            if len(having) == 1:
                return cls(client, having[0])
        if len(ready) > 1:
            example = f"android:{package}@{ready[0]}"
            raise Unavailable(f"{len(ready)} devices are ready: {', '.join(ready)}; say which: `{example}`")
        return cls(client, ready[0])

    async def has(self, package: str) -> bool:
        return (await self.run("pm", "path", package)).code == 0

    # -- commands -------------------------------------------------------------------------------------------

    async def run(self, *args: object, seconds: float = SHELL_S) -> CommandOutput:
        """One program with its arguments; how it ended is for the caller to judge."""
        return await self.script(quote_command(*args), seconds=seconds)

    async def must(self, *args: object, seconds: float = SHELL_S) -> str:
        """The same, where a failure is an error."""
        said = await self.run(*args, seconds=seconds)
        if said.code != 0:
            raise CommandFailed(quote_command(*args)[:200], said.code, said.complaint)
        return said.text

    async def script(self, line: str, *, seconds: float = SHELL_S) -> CommandOutput:
        """A line for the device's shell; whoever makes one quotes what goes into it by `quote_command`."""

        def call() -> CommandOutput:
            answer = self._device().shell2(line, timeout=seconds, encoding=None, v2=True)
            return CommandOutput(answer.returncode, answer.stdout or answer.output, answer.stderr or b"")

        return await self._call(call, line.split(" ", 1)[0], seconds)

    async def bytes_of(self, *args: object, seconds: float = SHELL_S) -> bytes:
        """What a program writes, byte for byte."""
        said = await self.run(*args, seconds=seconds)
        if said.code != 0 or not said.out:
            raise CommandFailed(quote_command(*args)[:200], said.code, said.complaint)
        return said.out

    async def feed(self, data: bytes, *args: object, seconds: float = TRANSFER_S) -> str:
        """What a program says that gets these bytes as its input."""

        def call() -> str:
            with self._device().open_transport(timeout=seconds) as wire:
                wire.send_command(f"exec:{quote_command(*args)}")
                wire.check_okay()
                wire.conn.sendall(data)
                return str(wire.read_until_close())

        return await self._call(call, str(args[0]), seconds)

    async def put(self, file: Path, to: str) -> None:
        """A file of this computer onto the device, unless one of its size is there under that name."""

        def call() -> None:
            sync = self._device().sync
            if sync.stat(to).size != file.stat().st_size:
                sync.push(file, to, 0o644, check=True)

        await self._call(call, f"push {to}", TRANSFER_S)

    def lasting(self, line: str) -> RemoteProcess:
        """A line for the device's shell that goes on; blocking, for a thread of its own."""
        return RemoteProcess(self._device().open_shell(SUPERVISED.format(line=line)))

    def dial(self, port: int, seconds: float) -> socket.socket:
        """A connection to a port of the device; blocking, AdbError where nobody listens."""
        wire: socket.socket = self._device().create_connection(Network.TCP, port)
        wire.settimeout(seconds)
        return wire

    # -- the wire -------------------------------------------------------------------------------------------

    def _device(self) -> AdbDevice:
        """By the number of its connection: one call less for every command, and gone with the connection."""
        if self._wire is None:
            for one in self._client.list(extended=True):
                if one.serial == self.serial and one.state == "device":
                    self._wire = AdbDevice(self._client, transport_id=one.transport_id)
                    break
            else:
                raise ConnectionLost(f"the device `{self.serial}` is gone; connect it again (`adb devices`)")
        return self._wire

    async def _call(self, call: Callable[[], T], what: str, seconds: float) -> T:
        try:
            return await _run_in_thread(call, what, seconds)
        except ConnectionLost:
            self._wire = None
            raise


async def _run_in_thread(call: Callable[[], T], what: str, seconds: float) -> T:
    """In a thread, with adb's errors as ours. The socket has the bound; this one is for what hangs before it."""
    try:
        async with asyncio.timeout(seconds + 5):
            return await asyncio.to_thread(call)
    except (AdbTimeout, TimeoutError) as late:
        if isinstance(late, AdbTimeout) and "connect" in str(late):
            raise Unavailable("the adb server does not answer; try `adb kill-server`") from late
        raise CallTimedOut(what, seconds) from late
    except (EOFError, ConnectionError) as lost:
        raise ConnectionLost("the device hung up in the middle; look at `adb devices`") from lost
    except AdbConnectionError as missing:
        raise Unavailable(f"no adb server: {missing}") from missing
    except FileNotFoundError as missing:
        raise Unavailable("there is no adb here; install it (Debian: apt install adb)") from missing
    except AdbError as error:
        said = str(error)
        if any(word in said for word in _DEVICE_GONE_WORDS):
            raise ConnectionLost(f"the device is gone: {said}; look at `adb devices`") from error
        raise CommandFailed(what, -1, said) from error


def _client(environ: Mapping[str, str]) -> AdbClient:
    """The server that the environment names, as the `adb` command reads it."""
    host = environ.get("ANDROID_ADB_SERVER_ADDRESS") or environ.get("ANDROID_ADB_SERVER_HOST") or SERVER_HOST
    port = environ.get("ANDROID_ADB_SERVER_PORT", "")
    if spec := environ.get("ADB_SERVER_SOCKET", ""):
        kind, _, rest = spec.partition(":")
        if kind != "tcp":
            raise Unavailable(f"ADB_SERVER_SOCKET `{spec}` is not a tcp address; use tcp:HOST:PORT")
        host, _, port = rest.rpartition(":") if ":" in rest else ("", "", rest)
    return AdbClient(host=host or SERVER_HOST, port=int(port) if port.isdigit() else SERVER_PORT)


def _ensure_server(client: AdbClient) -> None:
    """Started here if it has to be: adbutils would let it write to our standard output, which may be a protocol's."""
    try:
        socket.create_connection((client.host, client.port), timeout=5).close()
        return
    except OSError as error:
        if client.host not in ("127.0.0.1", "localhost", "::1"):
            raise Unavailable(f"no adb server at {client.host}:{client.port}: {error}") from error
    quiet = subprocess.DEVNULL
    command = [adb_path(), "-P", str(client.port), "start-server"]
    try:
        subprocess.run(command, timeout=SERVER_S, check=False, stdin=quiet, stdout=quiet, stderr=quiet)
    except subprocess.TimeoutExpired as late:
        raise Unavailable(f"the adb server did not start within {SERVER_S:g} s; try it in a shell") from late


def _device_states(client: AdbClient) -> dict[str, str]:
    return {one.serial: one.state for one in client.list()}


def _not_ready_message(serial: str, seen: Mapping[str, str]) -> str:
    if serial in seen:
        return f"the device `{serial}` is {seen[serial]}: {_REMEDIES.get(seen[serial], 'connect it again')}"
    here = ", ".join(f"{one} ({state})" for one, state in seen.items())
    return f"there is no device `{serial}`; adb sees {here or 'none'}"


def _none_ready_message(seen: Mapping[str, str]) -> str:
    if not seen:
        return "no device is connected; plug one in with USB debugging on, or `adb connect HOST:PORT`"
    return "; ".join(_not_ready_message(serial, seen) for serial in seen)


_REMEDIES = {
    "unauthorized": "unlock it and allow USB debugging for this computer",
    "offline": "plug it in again, or `adb reconnect`",
    "no permissions": "this user may not use the USB device; see udev rules for Android",
}
