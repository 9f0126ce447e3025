"""Serve the pattern pages on loopback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from apps.page_server import PageHandler, PageListener, running
from apps.patterns.pattern import PAGES, PATTERNS


class _Handler(PageHandler):
    def do_GET(self) -> None:  # noqa: N802, the name that `http.server` calls
        name = urlsplit(self.path).path.strip("/")
        if name == "common.js":
            self.answer(200, (PAGES / name).read_bytes(), "text/javascript; charset=utf-8")
        elif name == "":
            links = "".join(f'<li><a href="/{page.id}">{page.id}</a>' for page in PATTERNS)
            self.answer_html(f"<!doctype html><title>Patterns</title><ul>{links}</ul>".encode())
        elif any(page.id == name for page in PATTERNS):
            self.answer_html((PAGES / f"{name}.html").read_bytes())
        else:
            self.answer_not_found()


@contextmanager
def serving(port: int = 0) -> Iterator[str]:
    """Serve until the block ends; yield the origin."""
    listener = PageListener(_Handler, port)
    with running(threading.Event(), listener):
        yield f"http://localhost:{listener.server_port}"
