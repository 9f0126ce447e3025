"""Drivers with one screen: one tab, and a clear error for everything that needs a web page."""

from __future__ import annotations

from pathlib import Path

import pytest

from uiap.actions.ops import Secret
from uiap.drivers.errors import DriverError, NotSupported
from uiap.drivers.network_rules import NetworkRules
from uiap.drivers.single_screen import TAB, SingleScreenDriver, SingleScreenTabs, resolve_text


async def test_there_is_one_tab_that_cannot_be_opened_or_closed() -> None:
    tabs = SingleScreenTabs("android:com.example")
    assert tabs.active == TAB and [one.url for one in tabs.all()] == ["android:com.example"]
    await tabs.activate(TAB)
    for attempt in (tabs.open(), tabs.close(TAB), tabs.activate("t2")):
        with pytest.raises(DriverError):
            await attempt


async def test_everything_that_needs_a_web_page_is_not_supported() -> None:
    driver = SingleScreenDriver("desktop:editor")
    attempts = (
        driver.evaluate("1"),
        driver.guard_network(NetworkRules(anywhere=True)),
        driver.files.choose([Path("x")]),
    )
    for attempt in attempts:
        with pytest.raises(NotSupported):
            await attempt
    await driver.guard_network(None)
    assert driver.dialog.current() is None


def test_a_secret_is_looked_up_and_an_unknown_one_is_none() -> None:
    def secrets(name: str) -> str:
        if name != "pin":
            raise NotSupported("no such secret")
        return "1234"

    assert resolve_text("plain", None) == "plain"
    assert resolve_text(Secret(name="pin"), secrets) == "1234"
    assert resolve_text(Secret(name="other"), secrets) is None
    assert resolve_text(Secret(name="pin"), None) is None
