"""Serve the generated pages on loopback and record the writes of each trial, over HTTP, WebSocket and event streams."""

from __future__ import annotations

import itertools
import json
import queue
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server as SocketServer
from websockets.sync.server import ServerConnection, serve

from apps.grammar.cases import find_case, record_of
from apps.grammar.page import FRAMES
from apps.page_server import LOOPBACK, PageHandler, PageListener, running

KEEP_ALIVE_S = 0.2

BODIES: dict[str, dict[str, Any]] = {
    "ok": {"ok": True, "order": 7},
    "held": {"order": 7, "held": True},
    "track": {},
    "limit": {"result": "limit reached"},
    "body-ok": {"ok": False, "message": "limit reached"},
    "body-errors": {"errors": [{"field": "order", "message": "limit reached"}]},
    "body-graphql": {"data": None, "errors": [{"message": "limit reached", "path": ["order"]}]},
}


@dataclass
class Server:
    """The address of the pages, and the writes that the server recorded for each trial."""

    port: int
    socket_port: int
    records: defaultdict[int, list[str]] = field(default_factory=lambda: defaultdict(list))
    ended: threading.Event = field(default_factory=threading.Event)
    streams: dict[int, queue.Queue[str]] = field(default_factory=dict)
    _trials: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def next_trial(self) -> int:
        return next(self._trials)

    def page(self, id: str, trial: int = 0) -> str:
        return f"{self.url}/case/{id}?trial={trial}&socket={self.socket_port}"

    def record(self, trial: int, entry: str) -> None:
        with self._lock:
            self.records[trial].append(entry)

    def stream(self, trial: int) -> queue.Queue[str]:
        with self._lock:
            return self.streams.setdefault(trial, queue.Queue())

    def wait(self, delay_ms: int) -> bool:
        """Wait for the delay. Return False when the server ended meanwhile."""
        return not (delay_ms and self.ended.wait(delay_ms / 1000))


@contextmanager
def serving(port: int = 0) -> Iterator[Server]:
    """Serve until the block ends."""
    server: Server

    def talk(connection: ServerConnection) -> None:
        _talk(server, connection)

    pages = PageListener(_Handler, port)
    sockets: SocketServer = serve(talk, LOOPBACK, 0, compression=None)
    server = Server(pages.server_port, sockets.socket.getsockname()[1])
    pages.pages = server
    with running(server.ended, pages, sockets):
        yield server


def _talk(server: Server, connection: ServerConnection) -> None:
    with suppress(ConnectionClosed):
        for message in connection:
            asked = json.loads(message)
            server.record(int(asked["trial"]), record_of(asked["answer"]))
            if "token" not in asked:
                continue
            if not server.wait(int(asked["delay"])):
                return
            connection.send(json.dumps({"token": asked["token"], **_body_of(asked["answer"])}))


def _body_of(answer: str) -> dict[str, Any]:
    return BODIES.get(answer, {"ok": False, "message": "limit reached"})


class _Handler(PageHandler):
    @property
    def grammar(self) -> Server:
        assert isinstance(self.server, PageListener)
        server: Server = self.server.pages
        return server

    def do_GET(self) -> None:  # noqa: N802, the name that `http.server` calls
        split = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(split.query).items()}
        trial = int(query.get("trial", "0"))
        match split.path.strip("/").split("/"):
            case ["case", id] if (found := find_case(id)) is not None:
                self.answer_html(found.html.encode())
            case ["frame"] if query.get("kind") in FRAMES:
                self.answer_html(FRAMES[query["kind"]].encode())
            case ["poll"]:
                self.answer_json(200, {"news": 0})
            case ["tab"]:
                self.grammar.record(trial, "tab")
                self.answer_html(b"<!doctype html><title>Order 7</title><h1>Order 7</h1>")
            case ["file"]:
                self.grammar.record(trial, "file")
                self.answer(200, b"order\n7\n", "text/csv", {"Content-Disposition": "attachment"})
            case ["events"]:
                self._stream(trial)
            case _:
                self.answer_not_found()

    def do_POST(self) -> None:  # noqa: N802, the name that `http.server` calls
        self.read_body()
        split = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(split.query).items()}
        if split.path != "/save":
            self.answer_not_found()
            return
        trial, answer, delay_ms = int(query["trial"]), query["answer"], int(query["delay"])
        self.grammar.record(trial, record_of(answer))
        if "push" in query:
            self.answer_json(202, {})
            if self.grammar.wait(delay_ms):
                reply = {"token": query["token"], **_body_of(answer)}
                self.grammar.stream(trial).put(json.dumps(reply))
            return
        if not self.grammar.wait(delay_ms):
            self.close_connection = True
            return
        status = int(answer.removeprefix("status-")) if answer.startswith("status-") else 200
        self.answer_json(status, _body_of(answer))

    def _stream(self, trial: int) -> None:
        """Push the replies of this trial as events until the page has left or the server ends."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        replies = self.grammar.stream(trial)
        with suppress(BrokenPipeError, ConnectionResetError):
            self.end_headers()
            while not self.grammar.ended.is_set():
                try:
                    event = f"data: {replies.get(timeout=KEEP_ALIVE_S)}\n\n"
                except queue.Empty:
                    event = ":\n\n"
                self.wfile.write(event.encode())
                self.wfile.flush()
