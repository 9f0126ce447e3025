"""F11: heartbeat, idle and resume timeouts under a wall clock that jumps. `make soak CASE=F11` runs more."""

from __future__ import annotations

import asyncio

import pytest

from tests.host.simulated_session import HEARTBEAT, IDLE, RESUME, SimulatedSession
from tests.support.conversation import envelope, initialize
from uiap.host.loop.loop import SessionConnection


@pytest.mark.parametrize("seed", range(50))
async def test_only_monotonic_time_counts(seed: int):
    assert await SimulatedSession(seed).run(40) >= 1


async def test_the_simulated_sessions_reach_every_state():
    """The test above would prove little if all its sessions ended in the same state."""
    states, steps = set(), 0
    for seed in range(12):
        simulated = SimulatedSession(seed)
        steps += await simulated.run(40)
        states |= simulated.states
    assert states == {"active", "suspended", "terminated"}
    assert steps > 100


@pytest.mark.parametrize("jump", [-3600.0, 3600.0, -86_400.0, 86_400.0])
async def test_a_wall_clock_jump_changes_no_session_state(jump: float):
    simulated, connection = await opened()
    simulated.clock.jump_wall(jump)
    simulated.clock.advance(0)
    assert connection.session.state == "active"
    simulated.clock.advance(2 * HEARTBEAT - 1)
    assert connection.session.state == "active"
    simulated.clock.jump_wall(-2 * jump)
    simulated.clock.advance(1)
    assert connection.session.state == "suspended"
    simulated.clock.jump_wall(jump)
    simulated.clock.advance(RESUME - 1)
    assert connection.session.state == "suspended"
    simulated.clock.advance(1)
    assert connection.session.state == "terminated"
    await simulated.disconnect()


async def test_an_idle_session_ends_by_the_monotonic_clock():
    simulated, connection = await opened()
    for _ in range(int(IDLE / 25) - 1):
        simulated.clock.advance(25)
        simulated.clock.jump_wall(7200)
        await simulated.request(envelope("session.ping", {}, id=simulated.next_id(), sessionId=connection.id))
    assert connection.session.state == "active"
    simulated.clock.advance(25)
    await simulated.wait_for_state(connection, "terminated")
    await simulated.disconnect()


async def opened() -> tuple[SimulatedSession, SessionConnection]:
    simulated = SimulatedSession(0)
    await simulated.connect()
    await simulated.request(initialize())
    (connection,) = simulated.host_loop.connections.values()
    await asyncio.sleep(0)
    return simulated, connection
