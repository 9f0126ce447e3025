"""Playwright with the Chromium that `find_browser` finds; nothing is downloaded."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from playwright.async_api import Browser, async_playwright

from uiap.drivers.chromium import find_browser

ARGS = ["--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]


@asynccontextmanager
async def playwright_chromium() -> AsyncIterator[Browser]:
    found = find_browser(environ=os.environ)
    assert found is not None, "these tests need a Chromium; install one or set UIAP_BROWSER"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found.path, args=ARGS)
        yield browser
        await browser.close()
