"""Serve the pages of the strangers, answer their requests, and record what was stored."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from apps.page_server import PageHandler, PageListener, running
from apps.strangers.case import CASES, PAGES, StrangerCase
from apps.strangers.sockets import SocketListener

BUILT = Path(__file__).parent.parent.parent / ".uiap" / "strangers"
_BY_ID = {case.id: case for case in CASES}


def is_built(case: StrangerCase) -> bool:
    """Return whether the page of a case has all that it needs."""
    return not case.script or (BUILT / f"{case.script}.js").is_file()


class Strangers:
    """The servers of all applications, with their records. `reset` forgets the records of one application."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.origin = ""
        self.sockets = ""
        self.requests: defaultdict[str, list[str]] = defaultdict(list)
        self.stored: defaultdict[str, list[str]] = defaultdict(list)
        self._lock = threading.Lock()

    def reset(self, id: str) -> None:
        with self._lock:
            self.requests.pop(id, None)
            self.stored.pop(id, None)

    def record_of(self, id: str) -> dict[str, list[str]]:
        with self._lock:
            return {"requests": list(self.requests[id]), "stored": list(self.stored[id])}

    def answer_to(self, case: StrangerCase, on: str, body: str) -> dict[str, Any] | None:
        """Record the request and return the declared answer to it."""
        answers = case.routes.get(on)
        if answers is None:
            return None
        with self._lock:
            number = self.requests[case.id].count(on)
            self.requests[case.id].append(on)
            answer = answers[min(number, len(answers) - 1)]
            if answer.get("store"):
                self.stored[case.id].append(body)
        return answer


class _Handler(PageHandler):
    def do_GET(self) -> None:  # noqa: N802, the name that `http.server` calls
        self._serve("GET")

    def do_POST(self) -> None:  # noqa: N802
        self._serve("POST")

    do_PUT = do_POST  # noqa: N815
    do_PATCH = do_POST  # noqa: N815

    def _serve(self, method: str) -> None:
        id, _, rest = urlsplit(self.path).path.strip("/").partition("/")
        body = self.read_body().decode()
        case = _BY_ID.get(id)
        if id == "built" and (BUILT / Path(rest).name).is_file():
            kind = "text/css" if rest.endswith(".css") else "text/javascript; charset=utf-8"
            return self.answer(200, (BUILT / Path(rest).name).read_bytes(), kind)
        if case is None:
            return self.answer_not_found()
        if not rest and method == "GET":
            page = (PAGES / f"{id}.html").read_text().replace("{{sockets}}", self._pages.sockets)
            return self.answer_html(page.encode())
        answer = self._pages.answer_to(case, f"{self.command} {rest}", body)
        return self.answer_not_found() if answer is None else self._send(answer)

    @property
    def _pages(self) -> Strangers:
        pages: Strangers = self.server.pages  # type: ignore[attr-defined]
        return pages

    def _send(self, answer: dict[str, Any]) -> None:
        self._pages.ended.wait(answer.get("delay_ms", 0) / 1000)
        headers = {"Location": answer["location"]} if "location" in answer else {}
        if "json" in answer:
            return self.answer_json(answer.get("status", 200), answer["json"])
        kind = answer.get("type", "text/html; charset=utf-8")
        return self.answer(answer.get("status", 200), answer.get("body", "").encode(), kind, headers)


@contextmanager
def serving(port: int = 0) -> Iterator[Strangers]:
    """Serve until the block ends."""
    pages = Strangers()
    listener, sockets = PageListener(_Handler, port), SocketListener(pages.ended)
    listener.pages = pages
    pages.origin = f"http://localhost:{listener.server_port}"
    pages.sockets = f"ws://localhost:{sockets.port}"
    with running(pages.ended, listener, sockets):
        yield pages
