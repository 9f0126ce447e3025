"""Faults during an action in a desktop application, checked against the invariants of one action.

The application counts its orders in a file. `make soak CASE=F14D` repeats the cancels.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drivers.cancelling import CANCELLED_AT, cancel
from tests.drivers.desktop.session import missing_module
from tests.drivers.desktop.trials import KILLED_AT, kill, shop

pytestmark = pytest.mark.skipif(missing_module("gi") is not None, reason=str(missing_module("gi")))


@pytest.mark.requirement("ACT-5.6", "ACT-3.1")
async def test_cancel_at_any_stage_gives_one_correct_result(environ: dict[str, str], tmp_path: Path):
    async with shop(environ, tmp_path / "orders") as opened:
        for stage in CANCELLED_AT:
            await cancel(opened, stage)


@pytest.mark.parametrize("stage", KILLED_AT)
async def test_application_killed_during_an_action_gives_a_correct_failure(
    environ: dict[str, str], tmp_path: Path, stage: str
):
    async with shop(environ, tmp_path / "orders") as opened:
        await kill(opened, stage)
