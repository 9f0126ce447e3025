"""A page full of links that order something, and one whose navigation is made of everything but plain links."""

from __future__ import annotations

import html
import http.server
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest

from tests.discovery.safety.ordering_verbs import orders
from uiap.api.discovery import DiscoveryOptions, discover, environment

ORDERS = "<!doctype html><meta charset=utf-8><title>Orders</title><h1>Orders</h1><ul>" + "".join(
    f'<li><a href="/items/{at}/{quote(label.lower().replace(" ", "-"))}">{html.escape(label)}</a>'
    f'<li><a href="#" onclick="fetch(\'/ordered/{at}\')">{html.escape(label)}</a>'
    for at, label in enumerate(orders())
)
UNUSUAL = """<!doctype html><title>Console</title><style>.box{cursor:pointer}section{display:none}</style>
<h1>Console</h1>
<div id=menu><a href="#" data-part=users>Users</a> <a href="javascript:void 0" data-part=reports>Reports</a>
<a href="#invoices" data-part=invoices>Invoices</a></div>
<ul role=menu aria-label=Places><li role=none><a role=menuitem href="/teams">Teams</a></ul>
<div id=boxes><div class=box data-part=projects>Projects</div><div class=box data-part=documents>Documents</div></div>
<button data-part=members>Members</button><p><a href="/window" target=_blank>Window</a></p>
<section id=users><h2>Users</h2><button>Show user details</button></section>
<section id=reports><h2>Reports</h2><button>Show report details</button></section>
<section id=invoices><h2>Invoices</h2><button>Show invoice details</button></section>
<section id=projects><h2>Projects</h2><button>Show project details</button></section>
<section id=documents><h2>Documents</h2><button>Show document details</button></section>
<section id=members><h2>Members</h2><button>Show member details</button></section>
<script>document.querySelectorAll('[data-part]').forEach(one => one.addEventListener('click', event => {
  if (one.tagName !== 'A' || one.dataset.part !== 'invoices') event.preventDefault();
  for (const part of document.querySelectorAll('section'))
    part.style.display = part.id === one.dataset.part ? 'block' : 'none' }))
</script>"""
PARTS = {"user", "report", "invoice", "project", "document", "member"}


@contextmanager
def serving(pages: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            body = pages.get(self.path, "<!doctype html><title>Other</title><h1>Other</h1>").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}", asked
        finally:
            server.shutdown()
            thread.join(10)


@pytest.mark.requirement("DISC-8.2", "DISC-13.1")
async def test_no_link_that_orders_something_is_followed() -> None:
    with serving({"/": ORDERS}) as (base, asked):
        where = environment(base, max_states=10, max_runtime_s=600)
        package = await discover(where, options=DiscoveryOptions(ax_trees=False, sitemap=False))
    assert set(asked) <= {"/", "/favicon.ico"}
    assert package.metadata is not None
    assert sum(package.metadata["notTried"].values()) >= 2 * len(orders())


@pytest.mark.requirement("DISC-11.5a")
async def test_navigation_without_plain_links_is_found() -> None:
    with serving({"/": UNUSUAL}) as (base, asked):
        where = environment(base, max_states=20, max_runtime_s=600)
        package = await discover(where, options=DiscoveryOptions(ax_trees=False, sitemap=False))
    assert {"/teams", "/window"} <= set(asked)
    names = {name for one in package.element_catalog.elements for name in one.names or ()}
    assert {f"Show {part} details" for part in PARTS} <= names
