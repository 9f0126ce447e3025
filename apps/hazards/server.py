"""Serves the hazard pages and the few answers they ask for, on two loopback ports of this process."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

PAGES = Path(__file__).parent / "pages"
_PATIENCE_S = 60.0


@dataclass
class Server:
    """Where the pages are, and what the server itself saw."""

    port: int
    other_port: int
    hits: Counter[str] = field(default_factory=Counter)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def other_url(self) -> str:
        """The same pages under another origin."""
        return f"http://localhost:{self.other_port}"

    def page(self, id: str) -> str:
        return f"{self.url}/{id}.html?other={self.other_port}"


@contextmanager
def serving(port: int = 0) -> Iterator[Server]:
    """Two ports, both gone when the block ends."""
    handlers = [ThreadingHTTPServer(("127.0.0.1", number), _Handler) for number in (port, 0)]
    server = Server(handlers[0].server_port, handlers[1].server_port)
    threads = []
    for handler in handlers:
        handler.daemon_threads = True
        handler.hazards = server  # type: ignore[attr-defined]
        threads.append(threading.Thread(target=handler.serve_forever, kwargs={"poll_interval": 0.05}))
        threads[-1].start()
    try:
        yield server
    finally:
        server.ended.set()
        for handler, thread in zip(handlers, threads, strict=True):
            handler.shutdown()
            handler.server_close()
            thread.join()


class _Handler(BaseHTTPRequestHandler):
    """`/api/<how>?delay=ms`: ok, no (refused politely), fail (500), cut (no answer), never, count, form."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def hazards(self) -> Server:
        known: Server = self.server.hazards  # type: ignore[attr-defined]
        return known

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        if split.path.startswith("/api/"):
            self._api(split.path.removeprefix("/api/"), parse_qs(split.query))
            return
        page = PAGES / split.path.removeprefix("/")
        if page.parent != PAGES or not page.is_file():
            self._answer(404, b"there is no such page", "text/plain")
            return
        self._answer(200, page.read_bytes(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.do_GET()

    def _api(self, how: str, query: dict[str, list[str]]) -> None:
        self.hazards.hits[how] += 1
        delay = int(query.get("delay", ["0"])[0]) / 1000
        if how == "never":
            delay = _PATIENCE_S
        if delay and self.hazards.ended.wait(delay):
            self.close_connection = True
            return
        match how:
            case "cut" | "never":
                self.close_connection = True
            case "fail":
                self._json(500, {"ok": False})
            case "no":
                self._json(200, {"ok": False})
            case "count":
                self._json(200, {"ok": True, "count": self.hazards.hits["count"]})
            case "form":
                self._answer(200, b"<title>Made</title><h1>Created</h1>", "text/html; charset=utf-8")
            case _:
                self._json(200, {"ok": True})

    def _json(self, status: int, body: dict[str, object]) -> None:
        self._answer(status, json.dumps(body).encode(), "application/json")

    def _answer(self, status: int, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        with suppress(BrokenPipeError, ConnectionResetError):  # a page that leaves waits for nothing
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: tests read the pages, not a log."""
