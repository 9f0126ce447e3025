"""One Playwright browser per module, one page in a separate context per test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.drivers.chromium.site import Site
from tests.drivers.playwright.browser import playwright_chromium
from tests.drivers.recorder import Recorder


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    served = Site()
    yield served
    served.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def user_browser() -> AsyncIterator[Browser]:
    async with playwright_chromium() as browser:
        yield browser


@pytest_asyncio.fixture(loop_scope="module")
async def page(user_browser: Browser) -> AsyncIterator[Page]:
    context = await user_browser.new_context()
    yield await context.new_page()
    await context.close()


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()
