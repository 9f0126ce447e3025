"""Attacks on a server with normal sessions: limits hold, other sessions are served, and memory is freed.

`make soak CASE=P2` runs large attacks, the tests small ones. `python -m tests.server.attacks NAME COUNT URL` attacks.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from tests.server.load import ROOT, UPGRADE, LoadSession, MiB, frame, percentile_ms, run_server


async def _connect(
    url: str, more: str = "", send: bool = True
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    parts = urlsplit(url)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    if send:
        writer.write(
            UPGRADE.format(path=parts.path, host=f"{parts.hostname}:{parts.port}", more=more).encode()
        )
        await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def _close_code(reader: asyncio.StreamReader, seconds: float = 30.0) -> int:
    """Return the close code; 0 if the connection ended without one, -1 if it is still open."""
    received = b""
    try:
        async with asyncio.timeout(seconds):
            while data := await reader.read(65536):
                received = (received + data)[-256:]
    except TimeoutError:
        return -1
    except OSError:
        pass
    at = received.rfind(b"\x88")
    return int.from_bytes(received[at + 2 : at + 4], "big") if at >= 0 else 0


async def ramp(url: str, count: int) -> dict[str, int]:
    """Open more connections than the limit."""
    writers: list[asyncio.StreamWriter] = []
    outcome: Counter[str] = Counter()
    for _ in range(count):
        try:
            async with asyncio.timeout(10):
                parts = urlsplit(url)
                reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
                host = f"{parts.hostname}:{parts.port}"
                writer.write(UPGRADE.format(path=parts.path, host=host, more="").encode())
                line = await reader.readline()
                outcome[line.split()[1].decode() if line else "dropped"] += 1
                writers.append(writer)
        except (OSError, TimeoutError, IndexError):
            outcome["dropped"] += 1
    for writer in writers:
        writer.close()
    return {f"answered {name}": number for name, number in sorted(outcome.items())}


async def slow(url: str, count: int) -> dict[str, int]:
    """Start handshakes and never finish them."""
    opened = [await _connect(url, send=False) for _ in range(count)]
    for _, writer in opened:
        writer.write(b"GET /uiap/ws HTTP/1.1\r\nHost: x\r\nX-")
    codes = await asyncio.gather(*(_close_code(reader) for reader, _ in opened))
    for _, writer in opened:
        writer.close()
    return {"still open": codes.count(-1), "dropped": len(codes) - codes.count(-1)}


async def huge(url: str, count: int) -> dict[str, int]:
    """Send the header and the beginning of 64 MiB frames."""
    codes = []
    for _ in range(count):
        reader, writer = await _connect(url)
        with suppress(OSError):
            writer.write(frame(b"x" * 65536, announced=64 * MiB))
        codes.append(await _close_code(reader))
        writer.close()
    return {f"closed with {code}": codes.count(code) for code in sorted(set(codes))}


async def pings(url: str, count: int) -> dict[str, int]:
    """Send pings and never read the pongs."""
    sent = 0
    ping = frame(b"p" * 100, first=0x89) * 500
    for _ in range(count):
        _, writer = await _connect(url)
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(2):
                for _ in range(200):
                    writer.write(ping)
                    sent += 500
                    await writer.drain()
        writer.transport.abort()
    return {"pings sent": sent}


async def bomb(url: str, count: int) -> dict[str, int]:
    """Send a compressed gibibyte of zeros, although compression was not negotiated."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    packed = b"".join(packer.compress(bytes(MiB)) for _ in range(1024)) + packer.flush(zlib.Z_SYNC_FLUSH)
    assert len(packed) < 8 * MiB
    codes = []
    for _ in range(count):
        reader, writer = await _connect(url, more="Sec-WebSocket-Extensions: permessage-deflate\r\n")
        with suppress(OSError):
            writer.write(frame(packed[: MiB - 64], first=0xC1))
        codes.append(await _close_code(reader))
        writer.close()
    return {f"closed with {code}": codes.count(code) for code in sorted(set(codes))}


async def never_read(url: str, count: int) -> dict[str, int]:
    """Send requests without end and never read the answers."""

    async def one(number: int) -> bool:
        session = LoadSession(url, 10_000 + number)
        await session.open()
        connection = session._writer.transport
        session._reader._transport.pause_reading()  # type: ignore[attr-defined]
        deadline = time.monotonic() + 90
        while not connection.is_closing() and time.monotonic() < deadline:
            with suppress(OSError, TimeoutError):
                session.send("web.state.get", {})
                async with asyncio.timeout(0.05):
                    await asyncio.Event().wait()  # the transport reports by itself when it is closed
        cut = connection.is_closing()
        connection.abort()
        return cut

    return {"never read": count, "cut off": sum(await asyncio.gather(*map(one, range(count))))}


Attack = Callable[[str, int], Awaitable[dict[str, int]]]
ATTACKS: dict[str, tuple[Attack, int, int]] = {
    "ramp": (ramp, 5_000, 40),
    "slow handshakes": (slow, 200, 3),
    "frames of 64 MiB": (huge, 50, 2),
    "pings": (pings, 20, 1),
    "compression bomb": (bomb, 20, 1),
    "never reading": (never_read, 20, 1),
}


async def _attack_from_process(name: str, count: int, url: str) -> dict[str, int]:
    """Run an attack in its own process, so that it affects other sessions only through the server."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.server.attacks", name, str(count), url),
        cwd=ROOT,
        stdout=subprocess.PIPE,
    )
    try:
        outcome, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    found: dict[str, int] = json.loads(outcome)
    return found


async def run_attack(
    name: str, *, small: bool = False, normal: int = 20, seconds: float = 10.0
) -> dict[str, Any]:
    """Run one attack while normal sessions act; return how they were affected and what remains."""
    _, many, few = ATTACKS[name]
    async with run_server() as server:
        sessions, _ = await server.open_sessions(normal)
        before = await server.act_at_pace(sessions, seconds)
        rss_before = server.rss_mib()
        attack = asyncio.ensure_future(_attack_from_process(name, few if small else many, server.url))
        during = await server.act_at_pace(sessions, seconds)
        while not attack.done():
            during += await server.act_at_pace(sessions, 2.0)
        outcome = await attack
        peak, rss = server.rss_mib(), server.rss_mib()
        deadline = time.monotonic() + 60
        while rss > rss_before * 1.2 and time.monotonic() < deadline:
            await server.act_at_pace(sessions, 2.0)
            rss = server.rss_mib()
        lost = sum(len(v.handles - set(v.results)) for v in sessions)
        for session in sessions:
            session.close()
    return {
        **outcome,
        "accepted p99 ms before": percentile_ms(before, 0.99),
        "accepted p99 ms during": percentile_ms(during, 0.99),
        "server RSS MiB before": round(rss_before, 1),
        "at its end": round(peak, 1),
        "RSS ratio a minute later at most": round(rss / rss_before, 3),
        "results lost": lost,
    }


def failures(name: str, figures: dict[str, Any]) -> list[str]:
    found = []
    if figures["results lost"]:
        found.append(f"{name}: {figures['results lost']} results of normal sessions were lost")
    if figures["accepted p99 ms during"] > max(2 * figures["accepted p99 ms before"], 50):
        found.append(f"{name}: normal sessions waited {figures['accepted p99 ms during']} ms")
    if figures["RSS ratio a minute later at most"] > 1.2:
        found.append(f"{name}: memory stayed at {figures['RSS ratio a minute later at most']}")
    if (
        figures.get("still open")
        or figures.get("closed with -1")
        or figures.get("never read", 0) > figures.get("cut off", 0)
    ):
        found.append(f"{name}: some attackers were not disconnected")
    return found


if __name__ == "__main__":
    name, count, url = sys.argv[1:]
    print(json.dumps(asyncio.run(ATTACKS[name][0](url, int(count)))))  # type: ignore[arg-type]
