"""Serve the built applications on loopback, and store what their pages write."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server as SocketServer
from websockets.sync.server import ServerConnection, serve

from apps.frameworks.builds import BUILT, FRAMEWORKS
from apps.frameworks.order_pages import order_fragment, order_page, ujs_script
from apps.frameworks.orders import CLIENT_SIDE, SERVER_SIDE, OrderBook, OrderTask
from apps.frameworks.todo_pages import TodoList, fragment, index, page

MEDIA_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


@dataclass
class Server:
    """The address of the pages, and what the server stored for each trial."""

    port: int
    socket_port: int
    books: defaultdict[str, OrderBook] = field(default_factory=lambda: defaultdict(OrderBook))
    ended: threading.Event = field(default_factory=threading.Event)
    lists: defaultdict[str, TodoList] = field(default_factory=lambda: defaultdict(TodoList))
    lock: threading.Lock = field(default_factory=threading.Lock)
    _trials: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def todo(self, framework: str) -> str:
        """Return the address of a fresh to-do list."""
        return f"{self.url}/todo/{framework}?trial={next(self._trials)}"

    def order(self, task: OrderTask) -> tuple[str, OrderBook]:
        """Return the address of a fresh order form, and what the server stores for it."""
        trial = str(next(self._trials))
        book = self.book(trial, task.scenario.id)
        path = f"orders/{task.framework}/{task.scenario.id}"
        return f"{self.url}/{path}?trial={trial}&socket={self.socket_port}", book

    def book(self, trial: str, scenario: str) -> OrderBook:
        book = self.books[trial]
        book.scenario = scenario
        return book

    def apply(self, book: OrderBook, event: str, fields: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Do what an event asks for, after the delay of the scenario."""
        self.ended.wait(book.delay_s)
        if event == "save":
            return book.save(str(fields.get("title", "")))
        if event == "pay":
            return book.pay(fields.get("paid") in (True, "on"))
        return book.remove(int(fields["id"]))


@contextmanager
def serving(port: int = 0) -> Iterator[Server]:
    """Serve until the block ends."""
    pages = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    pages.daemon_threads = True
    server: Server

    def talk(connection: ServerConnection) -> None:
        _talk(server, connection)

    sockets: SocketServer = serve(talk, "127.0.0.1", 0, compression=None)
    server = Server(pages.server_port, sockets.socket.getsockname()[1])
    pages.frameworks = server  # type: ignore[attr-defined]
    threads = [
        threading.Thread(target=pages.serve_forever, kwargs={"poll_interval": 0.05}),
        threading.Thread(target=sockets.serve_forever),
    ]
    for thread in threads:
        thread.start()
    try:
        yield server
    finally:
        server.ended.set()
        pages.shutdown()
        pages.server_close()
        sockets.shutdown()
        for thread in threads:
            thread.join()


def _talk(server: Server, connection: ServerConnection) -> None:
    """Render a live view after each event of its page."""
    assert connection.request is not None
    query = dict(parse_qsl(urlsplit(connection.request.path).query))
    book = server.book(query["trial"], query["scenario"])
    with suppress(ConnectionClosed):
        connection.send(order_fragment("socket", book, query["trial"]))
        for message in connection:
            asked = json.loads(message)
            server.apply(book, asked["event"], asked["value"])
            connection.send(order_fragment("socket", book, query["trial"]))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def frameworks(self) -> Server:
        server: Server = self.server.frameworks  # type: ignore[attr-defined]
        return server

    def do_GET(self) -> None:
        split = urlsplit(self.path)
        query = dict(parse_qsl(split.query))
        match split.path.strip("/").split("/"):
            case [""]:
                self._answer(index())
            case ["todo", name] if name in FRAMEWORKS:
                self._answer(page(name))
            case ["orders", name, scenario] if name in (*CLIENT_SIDE, *SERVER_SIDE):
                trial = query.get("trial", "0")
                self._answer(order_page(name, self.frameworks.book(trial, scenario), trial))
            case ["built", folder, name] if (BUILT / folder / name).is_file():
                file = BUILT / folder / name
                self._answer(file.read_bytes(), MEDIA_TYPES.get(file.suffix, "application/octet-stream"))
            case ["htmx", *path]:
                self._htmx(path, query)
            case _:
                self._answer("there is no such page", "text/plain", 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        split = urlsplit(self.path)
        plain = self.headers.get("Content-Type", "").startswith("application/json")
        sent = json.loads(body) if plain else dict(parse_qsl(body, keep_blank_values=True))
        fields: dict[str, Any] = {**dict(parse_qsl(split.query)), **sent}
        match split.path.strip("/").split("/"):
            case ["htmx", *path]:
                self._htmx(path, fields)
            case ["api" | "django" | "ujs" | "htmx-orders" as style, event, *rest]:
                self._order(style, event, {**fields, **({"id": rest[0]} if rest else {})})
            case _:
                self._answer("there is no such page", "text/plain", 404)

    def do_DELETE(self) -> None:
        self.do_POST()

    def _order(self, style: str, event: str, fields: dict[str, Any]) -> None:
        """Apply an event of an order form and answer in its style."""
        trial = str(fields["trial"])
        book = self.frameworks.book(trial, str(fields["scenario"]))
        status, body = self.frameworks.apply(book, event, fields)
        failed = status >= 500 or status in (402, 409)
        if style == "api":
            self._answer(json.dumps(body), "application/json", status)
        elif style == "django" and status >= 500:
            self._answer("<h1>Server Error (500)</h1>", status=500)
        elif style == "django" and status == 422:
            self._answer(order_page("django", book, trial))
        elif style == "django":
            self._redirect(f"/orders/django/{book.scenario}?trial={trial}")
        elif style == "ujs" and failed:
            self._answer(json.dumps(body), "application/json", status)
        elif style == "ujs":
            self._answer(ujs_script(book, trial), "text/javascript; charset=utf-8")
        else:
            self._answer(order_fragment("htmx", book, trial), status=status if status >= 500 else 200)

    def _redirect(self, path: str) -> None:
        self.send_response(302)
        self.send_header("Location", path)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _htmx(self, path: list[str], fields: dict[str, str]) -> None:
        editing = None
        with self.frameworks.lock:
            todos = self.frameworks.lists[fields.get("trial", "0")]
            match path:
                case ["todos.json"]:
                    self._answer(json.dumps(todos.plain()), "application/json")
                    return
                case ["list"]:
                    todos.filter = fields.get("filter", todos.filter)
                case ["add"]:
                    todos.add(fields["title"])
                case ["edit", id]:
                    editing = int(id)
                case ["rename", id]:
                    todos.rename(int(id), fields["title"])
                case ["toggle", id]:
                    todos.toggle(int(id))
                case ["remove", id]:
                    todos.todos.pop(int(id), None)
                case ["clear"]:
                    todos.clear()
            html = fragment(todos, editing)
        self._answer(html)

    def _answer(
        self, body: str | bytes, media_type: str = "text/html; charset=utf-8", status: int = 200
    ) -> None:
        content = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        with suppress(BrokenPipeError, ConnectionResetError):  # the page may already have left
            self.end_headers()
            self.wfile.write(content)
            self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Write no log: tests read what is stored."""
