"""nav.navigate in a real browser: documents, hash routers and history routers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.trial import Stage, describe_result
from tests.drivers.chromium.site import Site

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ROUTER = (
    """addEventListener("hashchange", () => { document.title = "At " + location.hash }); window.kept = true"""
)


@pytest.mark.requirement("ACT-11.14", "ACT-3.4")
async def test_navigation_changes_the_route_of_every_kind_of_router(stage: Stage) -> None:
    await stage.goto("plain")
    home = stage.server.page("plain")
    await stage.driver.evaluate(ROUTER)
    for url in (f"{home}#/two", "#/three"):
        gone = await stage.act("nav.navigate", args={"url": url})
        assert gone.status == "succeeded" and gone.resolved_target is not None, describe_result(gone)
        here = await stage.driver.evaluate("[location.hash, document.title, window.kept]")
        assert here == ["#" + url.partition("#")[2], f"At #{url.partition('#')[2]}", True]
    await stage.driver.evaluate("history.pushState({}, '', '/somewhere/else')")
    back = await stage.act("nav.navigate", args={"url": home})
    assert back.status == "succeeded", describe_result(back)
    assert await stage.driver.evaluate("[location.href, window.kept ?? null]") == [home, None]
    assert stage.page.tab().store.route.url == home


@pytest.mark.requirement("ACT-11.14", "ACT-3.4")
async def test_an_unreachable_address_is_not_a_success(stage: Stage) -> None:
    await stage.goto("plain")
    lost = await stage.act("nav.navigate", args={"url": "http://127.0.0.1:9/"}, timeout_ms=1500)
    assert lost.status == "failed", describe_result(lost)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


REFUSED = "http://127.0.0.1:9/part"
# Parts of a page, and whether a note must name them.
PARTS = {
    "a request that is refused": (f"<script>fetch('{REFUSED}').catch(() => 0)</script>", True),
    "a request that fails": "<script>fetch('/broken', {method: 'POST'})</script>",
    "a chain of requests that fail": "<script>fetch('/fine').then(() => fetch('/broken'))</script>",
    "requests without end": "<script>const ask = () => fetch('/broken'); ask(); setInterval(ask, 100)</script>",
    "a script of another server": (f"<script src='{REFUSED}'></script>", True),
    "a frame that is refused": (f"<iframe src='{REFUSED}'></iframe>", True),
    "a frame that fails": "<iframe src='/broken'></iframe>",
    "a frame that redirects for ever": "<iframe src='/round'></iframe>",
    "a form that a frame takes": (
        "<iframe name=t></iframe><form id=f method=post target=t action='/broken'></form><script>f.submit()</script>"
    ),
    "a request that never ends": "<script>fetch('/never')</script>",
    "a request that the page gives up": (
        "<script>const c = new AbortController; fetch('/never', {signal: c.signal}).catch(() => 0); c.abort()</script>",
        False,
    ),
    "a download in a frame": ("<iframe src='/file'></iframe>", False),
    "an error of a script": ("<script>throw new Error('no')</script>", False),
    "a socket that is refused": ("<script>new WebSocket('ws://127.0.0.1:9/')</script>", False),
}


@pytest.mark.requirement("ACT-11.14")
@pytest.mark.parametrize("part", PARTS)
async def test_a_page_that_arrived_is_open_whatever_failed_inside_it(
    stage: Stage, site: Site, part: str
) -> None:
    site.page("/broken", "no", status=500)
    site.page("/fine", "yes")
    site.page("/round", "", status=302, headers={"Location": "/round"})
    site.page("/file", "data", headers={"Content-Disposition": "attachment; filename=a.bin"})
    release = site.gate("/never")
    html, noted = given if isinstance(given := PARTS[part], tuple) else (given, True)
    arrived = await stage.act("nav.navigate", args={"url": site.page("/page", f"<h1>Here</h1>{html}")})
    release()
    assert arrived.status == "succeeded", describe_result(arrived)
    notes = (arrived.metadata or {}).get("notes", [])
    assert bool(notes) is noted, notes


async def test_a_page_whose_own_document_fails_is_not_a_success(stage: Stage, site: Site) -> None:
    failed = await stage.act("nav.navigate", args={"url": site.page("/down", "<h1>Down</h1>", status=500)})
    assert failed.status == "failed", describe_result(failed)
