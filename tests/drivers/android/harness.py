"""The application of the contract suite on a device of the tests."""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.support.android_apps import notes
from tests.support.android_bridge import bridge, missing
from tests.support.android_handset import Handset
from uiap.drivers.android import AndroidDriver
from uiap.drivers.driver import Driver

SERIAL = "127.0.0.1:5599"


class AndroidHarness:
    """The application as a screen; starting it makes it new."""

    home = f"android:org.example.notes/.Main@{SERIAL}"
    other = f"android:org.example.notes/.Other@{SERIAL}"

    async def open(self, stack: AsyncExitStack) -> Driver:
        if reason := missing():
            pytest.skip(reason)
        folder = stack.enter_context(TemporaryDirectory(prefix="uiap-adb-", ignore_cleanup_errors=True))
        opened = stack.enter_context(bridge(Path(folder)))
        opened.add(Handset(notes()))
        return await AndroidDriver.open(self.home, environ=opened.environ)

    async def renew(self, driver: Driver) -> None:
        await driver.navigate(self.home)
