"""A few sessions at once, and each attack once, among polite clients (robustness P1, P2; the soak does many)."""

from __future__ import annotations

import pytest

from tests.server.crowd import together
from tests.server.siege import ATTACKS, besieged


async def test_sessions_at_once_lose_nothing_and_hear_nothing_of_each_other():
    figures = await together(25, 1.0)
    assert figures["actions"] >= 25
    assert (figures["results lost"], figures["results twice"]) == (0, 0)
    assert figures["messages of other sessions"] == 0


@pytest.mark.parametrize("name", ["ramp", "frames of 64 MiB"])
async def test_attackers_are_ended_and_polite_sessions_go_on(name: str):
    """The other attacks are in tests/transports, one by one."""
    assert name in ATTACKS
    figures = await besieged(name, small=True, polite=2, seconds=0.5)
    assert figures["results lost"] == 0
    assert "closed with -1" not in figures
