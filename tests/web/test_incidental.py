"""Changes that follow any press: the focus moves, and open layers close. They are told apart from its effects."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from typing import Any

import pytest

from tests.web.cdp import Browser
from tests.web.tab import Tab
from tests.web.traced import RoadSite, click, press_key, traced_tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


def tokens(tab: Tab, words: str) -> set[Any]:
    """Return the tokens of the deltas that brought a text or value."""
    return {m.get("causedBy") for m in tab.messages if m["t"] == "delta" and words in str(m["delta"])}


async def pressed(browser: Browser, body: str, name: str = "Go", before: str = "1", key: str = "") -> Tab:
    """Show a page, run a script in it, and press a button with the token `go`, by the pointer or by a key."""
    page = f"<!doctype html><title>Press</title>{body}"
    async with traced_tab(browser) as tab, RoadSite({"/": ("text/html", page)}) as site:
        await tab.visit(f"{site.origin}/")
        await tab.evaluate(before, awaitPromise=True)
        if "type" in before:
            await tab.send("Input.insertText", text="1500")
        await tab.settle()
        tab.messages.clear()
        await (press_key(tab, name, "go", key) if key else click(tab, name, "go"))
        await tab.settle()
        await tab.evaluate("new Promise((r) => setTimeout(r, 60))", awaitPromise=True)
        await tab.settle()
        return tab


FIELD = "<input id=f aria-label=Price><p id=out>.</p><button id=b>Go</button><script>const type = () => f.focus(); "


@pytest.mark.requirement("ACT-12.2")
@pytest.mark.parametrize(
    "script",
    [
        "f.onchange = () => { out.textContent = 'Formatted' }",
        "f.onblur = () => { out.textContent = 'Formatted' }",
        "f.addEventListener('focusout', async () => { await null; out.textContent = 'Formatted' })",
        "f.onblur = () => setTimeout(() => { out.textContent = 'Formatted' }, 10)",
        "f.onblur = () => { out.textContent = 'Formatted' }; b.onmousedown = (e) => { e.preventDefault(); b.focus() }",
    ],
)
async def test_a_change_of_the_field_that_was_left_has_a_token_of_its_own(
    browser: Browser, script: str
) -> None:
    tab = await pressed(browser, f"{FIELD}{script}</script>", before="type()")
    assert tokens(tab, "Formatted") == {"go~left"}


async def test_a_hint_for_the_pressed_button_has_a_token_of_its_own(browser: Browser) -> None:
    tab = await pressed(browser, f"{FIELD}b.onfocus = () => {{ out.textContent = 'Starts it' }}</script>")
    assert tokens(tab, "Starts it") == {"go~entered"}


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("b.onclick = () => { out.textContent = 'Sent' }", "Sent"),
        ("b.onmousedown = () => { f.focus(); out.textContent = 'Sent' }", "Sent"),
        ("b.onclick = () => { f.onblur = () => { out.textContent = 'Sent' }; f.focus(); f.blur() }", "Sent"),
        ("b.setAttribute('aria-haspopup', 'menu'); b.onfocus = () => { out.textContent = 'Sent' }", "Sent"),
    ],
)
async def test_an_effect_of_the_press_itself_keeps_its_token(
    browser: Browser, script: str, words: str
) -> None:
    tab = await pressed(browser, f"{FIELD}{script}</script>", before="type()")
    assert tokens(tab, words) == {"go"}


MENU = """<style>#m { position: absolute; top: 90px } #m[hidden] { display: none }</style><button id=b>Go</button><button id=o>Menu</button>
<div id=m hidden><button>Van</button></div><ul id=rows><li><button>Row</button></li></ul><script>
const open = () => { m.hidden = false };
addEventListener("pointerdown", (e) => { if (!m.contains(e.target)) setTimeout(() => { m.hidden = true }) });"""


def dismissed(tab: Tab) -> list[str]:
    return [id for m in tab.messages if m["t"] == "delta" for id in m.get("dismissed", [])]


async def test_a_layer_that_closes_under_a_press_elsewhere_is_named(browser: Browser) -> None:
    assert dismissed(await pressed(browser, f"{MENU}</script>", before="open()"))


KEYED = "b.focus(); b.onkeydown = (e) => { m.hidden = true; e.preventDefault() }; open()"


async def test_a_layer_that_escape_closes_is_its_effect_and_any_other_key_closes_it_beside_its_own(
    browser: Browser,
) -> None:
    assert not dismissed(await pressed(browser, f"{MENU}</script>", before=KEYED, key="Escape"))
    assert dismissed(await pressed(browser, f"{MENU}</script>", before=KEYED, key="F8"))


@pytest.mark.parametrize(
    ("script", "name", "before"),
    [
        ("", "Van", "open()"),
        ("b.setAttribute('aria-controls', 'm')", "Go", "open()"),
        ("b.onclick = () => rows.replaceChildren()", "Go", "1"),
    ],
)
async def test_a_press_inside_on_its_opener_or_on_other_content_dismisses_nothing(
    browser: Browser, script: str, name: str, before: str
) -> None:
    assert not dismissed(await pressed(browser, f"{MENU}{script}</script>", name, before))


async def test_the_only_field_of_a_page_does_not_miss_the_task_that_sets_its_value(browser: Browser) -> None:
    """Controls are read in turn, and no step is lost between two turns."""
    script = "let n = 0; const step = () => { f.value = 'ours' + ++n; if (n < 6) setTimeout(step, 5) }; b.onclick = () => setTimeout(step, 5)"
    tab = await pressed(browser, f"{FIELD}{script}</script>")
    values = [m for m in tab.messages if m["t"] == "delta" and "ours" in str(m["delta"])]
    assert values and {m.get("causedBy") for m in values} == {"go"}


async def test_messages_of_another_form_are_awaited_after_silent_drafts(browser: Browser) -> None:
    """A socket may ignore drafts and answer a post. The forms of both are part of their work."""
    script = "b.onclick = () => { ws.send('{\"type\":\"draft\",\"n\":1}'); ws.send('{\"type\":\"post\",\"n\":1}') }"
    async with traced_tab(browser) as tab, RoadSite({}) as site:
        body = f"<!doctype html><title>Chat</title>{FIELD}{script};const ws = new WebSocket('{site.socket}'); const ready = new Promise((r) => {{ ws.onopen = r }}).then(() => 1)</script>"
        site.pages["/"] = ("text/html", body)
        await tab.visit(f"{site.origin}/")
        await tab.evaluate("ready", awaitPromise=True)
        await tab.settle()
        await click(tab, "Go", "go")
        await tab.until(lambda: any(m["t"] == "work" and m["work"] for m in tab.messages))
        work = next(m["work"] for m in tab.messages if m["t"] == "work" and m["work"])
        assert len({source for kind, _, _, source in work if kind == "socket"}) == 2
