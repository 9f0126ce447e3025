"""The application of the contract suite on a simulated device."""

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
    """The application as a screen; `reset` restores it if a test changed it."""

    home = f"android:org.example.notes/.Main@{SERIAL}"
    other = f"android:org.example.notes/.Other@{SERIAL}"

    async def open(self, stack: AsyncExitStack) -> Driver:
        if reason := missing():
            pytest.skip(reason)
        folder = stack.enter_context(TemporaryDirectory(prefix="uiap-adb-", ignore_cleanup_errors=True))
        opened = stack.enter_context(bridge(Path(folder)))
        self._handset = Handset(notes())
        opened.add(self._handset)
        return await AndroidDriver.open(self.home, environ=opened.environ)

    async def reset(self, driver: Driver) -> None:
        if self._handset.inputs or not self._handset.app.component.endswith("/.Main"):
            self._handset.inputs.clear()
            self._handset.app.start("org.example.notes/.Main")  # type: ignore[attr-defined]
            await driver.observe()
