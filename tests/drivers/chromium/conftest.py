"""One browser per module, one isolated context per test."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver, InstalledBrowser, find_browser
from uiap.drivers.chromium.browser.context import ContextOptions


@pytest.fixture(scope="session")
def browser() -> InstalledBrowser:
    found = find_browser(environ=os.environ)
    if found is None:
        pytest.fail("these tests need a Chromium; install one or set UIAP_BROWSER")
    return found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium(browser: InstalledBrowser) -> AsyncIterator[ChromiumBrowser]:
    running = await ChromiumBrowser.launch(environ=os.environ, executable=browser.path)
    yield running
    await running.close()


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    served = Site()
    yield served
    served.close()


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest_asyncio.fixture(loop_scope="module")
async def driver(
    chromium: ChromiumBrowser, recorder: Recorder, tmp_path: Path
) -> AsyncIterator[ChromiumDriver]:
    """A started driver that may upload files from the test's folder `mine`."""
    opened = ChromiumDriver(chromium, ContextOptions(uploads=(tmp_path / "mine",)))
    await opened.start(recorder)
    yield opened
    await opened.close()
