"""Controls as component libraries style them: lists that open under the pointer, duplicate lists, chips."""

from __future__ import annotations

import pytest

from tests.drivers.chromium.input.test_perform import guard, ref
from tests.drivers.chromium.site import Site
from uiap.actions.ops import Adjust, Click, Guard, Select
from uiap.drivers.chromium import ChromiumDriver
from uiap.drivers.driver import PerformDispatched

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

COVER = """<div id=cover style='position:fixed;inset:0' hidden>Cover</div><script>
let seen = []
for (const type of ['pointerup', 'mouseup', 'click']) document.addEventListener(type, () => seen.push(type), true)
b.onmousedown = () => { cover.hidden = false; %s }</script>"""
DUPLICATE_LISTS = """<input id=i role=combobox aria-label=Street aria-controls=twin aria-expanded=false readonly>
<div id=twin role=listbox style='width:0;height:0;overflow:hidden'></div><div id=box></div><script>
i.onclick = () => { i.setAttribute('aria-expanded', 'true'); twin.innerHTML = '<div role=option>Elm</div>'
  box.innerHTML = '<div class=o style="cursor:pointer">Elm</div><div class=o style="cursor:pointer">Oak</div>'
  for (const o of box.children) o.onclick = () => { i.value = o.textContent; box.innerHTML = twin.innerHTML = ''
    i.setAttribute('aria-expanded', 'false') } }</script>"""
CHIPS = """<div id=all><span id=chips></span><input id=i role=combobox aria-label=Cities aria-controls=l
aria-expanded=false readonly></div><ul id=l role=listbox hidden></ul><script>
const left = new Set(['Oslo', 'Bern', 'Rome'])
i.onclick = () => { l.hidden = false; i.setAttribute('aria-expanded', 'true'); l.innerHTML = ''
  for (const city of left) { const o = document.createElement('li'); o.setAttribute('role', 'option')
    o.textContent = city; o.onclick = () => { left.delete(city); l.hidden = true
      i.setAttribute('aria-expanded', 'false')
      chips.insertAdjacentHTML('beforeend', `<span>${city}<button aria-label="Remove ${city}">x</button></span>`) }
    l.append(o) } }</script>"""


@pytest.mark.requirement("ACT-10.3")
async def test_press_that_opens_a_list_under_the_pointer_is_dispatched_without_release(
    driver: ChromiumDriver, site: Site
) -> None:
    page = "<button id=b aria-expanded=false>Menu</button>" + COVER % "b.ariaExpanded = 'true'"
    await driver.navigate(site.page("/opens", page))
    outcome = await driver.perform(Click(guard=await guard(driver, "Menu")))
    assert isinstance(outcome, PerformDispatched)
    assert await driver.evaluate("seen") == []


@pytest.mark.requirement("ACT-10.3")
@pytest.mark.parametrize("attributes", ["", "aria-expanded=false", "aria-expanded=true"])
async def test_press_that_is_covered_before_the_release_is_reported_as_not_done(
    driver: ChromiumDriver, site: Site, attributes: str
) -> None:
    await driver.navigate(site.page("/covers", f"<button id=b {attributes}>Menu</button>" + COVER % ""))
    outcome = await driver.perform(Click(guard=await guard(driver, "Menu")))
    assert isinstance(outcome, PerformDispatched) and outcome.detail["held"] is False
    assert await driver.evaluate("seen") == []


async def test_zero_size_options_do_not_hide_the_visible_list(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/twins", DUPLICATE_LISTS))
    outcome = await driver.perform(
        Select(guard=await guard(driver, "Street"), mode="externalDriver", values=("Oak",), by="label")
    )
    assert isinstance(outcome, PerformDispatched) and outcome.detail["held"]
    assert await driver.evaluate("i.value") == "Oak"


async def test_several_options_are_read_back_from_their_chips(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/chips", CHIPS))
    outcome = await driver.perform(
        Select(guard=await guard(driver, "Cities"), mode="externalDriver", values=("Oslo", "Rome"))
    )
    assert isinstance(outcome, PerformDispatched) and outcome.detail["held"]
    assert await driver.evaluate("[...left]") == ["Bern"]


async def test_native_control_clipped_inside_its_styled_wrapper_is_not_obscured_by_it(
    driver: ChromiumDriver, site: Site
) -> None:
    clip = "position:absolute;clip:rect(0 0 0 0);width:100%;height:100%;margin:0"
    dress = "position:relative;display:block;width:40px;height:40px;background:blue"
    page = f"<span style='{dress}'><input type=range aria-label=Size style='{clip}'></span>"
    await driver.navigate(site.page("/dress", page))
    node = await ref(driver, "Size")
    assert not (await driver.probe((node,)))[node].obscured
    await driver.evaluate(
        "document.body.insertAdjacentHTML('beforeend', '<p style=position:fixed;inset:0>Ad</p>')"
    )
    assert (await driver.probe((node,)))[node].obscured


async def test_distant_value_is_reached_by_arrow_keys_if_page_keys_do_nothing(
    driver: ChromiumDriver, site: Site
) -> None:
    page = """<input id=i role=spinbutton aria-label=Count aria-valuenow=1 value=1><script>i.onkeydown = event => {
      const by = {ArrowUp: 1, ArrowDown: -1}[event.key] ?? 0
      i.value = Number(i.value) + by; i.setAttribute('aria-valuenow', i.value) }</script>"""
    await driver.navigate(site.page("/far", page))
    count = Guard(node=await ref(driver, "Count"), role="spinbutton")
    outcome = await driver.perform(Adjust(guard=count, mode="externalDriver", value=40, tolerance=0))
    assert isinstance(outcome, PerformDispatched) and outcome.detail["within_tolerance"]
    assert await driver.evaluate("i.value") == "40"


SURFACE = """<div id=box style='position:relative;width:200px;height:30px'>
  <input role=combobox aria-label=Kind readonly aria-expanded=false
    style='position:absolute;inset:0;opacity:0;z-index:-1'>
  <div style='position:absolute;inset:0'>Choose</div>%s</div>
  <script>pressed = 0; box.onclick = () => pressed++</script>"""


@pytest.mark.parametrize(("beside", "presses"), [("", 1), ("<button>Clear</button>", 0)])
async def test_the_box_that_draws_a_field_takes_its_press_if_it_holds_no_other_control(
    driver: ChromiumDriver, site: Site, beside: str, presses: int
) -> None:
    await driver.navigate(site.page("/surface", SURFACE % beside))
    await driver.perform(Click(guard=await guard(driver, "Kind")))
    assert await driver.evaluate("pressed") == presses
