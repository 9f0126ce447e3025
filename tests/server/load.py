"""Many sessions over WebSocket against a real server in its own process.

No session receives a message of another, and no message is lost. `make soak CASE=P1` runs many, the tests a few.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tests.server.load_server import NODES

ROOT = Path(__file__).parents[2]
MiB = 1024 * 1024
TITLE = {"by": "semantic", "role": "textbox", "name": "Title"}
READ = {"actionId": "ui.read", "target": {"ref": TITLE}, "args": {"what": "value"}}
UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: uiap.v0.1\r\n{more}\r\n"
)


@asynccontextmanager
async def run_server(path: str = "fake executor") -> AsyncIterator[LoadServer]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.server.load_server", path),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        async with asyncio.timeout(60):
            url = (await process.stdout.readline()).decode().strip()
        server = LoadServer(url, process.pid)
        yield server
        process.stdin.close()
        async with asyncio.timeout(60):
            server.unwritten = int(await process.stdout.readline())
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


class LoadSession:
    """One session over a raw socket, because a thousand clients in one process must be cheap."""

    def __init__(self, url: str, number: int) -> None:
        self.url, self.number = urlsplit(url), number
        self.session_id, self._count, self.foreign = "", 0, 0
        self.handles: set[str] = set()
        self.results: Counter[str] = Counter()

    async def open(self) -> None:
        host = f"{self.url.hostname}:{self.url.port}"
        self._reader, self._writer = await asyncio.open_connection(
            self.url.hostname, self.url.port, limit=MiB
        )
        self._writer.write(UPGRADE.format(path=self.url.path, host=host, more="").encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.splitlines()[0]:
            raise ConnectionRefusedError(head.splitlines()[0].decode())
        message = await self.ask(
            "session.initialize",
            {
                "supportedVersions": ["0.1"],
                "supportedProfiles": ["web@0.1"],
                "participant": {"role": "agent", "id": f"v{self.number}"},
                "metadata": {"whose": f"v{self.number}"},
            },
        )
        self.session_id = message["payload"]["sessionId"]

    async def ask(self, type: str, payload: dict[str, Any]) -> dict[str, Any]:
        id = self.send(type, payload)
        while True:
            message = await self.receive()
            if message.get("correlationId") == id:
                return message

    def send(self, type: str, payload: dict[str, Any], **more: str) -> str:
        self._count += 1
        id = f"m{self.number}x{self._count}"
        envelope = {
            "uiap": "0.1",
            "kind": "request",
            "type": type,
            "id": id,
            "ts": "2026-01-01T00:00:00Z",
            **({"sessionId": self.session_id} if self.session_id else {}),
            "source": {"role": "agent", "id": f"v{self.number}"},
            "payload": payload,
            **more,
        }
        self._writer.write(frame(json.dumps(envelope).encode()))
        return id

    async def receive(self) -> dict[str, Any]:
        first, size = await self._reader.readexactly(2)
        if size >= 126:
            size = int.from_bytes(await self._reader.readexactly(2 if size == 126 else 8), "big")
        data = await self._reader.readexactly(size)
        if first & 15 != 1:
            raise ConnectionResetError(f"closed with {int.from_bytes(data[:2], 'big')}")
        message: dict[str, Any] = json.loads(data)
        if self.session_id and message.get("sessionId") != self.session_id:
            self.foreign += 1
        if message["type"] == "session.ping":
            self.send("session.pong", {}, kind="response", correlationId=message["id"])
        handle = message["payload"].get("actionHandle")
        if message["type"] == "action.result":
            self.results[handle] += 1
            self.foreign += f'"v{self.number}"' not in json.dumps(message["payload"]["returnValue"])
        elif handle is not None and message["type"] == "action.accepted":
            self.handles.add(handle)
        return message

    async def act(self) -> float:
        """Run one action to its result; return the seconds until it was accepted."""
        started = time.perf_counter()
        message = await self.ask("action.request", READ)
        accepted = time.perf_counter() - started
        assert message["type"] == "action.accepted", message
        handle = message["payload"]["actionHandle"]
        while not self.results[handle]:
            await self.receive()
        return accepted

    def close(self) -> None:
        self._writer.close()


def frame(data: bytes, first: int = 0x81, announced: int | None = None) -> bytes:
    size = len(data) if announced is None else announced
    if size < 126:
        head = bytes((first, 0x80 | size))
    elif size < 65536:
        head = bytes((first, 0x80 | 126)) + size.to_bytes(2, "big")
    else:
        head = bytes((first, 0x80 | 127)) + size.to_bytes(8, "big")
    return head + b"\0\0\0\0" + data


class LoadServer:
    """The server process, and the load on it."""

    def __init__(self, url: str, pid: int) -> None:
        self.url, self.pid = url, pid
        self.unwritten = 0
        """Records lost because a queue was full; set when the server has ended."""

    def rss_mib(self) -> float:
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * 4096 / MiB

    def cpu_s(self) -> float:
        times = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    async def open_sessions(self, count: int, at_once: int = 20) -> tuple[list[LoadSession], list[float]]:
        """Open `count` sessions, each with its graph; return them and the seconds of each handshake."""
        gate, seconds_spent = asyncio.Semaphore(at_once), []

        async def one(number: int) -> LoadSession:
            session = LoadSession(self.url, number)
            async with gate:
                started = time.perf_counter()
                await session.open()
                seconds_spent.append(time.perf_counter() - started)
                message = await session.ask("web.state.get", {})
                assert len(message["payload"]["graph"]["elements"]) >= NODES
            return session

        return list(await asyncio.gather(*(one(number) for number in range(count)))), seconds_spent

    async def act_at_pace(
        self, sessions: list[LoadSession], seconds: float, pace_s: float = 1.0
    ) -> list[float]:
        """Let every session act once per `pace_s`, spread evenly; return the seconds until each was accepted."""
        seconds_spent: list[float] = []
        started = asyncio.get_running_loop().time()

        async def one(session: LoadSession, offset: float) -> None:
            loop, due = asyncio.get_running_loop(), started + offset
            while due < started + seconds:
                # this sleep sets the load; it does not wait for an effect
                await asyncio.sleep(max(0.0, due - loop.time()))
                seconds_spent.append(await session.act())
                due += pace_s

        offsets = [pace_s * number / max(1, len(sessions)) for number in range(len(sessions))]
        await asyncio.gather(*(one(v, offset) for v, offset in zip(sessions, offsets, strict=True)))
        return seconds_spent

    async def act_at_full_speed(self, sessions: list[LoadSession], seconds: float) -> float:
        """Let every session act again as soon as it has its result; return the actions per second."""
        started = time.perf_counter()
        done = 0

        async def one(session: LoadSession) -> None:
            nonlocal done
            while time.perf_counter() - started < seconds:
                await session.act()
                done += 1

        await asyncio.gather(*map(one, sessions))
        return done / (time.perf_counter() - started)


def percentile_ms(values: list[float], part: float) -> float:
    """Return the percentile `part` of `values`, in milliseconds."""
    return round(sorted(values)[min(len(values) - 1, int(part * len(values)))] * 1000, 1) if values else 0.0


async def run_sessions(
    count: int, seconds: float, path: str = "fake executor", pace_s: float = 1.0
) -> dict[str, Any]:
    """Run all sessions at their pace, then up to 10 s at full speed; return the measurements."""
    async with run_server(path) as server:
        sessions, handshakes = await server.open_sessions(count)
        # warm up: a session gets its resources with its first action
        await server.act_at_pace(sessions, pace_s, pace_s)
        _, after_ramp = await server.open_sessions(min(50, count), at_once=1)
        started, ours, theirs = time.perf_counter(), time.process_time(), server.cpu_s()
        seconds_spent = await server.act_at_pace(sessions, seconds, pace_s)
        took = time.perf_counter() - started
        ours, theirs = (time.process_time() - ours) / took, (server.cpu_s() - theirs) / took
        rss = server.rss_mib()
        peak_rate = await server.act_at_full_speed(sessions, min(10.0, seconds))
        lost = sum(len(v.handles - set(v.results)) for v in sessions)
        duplicates = sum(n - 1 for v in sessions for n in v.results.values())
        all_handles = Counter(handle for v in sessions for handle in v.handles)
        for session in sessions:
            session.close()
    return {
        "sessions": count,
        "seconds": seconds,
        "actions": len(seconds_spent),
        "actions a second": round(len(seconds_spent) / took),
        "handshake p99 ms while they came": percentile_ms(handshakes, 0.99),
        "handshake p99 ms after the ramp": percentile_ms(after_ramp, 0.99),
        "accepted p50 ms": percentile_ms(seconds_spent, 0.5),
        "accepted p95 ms": percentile_ms(seconds_spent, 0.95),
        "accepted p99 ms": percentile_ms(seconds_spent, 0.99),
        "cores the server took": round(theirs, 2),
        "cores the clients took": round(ours, 2),
        "server RSS MiB": round(rss, 1),
        "actions a second at most": round(peak_rate),
        "results lost": lost,
        "results twice": duplicates,
        "messages of other sessions": sum(v.foreign for v in sessions)
        + sum(n - 1 for n in all_handles.values()),
        "records not written": server.unwritten,
    }


def failures(figures: dict[str, Any]) -> list[str]:
    limits = {
        "handshake p99 ms after the ramp": 500,
        "accepted p95 ms": 50,
        "accepted p99 ms": 200,
        "server RSS MiB": 400,
        "results lost": 0,
        "results twice": 0,
        "messages of other sessions": 0,
        "records not written": 0,
    }
    return [
        f"{name}: {figures[name]}, at most {limit}" for name, limit in limits.items() if figures[name] > limit
    ]
