"""nav.navigate in a real browser: documents, hash routers and history routers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from websockets.asyncio.server import ServerConnection, serve

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


APP = """<h1>One</h1><button id=go>Two</button><script>window.kept = 1;
const show = () => { document.querySelector("h1").textContent = location.pathname };
onpopstate = show; go.onclick = () => { history.pushState({}, "", "/app/two"); show() }</script>"""


@pytest.mark.requirement("ACT-11.14b")
async def test_a_history_router_changes_the_route_and_the_page_keeps_its_state(
    stage: Stage, site: Site
) -> None:
    for path in ("/app", "/app/two", "/app/three"):
        site.page(path, APP)
    keep = {"keepPage": True}
    await stage.act("nav.navigate", args={"url": site.url("/app"), **keep})
    assert (await stage.act("ui.activate", role="button", name="Two")).status == "succeeded"
    await stage.driver.evaluate("kept = 2")
    routed = await stage.act("nav.navigate", args={"url": site.url("/app/three"), **keep})
    assert routed.status == "succeeded", describe_result(routed)
    here = "[location.pathname, document.querySelector('h1').textContent, window.kept]"
    assert await stage.driver.evaluate(here) == ["/app/three", "/app/three", 2]
    await stage.driver.evaluate("onpopstate = null")
    loaded = await stage.act("nav.navigate", args={"url": site.url("/app/two"), **keep})
    assert loaded.status == "succeeded", describe_result(loaded)
    assert await stage.driver.evaluate("window.kept") == 1, "a page that does not react is loaded"


@pytest.mark.requirement("ACT-12.1")
async def test_a_link_back_to_a_page_that_was_opened_without_an_action_is_its_effect(
    stage: Stage, site: Site
) -> None:
    links = "<a href='/rows?page=2'>Next</a> <a href='/rows'>First</a>"
    site.page("/rows", f"<h1>Rows</h1>{links}")
    await stage.driver.navigate(site.url("/rows"))
    for name in ("Next", "First", "First"):
        pressed = await stage.act("ui.activate", role="link", name=name)
        assert pressed.status == "succeeded", describe_result(pressed)


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


@pytest.mark.parametrize("status", [404, 410, 500])
async def test_a_page_whose_own_document_fails_is_not_a_success(
    stage: Stage, site: Site, status: int
) -> None:
    failed = await stage.act("nav.navigate", args={"url": site.page("/down", "<h1>Down</h1>", status=status)})
    assert failed.status == "failed" and failed.error is not None, describe_result(failed)
    assert str(status) in failed.error.message


REFUSAL = "Could not save: the title is taken"
SHOW = f"() => document.body.insertAdjacentHTML('beforeend', '<div role=alert>{REFUSAL}</div>')"
FADE = "<style>.toast { opacity: 0; transition: opacity .2s } .toast.shown { opacity: 1 }</style>"
# The page that a form leads to shows its message in one of these ways.
LATE_MESSAGES = {
    "in its text": f"<div class='flash error'>{REFUSAL}</div>",
    "by a timer": f"<script>setTimeout({SHOW}, 150)</script>",
    "by a timer after loading": f"<script>addEventListener('load', () => setTimeout({SHOW}, 99))</script>",
    "by a transition": (
        f"{FADE}<div class='toast error' id=t>{REFUSAL}</div>"
        "<script>requestAnimationFrame(() => t.classList.add('shown'))</script>"
    ),
    "by a request": (
        "<script>setTimeout(() => fetch('/message').then((answer) => answer.text()).then((text) => "
        "document.body.insertAdjacentHTML('beforeend', '<div role=alert>' + text + '</div>')), 60)</script>"
    ),
}


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize("way", LATE_MESSAGES)
async def test_a_page_that_answers_a_write_has_time_to_show_its_message(
    stage: Stage, site: Site, way: str
) -> None:
    """It refuses the same input twice: a message that was the answer before counts again."""
    site.page("/message", REFUSAL)
    site.page("/save", "", status=303, headers={"Location": "/answer"})
    site.page("/answer", f"<h1>Items</h1>{LATE_MESSAGES[way]}")
    form = site.page("/form", "<form method=post action=/save><input name=title><button>Save</button></form>")
    for _ in range(2):
        await stage.act("nav.navigate", args={"url": form})
        saved = await stage.act("ui.activate", role="button", name="Save")
        assert saved.status == "failed" and saved.error is not None, describe_result(saved)
        assert REFUSAL in saved.error.message


@pytest.mark.requirement("ACT-12.1")
async def test_a_page_that_answers_a_write_and_goes_on_moving_is_a_success(stage: Stage, site: Site) -> None:
    moving = "<style>@keyframes in { from { opacity: 0 } } h2 { animation: in 9s }</style><h2>Welcome</h2>"
    site.page("/stored", "", status=303, headers={"Location": "/moving"})
    site.page(
        "/moving",
        f"{moving}<script>setInterval(() => 0, 100); (function f() {{ setTimeout(f, 90) }})()</script>",
    )
    form = site.page(
        "/form", "<form method=post action=/stored><input name=title><button>Save</button></form>"
    )
    await stage.act("nav.navigate", args={"url": form})
    saved = await stage.act("ui.activate", role="button", name="Save")
    assert saved.status == "succeeded", describe_result(saved)


@pytest.mark.requirement("ACT-11.14")
async def test_a_page_that_asks_for_its_content_over_a_socket_arrives_with_it(
    stage: Stage, site: Site
) -> None:
    async def converse(connection: ServerConnection) -> None:
        async for _ in connection:
            await asyncio.sleep(0.3)  # the server takes its time
            await connection.send(b"content")

    async with serve(converse, "127.0.0.1", 0) as server:
        address = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}"
        script = (
            f"const s = new WebSocket('{address}'); s.onopen = () => s.send('give'); "
            "s.onmessage = () => document.body.insertAdjacentHTML('beforeend', '<button>Content</button>')"
        )
        url = site.page("/live", f"<h1>Live</h1><script>{script}</script>")
        arrived = await stage.act("nav.navigate", args={"url": url})
        assert arrived.status == "succeeded", describe_result(arrived)
        assert [one.name for one in stage.page.tab().store.by_role("button")] == ["Content"]
