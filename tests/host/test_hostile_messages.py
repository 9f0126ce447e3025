"""Hostile messages to a real host loop (case P3), a small number. `make soak CASE=P3` runs all and measures memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.host.hostile_messages import TRANSPORTS, send_hostile_messages

COUNT = 1500


@pytest.mark.parametrize("transport", sorted(TRANSPORTS))
async def test_hostile_envelopes_are_answered_and_do_not_disturb_others(transport: str, tmp_path: Path):
    figures = await send_hostile_messages(transport, tmp_path, seed=11, count=COUNT, bound=30.0)
    assert figures.sent == COUNT
    assert figures.answered > COUNT // 3
    assert figures.refused > COUNT // 5
    assert figures.controls == 2
    assert figures.stray == 0, "an event or a response was answered"
