"""A few sessions at once, and attacks among normal clients. The soak runs many of both."""

from __future__ import annotations

import pytest

from tests.server.attacks import ATTACKS, run_attack
from tests.server.load import run_sessions


async def test_concurrent_sessions_lose_no_result_and_receive_only_their_own_messages():
    figures = await run_sessions(25, 1.0)
    assert figures["actions"] >= 25
    assert (figures["results lost"], figures["results twice"]) == (0, 0)
    assert figures["messages of other sessions"] == 0


@pytest.mark.parametrize("name", ["ramp", "frames of 64 MiB"])
async def test_attackers_are_disconnected_and_normal_sessions_are_served(name: str):
    """tests/transports has the other attacks one by one."""
    assert name in ATTACKS
    figures = await run_attack(name, small=True, normal=2, seconds=0.5)
    assert figures["results lost"] == 0
    assert "closed with -1" not in figures
