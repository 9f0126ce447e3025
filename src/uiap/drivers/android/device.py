"""Run commands on one device through adb, with timeouts, and with errors that say what to do.

The connection is that of adbutils. Every argument of a command is quoted here, so that the shell of the
device reads it as one word, whatever it contains (MDM-P1). It knows shells, and no screens.
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
    """The device ran the command, and the command failed."""

    def __init__(self, command: str, code: int, output: str) -> None:
        super().__init__(f"`{command}` failed on the device (code {code}): {output or 'it printed nothing'}")
        self.exit_code, self.output = code, output


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The output and the exit code of a command."""

    code: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        return self.out.decode("utf-8", "replace")

    @property
    def error_line(self) -> str:
        """The last line of the error output, or else of the output."""
        lines = [*self.text.splitlines(), *self.err.decode("utf-8", "replace").splitlines()]
        return next((line.strip()[:300] for line in reversed(lines) if line.strip()), "")


def quote_command(*args: object) -> str:
    """Return a command line in which every argument is one word for the shell."""
    return " ".join(shlex.quote(str(arg)) for arg in args)


class Device:
    """One device. Calls run in threads, with one socket each; a lost device is looked up again by its serial."""

    def __init__(self, client: AdbClient, serial: str) -> None:
        self.serial = serial
        self._client = client
        self._adb_device: AdbDevice | None = None

    @classmethod
    async def choose(cls, serial: str, package: str, environ: Mapping[str, str]) -> Device:
        """Choose a device: by serial, or the only one, or the only one that has the application."""
        client = _client(environ)
        await _run_in_thread(lambda: _ensure_server(client), "adb start-server", SERVER_S)
        states = await _run_in_thread(lambda: _device_states(client), "adb devices", SHELL_S)
        ready = [one for one, state in states.items() if state == "device"]
        if serial:
            if serial in ready:
                return cls(client, serial)
            raise Unavailable(_not_ready_message(serial, states))
        if not ready:
            raise Unavailable(_none_ready_message(states))
        if len(ready) > 1 and package:
            with_package = [one for one in ready if await cls(client, one).has_package(package)]
            if len(with_package) == 1:
                return cls(client, with_package[0])
        if len(ready) > 1:
            example = f"android:{package}@{ready[0]}"
            raise Unavailable(f"{len(ready)} devices are ready: {', '.join(ready)}; say which: `{example}`")
        return cls(client, ready[0])

    async def has_package(self, package: str) -> bool:
        return (await self.run("pm", "path", package)).code == 0

    # -- commands -------------------------------------------------------------------------------------------

    async def run(self, *args: object, timeout_s: float = SHELL_S) -> CommandOutput:
        """Run a program with its arguments; the caller checks the exit code."""
        return await self.script(quote_command(*args), timeout_s=timeout_s)

    async def check_output(self, *args: object, timeout_s: float = SHELL_S) -> str:
        """Run a program and return its output; raise `CommandFailed` for an exit code other than 0."""
        output = await self.run(*args, timeout_s=timeout_s)
        if output.code != 0:
            raise CommandFailed(quote_command(*args)[:200], output.code, output.error_line)
        return output.text

    async def script(self, line: str, *, timeout_s: float = SHELL_S) -> CommandOutput:
        """Run a line in the device's shell; the caller quotes its arguments with `quote_command`."""

        def call() -> CommandOutput:
            answer = self._device().shell2(line, timeout=timeout_s, encoding=None, v2=True)
            return CommandOutput(answer.returncode, answer.stdout or answer.output, answer.stderr or b"")

        return await self._call(call, line.split(" ", 1)[0], timeout_s)

    async def output_bytes(self, *args: object, timeout_s: float = SHELL_S) -> bytes:
        """Run a program and return its output as bytes."""
        output = await self.run(*args, timeout_s=timeout_s)
        if output.code != 0 or not output.out:
            raise CommandFailed(quote_command(*args)[:200], output.code, output.error_line)
        return output.out

    async def run_with_input(self, data: bytes, *args: object, timeout_s: float = TRANSFER_S) -> str:
        """Run a program with these bytes as its input, and return its output."""

        def call() -> str:
            with self._device().open_transport(timeout=timeout_s) as connection:
                connection.send_command(f"exec:{quote_command(*args)}")
                connection.check_okay()
                connection.conn.sendall(data)
                return str(connection.read_until_close())

        return await self._call(call, str(args[0]), timeout_s)

    async def push_file(self, file: Path, to: str) -> None:
        """Copy a file to the device, unless a file with this name and size is already there."""

        def call() -> None:
            sync = self._device().sync
            if sync.stat(to).size != file.stat().st_size:
                sync.push(file, to, 0o644, check=True)

        await self._call(call, f"push {to}", TRANSFER_S)

    def start_process(self, line: str) -> RemoteProcess:
        """Start a shell line that keeps running on the device; blocks, so call it in a thread."""
        return RemoteProcess(self._device().open_shell(SUPERVISED.format(line=line)))

    def connect_port(self, port: int, timeout_s: float) -> socket.socket:
        """Connect to a port of the device; blocks, and raises `AdbError` if nothing listens there."""
        connection: socket.socket = self._device().create_connection(Network.TCP, port)
        connection.settimeout(timeout_s)
        return connection

    # -- the connection -------------------------------------------------------------------------------------

    def _device(self) -> AdbDevice:
        """Return the device by its transport id, which saves one call per command and ends with the connection."""
        if self._adb_device is None:
            for one in self._client.list(extended=True):
                if one.serial == self.serial and one.state == "device":
                    self._adb_device = AdbDevice(self._client, transport_id=one.transport_id)
                    break
            else:
                raise ConnectionLost(
                    f"the device `{self.serial}` is gone; connect it again and check `adb devices`"
                )
        return self._adb_device

    async def _call(self, call: Callable[[], T], description: str, timeout_s: float) -> T:
        try:
            return await _run_in_thread(call, description, timeout_s)
        except ConnectionLost:
            self._adb_device = None
            raise


async def _run_in_thread(call: Callable[[], T], description: str, timeout_s: float) -> T:
    """Run a call in a thread and translate adb's errors.

    The socket has the timeout; the longer one here covers a hang before the socket is open.
    """
    try:
        async with asyncio.timeout(timeout_s + 5):
            return await asyncio.to_thread(call)
    except (AdbTimeout, TimeoutError) as late:
        if isinstance(late, AdbTimeout) and "connect" in str(late):
            raise Unavailable("the adb server does not answer; try `adb kill-server`") from late
        raise CallTimedOut(description, timeout_s) from late
    except (EOFError, ConnectionError) as lost:
        raise ConnectionLost("the device closed the connection; check `adb devices`") from lost
    except AdbConnectionError as missing:
        raise Unavailable(f"the adb server cannot be reached: {missing}") from missing
    except FileNotFoundError as missing:
        raise Unavailable("adb is not installed; install it (Debian: apt install adb)") from missing
    except AdbError as error:
        output = str(error)
        if any(word in output for word in _DEVICE_GONE_WORDS):
            raise ConnectionLost(f"the device is gone: {output}; check `adb devices`") from error
        raise CommandFailed(description, -1, output) from error


def _client(environ: Mapping[str, str]) -> AdbClient:
    """Return a client for the server that the environment names, with the same variables as the `adb` command."""
    host = environ.get("ANDROID_ADB_SERVER_ADDRESS") or environ.get("ANDROID_ADB_SERVER_HOST") or SERVER_HOST
    port = environ.get("ANDROID_ADB_SERVER_PORT", "")
    if spec := environ.get("ADB_SERVER_SOCKET", ""):
        kind, _, rest = spec.partition(":")
        if kind != "tcp":
            raise Unavailable(f"ADB_SERVER_SOCKET `{spec}` is not a tcp address; use tcp:HOST:PORT")
        host, _, port = rest.rpartition(":") if ":" in rest else ("", "", rest)
    return AdbClient(host=host or SERVER_HOST, port=int(port) if port.isdigit() else SERVER_PORT)


def _ensure_server(client: AdbClient) -> None:
    """Start the adb server if needed.

    adbutils would let it write to our standard output, which may carry a protocol.
    """
    try:
        socket.create_connection((client.host, client.port), timeout=5).close()
        return
    except OSError as error:
        if client.host not in ("127.0.0.1", "localhost", "::1"):
            raise Unavailable(f"there is no adb server at {client.host}:{client.port}: {error}") from error
    devnull = subprocess.DEVNULL
    command = [adb_path(), "-P", str(client.port), "start-server"]
    try:
        subprocess.run(command, timeout=SERVER_S, check=False, stdin=devnull, stdout=devnull, stderr=devnull)
    except subprocess.TimeoutExpired as late:
        raise Unavailable(f"the adb server did not start within {SERVER_S:g} s; try it in a shell") from late


def _device_states(client: AdbClient) -> dict[str, str]:
    return {one.serial: one.state for one in client.list()}


def _not_ready_message(serial: str, states: Mapping[str, str]) -> str:
    if serial in states:
        return (
            f"the device `{serial}` is {states[serial]}: {_REMEDIES.get(states[serial], 'connect it again')}"
        )
    listed = ", ".join(f"{one} ({state})" for one, state in states.items())
    return f"there is no device `{serial}`; adb sees {listed or 'none'}"


def _none_ready_message(states: Mapping[str, str]) -> str:
    if not states:
        return "no device is connected; plug one in with USB debugging on, or `adb connect HOST:PORT`"
    return "; ".join(_not_ready_message(serial, states) for serial in states)


_REMEDIES = {
    "unauthorized": "unlock it and allow USB debugging for this computer",
    "offline": "plug it in again, or `adb reconnect`",
    "no permissions": "this user may not use the USB device; set up the udev rules for Android",
}
