"""Cancel actions through Appium at each stage; the application's own count of orders is compared with the result."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from tests.drivers.android.trials import storefront
from tests.drivers.appium.harness import open_screen
from tests.drivers.cancelling import CANCELLED_AT, cancel, open_shop
from tests.support.appium_server import missing
from uiap.drivers.address import open_application

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))


@pytest.mark.requirement("ACT-5.6", "ACT-3.1")
async def test_cancel_at_any_stage_gives_one_correct_result():
    async with AsyncExitStack() as stack:
        screen, address = open_screen(stack, "Android")
        screen.app, orders = storefront()
        driver = await open_application(address, environ={})
        shop = await stack.enter_async_context(open_shop(driver, lambda: len(orders)))
        for stage in CANCELLED_AT:
            await cancel(shop, stage)
