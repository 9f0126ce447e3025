"""One browser and one hazard server per module, one isolated context per trial."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from apps.hazards import Server, serving
from tests.browser.trial import Stage
from tests.browser.witness import PORT
from uiap.drivers.chromium import ChromiumBrowser, find_browser


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[ChromiumBrowser]:
    found = find_browser(environ=os.environ)
    if found is None:
        pytest.fail("these tests need a Chromium; install one or set UIAP_BROWSER")
    running = await ChromiumBrowser.launch(environ=os.environ, executable=found.path, args=(PORT,))
    yield running
    await running.close()


@pytest.fixture(scope="module")
def hazards() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def stage(chromium: ChromiumBrowser, hazards: Server) -> AsyncIterator[Stage]:
    async with Stage.opened(chromium, hazards) as opened:
        yield opened
