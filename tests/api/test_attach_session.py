"""`uiap.attach` and `uiap.open(…, browser=…)`: sessions with a page or browser that is already open."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

import uiap
from apps.videoland import Server
from tests.drivers.chromium.site import Site
from tests.drivers.playwright.browser import playwright_chromium
from uiap.drivers.chromium import ChromiumBrowser
from uiap.errors import UiapError, Unavailable

pytestmark = pytest.mark.browser


@pytest.fixture
async def page() -> AsyncIterator[Page]:
    async with playwright_chromium() as browser:
        yield await browser.new_page()


@pytest.fixture
async def running(tmp_path: Path) -> AsyncIterator[str]:
    """A browser with a debugging port and one tab, as a person would have started it."""
    browser = await ChromiumBrowser.launch(environ=os.environ, args=["--remote-debugging-port=0"])
    assert browser.process.profile is not None
    port = (browser.process.profile.path / "DevToolsActivePort").read_text().split()[0]
    yield f"http://127.0.0.1:{port}"
    await browser.close()


async def test_an_action_on_a_playwright_page_is_verified_and_the_page_stays_usable(
    page: Page, videoland: Server
) -> None:
    await page.goto(f"{videoland.url}/videos/new?as=admin&lang=en")
    async with uiap.attach(page) as ui:
        assert "Create video" in (await ui.observe()).outline()
        written = await ui.act("ui.enterText", stable_id="video.title", args={"text": "From Playwright"})
        assert written.ok, written
        assert await page.get_by_label("Title").first.input_value() == "From Playwright"
        created = await ui.act(
            "ui.activate",
            role="button",
            name="Create video",
            expect=[uiap.route_changed("/videos/:id"), uiap.toast_contains("created")],
        )
        assert created.ok, created
        missing = await ui.act("ui.activate", role="button", name="No such thing")
        assert missing.error is not None and missing.error.code == "target_not_found"
        assert (await ui.screenshot(annotated=True)).startswith(b"\x89PNG")
    assert "/videos/" in page.url and not page.is_closed()
    await page.goto(f"{videoland.url}/videos?as=admin&lang=en")
    await page.get_by_text("From Playwright").first.wait_for()  # the list comes after the page


async def test_a_running_browser_keeps_its_tabs_during_and_after_a_session(running: str) -> None:
    site = Site()
    theirs = site.page("/theirs", "<title>Theirs</title><button>Theirs</button>")
    mine = site.page("/mine", "<title>Mine</title><button onclick='this.textContent = `Done`'>Go</button>")
    async with asyncio.timeout(60):
        async with uiap.open(theirs, browser=running) as keeper:
            await keeper.evaluate("localStorage.setItem('login', 'yes')")
            async with uiap.open(mine, browser=running) as ui:
                titles = sorted(tab.title for tab in await ui.tabs() if tab.title)
                assert titles == ["Mine", "Theirs"]
                assert await ui.evaluate("localStorage.getItem('login')") == "yes"
                done = await ui.act("ui.activate", role="button", name="Go")
                assert done, done
            assert [tab.title for tab in await keeper.tabs() if tab.title] == ["Theirs"]
            async with uiap.attach(running) as again:
                assert "Theirs" in {tab.title for tab in await again.tabs()}
            assert "Theirs" in (await keeper.observe()).outline()
    site.close()


async def test_an_unreachable_browser_is_reported_in_one_sentence() -> None:
    with pytest.raises(Unavailable, match=r"no browser listens at `http://127.0.0.1:9`"):
        await uiap.attach("http://127.0.0.1:9")
    with pytest.raises(Unavailable, match=r"cannot attach to `ws://127.0.0.1:9/x`"):
        await uiap.open("about:blank", browser="ws://127.0.0.1:9/x")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (object(), "`object` cannot be attached to; attach takes an async Playwright page"),
        ("chrome", "`chrome` is not a running browser"),
    ],
)
def test_attaching_to_anything_else_raises_at_once(given: Any, message: str) -> None:
    with pytest.raises(UiapError, match=message):
        uiap.attach(given)


def test_a_missing_extra_is_reported_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright", None)
    with pytest.raises(Unavailable, match=r"needs the extra: pip install 'uiap\[playwright\]'"):
        uiap.attach(object())  # type: ignore[arg-type]
