"""Serve the hostile pages on two loopback ports of this process, and collect the policy reports of the browser."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from apps.hostile.pages import PAGES

HELD_S = 10.0


@dataclass
class Server:
    """The addresses of the pages, and the reported violations of their policies."""

    port: int
    other_port: int
    reports: list[bytes] = field(default_factory=list)
    answers: threading.Event = field(default_factory=threading.Event)
    """Cleared, it holds back every page until it is set."""

    @property
    def other(self) -> str:
        """Return an origin other than that of the pages."""
        return f"http://127.0.0.1:{self.other_port}"

    def page(self, name: str, n: int | None = None) -> str:
        assert name in PAGES, name
        return f"http://localhost:{self.port}/{name}" + ("" if n is None else f"?n={n}")


@contextmanager
def serving(port: int = 0) -> Iterator[Server]:
    """Serve on two ports until the block ends."""
    running = [_Quiet(("127.0.0.1", number), _Handler) for number in (port, 0)]
    server = Server(running[0].server_port, running[1].server_port)
    server.answers.set()
    threads = []
    for one in running:
        one.daemon_threads = True
        one.hostile = server
        threads.append(threading.Thread(target=one.serve_forever, kwargs={"poll_interval": 0.05}))
        threads[-1].start()
    try:
        yield server
    finally:
        for one, thread in zip(running, threads, strict=True):
            one.shutdown()
            one.server_close()
            thread.join()


class _Quiet(ThreadingHTTPServer):
    hostile: Server

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore a browser that disconnects during an answer."""


class _Handler(BaseHTTPRequestHandler):
    server: _Quiet

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        self.server.hostile.answers.wait(HELD_S)
        page = PAGES.get(split.path.removeprefix("/"))
        if page is None:
            self._answer(404, {}, b"there is no such page")
            return
        size = parse_qs(split.query).get("n", [""])[0]
        n = int(size) if size.isdecimal() else page.n
        body = "<!doctype html><meta charset=utf-8>" + page.make(n, self.server.hostile.other)
        self._answer(200, {"Content-Type": "text/html; charset=utf-8"} | page.headers, body.encode())

    def do_POST(self) -> None:
        report = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/reports":
            self.server.hostile.reports.append(report)
        self._answer(204, {}, b"")

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Write no log: tests read the pages."""
