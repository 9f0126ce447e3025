"""A link whose press a script handles is no plain navigation; routers and counters of visits change nothing."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.web.cdp import Browser
from tests.web.tab import Tab
from tests.web.traced import traced_tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def traced(browser: Browser) -> AsyncIterator[Tab]:
    async with traced_tab(browser) as tab:
        yield tab


def facts(tab: Tab, name: str) -> dict[str, Any]:
    """Return how the press of a link is handled."""
    metadata = tab.found("link", name).get("metadata", {})
    return {key: value for key, value in metadata.items() if key in ("method", "handled")}


LINK = "<p id=p><a id=a href=/help>Help</a></p>"
FETCH = "fetch('/items/3', {method: 'DELETE'})"
REACT = "document.body['__reactContainer$x1'] = {}; document.body.addEventListener('click', function dispatch() {}); a['__reactProps$x1'] = {onClick: RUN};"
OWN = {
    "a listener": "a.addEventListener('click', RUN)",
    "a press": "a.addEventListener('pointerdown', RUN)",
    "a property": "a.onclick = RUN",
    "an object": "a.addEventListener('click', {handleEvent: RUN})",
    "a wrapper of Vue": "{ const f = (e) => f.value(e); f.value = RUN; a.addEventListener('click', f) }",
    "a property of React": REACT,
    "named by a selector": "document.addEventListener('click', (e) => { if (e.target.closest('#a')) (RUN)() })",
    "an element inside": "a.innerHTML = '<span>Help</span>'; a.firstChild.addEventListener('click', RUN)",
    "the window": "addEventListener('click', (e) => { if (e.target.closest('#a')) (RUN)() }, true)",
    "named by its id": "document.addEventListener('click', (e) => { if (e.target.id === 'a') (RUN)() })",
    "named itself": "document.addEventListener('click', (e) => { if (e.target === a) (RUN)() })",
    "named by its class": "a.className = 'x'; p.addEventListener('click', (e) => { if (e.target.matches('.x')) (RUN)() })",
}


@pytest.mark.parametrize("how", OWN)
async def test_a_link_with_a_listener_of_its_own_is_pressed_like_a_button(traced: Tab, how: str) -> None:
    await traced.load(f"{LINK}<script>{OWN[how].replace('RUN', '() => go()')}</script>")
    assert facts(traced, "Help") == {"method": "onclick"}
    await traced.load(f"{LINK}<script>{OWN[how].replace('RUN', f'(e) => {{ {FETCH} }}')}</script>")
    assert facts(traced, "Help") == {"method": "request"}


WRITERS = {
    "its own call": "a.onclick = () => api.deleteAccount()",
    "a form": "a.onclick = () => f.submit()",
    "an element around it": f"p.onclick = () => {FETCH}",
    "a part around it": f"document.onclick = (e) => {{ if (e.target.closest('p')) {FETCH} }}",
    "a beacon to another address than a counter's": "a.onclick = () => navigator.sendBeacon('/items/3', 'x')",
    "a counter beside it": "a.onclick = () => { track('x'); fetch('/items/3', {method: 'POST'}) }",
    "named in the path of the event": f"addEventListener('click', (e) => {{ if (e.composedPath().some((x) => x.id === 'a')) {FETCH} }}, true)",
    "on every link": "for (const one of document.links) one.onclick = () => " + FETCH,
}


@pytest.mark.parametrize("how", WRITERS)
async def test_a_listener_whose_source_writes_is_a_request(traced: Tab, how: str) -> None:
    others = "<a href=/b>B</a><a href=/c>C</a><a href=/d>D</a>"
    await traced.load(f"{LINK}{others}<script>{WRITERS[how]}</script>")
    assert facts(traced, "Help") == {"method": "request"}


async def test_a_key_listener_or_a_form_listener_counts_if_it_writes(traced: Tab) -> None:
    form = "<form id=f action=/find aria-label=F><input aria-label=Q></form>"
    for run, kind in ((FETCH, None), ("go()", "get")):
        await traced.load(
            f"{LINK}{form}<script>a.addEventListener('keydown', () => {{ {run} }}); f.onsubmit = () => {{ {run} }}</script>"
        )
        assert traced.found("form", "F").get("metadata", {}).get("form") == kind
        assert facts(traced, "Help") == ({"method": "request"} if kind is None else {})


MENU = "<nav id=n><a href=/>Home</a><a href=/a>Orders</a><a href=/b>People</a><a href=/c>Help</a></nav>"
HARMLESS = {
    "a router": "for (const l of document.links) l.onclick = (e) => { if (e.metaKey) return; e.preventDefault(); history.pushState(0, '', l.href) }",
    "one link of a router": "n.lastChild.onclick = (e) => { if (!e.defaultPrevented) follow(e) }",
    "a counter of visits": "n.lastChild.onclick = () => fetch('/track', {method: 'POST', body: 'help'})",
    "a counter by an address of its own": "n.lastChild.onclick = () => { const to = options.to; navigator.sendBeacon(to, 'help'); analytics.push('x') }",
    "a beacon": "n.lastChild.onclick = () => navigator.sendBeacon('/analytics')",
    "a router at the root": "document.addEventListener('click', (e) => { const a = e.target.closest('a[href]'); if (a) go(a) })",
    "a listener around it": "n.addEventListener('click', () => close())",
    "closing a menu": "document.addEventListener('click', (e) => { if (!n.contains(e.target)) n.hidden = true })",
}


@pytest.mark.parametrize("how", HARMLESS)
async def test_routers_counters_and_listeners_around_leave_a_link_a_link(traced: Tab, how: str) -> None:
    await traced.load(f"{MENU}<script>{HARMLESS[how]}</script>")
    assert facts(traced, "Help") == {}


SHARED = {
    "one function": "function go() {} for (const l of document.links) l.addEventListener('click', go)",
    "one source": "for (const l of document.links) l.addEventListener('click', (e) => go(l))",
}


@pytest.mark.parametrize("how", SHARED)
async def test_a_listener_of_different_links_is_shared_and_one_of_equal_links_is_not(
    traced: Tab, how: str
) -> None:
    await traced.load(f"{MENU}<script>{SHARED[how]}</script>")
    await traced.settle()
    assert [facts(traced, name) for name in ("Home", "Help")] == [{"handled": "shared"}] * 2
    rows = "".join(f"<p>{n} <a href=/i/{n}>Take</a></p>" for n in range(4))
    await traced.load(f"{rows}<script>{SHARED[how]}</script>")
    await traced.settle()
    takes = [e["metadata"] for e in traced.graph["elements"].values() if e.get("name") == "Take"]
    assert [one.get("method") for one in takes] == ["onclick"] * 4


async def test_links_that_come_later_make_the_listener_of_the_first_one_shared(traced: Tab) -> None:
    await traced.load(f"{LINK}<script>function go() {{}} a.addEventListener('click', go)</script>")
    assert facts(traced, "Help") == {"method": "onclick"}
    for name in ("Orders", "People"):
        await traced.evaluate(
            f"p.insertAdjacentHTML('beforeend', '<a href=/{name}>{name}</a>'); p.lastChild.addEventListener('click', go)"
        )
    await traced.until(lambda: facts(traced, "Help") == {"handled": "shared"})
    await traced.evaluate("a.addEventListener('click', () => steal())")
    await traced.until(lambda: facts(traced, "Help") == {"method": "onclick"})
