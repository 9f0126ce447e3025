"""No write happens without a grant for it, whatever an agent tries."""

from __future__ import annotations

from tests.attack.monkey import play


async def test_no_verb_of_an_agent_writes_without_a_grant() -> None:
    figures = await play(seed=2026, steps=40)
    assert figures["unauthorised"] == 0
    assert figures["grants"] > 0 and figures["writes"] > 0, figures
