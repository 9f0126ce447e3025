"""Faults on the way of an action, a few of each; `make soak CASE=F1` (F2, F3, F7, F14) runs as many as are stated."""

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
async def test_a_browser_that_is_killed_leaves_one_honest_result(open_shop: Shop, stage: str) -> None:
    await trials.kill_browser(stage, open_shop)


@pytest.mark.browser
async def test_after_a_killed_browser_the_next_one_works(open_shop: Shop) -> None:
    browser = await ChromiumBrowser.launch(environ=os.environ)
    try:
        async with trials.opened(browser, open_shop.page()) as (_, desk):
            assert (await trials.run(desk, trials.Witness())).status == "succeeded"
    finally:
        await browser.close()


@pytest.mark.browser
@pytest.mark.requirement("ACT-SEC.3")
@pytest.mark.parametrize("how", ["crash", "close"])
async def test_a_tab_that_is_lost_is_told_and_others_go_on(
    chromium: ChromiumBrowser, open_shop: Shop, how: str
) -> None:
    await trials.lose_tab(chromium, open_shop, how, 1)


@pytest.mark.browser
@pytest.mark.requirement("ACT-SEC.3")
@pytest.mark.parametrize("seed", [1, 2])
async def test_going_elsewhere_during_verification_is_no_false_success(
    chromium: ChromiumBrowser, open_shop: Shop, seed: int
) -> None:
    await trials.navigate_away(chromium, open_shop, seed)


@pytest.mark.browser
@pytest.mark.requirement("ACT-3.2", "ACT-13.2", "ACT-13.3", "ACT-SEC.3")
@pytest.mark.parametrize("kind", trials.NETWORKS)
async def test_a_bad_network_is_unknown_and_never_tried_again(
    chromium: ChromiumBrowser, open_shop: Shop, kind: str
) -> None:
    await trials.network(chromium, open_shop, kind, 1)


@pytest.mark.requirement("ACT-5.6", "ACT-3.1")
@pytest.mark.parametrize("stage", trials.CANCELLED_AT)
async def test_a_cancel_at_any_stage_ends_it_once_and_truthfully(stage: str) -> None:
    await trials.cancel(stage)
