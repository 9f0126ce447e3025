"""Attribution: changes caused by an input carry its token, also after promises and timers; other changes do not."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from typing import Any

import pytest

from tests.web.tab import Tab
from tests.web.test_guard import arm, point, press

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGE = "<button id=b style='width:100px;height:30px'>Go</button><p id=out role=status></p><input id=f aria-label=Field readonly><dialog id=d aria-label=Sure>Sure?</dialog>"


async def click(tab: Tab, handler: str) -> None:
    await tab.load(PAGE)
    await tab.evaluate(f"b.addEventListener('click', async () => {{ {handler} }})")
    button = tab.found("button")
    await arm(tab, button)
    where = await point(tab, button)
    tab.messages.clear()
    await press(tab, *where)


def signals_of(tab: Tab, kind: str) -> list[dict[str, Any]]:
    return [m for m in tab.messages if m["t"] == "signal" and m["signal"]["kind"] == kind]


def causes(tab: Tab) -> list[str | None]:
    return [m.get("causedBy") for m in tab.messages if m["t"] == "delta" and "elements" in m["delta"]]


async def test_a_change_after_many_promises_is_attributed_to_the_click(tab: Tab) -> None:
    await click(tab, "for (let i = 0; i < 200; i++) await null; out.textContent = 'Done'")
    await tab.until(lambda: bool(signals_of(tab, "toast.shown")))
    await tab.settle()
    assert signals_of(tab, "toast.shown")[0]["attribution"] == {"causedBy": "t1"}
    assert "t1" in causes(tab)


async def test_a_value_set_by_script_during_a_click_is_attributed_to_the_click(tab: Tab) -> None:
    await click(tab, "f.value = 'Done'")
    # Without a flush: a flush before the click's own look would report the value without its cause.
    await tab.until(lambda: tab.found("textbox")["state"].get("textValue") == "Done")
    assert causes(tab)[-1] == "t1"


async def test_a_signal_found_by_a_flush_carries_the_token_of_its_cause(tab: Tab) -> None:
    await click(tab, "d.showModal()")
    await tab.until(lambda: bool(signals_of(tab, "dialog.opened")))
    assert signals_of(tab, "dialog.opened")[0]["attribution"] == {"causedBy": "t1"}


async def test_a_change_with_another_cause_carries_no_token(tab: Tab) -> None:
    await click(tab, "")
    await tab.settle()
    await tab.evaluate("new Promise((r) => setTimeout(r))", awaitPromise=True)  # the click's own task is over
    await tab.evaluate("out.textContent = 'News'; d.showModal()")
    await tab.until(lambda: bool(signals_of(tab, "dialog.opened")))
    assert "attribution" not in signals_of(tab, "dialog.opened")[0]
    assert "attribution" not in signals_of(tab, "toast.shown")[0]


async def test_a_paint_by_a_timer_of_the_click_names_its_token_and_its_element(tab: Tab) -> None:
    await click(tab, "setTimeout(() => { out.textContent = 'Saved at last' }, 60)")
    await tab.until(lambda: any(m["t"] == "paint" for m in tab.messages))
    (paint,) = [m for m in tab.messages if m["t"] == "paint"]
    assert (paint["kind"], paint["token"], paint["text"]) == ("paint", "t1", "Saved at last")
    assert paint["node"] == tab.found("status")["instanceId"]


async def test_a_paint_without_an_interaction_is_not_reported(tab: Tab) -> None:
    await click(tab, "")
    await tab.evaluate(
        "new Promise((r) => setTimeout(() => { out.textContent = 'Tick'; requestAnimationFrame(() => setTimeout(r, 50)) }, 20))",
        awaitPromise=True,
    )
    await tab.settle()
    assert not [m for m in tab.messages if m["t"] == "paint"]
