"""Element setters and the probe: check and act in one task."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from typing import Any

import pytest

from tests.web.tab import Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def perform(tab: Tab, op: str, element: dict[str, Any], **terms: Any) -> dict[str, Any]:
    return dict(await tab.ask("perform", {"op": op, "instanceId": element["instanceId"], **terms}))


async def test_text_is_set_in_a_way_that_controlled_inputs_notice(tab: Tab) -> None:
    # A framework that watches `value` with its own setter on the element, as React does.
    await tab.load(
        "<input id=i aria-label=I><script>var seen = []; const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');"
        "Object.defineProperty(i, 'value', {get() { return own.get.call(this) }, set(v) { seen.push('own'); own.set.call(this, v) }});"
        "for (const t of ['beforeinput', 'input', 'change']) i.addEventListener(t, (e) => seen.push(t + ':' + own.get.call(i)))</script>"
    )
    field = tab.found("textbox")
    assert (await perform(tab, "setText", field, text="Ann"))["changed"] is True
    assert await tab.evaluate("seen.join()") == "beforeinput:,input:Ann", "nothing commits the text yet"
    assert await tab.evaluate("i.blur(), seen.join()") == "beforeinput:,input:Ann,change:Ann"
    assert (await perform(tab, "setText", field, text="Ann"))["changed"] is False
    await perform(tab, "clear", field)
    await tab.settle()
    assert tab.found("textbox")["state"]["textValue"] == ""


async def test_contenteditable_is_edited_through_the_editor(tab: Tab) -> None:
    await tab.load("<div id=e contenteditable aria-label=E>old <b>text</b></div>")
    assert (await perform(tab, "setText", tab.found("textarea"), text="new"))["ok"]
    assert await tab.evaluate("e.textContent") == "new"


async def test_options_and_checks_are_set_and_reported(tab: Tab) -> None:
    await tab.load(
        "<select id=s aria-label=S><option value=r>Red<option value=b>Blue<option disabled>Gone</select>"
        "<input id=c type=checkbox aria-label=C><div role=listitem></div>"
    )
    combobox, box = tab.found("combobox"), tab.found("checkbox")
    assert (await perform(tab, "select", combobox, values=["Blue"]))["changed"]
    assert await tab.evaluate("s.value") == "b"
    assert (await perform(tab, "select", combobox, values=["Green"]))["reason"] == "no_such_option"
    assert (await perform(tab, "select", combobox, values=["Gone"]))["reason"] == "option_disabled"
    assert (await perform(tab, "check", box, checked=True))["changed"]
    assert await tab.evaluate("c.checked") is True
    await tab.settle()
    assert tab.found("option", "Blue")["state"]["selected"] is True


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("i.remove()", "detached"),
        ("i.disabled = true", "disabled"),
        ("i.readOnly = true", "readonly"),
        ("i.setAttribute('aria-label', 'Other')", "name_changed"),
        ("i.hidden = true", "hidden"),
        ("d.showModal()", "blocked"),
    ],
)
async def test_an_element_that_changed_since_it_was_observed_is_refused(
    tab: Tab, change: str, reason: str
) -> None:
    await tab.load("<input id=i aria-label=I><dialog id=d>x</dialog>")
    field = tab.found("textbox")
    await tab.evaluate(change)
    await tab.settle()
    outcome = await perform(tab, "setText", field, text="x", role="textbox", name="I")
    wanted = (
        {"detached", "hidden"} if reason == "hidden" else {reason}
    )  # a hidden element is no longer published
    assert outcome["ok"] is False
    assert outcome["reason"] in wanted
    assert await tab.evaluate("document.querySelector('input')?.value ?? ''") == ""


async def test_a_control_that_a_slot_shows_inside_a_modal_is_not_behind_it(tab: Tab) -> None:
    await tab.load(
        "<x-list><template shadowrootmode=open><div role=dialog aria-modal=true><slot></slot></div></template>"
        "<button>In</button></x-list><button>Out</button>"
    )
    ids = {name: tab.found("button", name)["instanceId"] for name in ("In", "Out")}
    results = (await tab.ask("probe", {"ids": [*ids.values()]}))["results"]
    assert {name: results[id]["blocked"] for name, id in ids.items()} == {"In": False, "Out": True}


@pytest.mark.parametrize(("cover", "words"), [
    ("<div role=dialog aria-label=Welcome><p id=c>Hi</p></div>", "dialog “Welcome”"),
    ("<div id=c class='backdrop in'></div>", "an empty box (div#c.backdrop)"),
    ("<div><p id=c>Skip this <b>now</b></p></div>", "a box with the text “Skip this now”"),
    ("<div id=c>secret<input type=password style='position:fixed;bottom:0'></div>", "an empty box (div#c)"),
])  # fmt: skip
async def test_the_probe_names_the_covering_element_in_words(tab: Tab, cover: str, words: str) -> None:
    await tab.load(f"<style>#c{{position:fixed;inset:0;margin:0}}</style><button>A</button>{cover}")
    id = tab.found("button", "A")["instanceId"]
    results = (await tab.ask("probe", {"ids": [id]}))["results"]
    assert results[id]["covering"]["words"] == words


async def test_the_probe_reports_the_covering_element_and_a_point_that_can_be_hit(tab: Tab) -> None:
    await tab.load(
        "<style>body{margin:0}button{position:absolute;width:100px;height:40px}</style><button id=a style='left:0;top:0'>A</button>"
        "<button style='left:0;top:100px'>B</button><div role=alert style='position:absolute;left:0;top:100px;width:60px;height:40px'>Ad</div>"
        "<button style='left:0;top:200px'>C</button><div role=alert style='position:absolute;left:0;top:200px;width:100px;height:40px'>Full</div>"
        "<button style='left:0;top:5000px'>D</button>"
    )
    ids = {name: tab.found("button", name)["instanceId"] for name in "ABCD"}
    results = (await tab.ask("probe", {"ids": [*ids.values(), "f0e999"]}))["results"]
    free, partly, covered, below = (results[ids[name]] for name in "ABCD")
    assert (free["point"], free["obscured"], free["bbox"]["height"]) == ({"x": 50, "y": 20}, False, 40)
    assert partly["obscured"] is False
    assert partly["point"]["x"] > 60
    assert covered["obscured"] is True
    assert covered["covering"]["role"] == "alert"
    assert covered["covering"]["words"] == "alert “Full”"
    assert below["inViewport"] is False
    assert results["f0e999"]["attached"] is False
    assert (await tab.call(f"__uiap.scrollIntoView('{ids['D']}')"))["moved"] is True
    again = (await tab.ask("probe", {"ids": [ids["D"]]}))["results"][ids["D"]]
    assert again["inViewport"] is True


async def test_a_moving_element_is_not_stable(tab: Tab) -> None:
    await tab.load(
        "<style>@keyframes go{from{transform:none}to{transform:translateX(300px)}}.m{animation:go 20s linear}</style>"
        "<button class=m>Moving</button><button>Still</button>"
    )
    ids = [tab.found("button", name)["instanceId"] for name in ("Moving", "Still")]
    results = (await tab.ask("probe", {"ids": ids, "frames": 2}))["results"]
    assert [results[instance_id]["stable"] for instance_id in ids] == [False, True]


CLIPPED = "position:absolute;width:1px;height:1px;overflow:hidden;clip:rect(0,0,0,0);clip-path:inset(50%)"


async def test_a_slider_in_a_clipped_wrapper_is_covered_by_nothing_and_is_left_like_by_a_pointer(
    tab: Tab,
) -> None:
    """Component libraries draw the thumb and hide the real field in it. They store the value when the pointer leaves it."""
    await tab.load(
        f"<div role=group aria-label=Amount id=track style='position:relative;height:40px'><div style='position:absolute;left:20%'>"
        f"<div style='{CLIPPED}'><input type=range aria-label=Amount max=10 value=2></div></div></div>"
        "<script>const seen = []; track.onpointerdown = () => addEventListener('pointerup', () => "
        "seen.push(track.querySelector('input').value), { once: true })</script>"
    )
    slider = tab.found("slider", "Amount")
    probe = (await tab.ask("probe", {"ids": [slider["instanceId"]]}))["results"][slider["instanceId"]]
    assert probe["obscured"] is False
    assert (await perform(tab, "adjust", slider, value=7))["changed"] is True
    assert await tab.evaluate("seen.join()") == "7"
