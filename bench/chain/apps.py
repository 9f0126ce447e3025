"""The applications of the chain, without annotations and with marks, each with two sets of data."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from apps.videoland import Settings, serving
from apps.videoland.store import Store
from bench.discovery_apps import django_admin, flask_appbuilder, ihatemoney
from bench.discovery_apps.app import App, running
from uiap.api.discovery import Principal

MARKS = Path(__file__).with_name("marks.js")
TITLES = "UPDATE videos SET title = 'Clip ' || (id * 7) || ' of ' || category, description = 'Other words'"


class Site(NamedTuple):
    url: str
    principal: Principal | None


@contextmanager
def _videoland(*, other: bool) -> Iterator[Site]:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(rows=60 if other else 40, db=f"{folder}/videos.sqlite3", auto_login=True)
        if other:
            store = Store(settings.db, settings.rows, settings.password)
            with store.writing() as transaction:
                transaction.run(TITLES)
            store.close()
        with serving(settings, wrap=WithoutAnnotations) as server:
            yield Site(server.url, Principal(id="admin", url="/?as=admin&lang=en"))


class WithoutAnnotations:
    """ASGI middleware that renames the annotations, so that the page script does not know them, and adds the marks."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        start: dict[str, Any] = {}
        body = bytearray()

        async def rewritten(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body"):
                text = _renamed(bytes(body), str(scope["path"]))
                await send({**start, "headers": _headers(start, len(text))})
                await send({"type": "http.response.body", "body": text})

        await self._app(scope, receive, rewritten if scope["type"] == "http" else send)


def _renamed(body: bytes, path: str) -> bytes:
    if path.endswith("/main.js"):
        body += b"\n" + MARKS.read_bytes()
    return re.sub(rb"data-uiap-", b"data-own-", body).replace(b"dataset.uiap", b"dataset.own")


def _headers(start: dict[str, Any], length: int) -> list[tuple[bytes, bytes]]:
    kept = [(name, value) for name, value in start["headers"] if name.lower() not in _DROPPED]
    return [*kept, (b"content-length", str(length).encode())]


_DROPPED = (b"content-length", b"etag", b"last-modified")


@contextmanager
def _third_party(app: App, *, other: bool) -> Iterator[Site]:
    seed = ("seed.py", f"marks={MARKS}", *(("other",) if other else ()))
    with running(dataclasses.replace(app, seed=seed)) as site:
        yield Site(site.home, app.principal)


APPS: dict[str, Callable[..., AbstractContextManager[Site]]] = {
    "videoland": _videoland,
    "django_admin": partial(_third_party, django_admin.APP),
    "flask_appbuilder": partial(_third_party, flask_appbuilder.APP),
    "ihatemoney": partial(_third_party, ihatemoney.APP),
}
