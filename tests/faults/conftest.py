"""One shop and one browser for the faults that leave it alive."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from tests.faults.site import Shop, run_shop
from uiap.drivers.chromium import ChromiumBrowser


@pytest.fixture(scope="module")
def open_shop() -> Iterator[Shop]:
    with run_shop() as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def chromium() -> AsyncIterator[ChromiumBrowser]:
    running = await ChromiumBrowser.launch(environ=os.environ)
    yield running
    await running.close()
