"""A stand-in for the server of uiautomator2 on a device: JSON-RPC over HTTP, as strict as the real one.

Written by what u2.jar 0.4.1 does: it hears toasts only while it runs and keeps the last one until it is cleared, its
gestures are for points and wait for nothing, and while it runs nobody else on the device may read the screen.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

MAIN = "com.wetest.uia2.Main"
SIGNATURES: dict[str, tuple[tuple[type, ...], ...]] = {
    "dumpWindowHierarchy": ((bool,), (bool, int), (bool, int, bool)),
    "gesture": ((dict, dict, dict, dict, dict, int),),
    "getLastToast": ((),),
    "clearLastToast": ((),),
}


class Server:
    def __init__(self, dump: Callable[[], str], pinch: Callable[..., None]) -> None:
        self._dump, self._pinch = dump, pinch
        self._life: set[socket.socket] = set()
        self._http: ThreadingHTTPServer | None = None
        self.renew()

    def renew(self) -> None:
        self.asked: Counter[str] = Counter()
        self.last_toast: str | None = None
        self.dies_at = ""
        """The method in the middle of which it ends."""
        self.hang_at: dict[str, threading.Event] = {}
        """Calls of a method wait for it."""
        self.wrong_at: dict[str, str] = {}
        """What calls of a method answer to be wrong."""
        self.claimed = False
        """Somebody else on the device reads the screen."""

    @property
    def runs(self) -> bool:
        """Its process says nothing: what could be read is its end."""
        return any(one.fileno() >= 0 and not select.select([one], [], [], 0)[0] for one in list(self._life))

    def toast(self, text: str) -> None:
        """One is shown."""
        if self.runs:
            self.last_toast = text

    def end(self) -> None:
        for one in list(self._life):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    # -- serving --------------------------------------------------------------------------------------------

    def serve(self, path: Path) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def handle(self) -> None:
                if self.connection.recv(5, socket.MSG_PEEK) == b"life\n":
                    server._live(self.connection)
                else:
                    super().handle()

            def do_GET(self) -> None:
                self._answer(*((200, b"pong") if self.path == "/ping" else (404, b"Not Found!!!")))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path != "/jsonrpc/0":
                    self._answer(404, b"Not Found!!!")
                elif (said := server.answer(json.loads(body))) is not None:
                    self._answer(200, json.dumps(said).encode())

            def _answer(self, status: int, data: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        class Http(ThreadingHTTPServer):
            address_family = socket.AF_UNIX
            daemon_threads = True
            block_on_close = False

            def server_bind(self) -> None:
                self.socket.bind(self.server_address)

            def handle_error(self, *_: object) -> None:
                pass  # whoever asked hung up

        self._http = Http(str(path), Handler)  # type: ignore[arg-type]
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        self.end()
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()

    def _live(self, wire: socket.socket) -> None:
        wire.recv(5)
        self.last_toast = None
        self._life.add(wire)
        with contextlib.suppress(OSError):
            wire.recv(1)
        self._life.discard(wire)

    # -- what it does ---------------------------------------------------------------------------------------

    def answer(self, call: Any) -> dict[str, Any] | None:
        assert call["jsonrpc"] == "2.0" and set(call) == {"jsonrpc", "id", "method", "params"}, call
        method, params = call["method"], call["params"]
        self.asked[method] += 1
        if method in self.hang_at:
            self.hang_at[method].wait(60)
        if self.dies_at == method:
            self.end()
            return None
        fits = any(
            len(params) == len(types) and all(type(p) is t for p, t in zip(params, types, strict=True))
            for types in SIGNATURES.get(method, ())
        )
        made: dict[str, Any] = {"jsonrpc": "2.0", "id": call["id"]}
        if method in self.wrong_at:
            wrong = self.wrong_at[method]
            return made | {"error": {"code": -32001, "message": wrong, "data": "java.lang.Exception"}}
        if not fits:
            code, why = (
                (-32602, "method parameters invalid")
                if method in SIGNATURES
                else (-32601, "method not found")
            )
            return made | {"error": {"code": code, "message": why}}
        return made | {"result": getattr(self, f"_{method}")(*params)}

    def _dumpWindowHierarchy(self, compressed: bool, depth: int = 50, active: bool = False) -> str:
        assert active, "without this the status bar and the keyboard are in it"
        return self._dump()

    def _gesture(self, selector: dict[str, Any], *points: Any) -> bool:
        assert set(selector) == {"mask", "childOrSibling", "childOrSiblingSelector"}, selector
        *corners, steps = points
        assert all(set(one) == {"x", "y"} and all(type(v) is int for v in one.values()) for one in corners)
        assert steps > 0
        one, other, one_end, other_end = ((point["x"], point["y"]) for point in corners)
        self._pinch((one, one_end), (other, other_end))
        return True

    def _getLastToast(self) -> str | None:
        return self.last_toast

    def _clearLastToast(self) -> None:
        self.last_toast = None
