"""Targets made by a listener: its own, a delegated one, or one that a framework keeps in a property."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from collections.abc import AsyncIterator

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


def targets(tab: Tab) -> list[str]:
    """Return the names of the elements that can be pressed only because of a listener or a cursor."""
    elements = sorted(
        tab.graph["elements"].items(), key=lambda item: list(tab.graph["elements"]).index(item[0])
    )
    return [e.get("name", e.get("text", "")) for _, e in elements if e.get("customRole") == "x.clickable"]


UP = "document.addEventListener('click', function (e) { let n = e.composedPath()[0]; n['$$' + e.type]?.call(n, e); n = n.parentNode });"

OWN = {
    "addEventListener": "a.addEventListener('click', () => 0)",
    "a pointer": "a.addEventListener('pointerdown', () => 0)",
    "a property": "a.onclick = () => 0",
    "an object": "a.addEventListener('click', {handleEvent() {}})",
    "Solid": f"{UP} a.$$click = () => 0",
    "Solid in one module": f"a.$$click = () => 0; {UP}",
    "Svelte 5": f"{UP} a.__click = [() => 0]",
}


@pytest.mark.parametrize("how", OWN)
async def test_an_element_with_its_own_listener_is_a_target(traced: Tab, how: str) -> None:
    await traced.load(f"<p><span id=a>Open</span> <span>shut</span></p><script>{OWN[how]}</script>")
    assert targets(traced) == ["Open"]


async def test_two_words_side_by_side_are_two_targets_under_one_cursor(traced: Tab) -> None:
    await traced.load(
        "<p id=p style=cursor:pointer><span>Yes</span> <span>No</span></p>"
        "<script>for (const s of p.children) s.addEventListener('click', () => 0)</script>"
    )
    assert targets(traced) == ["Yes", "No"]


DELEGATED = {
    "closest": "e => { const b = e.target.closest('.b'); if (!b) return; go(b) }",
    "matches": "e => { if (e.target.matches('.b')) go() }",
    "a guard": "function (e) { if (!e.target.closest('.b')) return; go() }",
    "a class": "e => { if (e.target.classList.contains('b')) go() }",
    "data": "e => { if (e.target.dataset.key) go() }",
    "a tag": "e => { if (e.target.tagName !== 'I') return; go() }",
    "minified": 'e=>{e.target.closest(".b")&&go()}',
}


@pytest.mark.parametrize("how", DELEGATED)
@pytest.mark.parametrize("root", ["document", "document.body", "p"])
async def test_a_delegated_listener_makes_the_parts_that_it_names_targets(
    traced: Tab, how: str, root: str
) -> None:
    await traced.load(
        "<p id=p><i class=b data-key=1>Yes</i> <i class=b data-key=2>No</i></p><p>Other <b>text</b></p>"
        f"<script>{root}.addEventListener('click', {DELEGATED[how]})</script>"
    )
    assert targets(traced) == ["Yes", "No"]
    await traced.evaluate("p.insertAdjacentHTML('beforeend', '<i class=b data-key=3>Late</i>')")
    await traced.settle()
    assert targets(traced) == ["Yes", "No", "Late"]


CLOSING = {
    "contains": "e => { if (!m.contains(e.target)) m.hidden = true }",
    "closest": "e => { if (!e.target.closest('#m')) m.hidden = true }",
    "leaving": "e => { if (e.target.closest('#m')) return; m.hidden = true }",
    "minified": 'e=>{e.target.closest("#m")||(m.hidden=!0)}',
    "nothing": "() => 0",
}


@pytest.mark.parametrize("how", CLOSING)
@pytest.mark.parametrize("root", ["document", "document.body", "r"])
async def test_a_listener_of_a_root_makes_nothing_else_a_target(traced: Tab, how: str, root: str) -> None:
    await traced.load(
        "<main id=r><p>One</p><p>Two <b>words</b></p><div id=m><span>Menu</span></div><button>B</button></main>"
        f"<script>{root}.addEventListener('click', {CLOSING[how]})</script>"
    )
    assert targets(traced) == []


async def test_equal_parts_are_the_targets_of_a_listener_that_asks_where_it_was_pressed(traced: Tab) -> None:
    await traced.load(
        "<div id=a><span>Yes</span> <span>No</span></div><div id=c><h3>Card</h3><p>text</p></div>"
        "<script>for (const one of [a, c]) one.addEventListener('click', (event) => go(event.target))</script>"
    )
    assert targets(traced) == ["Yes", "No", "Card text"]


async def test_react_properties_make_a_target_and_the_root_none(traced: Tab) -> None:
    await traced.load(
        "<div id=root></div><script>root['__reactContainer$x1'] = {}; root.addEventListener('click', function dispatch() {});"
        "function node(tag, props, text) { const n = document.createElement(tag); n['__reactProps$x1'] = props; n.append(text); root.append(n); return n }"
        "node('div', {onClick: () => 0}, 'Open'); node('div', {className: 'x'}, 'Plain'); late = node('div', {}, 'Late')</script>"
    )
    assert targets(traced) == ["Open"]
    await traced.evaluate("late['__reactProps$x1'] = {onClick: () => 0}")
    await traced.until(lambda: targets(traced) == ["Open", "Late"])
    assert await traced.evaluate("Object.keys(late).includes('__reactProps$x1')")


async def test_the_symbol_of_svelte_is_found_by_its_listener(traced: Tab) -> None:
    await traced.load(
        "<p><span id=a>Open</span> <span id=b>Later</span></p><script>const key = Symbol('events');"
        "(a[key] ??= {}).click = () => 0;"
        "document.addEventListener('click', function (event) { let node = event.composedPath()[0]; node[key]?.[event.type]?.call(node, event); node = node.parentNode || node.host })</script>"
    )
    assert targets(traced) == ["Open"]
    await traced.evaluate("(b[key] ??= {}).click = () => 0")
    await traced.until(lambda: targets(traced) == ["Open", "Later"])


async def test_selectors_of_jquery_make_targets(traced: Tab) -> None:
    await traced.load(
        "<p id=p><i class=b>Yes</i> <i>No</i></p><script>"
        "p.jQuery3710123456 = {events: {click: [{selector: '.b', handler() {}}]}}; p.addEventListener('click', () => 0)</script>"
    )
    assert targets(traced) == ["Yes"]


async def test_listeners_that_come_and_go_are_followed_without_a_cause(traced: Tab) -> None:
    await traced.load("<p>Text <span id=a>Open</span></p><script>run = () => 0</script>")
    assert targets(traced) == []
    await traced.evaluate("a.addEventListener('click', run)")
    await traced.until(lambda: targets(traced) == ["Open"])
    await traced.evaluate("a.removeEventListener('click', run)")
    await traced.until(lambda: targets(traced) == [])


async def test_rows_and_drawings_with_a_listener_can_be_pressed(traced: Tab) -> None:
    await traced.load(
        "<table><tr id=t><td>Ann</td></tr></table><svg width=20 height=20><circle id=c r=9><title>Dot</title></circle></svg>"
        "<script>t.onclick = c.onclick = () => 0</script>"
    )
    assert "activate" in traced.found("row")["affordances"]
    assert "activate" in traced.found("image", "Dot")["affordances"]


async def test_the_visible_name_of_an_item_is_no_target_of_its_own(traced: Tab) -> None:
    await traced.load(
        "<ul role=tree><li role=treeitem aria-label=Docs><span id=a>Docs</span><ul role=group><li role=treeitem>In</ul></ul>"
        "<script>a.onclick = () => 0</script>"
    )
    assert targets(traced) == []


async def test_an_element_with_a_control_deep_in_its_shadow_trees_is_no_target(traced: Tab) -> None:
    inner = "<x-b><template shadowrootmode=open><button>Save</button></template></x-b>"
    await traced.load(
        f"<div id=a><x-a><template shadowrootmode=open><p>{inner}</p></template></x-a></div>"
        "<script>a.addEventListener('click', () => 0)</script>"
    )
    assert targets(traced) == []
