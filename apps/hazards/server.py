"""Serve the hazard pages and their API answers on two loopback ports of this process."""

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
_NEVER_S = 60.0


@dataclass
class Server:
    """The addresses of the pages, and the requests that the server counted."""

    port: int
    other_port: int
    hits: Counter[str] = field(default_factory=Counter)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    @property
    def other_url(self) -> str:
        """Return the address of the same pages under another origin."""
        return f"http://localhost:{self.other_port}"

    def page(self, id: str) -> str:
        return f"{self.url}/{id}.html?other={self.other_port}"


@contextmanager
def serving(port: int = 0) -> Iterator[Server]:
    """Serve on two ports until the block ends."""
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
    """Answer `/api/<kind>?delay=ms`: ok, no (refused with 200), fail (500), cut (no answer), never, count, form."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def hazards(self) -> Server:
        server: Server = self.server.hazards  # type: ignore[attr-defined]
        return server

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

    def _api(self, kind: str, query: dict[str, list[str]]) -> None:
        self.hazards.hits[kind] += 1
        delay = int(query.get("delay", ["0"])[0]) / 1000
        if kind == "never":
            delay = _NEVER_S
        if delay and self.hazards.ended.wait(delay):
            self.close_connection = True
            return
        match kind:
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

    def _answer(self, status: int, body: bytes, media_type: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        with suppress(BrokenPipeError, ConnectionResetError):  # the page may already have left
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Write no log: tests read the pages."""
