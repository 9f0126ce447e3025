"""F11: heartbeat, idle and resume timeouts under a wall clock that jumps. `make soak CASE=F11` runs more."""

from __future__ import annotations

import asyncio

import pytest

from tests.host.wall_jumps import HEARTBEAT, IDLE, RESUME, Life
from tests.support.conversation import envelope, initialize
from uiap.host.loop.loop import SessionConnection


@pytest.mark.parametrize("seed", range(50))
async def test_only_monotonic_time_counts(seed: int):
    assert await Life(seed).run(40) >= 1


async def test_the_lives_reach_every_state():
    """The fifty above would prove little if they all ended alike."""
    states, steps = set(), 0
    for seed in range(12):
        life = Life(seed)
        steps += await life.run(40)
        states |= life.states
    assert states == {"active", "suspended", "terminated"}
    assert steps > 100


@pytest.mark.parametrize("jump", [-3600.0, 3600.0, -86_400.0, 86_400.0])
async def test_a_jump_of_the_wall_clock_alone_changes_nothing(jump: float):
    life, connection = await opened()
    life.clock.jump_wall(jump)
    life.clock.advance(0)
    assert connection.session.state == "active"
    life.clock.advance(2 * HEARTBEAT - 1)
    assert connection.session.state == "active"
    life.clock.jump_wall(-2 * jump)
    life.clock.advance(1)
    assert connection.session.state == "suspended"
    life.clock.jump_wall(jump)
    life.clock.advance(RESUME - 1)
    assert connection.session.state == "suspended"
    life.clock.advance(1)
    assert connection.session.state == "terminated"
    await life.leave()


async def test_an_idle_session_ends_by_the_monotonic_clock():
    life, connection = await opened()
    for _ in range(int(IDLE / 25) - 1):
        life.clock.advance(25)
        life.clock.jump_wall(7200)
        await life.say(envelope("session.ping", {}, id=life.fresh(), sessionId=connection.id))
    assert connection.session.state == "active"
    life.clock.advance(25)
    await life.quiet(connection, "terminated")
    await life.leave()


async def opened() -> tuple[Life, SessionConnection]:
    life = Life(0)
    await life.connect()
    await life.say(initialize())
    (connection,) = life.hall.connections.values()
    await asyncio.sleep(0)
    return life, connection
