"""One browser per module, one fresh tab per test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.web.cdp import Browser, find_chromium
from tests.web.tab import Tab


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    if find_chromium() is None:
        pytest.skip("no Chromium on this machine; install one, or run `uiap doctor --install-browser`")
    browser = Browser()
    await browser.start()
    yield browser
    await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def tab(browser: Browser) -> AsyncIterator[Tab]:
    tab = Tab(browser)
    await tab.open()
    yield tab
    await tab.close()
