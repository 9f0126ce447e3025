"""Faults during an action, a few of each; `make soak CASE=F1` (F2, F3, F7, F14) runs the full number."""

from __future__ import annotations

import os

import pytest

from tests.faults import trials
from tests.faults.site import Shop
from uiap.drivers.chromium import ChromiumBrowser

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.browser
@pytest.mark.requirement("ACT-3.1", "ACT-SEC.3", "ACT-13.3")
@pytest.mark.parametrize("stage", trials.KILLED_AT)
async def test_a_killed_browser_leaves_one_correct_result(open_shop: Shop, stage: str) -> None:
    await trials.kill_browser(stage, open_shop)


@pytest.mark.browser
async def test_after_a_killed_browser_the_next_one_works(open_shop: Shop) -> None:
    browser = await ChromiumBrowser.launch(environ=os.environ)
    try:
        async with trials.open_page(browser, open_shop.page()) as (_, handler):
            assert (await trials.run_action(handler, trials.ActionMonitor())).status == "succeeded"
    finally:
        await browser.close()


@pytest.mark.browser
@pytest.mark.requirement("ACT-SEC.3")
@pytest.mark.parametrize("how", ["crash", "close"])
async def test_a_lost_tab_is_reported_and_other_tabs_continue(
    chromium: ChromiumBrowser, open_shop: Shop, how: str
) -> None:
    await trials.lose_tab(chromium, open_shop, how, 1)


@pytest.mark.browser
@pytest.mark.requirement("ACT-SEC.3")
@pytest.mark.parametrize("seed", [1, 2])
async def test_navigation_during_verification_is_no_false_success(
    chromium: ChromiumBrowser, open_shop: Shop, seed: int
) -> None:
    await trials.navigate_away(chromium, open_shop, seed)


@pytest.mark.browser
@pytest.mark.requirement("ACT-3.2", "ACT-13.2", "ACT-13.3", "ACT-SEC.3")
@pytest.mark.parametrize("kind", trials.NETWORKS)
async def test_a_bad_network_gives_an_unknown_outcome_without_retry(
    chromium: ChromiumBrowser, open_shop: Shop, kind: str
) -> None:
    await trials.network(chromium, open_shop, kind, 1)


@pytest.mark.requirement("ACT-5.6", "ACT-3.1")
@pytest.mark.parametrize("stage", trials.CANCELLED_AT)
async def test_a_cancel_at_any_stage_gives_one_correct_result(stage: str) -> None:
    await trials.cancel(stage)
