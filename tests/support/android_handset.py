"""A simulated Android system: the answers of `uiautomator`, `input`, `am`, `pm`, `dumpsys` and others on its shell.

It shows one application and counts the commands. Tests switch on slow dumps, screens that never become idle, hangs and
refusals. It is not Android: differences of a real phone are not tested by it.
"""

from __future__ import annotations

import base64
import contextlib
import select
import socketserver
import struct
import threading
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from tests.support.android_server import MAIN, SimulatedServer

COMMANDS = (
    "am",
    "cmd",
    "dumpsys",
    "getprop",
    "input",
    "logcat",
    "monkey",
    "pidof",
    "pm",
    "screencap",
    "settings",
    "uiautomator",
    "wm",
)
PID = 4242
Track = tuple[tuple[int, int], tuple[int, int]]
"""The start and the end of one finger."""


class App(Protocol):
    """The application on the screen, and its reactions to touches and keys."""

    component: str

    def dump(self) -> str: ...

    def tap(self, x: int, y: int) -> None: ...

    def swipe(self, start: tuple[int, int], end: tuple[int, int], ms: int) -> None: ...

    def type(self, text: str) -> None: ...

    def key(self, code: int) -> None: ...

    def pinch(self, one: Track, other: Track) -> None: ...


class Reply:
    """The output of a command."""

    def __init__(self, send: Callable[[bytes, bytes], None], is_ended: Callable[[], bool]) -> None:
        self._send = send
        self.is_ended = is_ended
        """Returns whether the command was ended meanwhile."""

    def out(self, data: str | bytes) -> None:
        self._send(b"o", data.encode() if isinstance(data, str) else data)

    def err(self, text: str) -> None:
        self._send(b"e", text.encode())

    def file(self, path: str, content: str) -> None:
        self._send(b"f", path.encode() + b"\0" + content.encode())


class Handset:
    """One simulated device."""

    def __init__(self, app: App, *, package: str | None = None) -> None:
        self.app = app
        self.package = package or app.component.partition("/")[0]
        self.installed = {self.package}
        self.commands: Counter[str] = Counter()
        """How often each command was run."""
        self.inputs: list[tuple[str, ...]] = []
        """The arguments of every `input` command."""
        self.started: list[str] = []
        self.settings = {("secure", "default_input_method"): "com.android.inputmethod.latin/.LatinIME"}
        self.granted: set[tuple[str, str]] = set()
        self.size = "Physical size: 1080x2400"
        self.keyboard = False
        self.latency = 0.0
        self.failing_dumps = 0
        """The number of following dumps that fail because the screen is not idle."""
        self.hang: threading.Event | None = None
        """If set, dumps wait for this event."""
        self.ignores_input = False
        """`input` reports success, but nothing happens."""
        self.broken_input = ""
        self.folder = Path("/nowhere")
        """The folder /data/local/tmp of the device."""
        self.pushed = b""
        """The content of the last program that was started there."""
        self.log_lines: list[str] = []
        self._log_changed = threading.Condition()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._server: Any = None
        self.server = SimulatedServer(self._dump_screen, self._pinch_screen)

    # -- serving --------------------------------------------------------------------------------------------

    def serve(self, path: Path) -> None:
        handset = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                size = int.from_bytes(self.rfile.read(4), "big")
                name, *args = self.rfile.read(size).decode("utf-8", "surrogateescape").split("\0")

                def send(kind: bytes, data: bytes) -> None:
                    self.wfile.write(kind + len(data).to_bytes(4, "big") + data)
                    self.wfile.flush()

                def is_ended() -> bool:  # the client sends nothing more, so readable means closed
                    return bool(select.select([self.connection], [], [], 0)[0])

                with contextlib.suppress(OSError):
                    code = handset.run(name, args, Reply(send, is_ended))
                    send(b"x", str(code).encode())

        class Server(socketserver.ThreadingUnixStreamServer):
            daemon_threads = True
            block_on_close = False
            request_queue_size = 64

        self._server = Server(str(path), Handler)
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    def close(self) -> None:
        self._closed.set()
        with self._log_changed:
            self._log_changed.notify_all()
        self.server.close()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def run(self, name: str, args: list[str], reply: Reply) -> int:
        self.commands[name] += 1
        return int(getattr(self, f"_{name}")(args, reply) or 0)

    def log(self, line: str) -> None:
        with self._log_changed:
            self.log_lines.append(line)
            self._log_changed.notify_all()

    # -- commands -------------------------------------------------------------------------------------------

    def _uiautomator(self, args: list[str], reply: Reply) -> int:
        path = args[-1]
        if self.latency:
            self._closed.wait(self.latency)
        if self.hang is not None:
            self.hang.wait(60)
        if self.server.runs or self.server.claimed:
            reply.err("ERROR: java.lang.IllegalStateException: UiAutomationService already registered!\n")
            return 1
        if self.failing_dumps > 0:
            self.failing_dumps -= 1
            reply.err("ERROR: could not get idle state.\n")  # the exit code is 0, as with the real program
            return 0
        reply.file(path, self._dump_screen())
        reply.out(f"UI hierchary dumped to: {path}\n")
        return 0

    def _dump_screen(self) -> str:
        with self._lock:
            return self.app.dump()

    def _pinch_screen(self, one: Track, other: Track) -> None:
        if not self.ignores_input:
            with self._lock:
                self.app.pinch(one, other)

    def _app_process(self, args: list[str], reply: Reply) -> int:
        """Check the command line of uiautomator2's server."""
        jar, *words = args
        self.pushed = (self.folder / Path(jar).name).read_bytes()
        assert jar.startswith("/data/local/tmp/") and words[:3] == ["/", MAIN, "-p"] and words[3].isdigit(), (
            args
        )
        if self.server.runs or self.server.claimed:
            reply.out("java.lang.IllegalStateException: UiAutomationService already registered!\n")
            return 1
        return 0

    def _input(self, args: list[str], reply: Reply) -> int:
        self.inputs.append(tuple(args))
        if self.broken_input:
            reply.err(self.broken_input + "\n")
            return 255
        if self.ignores_input:
            return 0
        verb, words = args[0], args[1:]
        with self._lock:
            if verb == "tap":
                self.app.tap(int(words[0]), int(words[1]))
            elif verb in ("swipe", "draganddrop"):
                x, y, to_x, to_y = map(int, words[:4])
                self.app.swipe((x, y), (to_x, to_y), int(words[4]) if len(words) > 4 else 300)
            elif verb == "text":
                if not words[0].isascii():
                    reply.err("java.lang.NullPointerException: Attempt to get length of null array\n")
                    return 255
                self.app.type(words[0].replace("%s", " "))
            elif verb == "keyevent":
                for code in words:
                    self.app.key(int(code))
            else:
                reply.err(f"Error: Unknown command: {verb}\n")
                return 255
        return 0

    def _am(self, args: list[str], reply: Reply) -> int:
        if args[0] == "start":
            return self._am_start(args, reply)
        if args[0] == "broadcast" and "ADB_INPUT_B64" in args:
            with self._lock:
                self.app.type(base64.b64decode(args[args.index("msg") + 1]).decode())
        elif args[0] == "force-stop":
            self.started.append(f"stop {args[1]}")
            with self._lock:
                getattr(self.app, "stop", lambda: None)()
        return 0

    def _am_start(self, args: list[str], reply: Reply) -> int:
        target = args[args.index("-n") + 1] if "-n" in args else args[args.index("-d") + 1]
        self.started.append(target)
        if "-n" in args and target.partition("/")[0] not in self.installed:
            reply.out(
                f"Starting: Intent {{ cmp={target} }}\nError type 3\nError: Activity class does not exist.\n"
            )
            return 0
        with self._lock:
            getattr(self.app, "start", lambda _: None)(target)
        reply.out(f"Starting: Intent {{ cmp={target} }}\nStatus: ok\nComplete\n")
        return 0

    def _pm(self, args: list[str], reply: Reply) -> int:
        verb, words = args[0], args[1:]
        package = words[-1] if words else ""
        if verb == "path":
            is_installed = package in self.installed
            reply.out(f"package:/data/app/{package}/base.apk\n" if is_installed else "")
            return 0 if is_installed else 1
        if verb == "list":
            reply.out("".join(f"package:{one}\n" for one in sorted(self.installed)))
        elif verb in ("clear", "uninstall"):
            if package not in self.installed:
                reply.out("Failed\n" if verb == "clear" else "Failure [DELETE_FAILED_INTERNAL_ERROR]\n")
                return 0
            self.started.append(f"{verb} {package}")
            if verb == "uninstall":
                self.installed.discard(package)
            reply.out("Success\n")
        elif verb in ("grant", "revoke"):
            app, permission = words
            (self.granted.add if verb == "grant" else self.granted.discard)((app, permission))
        return 0

    def _cmd(self, args: list[str], reply: Reply) -> int:
        if args[:2] == ["package", "resolve-activity"]:
            package = args[-1]
            if package in self.installed:
                launcher = (
                    self.app.component if self.app.component.startswith(f"{package}/") else f"{package}/.Main"
                )
                reply.out(f"priority=0 preferredOrder=0 match=0x108000\n{launcher}\n")
            else:
                reply.out("No activity found\n")
            return 0
        if args[:2] == ["package", "install"]:
            if args[-1] != "an apk":
                reply.out("Failure [INSTALL_PARSE_FAILED_NOT_APK]\n")
                return 1
            self.installed.add("org.example.fresh")
            reply.out("Success\n")
            return 0
        reply.out("No shell command implementation.\n")
        return 255

    def _dumpsys(self, args: list[str], reply: Reply) -> int:
        if args[0] == "activity":
            record = f"ActivityRecord{{1a2b3c u0 {self.app.component} t7}}"
            reply.out(f"  topResumedActivity={record}\n    mResumedActivity: {record}\n")
        elif args[0] == "input_method":
            reply.out(f"  mInputShown={str(self.keyboard).lower()}\n")
        return 0

    def _settings(self, args: list[str], reply: Reply) -> int:
        if args[0] == "get":
            reply.out(self.settings.get((args[1], args[2]), "null") + "\n")
        else:
            self.settings[args[1], args[2]] = args[3]
        return 0

    def _wm(self, args: list[str], reply: Reply) -> int:
        reply.out(self.size + "\n")
        return 0

    def _getprop(self, args: list[str], reply: Reply) -> int:
        properties = {
            "ro.build.version.release": "13",
            "ro.product.model": "Simulated",
            "ro.kernel.qemu": "0",
        }
        reply.out(properties.get(args[0] if args else "", "") + "\n")
        return 0

    def _pidof(self, args: list[str], reply: Reply) -> int:
        if args[-1] != self.package:
            return 1
        reply.out(f"{PID}\n")
        return 0

    def _screencap(self, args: list[str], reply: Reply) -> int:
        width, height = (int(number) for number in self.size.rpartition(" ")[2].split("x"))
        reply.out(png(width, height))
        return 0

    def _monkey(self, args: list[str], reply: Reply) -> int:
        reply.out("Events injected: 1\n")
        return 0

    def _logcat(self, args: list[str], reply: Reply) -> int:
        sent = 0
        while not self._closed.is_set() and not reply.is_ended():
            with self._log_changed:
                new_lines = self.log_lines[sent:]
                if not new_lines and "-d" not in args:
                    self._log_changed.wait(0.5)
                    new_lines = self.log_lines[sent:]
            for line in new_lines:
                reply.out(line + "\n")
            sent += len(new_lines)
            if "-d" in args:
                break
        return 0


def png(width: int, height: int) -> bytes:
    """Return a white picture."""
    rows = b"".join(b"\0" + b"\xff" * (width * 3) for _ in range(height))
    parts = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(rows)))
    image = b"\x89PNG\r\n\x1a\n"
    for kind, data in (*parts, (b"IEND", b"")):
        image += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return image
