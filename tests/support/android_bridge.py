"""Real adb and real adbd for Linux in their own network namespace, as a device for tests.

adbd accepts every connection without authentication, so it runs only in a namespace whose network is its own loopback.
The adb server next to it is reached through a socket file, and from here through a port of this machine's loopback.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from tests.support.android_handset import COMMANDS, Handset

WAIT_S = 20.0
CLIENT = Path(__file__).with_name("android_client.pl")
RELAY = Path(__file__).with_name("android_relay.py")
_OWN_ROOT = """
root=$1 tmp=$2 adbd=$3
mount -t tmpfs tmpfs "$root"
for top in /*; do
  if [ -L "$top" ]; then cp -P "$top" "$root$top"
  elif [ -d "$top" ]; then mkdir "$root$top" && mount --rbind "$top" "$root$top"; fi
done
mkdir -p "$root/data/local/tmp" "$root/sdcard"
mount --bind "$tmp" "$root/data/local/tmp"
mount --bind "$tmp" "$root/sdcard"
exec unshare --root="$root" "$adbd"
"""
"""The file system of this machine, with the additional folders of a device."""
_LOOPBACK_UP = """
import fcntl, os, socket, struct, sys
with socket.socket() as one:
    fcntl.ioctl(one, 0x8914, struct.pack("16sh", b"lo", 0x1 | 0x40))
os.execvp(sys.argv[1], sys.argv[1:])
"""


def adbd() -> Path | None:
    """Return the adbd of `make android` or of the system."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    paths = (cache / "uiap/android/adbd", Path("/usr/lib/android-sdk/platform-tools/adbd"))
    return next((one for one in paths if os.access(one, os.X_OK)), None)


def adb() -> str | None:
    if found := shutil.which("adb"):
        return found
    with contextlib.suppress(Exception):
        from adbutils import adb_path

        return str(adb_path())
    return None


def missing() -> str | None:
    """Return why no device can be started, in one sentence, or None."""
    if adbd() is None:
        return "no device to test: adbd is not installed (`make android`)"
    if adb() is None:
        return "no device to test: adb is not installed"
    absent = [name for name in ("perl", "unshare", "nsenter") if shutil.which(name) is None]
    if absent:
        return f"no device to test: {', '.join(absent)} not installed"
    if _unshare() is None:
        return "no device to test: this user may not create namespaces"
    return None


def _unshare() -> list[str] | None:
    for command in (["unshare", "-n"], ["unshare", "-rn"]):
        with contextlib.suppress(OSError):
            mount = [*command, "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
            if subprocess.run(mount, capture_output=True).returncode == 0:
                return command
    return None


class Bridge:
    """Devices behind one adb server. Each has an adbd, a folder of commands, and a `Handset` that executes them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._socket = folder / "adb.sock"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self._handsets: dict[str, Handset] = {}
        self._relay = _Relay(self._socket)
        self.environ = {"ANDROID_ADB_SERVER_PORT": str(self._relay.port)}
        self._server_process = self._spawn(
            [*(_unshare() or []), sys.executable, "-IS", "-c", _LOOPBACK_UP, *self._server_command()]
        )
        self._wait_until(self._socket.exists, "the adb server")

    def _server_command(self) -> list[str]:
        return [str(adb()), "-L", f"localfilesystem:{self._socket}", "nodaemon", "server"]

    def add(self, handset: Handset, port: int = 5599) -> str:
        """Start a device and return its serial."""
        home = self._folder / f"device{port}"
        bin, tmp, root = home / "bin", home / "tmp", home / "root"
        for folder in (bin, tmp, root):
            folder.mkdir(parents=True, exist_ok=True)
        handset.serve(home / "handset.sock")
        for name in COMMANDS:
            script = bin / name
            _script(script, f'exec perl {CLIENT} {home}/handset.sock {name} "$@"')
        handset.folder = tmp
        handset.server.serve(home / "server.sock")
        check = f'perl {CLIENT} {home}/handset.sock app_process "$CLASSPATH" "$@" || exit 1'
        _script(bin / "app_process", f'{check}\nexec {sys.executable} -IS {RELAY} {home}/server.sock "$4"')
        environ = {
            "PATH": f"{bin}:/usr/bin:/bin",
            "HOME": str(home),
            "ADBD_PORT": str(port),
            "LANG": "C.UTF-8",
        }
        serial = f"127.0.0.1:{port}"
        self._handsets[serial] = handset
        own_root = ["unshare", "-m", "sh", "-ec", _OWN_ROOT, "sh", str(root), str(tmp), str(adbd())]
        self._daemons[serial] = self._spawn([*self._enter_namespace(), *own_root], environ)
        self.connect(serial)
        return serial

    def _enter_namespace(self) -> list[str]:
        """Return the command prefix for the namespace of the adb server."""
        user = ["-U", "--preserve-credentials"] if (_unshare() or [])[-1:] == ["-rn"] else []
        return ["nsenter", "-t", str(self._server_process.pid), *user, "-n", "--"]

    def connect(self, serial: str) -> None:
        deadline = time.monotonic() + WAIT_S
        while not self.request(f"host:connect:{serial}").startswith(("connected", "already")):
            assert time.monotonic() < deadline, f"no adbd at {serial} within {WAIT_S:g} s"
            self._daemons[serial].poll()
        self._wait_until(lambda: f"{serial}\tdevice" in self.request("host:devices"), serial)

    def disconnect(self, serial: str) -> None:
        self.request(f"host:disconnect:{serial}")

    def remove(self, serial: str) -> None:
        self.disconnect(serial)
        self._daemons[serial].terminate()
        self._daemons.pop(serial).wait(10)
        self._handsets.pop(serial).close()

    def running(self, serial: str, name: str) -> list[int]:
        """Return the processes that run this command of the device."""
        home = self._home(serial)
        arguments = f"{home}/server.sock\0" if name == "app_process" else f"{home}/handset.sock\0{name}\0"
        found = []
        for one in Path("/proc").glob("[0-9]*/cmdline"):
            with contextlib.suppress(OSError):
                if arguments.encode() in one.read_bytes():
                    found.append(int(one.parent.name))
        return found

    def _home(self, serial: str) -> Path:
        return self._folder / f"device{serial.rpartition(':')[2]}"

    def request(self, message: str) -> str:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(WAIT_S)
            connection.connect(str(self._socket))
            connection.sendall(f"{len(message):04x}{message}".encode())
            answer = b""
            while data := connection.recv(65536):
                answer += data
        return (
            answer[8:].decode("utf-8", "replace")
            if answer.startswith(b"OKAY")
            else answer.decode("utf-8", "replace")
        )

    def close(self) -> None:
        for process in reversed(self._processes):
            if process.poll() is None:
                process.terminate()
        for process in self._processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for handset in self._handsets.values():
            handset.close()
        self._relay.close()

    def _spawn(self, command: list[str], environ: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        default = {
            "ADB_MDNS_AUTO_CONNECT": "0",
            "HOME": str(self._folder),
            "PATH": os.environ.get("PATH", ""),
        }
        process = subprocess.Popen(
            command,
            env=default if environ is None else environ,
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._processes.append(process)
        return process

    def _wait_until(self, condition: object, description: str) -> None:
        deadline, pause = time.monotonic() + WAIT_S, threading.Event()
        while not condition():  # type: ignore[operator]
            assert time.monotonic() < deadline, f"{description} was not ready within {WAIT_S:g} s"
            pause.wait(0.02)


def _script(path: Path, body: str) -> None:
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


class _Relay:
    """Forwards a loopback port to a socket file."""

    def __init__(self, to: Path) -> None:
        self._to = to
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            target = socket.socket(socket.AF_UNIX)
            try:
                target.connect(str(self._to))
            except OSError:
                client.close()
                target.close()
                continue
            for one, other in ((client, target), (target, client)):
                threading.Thread(target=_forward, args=(one, other), daemon=True).start()


def _forward(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    with contextlib.suppress(OSError):
        other.shutdown(socket.SHUT_WR)
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RD)


@contextlib.contextmanager
def bridge(folder: Path) -> Iterator[Bridge]:
    opened = Bridge(folder)
    try:
        yield opened
    finally:
        opened.close()
