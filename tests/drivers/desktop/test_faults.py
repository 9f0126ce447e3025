"""Faults on the way of an action in a desktop application, checked by the invariants of robustness B2.

A few of each; `make soak CASE=F14D` repeats the cancels. The truth is a file that the application writes by itself.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drivers.cancelling import CANCELLED_AT, cancel
from tests.drivers.desktop.session import missing_module
from tests.drivers.desktop.trials import KILLED_AT, kill, shop

pytestmark = pytest.mark.skipif(missing_module("gi") is not None, reason=str(missing_module("gi")))


@pytest.mark.requirement("ACT-5.6", "ACT-3.1")
async def test_a_cancel_at_any_stage_gives_one_correct_result(environ: dict[str, str], tmp_path: Path):
    async with shop(environ, tmp_path / "orders") as opened:
        for stage in CANCELLED_AT:
            await cancel(opened, stage)


@pytest.mark.parametrize("stage", KILLED_AT)
async def test_an_application_that_dies_under_way_is_no_success_and_no_lie(
    environ: dict[str, str], tmp_path: Path, stage: str
):
    async with shop(environ, tmp_path / "orders") as opened:
        await kill(opened, stage)
