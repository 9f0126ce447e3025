"""Storage state is saved from one context and loaded into another, without contacting the server."""

from __future__ import annotations

import pytest

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.drivers.events import TabOpened

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

LOGIN = "localStorage.setItem('name', 'Ada “quoted” \\u2028'); document.cookie = 'sid=42; max-age=600'; 0"
STATE = "[localStorage.getItem('name'), document.cookie]"


async def test_saved_state_is_restored_in_a_new_context(
    chromium: ChromiumBrowser, driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    url = site.page("/login", "<p>login")
    await driver.navigate(url)
    await driver.evaluate(LOGIN)
    before = await driver.evaluate(STATE)
    asked = len(site.requests)
    state = await driver.storage.save()
    assert [cookie["name"] for cookie in state["cookies"]] == ["sid"]
    assert [entry["origin"] for entry in state["origins"]] == [site.origin]

    fresh = ChromiumDriver(chromium)
    await fresh.start(Recorder())
    await fresh.storage.load(state)
    assert len(site.requests) == asked  # saving and loading sent no request
    await fresh.navigate(url)
    assert await fresh.evaluate(STATE) == before
    assert before[0].startswith("Ada “quoted”") and before[1] == "sid=42"
    await fresh.close()


async def test_contexts_share_nothing(chromium: ChromiumBrowser, driver: ChromiumDriver, site: Site) -> None:
    url = site.page("/login", "<p>login")
    await driver.navigate(url)
    await driver.evaluate(LOGIN)
    other = ChromiumDriver(chromium)
    await other.start(Recorder())
    await other.navigate(url)
    assert await other.evaluate(STATE) == [None, ""]
    assert (await other.storage.save())["cookies"] == []
    await other.close()


async def test_saving_reports_no_tab(driver: ChromiumDriver, recorder: Recorder, site: Site) -> None:
    await driver.navigate(site.page("/login", "<p>login"))
    await driver.evaluate(LOGIN)
    await driver.storage.save()
    assert len(recorder.of(TabOpened)) == len(driver.tabs.all()) == 1
