"""Deltas: applying them gives the same graph as a fresh snapshot, whatever the page does."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from tests.web.tab import KEYS, Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGES = Path(__file__).parent / "pages"
PAGE = (PAGES / "mutants.html").read_text("utf-8")
STEP = (PAGES / "mutate.js").read_text("utf-8")


def normalised(graph: dict[str, Any]) -> dict[str, Any]:
    parts = {kind: {node[key]: node for node in graph[kind]} for kind, key in KEYS.items()}
    return {**parts, **{part: graph[part] for part in ("route", "focus", "modalStack")}}


def published_graph(tab: Tab) -> dict[str, Any]:
    return {part: tab.graph[part] for part in (*KEYS, "route", "focus", "modalStack")}


async def assert_same_as_fresh(tab: Tab, story: str) -> None:
    # A hidden element loses its focus with the next frame, not at once.
    await tab.evaluate("new Promise((r) => requestAnimationFrame(() => setTimeout(r)))", awaitPromise=True)
    await tab.settle()
    applied, order = published_graph(tab), tab.order()
    fresh = (await tab.snapshot())["graph"]
    wanted = normalised(fresh)
    for part in wanted:
        assert applied[part] == wanted[part], f"{part} differ after {story}"
    assert order == [node["instanceId"] for node in fresh["elements"]], f"order differs after {story}"


RESTLESS = """<style>:root{--way:block}
ul:has(> li:nth-child(4)) ~ details{display:none} fieldset:has(:checked) + button{visibility:hidden}
li:nth-child(3),td:empty{display:none} tr:first-child button{cursor:pointer} h1[title]{opacity:0}
main:has([role=alert]) footer,main:has([role=alert]) + footer{display:none} p:only-child{opacity:0}</style>"""
CALM = RESTLESS + PAGE.partition("<script>")[0]


@pytest.mark.parametrize("seed", range(8))
async def test_deltas_add_up_to_a_fresh_snapshot_under_random_mutation(tab: Tab, seed: int) -> None:
    await tab.load(CALM if seed % 2 else PAGE)
    story = []
    for step in range(9):
        story.append(await tab.evaluate(STEP.replace("SEED", str(seed * 1000 + step))))
        if step % 3 == 2:
            await assert_same_as_fresh(tab, f"seed {seed}: {json.dumps(story)}")


STYLES = {
    "a sibling": ("#it:checked ~ p{display:none}", "it.checked = true"),
    "the content of an ancestor": (
        ".shop:has(b) p{visibility:hidden}",
        "it.after(document.createElement('b'))",
    ),
    "the position among siblings": ("p:nth-child(3){display:none}", "it.before(document.createElement('b'))"),
    "an attribute of an ancestor": (
        "[data-mode=dark] p{display:none}",
        "document.body.dataset.mode = 'dark'",
    ),
    "an attribute of a sibling": ("[data-mode=dark] + p{opacity:0}", "it.dataset.mode = 'dark'"),
    "a nested rule": (".shop{& p{&:nth-child(3){display:none}}}", "it.before(document.createElement('b'))"),
    "a variable": (
        ":root{--way:block} .shop:has(b){--way:none} p{display:var(--way)}",
        "it.after(document.createElement('b'))",
    ),
    "a layer": ("@layer a{p:nth-child(3){display:none}}", "it.before(document.createElement('b'))"),
    "an adopted sheet": (
        "",
        "(() => {const s = new CSSStyleSheet(); s.replaceSync('p{display:none}'); "
        "document.adoptedStyleSheets = [s]})()",
    ),
    "an animation by script": (
        "",
        "words.animate({opacity: [0, 0]}, {duration: 1, fill: 'forwards'}).finished",
    ),
    "a popover": ("p{margin:0}", "pop.showPopover()"),
    "a custom element defined late": (
        "",
        "customElements.define('x-late', class extends HTMLElement{connectedCallback(){"
        "this.attachShadow({mode:'open'}).innerHTML = '<p>new</p>'}})",
    ),
    "focus": (".shop:focus-within p{display:none}", "it.focus()"),
    "a container query": (
        ".shop{container-type:inline-size} @container (max-width:100px){p{display:none}}",
        "document.querySelector('.shop').style.width = '50px'",
    ),
}


@pytest.mark.parametrize("about", STYLES)
async def test_an_appearance_changed_by_style_alone_is_reported_by_the_next_flush(
    tab: Tab, about: str
) -> None:
    style, change = STYLES[about]
    await tab.load(
        f"<style>{style}</style><div class=shop><input type=checkbox id=it>"
        "<p id=words>words <a href=/x>link</a></p></div>"
        "<div popover id=pop><button>Popped</button></div><x-late></x-late>"
    )
    before = copy.deepcopy(published_graph(tab))
    await tab.evaluate(change, awaitPromise=True)
    await assert_same_as_fresh(tab, about)
    assert published_graph(tab)["elements"] != before["elements"], "the change is visible"
