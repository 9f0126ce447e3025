"""The shared parts of the page servers for tests: the HTTP answers, the threads, and the command line."""

from __future__ import annotations

import argparse
import json
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, TypeVar

LOOPBACK = "127.0.0.1"
POLL_S = 0.05
ServedPages = TypeVar("ServedPages")


class PageHandler(BaseHTTPRequestHandler):
    """Answers requests of pages. Nothing is cached and nothing is logged: tests read the records of the server."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def read_body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def answer_json(self, status: int, body: Mapping[str, Any]) -> None:
        self.answer(status, json.dumps(body).encode(), "application/json")

    def answer_html(self, html: bytes) -> None:
        self.answer(200, html, "text/html; charset=utf-8")

    def answer_not_found(self) -> None:
        self.answer(404, b"there is no such page", "text/plain")

    def answer(
        self, status: int, body: bytes, media_type: str, headers: Mapping[str, str] | None = None
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        with suppress(BrokenPipeError, ConnectionResetError):  # the page may already have left
            self.end_headers()
            self.wfile.write(body)
            self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Write no log."""


class Stoppable(Protocol):
    def serve_forever(self) -> None: ...
    def shutdown(self) -> None: ...


class PageListener(ThreadingHTTPServer):
    """A port on loopback. `pages` is the object whose records the handlers fill."""

    daemon_threads = True
    pages: Any = None

    def __init__(self, handler: type[PageHandler], port: int = 0) -> None:
        super().__init__((LOOPBACK, port), handler)

    def serve_forever(self, poll_interval: float = POLL_S) -> None:
        super().serve_forever(poll_interval)

    def shutdown(self) -> None:
        super().shutdown()
        self.server_close()


@contextmanager
def running(ended: threading.Event, *listeners: Stoppable) -> Iterator[None]:
    """Serve each listener in a thread of its own; at the end set `ended` and wait for all of them."""
    threads = [threading.Thread(target=listener.serve_forever) for listener in listeners]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for listener in listeners:
            listener.shutdown()
        for thread in threads:
            thread.join()


def run_command(
    name: str,
    description: str,
    serving: Callable[[int], AbstractContextManager[ServedPages]],
    addresses: Callable[[ServedPages], Mapping[str, Any]],
    argv: Sequence[str] | None = None,
) -> int:
    """Print the addresses as one JSON line and serve until a signal stops the process."""
    parser = argparse.ArgumentParser(prog=f"python -m {name}", description=description)
    parser.add_argument("--port", type=int, default=0, help="a port on this machine; 0 takes a free one")
    given = parser.parse_args(argv)
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    with serving(given.port) as server:
        print(json.dumps(addresses(server)), flush=True)
        stopped.wait()
    return 0
