"""A simulated uiautomator2 server on a device: JSON-RPC over HTTP, as strict as the real one.

It follows u2.jar 0.4.1. That server records toasts only while it runs and keeps the last one until it is cleared. Its
gestures take points and wait for nothing. While it runs, no other program on the device can read the screen.
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


class SimulatedServer:
    """The server, with switches for its faults."""

    def __init__(self, dump: Callable[[], str], pinch: Callable[..., None]) -> None:
        self._dump, self._pinch = dump, pinch
        self._processes: set[socket.socket] = set()
        self._http: ThreadingHTTPServer | None = None
        self.reset()

    def reset(self) -> None:
        self.calls: Counter[str] = Counter()
        self.last_toast: str | None = None
        self.dies_at = ""
        """The server ends during a call of this method."""
        self.hang_at: dict[str, threading.Event] = {}
        """Calls of a method wait for its event."""
        self.error_at: dict[str, str] = {}
        """Error messages of calls, by method."""
        self.claimed = False
        """Another program on the device reads the screen."""

    @property
    def runs(self) -> bool:
        """Whether its process runs. The process sends nothing, so a readable connection means that it ended."""
        return any(
            one.fileno() >= 0 and not select.select([one], [], [], 0)[0] for one in list(self._processes)
        )

    def toast(self, text: str) -> None:
        """Show a toast."""
        if self.runs:
            self.last_toast = text

    def stop(self) -> None:
        for one in list(self._processes):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    # -- serving --------------------------------------------------------------------------------------------

    def serve(self, path: Path) -> None:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def handle(self) -> None:
                if self.connection.recv(5, socket.MSG_PEEK) == b"life\n":
                    server._hold_process_connection(self.connection)
                else:
                    super().handle()

            def do_GET(self) -> None:
                self._answer(*((200, b"pong") if self.path == "/ping" else (404, b"Not Found!!!")))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path != "/jsonrpc/0":
                    self._answer(404, b"Not Found!!!")
                elif (answer := server.answer(json.loads(body))) is not None:
                    self._answer(200, json.dumps(answer).encode())

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
                pass  # the client closed the connection

        self._http = Http(str(path), Handler)  # type: ignore[arg-type]
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def close(self) -> None:
        self.stop()
        if self._http is not None:
            self._http.shutdown()
            self._http.server_close()

    def _hold_process_connection(self, connection: socket.socket) -> None:
        connection.recv(5)
        self.last_toast = None
        self._processes.add(connection)
        with contextlib.suppress(OSError):
            connection.recv(1)
        self._processes.discard(connection)

    # -- methods --------------------------------------------------------------------------------------------

    def answer(self, call: Any) -> dict[str, Any] | None:
        assert call["jsonrpc"] == "2.0" and set(call) == {"jsonrpc", "id", "method", "params"}, call
        method, params = call["method"], call["params"]
        self.calls[method] += 1
        if method in self.hang_at:
            self.hang_at[method].wait(60)
        if self.dies_at == method:
            self.stop()
            return None
        is_valid = any(
            len(params) == len(types) and all(type(p) is t for p, t in zip(params, types, strict=True))
            for types in SIGNATURES.get(method, ())
        )
        answer: dict[str, Any] = {"jsonrpc": "2.0", "id": call["id"]}
        if method in self.error_at:
            message = self.error_at[method]
            return answer | {"error": {"code": -32001, "message": message, "data": "java.lang.Exception"}}
        if not is_valid:
            code, message = (
                (-32602, "method parameters invalid")
                if method in SIGNATURES
                else (-32601, "method not found")
            )
            return answer | {"error": {"code": code, "message": message}}
        return answer | {"result": getattr(self, f"_{method}")(*params)}

    def _dumpWindowHierarchy(self, compressed: bool, depth: int = 50, active: bool = False) -> str:
        assert active, "without this flag the dump contains the status bar and the keyboard"
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
