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
from urllib.parse import parse_qsl, urlsplit

from apps.frameworks.builds import BUILT, FRAMEWORKS
from apps.frameworks.todo_pages import TodoList, fragment, index, page

MEDIA_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8"}


@dataclass
class Server:
    """The address of the pages, and what the server stored for each trial."""

    port: int
    lists: defaultdict[str, TodoList] = field(default_factory=lambda: defaultdict(TodoList))
    lock: threading.Lock = field(default_factory=threading.Lock)
    _trials: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def todo(self, framework: str) -> str:
        """Return the address of a fresh to-do list."""
        return f"{self.url}/todo/{framework}?trial={next(self._trials)}"


@contextmanager
def serving(port: int = 0) -> Iterator[Server]:
    """Serve until the block ends."""
    pages = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
    pages.daemon_threads = True
    server = Server(pages.server_port)
    pages.frameworks = server  # type: ignore[attr-defined]
    thread = threading.Thread(target=pages.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield server
    finally:
        pages.shutdown()
        pages.server_close()
        thread.join()


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
        fields = {**dict(parse_qsl(split.query)), **dict(parse_qsl(body, keep_blank_values=True))}
        match split.path.strip("/").split("/"):
            case ["htmx", *path]:
                self._htmx(path, fields)
            case _:
                self._answer("there is no such page", "text/plain", 404)

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
