"""Measure 1,000 WebSocket sessions with heartbeats and a stream of requests on one core; memory must stay flat.

The host (with its SQLite journal) has one core, the load another. Sessions take turns: a group sends for a few
seconds and is then idle for longer than the heartbeat interval, so that heartbeats happen. The load has a fixed
rate first, for latency and memory. Then it sends as fast as the host answers, for the maximum rate.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]

from bench.table import Claim, show
from bench.websocket_load import Client, Counts, connect

SUMMARY = "1,000 WebSocket sessions with requests on one core"
SESSIONS = int(os.environ.get("UIAP_BENCH_SESSIONS", "1000"))
SECONDS = float(os.environ.get("UIAP_BENCH_SECONDS", "30"))
RATE = float(os.environ.get("UIAP_BENCH_PACE", "2700"))
LOOP = os.environ.get("UIAP_BENCH_LOOP", "asyncio")
HEARTBEAT_S, WARM_UP_S = 5.0, 25.0
GROUPS, TURN_S = 4, 2.5
REQUIRED, FLAT = 2500.0, 1.05


class Server:
    """The process of the host; it ends with the `with` block."""

    def __init__(self, folder: Path, core: int) -> None:
        command = [
            sys.executable,
            "-m",
            "bench.host_server",
            str(folder / "bench.sqlite3"),
            str(core),
            f"{HEARTBEAT_S}",
        ]
        self.process = subprocess.Popen(
            [*command, LOOP], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        announced = json.loads(self.process.stdout.readline())
        self.url, self.revision = announced["url"], announced["revision"]
        self.stats = psutil.Process(self.process.pid)

    @property
    def rss(self) -> float:
        return float(self.stats.memory_info().rss) / 2**20

    @property
    def cpu(self) -> float:
        times = self.stats.cpu_times()
        return float(times.user + times.system)

    def end(self) -> dict[str, Any]:
        output, _ = self.process.communicate("", timeout=60)
        return dict(json.loads(output))

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


async def send_at_rate(
    clients: list[Client], seconds: float, rate: float, rss: list[float], server: Server
) -> None:
    """Send at the given rate, independent of the answers; groups of sessions take turns."""
    begun = time.perf_counter()
    groups = [clients[i::GROUPS] for i in range(GROUPS)]
    sent = 0
    while (elapsed := time.perf_counter() - begun) < seconds:
        clients[0].tally.tick()
        group = groups[int(elapsed / TURN_S) % GROUPS]
        while sent < elapsed * rate:
            group[sent % len(group)].ask()
            sent += 1
        if len(rss) < elapsed:
            rss.append(server.rss)
        await asyncio.sleep(0.002)  # the interval of the load, not a wait for an event
    await wait_until_answered(clients)


async def wait_until_answered(clients: list[Client]) -> None:
    async with asyncio.timeout(30):
        for client in clients:
            if client.waiting:
                await client.idle.wait()


async def saturate(clients: list[Client], seconds: float, tally: Counts) -> float:
    """Send the next request of each session as soon as it is answered. Return the answers per second."""
    before, begun = tally.answers, time.perf_counter()

    async def ask_repeatedly(client: Client) -> None:
        while time.perf_counter() - begun < seconds:
            client.ask()
            await client.idle.wait()

    await asyncio.gather(*(ask_repeatedly(client) for client in clients[:200]))
    return (tally.answers - before) / (time.perf_counter() - begun)


async def load(server: Server) -> dict[str, Any]:
    tally = Counts()
    clients = []
    begun = time.perf_counter()
    for first in range(0, SESSIONS, 50):
        batch = (connect(tally, server.url, server.revision) for _ in range(first, min(first + 50, SESSIONS)))
        clients += await asyncio.gather(*batch)
    opened = time.perf_counter() - begun
    # Messages kept for a resume make memory grow until that window has passed twice. After that it must stay flat.
    await send_at_rate(clients, WARM_UP_S, RATE, [], server)
    rss: list[float] = []
    tally.recording, answered, busy, begun = True, tally.answers, server.cpu, time.perf_counter()
    await send_at_rate(clients, SECONDS, RATE, rss, server)
    spent = time.perf_counter() - begun
    tally.recording = False
    figures = {
        "rate": (tally.answers - answered) / spent,
        "busy": (server.cpu - busy) / spent,
        "rss": [*rss, server.rss],
        "latencies": sorted(tally.latencies),
        "open_ms": opened / SESSIONS * 1000,
        "ceiling": await saturate(clients, SECONDS / 4, tally),
        "errors": tally.errors,
        "lost": tally.lost,
        "heartbeats": tally.heartbeats,
    }
    for client in clients:
        client.transport.close()
    return figures


def run() -> bool:
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0, 0]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {cores[-1]})
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder), cores[0]) as server:
        figures = asyncio.run(load(server))
        ended = server.end()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores)
    return report(figures, ended)


def report(figures: dict[str, Any], ended: dict[str, Any]) -> bool:
    ms = [value * 1000 for value in figures["latencies"]]
    start, middle, last = (figures["rss"][i] for i in (0, len(figures["rss"]) // 2, -1))
    rows = [
        ("measure", "value"),
        ("sessions", f"{SESSIONS}"),
        ("pairs/s at the given rate", f"{figures['rate']:.0f}"),
        ("latency p50 / p99 ms", f"{ms[len(ms) // 2]:.2f} / {ms[len(ms) * 99 // 100]:.2f}"),
        ("busy share of the core", f"{figures['busy']:.0%}"),
        ("µs of the core per pair", f"{figures['busy'] / figures['rate'] * 1e6:.0f}"),
        ("pairs/s as fast as it answers", f"{figures['ceiling']:.0f}"),
        ("ms per session opened", f"{figures['open_ms']:.2f}"),
        ("RSS MiB start / middle / end", f"{start:.1f} / {middle:.1f} / {last:.1f}"),
        ("heartbeats answered", f"{figures['heartbeats']}"),
        (
            "connections lost, errors, entries lost",
            f"{figures['lost']}, {figures['errors']}, {ended['lost']}",
        ),
    ]
    claims = [
        Claim(f"{figures['rate']:.0f} pairs a second (at least {REQUIRED:.0f})", figures["rate"] >= REQUIRED),
        Claim(
            f"memory at the end is {last / middle:.3f} × that in the middle (at most {FLAT})",
            last <= FLAT * middle,
        ),
        Claim(
            f"{figures['heartbeats']} heartbeats (at least one a session)", figures["heartbeats"] >= SESSIONS
        ),
        Claim(
            "no session lost, no error answered, no journal entry lost",
            not (figures["lost"] or figures["errors"] or ended["lost"]),
        ),
    ]
    return show(f"sessions: one core, {LOOP}, {SECONDS:g} s", rows, claims)
