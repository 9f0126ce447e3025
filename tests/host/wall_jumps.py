"""F11: one seeded life of a session in a real hall while the wall clock jumps; only monotonic time may count.

The twin below says from the spec alone (companions §3.5) what state the session is in after each step.
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
SECONDS = 20.0


class Twin:
    """What must be true, in monotonic seconds: pinged after 30 s of silence, suspended after 60, ended 60 later;
    or ended after 600 s without work."""

    def __init__(self, now: float) -> None:
        self.heard = self.worked = now
        self.lost: float | None = None
        self.over = False

    def pass_to(self, now: float) -> None:
        """Everything that falls due until now, in its order."""
        while not self.over:
            if self.lost is not None:
                if now < self.lost + RESUME:
                    return
                self.over = True
            elif self.worked + IDLE <= min(now, self.heard + 2 * HEARTBEAT):
                self.over = True
            elif self.heard + 2 * HEARTBEAT <= now:
                self.lost = self.heard + 2 * HEARTBEAT
            else:
                return

    @property
    def state(self) -> str:
        return "terminated" if self.over else "active" if self.lost is None else "suspended"


class Life:
    """One session, talked to by hand over the memory transport."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.clock = FakeClock("2026-10-25T00:59:30.000Z")  # minutes before a DST change
        limits = {"heartbeat_s": HEARTBEAT, "idle_s": IDLE, "resume_s": RESUME}
        self.hall = make_host_loop(clock=self.clock, limits=limits)
        self.serving: list[asyncio.Task[None]] = []
        self.ours: MemoryTransport | None = None
        self.number = 0
        self.states: set[str] = set()

    async def run(self, steps: int) -> int:
        """Live; the number of steps whose state was compared."""
        await self.connect()
        await self.say(initialize())
        (connection,) = self.hall.connections.values()
        twin = Twin(self.clock.now().mono)
        for done in range(steps):
            await self.step(connection, twin)
            assert connection.session.state == twin.state, (done, connection.session.state, twin.state)
            self.states.add(twin.state)
            if twin.over:
                assert connection.id not in self.hall.connections
                break
        await self.leave()
        await self.hall.close()
        return done + 1

    async def step(self, connection: SessionConnection, twin: Twin) -> None:
        if self.rng.random() < 0.5:
            self.clock.jump_wall(self.rng.choice(JUMPS))
        self.clock.advance(self.rng.choice((0.5, 10.0, 29.0, 31.0, 59.0, 61.0)))
        twin.pass_to(self.clock.now().mono)
        await self.quiet(connection, twin.state)
        choice = self.rng.random()
        if twin.state == "active" and choice < 0.6:
            await self.work(connection, twin)
        elif twin.state == "active" and choice < 0.7:
            await self.leave()
            await self.quiet(connection, "suspended")
            twin.lost = self.clock.now().mono
        elif twin.state == "suspended" and choice < 0.7:
            await self.connect()
            await self.say(initialize(resume={"sessionId": connection.id}) | {"id": self.fresh()})
            twin.lost, twin.heard = None, self.clock.now().mono
            twin.worked = twin.heard

    async def work(self, connection: SessionConnection, twin: Twin) -> None:
        """A ping keeps the line alive, a request is also work. Timestamps of the peer are out of order at will."""
        ts = self.rng.choice(("2020-01-01T00:00:00.000Z", "2099-12-31T23:59:59Z", self.clock.now().wall))
        twin.heard = self.clock.now().mono
        if self.rng.random() < 0.5:
            await self.say(envelope("session.ping", {}, id=self.fresh(), sessionId=connection.id, ts=ts))
        else:
            twin.worked = twin.heard
            await self.say(envelope("capabilities.list", {}, id=self.fresh(), sessionId=connection.id, ts=ts))

    def fresh(self) -> str:
        self.number += 1
        return f"m{self.number}"

    async def connect(self) -> None:
        self.ours, theirs = pair(capacity=1000)
        self.serving.append(asyncio.create_task(self.hall.accept(theirs)))

    async def leave(self) -> None:
        if self.ours is not None:
            await self.ours.close()
        await asyncio.wait_for(asyncio.gather(*self.serving), SECONDS)

    async def say(self, body: dict[str, Any]) -> None:
        """Send and wait for the answer, past the events and heartbeats before it."""
        assert self.ours is not None
        await self.ours.send(msgspec.json.encode(body).decode())
        async with asyncio.timeout(SECONDS):
            while True:
                heard = msgspec.json.decode(await self.ours.receive())
                if heard.get("correlationId") == body["id"]:
                    assert heard["type"] != "error", heard
                    return

    async def quiet(self, connection: SessionConnection, state: str) -> None:
        """Let the hall's own tasks (settling, closing) come to rest."""
        async with asyncio.timeout(SECONDS):
            while connection.session.state != state or self.hall._tasks:
                await asyncio.sleep(0)
