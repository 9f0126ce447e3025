"""Cancel actions on a device at each stage and check the invariants of one action.

The application's own count of orders is compared with the result. `make soak CASE=F14A` repeats this.
"""

from __future__ import annotations

import pytest

from tests.drivers.android.stage import Phone
from tests.drivers.android.trials import shop
from tests.drivers.cancelling import CANCELLED_AT, cancel


@pytest.mark.requirement("ACT-5.6", "ACT-3.1")
async def test_cancel_at_any_stage_gives_one_correct_result(handset: Phone):
    async with shop(handset) as opened:
        for stage in CANCELLED_AT:
            await cancel(opened, stage)
