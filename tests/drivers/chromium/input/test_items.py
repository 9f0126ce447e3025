"""Items of lists that close when one of them is pressed: their state is read back, and the list is closed again."""

from __future__ import annotations

import pytest

from tests.drivers.chromium.input.test_perform import guard
from tests.drivers.chromium.site import Site
from uiap.actions.ops import Click
from uiap.drivers.chromium import ChromiumDriver
from uiap.drivers.driver import PerformDispatched

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

DRAWN_MENU = """<button id=b aria-haspopup=menu aria-expanded=false>View</button><div id=host></div><script>
  let on = false, presses = 0
  const show = (open) => { b.ariaExpanded = String(open); host.innerHTML = open
    ? `<div role=menu><div role=menuitemcheckbox tabindex=-1 aria-checked=${on}>Ruler</div></div>` : '' }
  b.onclick = () => { presses++; show(b.ariaExpanded !== 'true') }
  onkeydown = (e) => { if (e.key === 'Escape') show(false) }
  host.onclick = (e) => { if (WORKS) on = !on; show(false) }</script>"""
KEPT_MENU = """<button id=b aria-haspopup=menu aria-expanded=false>View</button>
  <div id=m role=menu hidden><div id=i role=menuitemcheckbox tabindex=-1 aria-checked=false>Ruler</div></div>
  <script>let on = false, presses = 0
  const show = (open) => { b.ariaExpanded = String(open); m.hidden = !open }
  b.onclick = () => { presses++; show(b.ariaExpanded !== 'true') }
  onkeydown = (e) => { if (e.key === 'Escape') show(false) }
  i.onclick = () => { if (WORKS) { on = !on; i.ariaChecked = String(on) } show(false) }</script>"""
SELECT_ONLY = """<div id=c role=combobox tabindex=0 aria-label=Fruit aria-haspopup=listbox aria-expanded=false
  aria-controls=l>None</div><div id=host></div><script>let presses = 0
  c.onclick = () => { presses++; c.ariaExpanded = 'true'
    host.innerHTML = '<div id=l role=listbox><div role=option>Pear</div><div role=option>Plum</div></div>' }
  host.addEventListener('pointerdown', (e) => { c.textContent = e.target.textContent; c.ariaExpanded = 'false'
    host.innerHTML = '' })</script>"""


async def open_menu(driver: ChromiumDriver, site: Site, page: str, opener: str) -> None:
    await driver.navigate(site.page("/items", page))
    await driver.perform(Click(guard=await guard(driver, opener)))


@pytest.mark.parametrize(("page", "presses"), [(DRAWN_MENU, 2), (KEPT_MENU, 1)])
async def test_a_checked_item_that_left_with_its_menu_is_read_back(
    driver: ChromiumDriver, site: Site, page: str, presses: int
) -> None:
    await open_menu(driver, site, page.replace("WORKS", "true"), "View")
    outcome = await driver.perform(Click(guard=await guard(driver, "Ruler"), picks=True))
    assert isinstance(outcome, PerformDispatched) and outcome.detail["held"] is True
    assert await driver.evaluate("[on, b.ariaExpanded, presses]") == [True, "false", presses]


@pytest.mark.parametrize("page", [DRAWN_MENU, KEPT_MENU])
async def test_an_item_that_the_page_did_not_check_is_not_reported_as_checked(
    driver: ChromiumDriver, site: Site, page: str
) -> None:
    await open_menu(driver, site, page.replace("WORKS", "false"), "View")
    outcome = await driver.perform(Click(guard=await guard(driver, "Ruler"), picks=True))
    assert isinstance(outcome, PerformDispatched) and outcome.detail.get("held") is not True
    assert await driver.evaluate("[on, b.ariaExpanded]") == [False, "false"]


async def test_an_option_that_left_with_its_list_is_proved_by_the_value_of_the_combobox(
    driver: ChromiumDriver, site: Site
) -> None:
    await open_menu(driver, site, SELECT_ONLY, "Fruit")
    outcome = await driver.perform(Click(guard=await guard(driver, "Plum"), picks=True))
    assert isinstance(outcome, PerformDispatched) and outcome.detail["how"] == "shown"
    assert await driver.evaluate("[c.textContent, presses]") == ["Plum", 1]
