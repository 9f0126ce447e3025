"""Opening, choosing and dragging in the way of each pattern, on pages that punish every other way."""

from __future__ import annotations

import pytest

from tests.drivers.chromium.input.test_perform import guard, ref
from tests.drivers.chromium.site import Site
from uiap.actions.ops import Adjust, Click, Drag, Focus, Guard, Scroll, Select
from uiap.drivers.chromium import ChromiumDriver
from uiap.drivers.driver import PerformDispatched, PerformRefused

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

TREE_WITH_LINKS = """<ul role=tree><li role=treeitem id=t tabindex=0 aria-label=Docs aria-expanded=false>
  <a href='#followed' tabindex=-1>Read the docs</a></li></ul><script>
  t.addEventListener('keydown', (e) => { if (e.key === 'ArrowRight') t.ariaExpanded = 'true';
    if (e.key === 'ArrowLeft') t.ariaExpanded = 'false' })</script>"""
TREE_WITH_CLICKS = """<ul role=tree><li role=treeitem id=t aria-label=Docs aria-expanded=false><span id=s>Docs</span>
  <ul role=group><li role=treeitem aria-label=Inner><a href='#followed'>Inner</a></li></ul></li></ul><script>
  s.onclick = () => { t.ariaExpanded = String(t.ariaExpanded !== 'true') }</script>"""
ROW_WITH_BUTTON = """<table role=treegrid><tr role=row id=t tabindex=0 aria-label=Docs aria-expanded=false>
  <td role=gridcell><button id=s aria-label='Expand row'>+</button></td><td role=gridcell style='width:400px'>
  <a href='#followed'>A long link in the middle of the row</a></td></tr></table><script>
  s.onclick = () => { t.ariaExpanded = String(t.ariaExpanded !== 'true') }</script>"""
MENU_BY_KEYS = """<button id=t aria-haspopup=menu aria-expanded=false>Docs</button><script>
  t.addEventListener('keydown', (e) => { if (e.key === 'ArrowDown') t.ariaExpanded = 'true';
    if (e.key === 'Escape') t.ariaExpanded = 'false' })</script>"""


@pytest.mark.requirement("ACT-11.9")
@pytest.mark.parametrize("page", [TREE_WITH_LINKS, TREE_WITH_CLICKS, ROW_WITH_BUTTON, MENU_BY_KEYS])
async def test_an_item_is_opened_and_closed_and_no_link_in_it_is_followed(
    driver: ChromiumDriver, site: Site, page: str
) -> None:
    await driver.navigate(site.page("/open", page))
    for opens in (True, False):
        outcome = await driver.perform(Click(guard=await guard(driver, "Docs"), opens=opens))
        assert isinstance(outcome, PerformDispatched)
        assert await driver.evaluate("[t.ariaExpanded, location.hash]") == [str(opens).lower(), ""]


async def test_an_open_element_is_not_pressed_to_open_it(driver: ChromiumDriver, site: Site) -> None:
    page = "<button id=b aria-expanded=true onclick='pressed = true'>Docs</button><script>pressed = false</script>"
    await driver.navigate(site.page("/already", page))
    await driver.perform(Click(guard=await guard(driver, "Docs"), opens=True))
    assert await driver.evaluate("pressed") is False


async def test_an_svg_control_takes_the_focus_and_a_press(driver: ChromiumDriver, site: Site) -> None:
    page = """<svg width=80 height=40><g id=g role=button tabindex=0 aria-label=Star>
      <rect width=80 height=40 /></g></svg>
      <script>pressed = 0; g.addEventListener('click', () => pressed++)</script>"""
    await driver.navigate(site.page("/svg", page))
    focused = await driver.perform(Focus(guard=await guard(driver, "Star")))
    assert isinstance(focused, PerformDispatched)
    assert await driver.evaluate("document.activeElement === g")
    for mode in ("externalDriver", "semanticUi"):
        await driver.perform(Click(guard=await guard(driver, "Star"), mode=mode))  # type: ignore[arg-type]
    assert await driver.evaluate("pressed") == 2


async def test_an_option_of_a_grid_popup_is_chosen(driver: ChromiumDriver, site: Site) -> None:
    page = """<input id=i role=combobox aria-label=Fruit aria-expanded=false aria-controls=g aria-haspopup=grid>
      <div id=g role=grid hidden><div role=row><div role=gridcell>Pear</div><div role=gridcell>yellow</div></div>
      <div role=row><div role=gridcell>Plum</div><div role=gridcell>blue</div></div></div><script>
      i.onclick = () => { g.hidden = false; i.ariaExpanded = 'true' }
      g.onclick = (e) => { i.value = e.target.textContent; g.hidden = true; i.ariaExpanded = 'false' }</script>"""
    await driver.navigate(site.page("/grid", page))
    wanted = Select(guard=await guard(driver, "Fruit"), mode="externalDriver", values=("Plum",), by="label")
    outcome = await driver.perform(wanted)
    assert isinstance(outcome, PerformDispatched) and outcome.detail["held"]
    assert await driver.evaluate("i.value") == "Plum"


AREAS = {
    "East": "shape=rect coords='100,0,200,100'",
    "Dot": "shape=circle coords='30,30,20'",
    "Corner": "shape=poly coords='0,100,90,60,90,100'",
    "Rest": "shape=default",
}


@pytest.mark.parametrize("name", AREAS)
async def test_an_area_of_an_image_map_is_pressed_inside_its_shape(
    driver: ChromiumDriver, site: Site, name: str
) -> None:
    areas = "".join(f"<area {shape} href='#{one}' alt={one}>" for one, shape in AREAS.items())
    image = (
        "data:image/svg+xml,<svg xmlns=%22http://www.w3.org/2000/svg%22 width=%22200%22 height=%22100%22/>"
    )
    page = f"<img usemap='#m' width=200 height=100 alt=Map src='{image}'><map name=m>{areas}</map>"
    await driver.navigate(site.page("/areas", page))
    assert isinstance(await driver.perform(Click(guard=await guard(driver, name))), PerformDispatched)
    assert await driver.evaluate("location.hash") == f"#{name}"


async def test_an_option_of_a_closed_native_list_is_chosen_through_its_list(
    driver: ChromiumDriver, site: Site
) -> None:
    page = """<select id=s aria-label=Fruit><option>Apple<option>Pear</select><script>changes = 0
      s.onchange = () => changes++</script>"""
    await driver.navigate(site.page("/closed", page))
    option = await guard(driver, "Pear")
    probed = (await driver.probe((option.node,)))[option.node]
    assert probed.visible and not probed.obscured
    outcome = await driver.perform(Click(guard=option, mode="semanticUi", picks=True))
    assert isinstance(outcome, PerformDispatched)
    assert await driver.evaluate("[s.value, changes]") == ["Pear", 1]


async def test_a_disabled_text_area_is_scrolled(driver: ChromiumDriver, site: Site) -> None:
    text = "line\n" * 100
    await driver.navigate(site.page("/scroll", f"<textarea disabled aria-label=Log rows=3>{text}</textarea>"))
    down = Scroll(guard=await guard(driver, "Log"), mode="semanticUi", dy=200)
    assert isinstance(await driver.perform(down), PerformDispatched)
    assert await driver.evaluate("document.querySelector('textarea').scrollTop") == 200


@pytest.mark.parametrize("works", [True, False])
async def test_a_drag_is_reported_by_the_place_of_its_item(
    driver: ChromiumDriver, site: Site, works: bool
) -> None:
    drop = "z.append(i)" if works else "z.className = 'over'"
    page = f"""<button id=i draggable=true style='width:80px'>Card</button>
      <div id=z role=group aria-label=Done style='width:200px;height:80px;background:#eee'></div><script>
      i.ondragstart = (e) => e.dataTransfer.setData('text/plain', 'i'); z.ondragover = (e) => e.preventDefault();
      z.ondrop = (e) => {{ e.preventDefault(); {drop} }}</script>"""
    await driver.navigate(site.page("/drag", page))
    to = Guard(node=await ref(driver, "Done"))
    outcome = await driver.perform(Drag(guard=await guard(driver, "Card"), to=to))
    assert isinstance(outcome, PerformDispatched)
    assert outcome.detail.get("held", True) is works


@pytest.mark.parametrize(("over", "released"), [("Pear", True), ("Plum", False)])
async def test_a_list_that_captures_the_pointer_gets_the_release_only_over_the_place_that_was_named(
    driver: ChromiumDriver, site: Site, over: str, released: bool
) -> None:
    page = f"""<style>button {{ display: block; width: 200px; height: 40px }}</style>
      <div id=l><button>Fig</button><button>Pear</button><button>Plum</button></div>
      <script>ended = false; l.onpointerdown = (e) => l.setPointerCapture(e.pointerId)
      l.onpointermove = () => {{ if ("{over}" === 'Plum') l.insertBefore(l.children[2], l.children[1]) }}
      l.onpointerup = () => {{ ended = true }}</script>"""
    await driver.navigate(site.page("/captured", page))
    to = Guard(node=await ref(driver, "Pear"))
    await driver.perform(Drag(guard=await guard(driver, "Fig"), to=to))
    assert await driver.evaluate("ended") is released


@pytest.mark.parametrize(("value", "accepted"), [(4, True), (5, False), (12, False), (-2, False)])
async def test_a_number_outside_the_limits_of_the_control_is_not_set(
    driver: ChromiumDriver, site: Site, value: int, accepted: bool
) -> None:
    page = "<input type=number aria-label=Size min=0 max=10 step=2 value=2>"
    await driver.navigate(site.page("/limits", page))
    outcome = await driver.perform(Adjust(guard=await guard(driver, "Size"), value=value))
    assert isinstance(outcome, PerformDispatched if accepted else PerformRefused)
    assert await driver.evaluate("document.querySelector('input').value") == (str(value) if accepted else "2")


async def test_a_spin_button_without_keys_is_typed_into(driver: ChromiumDriver, site: Site) -> None:
    page = """<input id=i role=spinbutton aria-label=Guests aria-valuenow=1 value=1><script>
      i.onchange = () => i.setAttribute('aria-valuenow', i.value)</script>"""
    await driver.navigate(site.page("/spin", page))
    found = Guard(node=await ref(driver, "Guests"), name="Guests", role="spinbutton")
    outcome = await driver.perform(Adjust(guard=found, mode="externalDriver", value=7))
    assert isinstance(outcome, PerformDispatched) and outcome.detail["held"] is True
