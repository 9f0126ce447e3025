"""The guard: trusted input reaches only the observed element."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from typing import Any

import pytest

from tests.web.tab import Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ROWS = """<style>body{margin:0}</style><table><tr><td>user-0</td><td><button id=b style="width:100px;height:30px">Delete</button></td></tr></table>
<script>var clicks = []; document.addEventListener('click', (e) => clicks.push(e.target.id || e.target.tagName), true);
document.addEventListener('pointerdown', () => clicks.push('down'), true)</script>"""


async def arm(tab: Tab, element: dict[str, Any], **terms: Any) -> dict[str, Any]:
    guard = {
        "instanceId": element["instanceId"], "role": element["role"], "name": element.get("name"),
        "record": element.get("metadata", {}).get("record"), "token": "t1",
    }  # fmt: skip
    return dict(await tab.ask("arm", guard | terms))


async def press(tab: Tab, x: float, y: float) -> None:
    for kind in ("mousePressed", "mouseReleased"):
        await tab.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)


async def point(tab: Tab, element: dict[str, Any]) -> tuple[float, float]:
    probe = (await tab.ask("probe", {"ids": [element["instanceId"]]}))["results"][element["instanceId"]]
    return probe["point"]["x"], probe["point"]["y"]


def verdicts(tab: Tab) -> list[tuple[bool, str, str]]:
    return [(m["ok"], m["event"], m.get("reason", "")) for m in tab.messages if m["t"] == "guard"]


@pytest.mark.requirement("ACT-8.3")
async def test_a_click_on_the_observed_element_passes_and_is_announced(tab: Tab) -> None:
    await tab.load(ROWS)
    button = tab.found("button")
    assert (await arm(tab, button))["ok"]
    await press(tab, *await point(tab, button))
    assert await tab.evaluate("clicks.join()") == "down,b"
    assert verdicts(tab) == [(True, "pointerdown", ""), (True, "click", "")]


@pytest.mark.requirement("ACT-8.3")
async def test_a_recycled_row_stops_the_click(tab: Tab) -> None:
    await tab.load(ROWS)
    button = tab.found("button")
    await arm(tab, button)
    where = await point(tab, button)
    await tab.evaluate("document.querySelector('td').textContent = 'user-50'")
    await press(tab, *where)
    assert await tab.evaluate("clicks.length") == 0
    assert verdicts(tab) == [(False, "pointerdown", "record_changed")]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("b.textContent = 'Delete all'", "name_changed"),
        ("b.setAttribute('role', 'link')", "role_changed"),
        ("b.disabled = true", "disabled"),
        ("document.querySelector('table').inert = true", "other_target"),
        ("b.replaceWith(Object.assign(b.cloneNode(true)))", "detached"),
        ("document.body.insertAdjacentHTML('beforeend', '<div id=o style=\"position:fixed;inset:0\">Ad</div>')", "other_target"),
    ],
)  # fmt: skip
async def test_a_swapped_target_stops_the_click(tab: Tab, change: str, reason: str) -> None:
    await tab.load(ROWS)
    button = tab.found("button")
    await arm(tab, button)
    where = await point(tab, button)
    await tab.evaluate(change)
    await press(tab, *where)
    assert await tab.evaluate("clicks.length") == 0
    assert [verdict[2] for verdict in verdicts(tab)] == [reason]


async def test_after_disarming_the_page_receives_all_input(tab: Tab) -> None:
    await tab.load(ROWS)
    button = tab.found("button")
    await arm(tab, button, name="Something else")
    where = await point(tab, button)
    await press(tab, *where)
    await tab.call("__uiap.disarm()")
    await press(tab, *where)
    assert await tab.evaluate("clicks.join()") == "down,b"


async def test_typing_reaches_only_the_observed_field(tab: Tab) -> None:
    await tab.load("<input id=a aria-label=A><input id=b aria-label=B>")
    await arm(tab, tab.found("textbox", "A"))
    await tab.evaluate("b.focus()")
    await tab.send("Input.insertText", text="secret")
    await tab.evaluate("a.focus()")
    assert await tab.evaluate("b.value") == ""
    assert verdicts(tab) == [(False, "beforeinput", "other_target")]
    await arm(tab, tab.found("textbox", "A"))
    await tab.send("Input.insertText", text="hello")
    assert await tab.evaluate("a.value") == "hello"


async def test_a_click_on_a_label_counts_as_a_click_on_its_control(tab: Tab) -> None:
    await tab.load("<label id=l style='display:block;width:200px'>Agree <input type=checkbox id=c></label>")
    await arm(tab, tab.found("checkbox"))
    await press(tab, 20, 18)
    assert await tab.evaluate("c.checked") is True


async def test_changes_in_the_task_of_the_click_are_marked_as_caused(tab: Tab) -> None:
    await tab.load(
        "<button id=b>Go</button><p id=now>a</p><p id=later>a</p><script>b.onclick = () => {"
        "now.textContent = 'caused'; setTimeout(() => later.textContent = 'later', 30)}</script>"
    )
    button = tab.found("button")
    await arm(tab, button)
    tab.messages.clear()
    await press(tab, *await point(tab, button))
    await tab.until(lambda: "later" in tab.found("app").get("text", ""))
    causes = {
        update["patch"]["text"]: message.get("causedBy")
        for message in tab.messages
        if message["t"] == "delta"
        for update in message["delta"].get("elements", {}).get("updated", [])
        if "text" in update["patch"]
    }
    assert causes == {"caused a": "t1", "caused later": None}
