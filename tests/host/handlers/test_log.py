"""The log of the application: filtered, scored, and separate from lines of the browser and of extensions."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio

from uiap.api.open_session import start_session
from uiap.api.ui import Ui
from uiap.drivers.events import ConsoleLine
from uiap.drivers.scripted import App, ScriptedDriver, ScriptedPage, Widget

pytestmark = pytest.mark.requirement("MDM-R7")


@pytest.fixture
def driver() -> ScriptedDriver:
    def save(app: App) -> None:
        app.request("http://notes.test/api/notes?token=secret", method="POST", status=500)
        app.set("status", text="Saved?")

    page = ScriptedPage(
        "http://notes.test/",
        [Widget("save", "button", "Save", on={"click": save}), Widget("status", "status")],
    )
    return ScriptedDriver(page)


@pytest_asyncio.fixture
async def ui(driver: ScriptedDriver) -> AsyncIterator[Ui]:
    async with AsyncExitStack() as stack:
        yield await start_session(stack, driver, rules="trusted", principal="python")


def log_line(driver: ScriptedDriver, level: str, text: str, url: str = "") -> None:
    line = ConsoleLine(tab=driver.tabs.active, at=time.monotonic(), level=level, text=text, url=url)
    driver._sink(line)


async def test_lines_are_filtered_by_level_text_and_origin(ui: Ui, driver: ScriptedDriver):
    log_line(driver, "info", "started")
    log_line(driver, "error", "payment failed")
    log_line(driver, "error", "extension failed", "chrome-extension://abc/x.js")
    log = await ui.log("lines", level="error")
    assert [one.text for one in log.lines] == ["payment failed", "extension failed"]
    assert [one.origin for one in log.lines] == ["app", "system"]
    assert log.lines[0].relevance > log.lines[1].relevance
    assert [one.text for one in (await ui.log(origin="app", contains="PAYMENT")).lines] == ["payment failed"]
    assert [one.text for one in (await ui.log(limit=1)).lines] == ["extension failed"]


async def test_repeated_lines_are_noise_unless_requested(ui: Ui, driver: ScriptedDriver):
    for number in range(5):
        log_line(driver, "info", f"polled {number}")
    log_line(driver, "info", "order placed")
    log = await ui.log("lines")
    assert [one.text for one in log.lines] == ["order placed"] and log.hidden == 5
    everything = await ui.log("lines", relevance=0)
    assert len(everything.lines) == 6


async def test_requests_are_listed_with_their_outcome_and_without_their_query(ui: Ui):
    await ui.act("ui.activate", role="button", name="Save", verify_ms=200)
    log = await ui.log("network")
    assert [(one.method, one.url, one.status) for one in log.network] == [
        ("POST", "http://notes.test/api/notes", 500)
    ]
    assert log.network[0].relevance >= 0.8 and not log.lines
    assert not (await ui.log("network", since_ms=0)).network
