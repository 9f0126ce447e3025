"""A session on a live application of the chain, signed in, and the pages that it reads."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urljoin, urlsplit

import uiap
from bench.chain.apps import Site
from uiap.api.ui import Ui
from uiap.graph.store import GraphStore
from uiap.host.bundles.routes import Routes
from uiap.spec.web import RouteInfo


@asynccontextmanager
async def signed_in(site: Site) -> AsyncIterator[Ui]:
    async with uiap.open(site.url) as ui:
        who = site.principal
        if who is not None and who.url:
            await ui.navigate(urljoin(site.url, who.url))
        for step in (who.steps or ()) if who is not None else ():
            given = dict(step)
            await ui.act(given.pop("action"), **given)
        yield ui


async def read_page(ui: Ui) -> GraphStore:
    return GraphStore((await ui.observe()).payload)


async def read_routes(site: Site, routes: Routes, pages: Sequence[GraphStore]) -> list[GraphStore]:
    """Return a page for each route that no page shows and that a link of the pages leads to."""
    shown = {id for page in pages for id in routes.current(page)}
    missing = [id for id in routes.by_id if id not in shown]
    addresses = _addresses(routes, pages) if missing else {}
    found = []
    async with signed_in(site) as ui:
        for id in missing:
            if id in addresses:
                await ui.navigate(addresses[id])
                found.append(await read_page(ui))
    return found


def _addresses(routes: Routes, pages: Iterable[GraphStore]) -> dict[str, str]:
    """Return the address of the first link to each route."""
    found: dict[str, str] = {}
    for page in pages:
        for one in page:
            href = (one.metadata or {}).get("href")
            url = urljoin(page.route.url, href) if isinstance(href, str) else ""
            if urlsplit(url).netloc != urlsplit(page.route.url).netloc:
                continue
            for id in routes.of(RouteInfo(url=url)):
                found.setdefault(id, url)
    return found
