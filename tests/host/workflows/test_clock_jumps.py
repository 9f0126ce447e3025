"""F11: waits of a workflow run under jumps of the wall clock. `make soak CASE=F11` runs more seeds."""

from __future__ import annotations

import pytest

from tests.host.workflows.clock_jumps import WaitingRun, wait_over_a_restart, wait_under_jumps


@pytest.mark.parametrize("seed", range(5))
async def test_only_monotonic_time_ends_a_wait(seed: int) -> None:
    assert (await wait_under_jumps(seed))["wrong states"] == 0


@pytest.mark.parametrize("seed", range(5))
async def test_after_a_restart_the_stored_deadline_counts(seed: int) -> None:
    assert (await wait_over_a_restart(seed))["wrong states"] == 0


async def test_a_value_that_comes_after_a_jump_is_taken() -> None:
    run = WaitingRun(60.0)
    assert await run.status() == "waiting_for_input"
    run.clock.jump_wall(86_400.0)
    run.provide()
    assert await run.status() == "succeeded"
