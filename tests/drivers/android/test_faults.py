"""Cancels on the way of an action on a device, checked by the invariants of robustness B2.

One of each; `make soak CASE=F14A` repeats them. The truth is the application's own count.
"""

from __future__ import annotations

import pytest

from tests.drivers.android.stage import Phone
from tests.drivers.android.trials import shop
from tests.drivers.cancelling import CANCELLED_AT, cancel


@pytest.mark.requirement("ACT-5.6", "ACT-3.1")
async def test_a_cancel_at_any_stage_gives_one_correct_result(handset: Phone):
    async with shop(handset) as opened:
        for stage in CANCELLED_AT:
            await cancel(opened, stage)
