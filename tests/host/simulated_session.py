"""A seeded session in a real host loop while the wall clock jumps (case F11). Only monotonic time may count.

`ExpectedSession` derives the state after each step from the specification alone.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

import msgspec

from tests.support.conversation import envelope, initialize
from tests.support.host_loops import make_host_loop
from uiap.host.clock import FakeClock
from uiap.host.loop.loop import SessionConnection
from uiap.transports.memory import MemoryTransport, pair

HEARTBEAT, IDLE, RESUME = 30.0, 600.0, 60.0
JUMPS = (-3600.0, 3600.0, -7200.0, 1.5, -86_400.0, 0.0)
TIMEOUT_S = 20.0


class ExpectedSession:
    """The expected state: suspended after 60 s of silence and ended 60 s later, or ended after 600 s without work."""

    def __init__(self, now: float) -> None:
        self.last_received = self.last_worked = now
        self.suspended_at: float | None = None
        self.is_over = False

    def advance_to(self, now: float) -> None:
        """Apply everything that is due until now, in order."""
        while not self.is_over:
            if self.suspended_at is not None:
                if now < self.suspended_at + RESUME:
                    return
                self.is_over = True
            elif self.last_worked + IDLE <= min(now, self.last_received + 2 * HEARTBEAT):
                self.is_over = True
            elif self.last_received + 2 * HEARTBEAT <= now:
                self.suspended_at = self.last_received + 2 * HEARTBEAT
            else:
                return

    @property
    def state(self) -> str:
        return "terminated" if self.is_over else "active" if self.suspended_at is None else "suspended"


class SimulatedSession:
    """One session over the memory transport."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.clock = FakeClock("2026-10-25T00:59:30.000Z")  # minutes before a DST change
        limits = {"heartbeat_s": HEARTBEAT, "idle_s": IDLE, "resume_s": RESUME}
        self.host_loop = make_host_loop(clock=self.clock, limits=limits)
        self.serving: list[asyncio.Task[None]] = []
        self.transport: MemoryTransport | None = None
        self.number = 0
        self.states: set[str] = set()

    async def run(self, steps: int) -> int:
        """Run random steps. Return the number of steps whose state was compared."""
        await self.connect()
        await self.request(initialize())
        (connection,) = self.host_loop.connections.values()
        expected = ExpectedSession(self.clock.now().mono)
        for done in range(steps):
            await self.step(connection, expected)
            assert connection.session.state == expected.state, (
                done,
                connection.session.state,
                expected.state,
            )
            self.states.add(expected.state)
            if expected.is_over:
                assert connection.id not in self.host_loop.connections
                break
        await self.disconnect()
        await self.host_loop.close()
        return done + 1

    async def step(self, connection: SessionConnection, expected: ExpectedSession) -> None:
        if self.rng.random() < 0.5:
            self.clock.jump_wall(self.rng.choice(JUMPS))
        self.clock.advance(self.rng.choice((0.5, 10.0, 29.0, 31.0, 59.0, 61.0)))
        expected.advance_to(self.clock.now().mono)
        await self.wait_for_state(connection, expected.state)
        choice = self.rng.random()
        if expected.state == "active" and choice < 0.6:
            await self.work(connection, expected)
        elif expected.state == "active" and choice < 0.7:
            await self.disconnect()
            await self.wait_for_state(connection, "suspended")
            expected.suspended_at = self.clock.now().mono
        elif expected.state == "suspended" and choice < 0.7:
            await self.connect()
            await self.request(initialize(resume={"sessionId": connection.id}) | {"id": self.next_id()})
            expected.suspended_at, expected.last_received = None, self.clock.now().mono
            expected.last_worked = expected.last_received

    async def work(self, connection: SessionConnection, expected: ExpectedSession) -> None:
        """Send a ping, which keeps the connection alive, or a request, which is also work. Use any timestamp."""
        ts = self.rng.choice(("2020-01-01T00:00:00.000Z", "2099-12-31T23:59:59Z", self.clock.now().wall))
        expected.last_received = self.clock.now().mono
        if self.rng.random() < 0.5:
            await self.request(
                envelope("session.ping", {}, id=self.next_id(), sessionId=connection.id, ts=ts)
            )
        else:
            expected.last_worked = expected.last_received
            await self.request(
                envelope("capabilities.list", {}, id=self.next_id(), sessionId=connection.id, ts=ts)
            )

    def next_id(self) -> str:
        self.number += 1
        return f"m{self.number}"

    async def connect(self) -> None:
        self.transport, theirs = pair(capacity=1000)
        self.serving.append(asyncio.create_task(self.host_loop.accept(theirs)))

    async def disconnect(self) -> None:
        if self.transport is not None:
            await self.transport.close()
        await asyncio.wait_for(asyncio.gather(*self.serving), TIMEOUT_S)

    async def request(self, body: dict[str, Any]) -> None:
        """Send a request and wait for its answer. Skip events and heartbeats before it."""
        assert self.transport is not None
        await self.transport.send(msgspec.json.encode(body).decode())
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                message = msgspec.json.decode(await self.transport.receive())
                if message.get("correlationId") == body["id"]:
                    assert message["type"] != "error", message
                    return

    async def wait_for_state(self, connection: SessionConnection, state: str) -> None:
        """Wait until the session has this state and the host loop has no more tasks."""
        async with asyncio.timeout(TIMEOUT_S):
            while connection.session.state != state or self.host_loop._tasks:
                await asyncio.sleep(0)
