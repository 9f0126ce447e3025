"""The applications of the chain, without annotations and with marks, each with two sets of data."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from apps.videoland import Settings, serving
from apps.videoland.plain import WithoutAnnotations
from apps.videoland.store import Store
from bench.discovery_apps import django_admin, flask_appbuilder, helpdesk, ihatemoney
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
        with serving(settings, wrap=partial(WithoutAnnotations, script=MARKS.read_bytes())) as server:
            yield Site(server.url, Principal(id="admin", url="/?as=admin&lang=en"))


@contextmanager
def _third_party(app: App, *, other: bool) -> Iterator[Site]:
    seed = ("seed.py", f"marks={MARKS}", *(("other",) if other else ()))
    with running(dataclasses.replace(app, seed=seed)) as site:
        yield Site(site.home, app.principal)


APPS: dict[str, Callable[..., AbstractContextManager[Site]]] = {
    "videoland": _videoland,
    "django_admin": partial(_third_party, django_admin.APP),
    "flask_appbuilder": partial(_third_party, flask_appbuilder.APP),
    "helpdesk": partial(_third_party, helpdesk.APP),
    "ihatemoney": partial(_third_party, ihatemoney.APP),
}
