"""A crowd of sessions over WebSocket against a real server in a process of its own (robustness P1).

None of them hears of another, and nothing is lost. Run by `make soak CASE=P1`; the tests do the same with a few.
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

from tests.server.crowd_server import NODES

ROOT = Path(__file__).parents[2]
MiB = 1024 * 1024
TITLE = {"by": "semantic", "role": "textbox", "name": "Title"}
READ = {"actionId": "ui.read", "target": {"ref": TITLE}, "args": {"what": "value"}}
UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: uiap.v0.1\r\n{more}\r\n"
)


@asynccontextmanager
async def served(path: str = "fake executor") -> AsyncIterator[Crowd]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.server.crowd_server", path),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None and process.stdout is not None
    try:
        async with asyncio.timeout(60):
            url = (await process.stdout.readline()).decode().strip()
        crowd = Crowd(url, process.pid)
        yield crowd
        process.stdin.close()
        async with asyncio.timeout(60):
            crowd.unwritten = int(await process.stdout.readline())
            assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


class Visitor:
    """One session, by hand, because a thousand polite clients in one process must be cheap."""

    def __init__(self, url: str, number: int) -> None:
        self.place, self.number = urlsplit(url), number
        self.session, self._count, self.foreign = "", 0, 0
        self.handles: set[str] = set()
        self.results: Counter[str] = Counter()

    async def come(self) -> None:
        host = f"{self.place.hostname}:{self.place.port}"
        self._reader, self._writer = await asyncio.open_connection(
            self.place.hostname, self.place.port, limit=MiB
        )
        self._writer.write(UPGRADE.format(path=self.place.path, host=host, more="").encode())
        head = await self._reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in head.splitlines()[0]:
            raise ConnectionRefusedError(head.splitlines()[0].decode())
        told = await self.ask(
            "session.initialize",
            {
                "supportedVersions": ["0.1"],
                "supportedProfiles": ["web@0.1"],
                "participant": {"role": "agent", "id": f"v{self.number}"},
                "metadata": {"whose": f"v{self.number}"},
            },
        )
        self.session = told["payload"]["sessionId"]

    async def ask(self, type: str, payload: dict[str, Any]) -> dict[str, Any]:
        id = self.say(type, payload)
        while True:
            told = await self.hear()
            if told.get("correlationId") == id:
                return told

    def say(self, type: str, payload: dict[str, Any], **more: str) -> str:
        self._count += 1
        id = f"m{self.number}x{self._count}"
        envelope = {
            "uiap": "0.1",
            "kind": "request",
            "type": type,
            "id": id,
            "ts": "2026-01-01T00:00:00Z",
            **({"sessionId": self.session} if self.session else {}),
            "source": {"role": "agent", "id": f"v{self.number}"},
            "payload": payload,
            **more,
        }
        self._writer.write(frame(json.dumps(envelope).encode()))
        return id

    async def hear(self) -> dict[str, Any]:
        first, size = await self._reader.readexactly(2)
        if size >= 126:
            size = int.from_bytes(await self._reader.readexactly(2 if size == 126 else 8), "big")
        data = await self._reader.readexactly(size)
        if first & 15 != 1:
            raise ConnectionResetError(f"closed with {int.from_bytes(data[:2], 'big')}")
        told: dict[str, Any] = json.loads(data)
        if self.session and told.get("sessionId") != self.session:
            self.foreign += 1
        if told["type"] == "session.ping":
            self.say("session.pong", {}, kind="response", correlationId=told["id"])
        handle = told["payload"].get("actionHandle")
        if told["type"] == "action.result":
            self.results[handle] += 1
            self.foreign += f'"v{self.number}"' not in json.dumps(told["payload"]["returnValue"])
        elif handle is not None and told["type"] == "action.accepted":
            self.handles.add(handle)
        return told

    async def act(self) -> float:
        """One action to its end; seconds until it was accepted."""
        begun = time.perf_counter()
        told = await self.ask("action.request", READ)
        accepted = time.perf_counter() - begun
        assert told["type"] == "action.accepted", told
        handle = told["payload"]["actionHandle"]
        while not self.results[handle]:
            await self.hear()
        return accepted

    def leave(self) -> None:
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


class Crowd:
    """The server as it is seen from outside."""

    def __init__(self, url: str, pid: int) -> None:
        self.url, self.pid = url, pid
        self.unwritten = 0
        """Records that a full queue kept from being written; known once it has ended."""

    def rss_mib(self) -> float:
        return int(Path(f"/proc/{self.pid}/statm").read_text().split()[1]) * 4096 / MiB

    def cpu_s(self) -> float:
        times = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(times[11]) + int(times[12])) / os.sysconf("SC_CLK_TCK")

    async def visitors(self, count: int, at_once: int = 20) -> tuple[list[Visitor], list[float]]:
        """So many sessions, each with its graph; how long each handshake took."""
        gate, spent = asyncio.Semaphore(at_once), []

        async def one(number: int) -> Visitor:
            visitor = Visitor(self.url, number)
            async with gate:
                begun = time.perf_counter()
                await visitor.come()
                spent.append(time.perf_counter() - begun)
                told = await visitor.ask("web.state.get", {})
                assert len(told["payload"]["graph"]["elements"]) >= NODES
            return visitor

        return list(await asyncio.gather(*(one(number) for number in range(count)))), spent

    async def busy(self, visitors: list[Visitor], seconds: float, pace_s: float = 1.0) -> list[float]:
        """Every visitor acts once in `pace_s`, spread evenly; seconds until each was accepted."""
        spent: list[float] = []
        begun = asyncio.get_running_loop().time()

        async def one(visitor: Visitor, turn: float) -> None:
            loop, due = asyncio.get_running_loop(), begun + turn
            while due < begun + seconds:
                await asyncio.sleep(max(0.0, due - loop.time()))  # the pace is the load, not a wait
                spent.append(await visitor.act())
                due += pace_s

        turns = [pace_s * number / max(1, len(visitors)) for number in range(len(visitors))]
        await asyncio.gather(*(one(v, turn) for v, turn in zip(visitors, turns, strict=True)))
        return spent

    async def eager(self, visitors: list[Visitor], seconds: float) -> float:
        """Every visitor acts again as soon as it has its result; actions a second."""
        begun = time.perf_counter()
        done = 0

        async def one(visitor: Visitor) -> None:
            nonlocal done
            while time.perf_counter() - begun < seconds:
                await visitor.act()
                done += 1

        await asyncio.gather(*map(one, visitors))
        return done / (time.perf_counter() - begun)


def share(values: list[float], part: float) -> float:
    """Milliseconds at this share of all."""
    return round(sorted(values)[min(len(values) - 1, int(part * len(values)))] * 1000, 1) if values else 0.0


async def together(
    count: int, seconds: float, path: str = "fake executor", pace_s: float = 1.0
) -> dict[str, Any]:
    """Robustness P1: all at their pace; then for a few seconds each again as soon as it has its result."""
    async with served(path) as crowd:
        visitors, shaken = await crowd.visitors(count)
        await crowd.busy(
            visitors, pace_s, pace_s
        )  # what a session is given with its first action is there now
        _, after_ramp = await crowd.visitors(min(50, count), at_once=1)
        begun, ours, theirs = time.perf_counter(), time.process_time(), crowd.cpu_s()
        spent = await crowd.busy(visitors, seconds, pace_s)
        took = time.perf_counter() - begun
        ours, theirs = (time.process_time() - ours) / took, (crowd.cpu_s() - theirs) / took
        rss = crowd.rss_mib()
        most = await crowd.eager(visitors, min(10.0, seconds))
        lost = sum(len(v.handles - set(v.results)) for v in visitors)
        twice = sum(n - 1 for v in visitors for n in v.results.values())
        all_handles = Counter(handle for v in visitors for handle in v.handles)
        for visitor in visitors:
            visitor.leave()
    return {
        "sessions": count,
        "seconds": seconds,
        "actions": len(spent),
        "actions a second": round(len(spent) / took),
        "handshake p99 ms while they came": share(shaken, 0.99),
        "handshake p99 ms after the ramp": share(after_ramp, 0.99),
        "accepted p50 ms": share(spent, 0.5),
        "accepted p95 ms": share(spent, 0.95),
        "accepted p99 ms": share(spent, 0.99),
        "cores the server took": round(theirs, 2),
        "cores the clients took": round(ours, 2),
        "server RSS MiB": round(rss, 1),
        "actions a second at most": round(most),
        "results lost": lost,
        "results twice": twice,
        "messages of other sessions": sum(v.foreign for v in visitors)
        + sum(n - 1 for n in all_handles.values()),
        "records not written": crowd.unwritten,
    }


def wrong_together(figures: dict[str, Any]) -> list[str]:
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
