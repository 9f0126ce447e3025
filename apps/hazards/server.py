"""Serve the hazard pages and their API answers on two loopback ports of this process."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from apps.page_server import PageHandler, PageListener, running

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
    listeners = [PageListener(_Handler, number) for number in (port, 0)]
    server = Server(listeners[0].server_port, listeners[1].server_port)
    for listener in listeners:
        listener.pages = server
    with running(server.ended, *listeners):
        yield server


class _Handler(PageHandler):
    """Answer `/api/<kind>?delay=ms`: ok, no (refused with 200), fail (500), cut (no answer), never, count, form."""

    @property
    def hazards(self) -> Server:
        assert isinstance(self.server, PageListener)
        server: Server = self.server.pages
        return server

    def do_GET(self) -> None:  # noqa: N802, the name that `http.server` calls
        split = urlsplit(self.path)
        if split.path.startswith("/api/"):
            self._api(split.path.removeprefix("/api/"), parse_qs(split.query))
            return
        page = PAGES / split.path.removeprefix("/")
        if page.parent != PAGES or not page.is_file():
            self.answer_not_found()
            return
        self.answer_html(page.read_bytes())

    def do_POST(self) -> None:  # noqa: N802, the name that `http.server` calls
        self.read_body()
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
                self.answer_json(500, {"ok": False})
            case "no":
                self.answer_json(200, {"ok": False})
            case "count":
                self.answer_json(200, {"ok": True, "count": self.hazards.hits["count"]})
            case "form":
                self.answer_html(b"<title>Made</title><h1>Created</h1>")
            case _:
                self.answer_json(200, {"ok": True})
