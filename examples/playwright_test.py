"""A Playwright test in which uiap does the critical steps: it reports success only if the effect was observed.

Run it with `pytest examples/playwright_test.py`. Set UIAP_BROWSER to use a Chromium that is already installed
instead of the one from `playwright install chromium`.
"""

from __future__ import annotations

import os

from playwright.async_api import Page, async_playwright, expect

import uiap
from apps.videoland import Settings, serving


async def test_a_video_is_created_and_a_dead_button_is_reported() -> None:
    with serving(Settings(rows=5, auto_login=True)) as videoland:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=os.environ.get("UIAP_BROWSER"))
            page = await browser.new_page()
            await create_a_video(page, videoland.url)
            await press_a_dead_button(page)
            await browser.close()


async def create_a_video(page: Page, url: str) -> None:
    # Playwright opens the page,
    await page.goto(f"{url}/videos/new?as=admin&lang=en")

    # uiap acts on the same page and verifies the effect,
    async with uiap.attach(page) as ui:
        await ui.act("ui.enterText", stable_id="video.title", args={"text": "A day at sea"})
        created = await ui.act(
            "ui.activate",
            role="button",
            name="Create video",
            expect=[uiap.route_changed("/videos/:id"), uiap.toast_contains("created")],
        )
        assert created.ok and created.side_effect_state == "applied"

    # and Playwright continues. Nothing was closed.
    await expect(page.get_by_text("A day at sea").first).to_be_visible()


async def press_a_dead_button(page: Page) -> None:
    await page.set_content("<button>Pay now</button>")
    async with uiap.attach(page) as ui:
        paid = await ui.act("ui.activate", role="button", name="Pay now", timeout_ms=3000)
    assert not paid.ok  # Playwright's click() would have passed
