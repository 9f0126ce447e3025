"""Everyday situations of business software, shops and portals: one page each, one press, and whether it succeeds.

Six rounds, with the truth before the first run. The author of the first knew the rules of the judgement, those of the
others did not know the code. Each round was measured once before any rule was made from it, and belongs to the tuning
half since then. A new measurement needs a new round.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from apps.page_server import PageHandler, PageListener, running

PAGES = Path(__file__).parent / "pages"


class EverydayCase(NamedTuple):
    """A page, the control to press, and whether a careful person would say that the press succeeded."""

    id: str
    succeeds: bool
    role: str
    press: str
    page: str
    server: Mapping[str, Any]
    """The answers: `json`, `body` and `type`, `status`, `delay` in s, `redirect`, more `pages`, pages by `query`."""


class EverydayPages(NamedTuple):
    cases: Mapping[str, EverydayCase]
    ended: threading.Event


def read_cases() -> tuple[EverydayCase, ...]:
    """Return all cases, in the order of their rounds."""
    rounds = (json.loads(file.read_text("utf-8")) for file in sorted(PAGES.glob("round*.json")))
    return tuple(EverydayCase(**one) for entries in rounds for one in entries)


class EverydayHandler(PageHandler):
    def do_GET(self) -> None:  # noqa: N802
        self._answer()

    def do_POST(self) -> None:  # noqa: N802
        self.read_body()
        self._answer()

    @property
    def _pages(self) -> EverydayPages:
        return self.server.pages  # type: ignore[attr-defined, no-any-return]

    def _answer(self) -> None:
        address = urlsplit(self.path)
        _, name, *rest = address.path.split("/")
        case: EverydayCase | None = self._pages.cases.get(name)
        if case is None:
            return self.answer_not_found()
        part = rest[0] if rest else ""
        if part == "":
            return self.answer_html(case.server.get("query", {}).get(address.query, case.page).encode())
        if part in case.server.get("pages", {}):
            return self.answer_html(case.server["pages"][part].encode())
        return self._answer_request(case.server, part)

    def _answer_request(self, server: Mapping[str, Any], part: str) -> None:
        self._pages.ended.wait(server.get("delay", 0))
        if "redirect" in server and part == "do":
            return self.answer(303, b"", "text/plain", {"Location": f"./{server['redirect']}"})
        if "status" in server:
            return self.answer(server["status"], b"", "text/plain")
        if "body" in server:
            return self.answer(200, server["body"].encode(), server["type"])
        return self.answer(200, json.dumps(server.get("json", {})).encode(), "application/json")


@contextmanager
def serving(cases: tuple[EverydayCase, ...], port: int = 0) -> Iterator[str]:
    """Serve the cases and yield the origin; each is at `/ID/`."""
    listener = PageListener(EverydayHandler, port)
    ended = threading.Event()
    listener.pages = EverydayPages({case.id: case for case in cases}, ended)
    with running(ended, listener):
        yield f"http://{listener.server_address[0]!s}:{listener.server_address[1]}"
