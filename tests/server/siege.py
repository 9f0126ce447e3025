"""Attackers among polite sessions: caps hold, the others go on, memory comes back (robustness P2).

Run by `make soak CASE=P2`; the tests do the same with a few. `python -m tests.server.siege NAME COUNT URL` attacks.
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

from tests.server.crowd import ROOT, UPGRADE, MiB, Visitor, frame, served, share


async def _dialled(
    url: str, more: str = "", send: bool = True
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    place = urlsplit(url)
    reader, writer = await asyncio.open_connection(place.hostname, place.port)
    if send:
        writer.write(
            UPGRADE.format(path=place.path, host=f"{place.hostname}:{place.port}", more=more).encode()
        )
        await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def _ended(reader: asyncio.StreamReader, seconds: float = 30.0) -> int:
    """The close code it was sent; 0 where the line just ended, -1 where it did not."""
    seen = b""
    try:
        async with asyncio.timeout(seconds):
            while data := await reader.read(65536):
                seen = (seen + data)[-256:]
    except TimeoutError:
        return -1
    except OSError:
        pass
    at = seen.rfind(b"\x88")
    return int.from_bytes(seen[at + 2 : at + 4], "big") if at >= 0 else 0


async def ramp(url: str, count: int) -> dict[str, int]:
    """Connections until they are refused, and on."""
    kept: list[asyncio.StreamWriter] = []
    told: Counter[str] = Counter()
    for _ in range(count):
        try:
            async with asyncio.timeout(10):
                place = urlsplit(url)
                reader, writer = await asyncio.open_connection(place.hostname, place.port)
                host = f"{place.hostname}:{place.port}"
                writer.write(UPGRADE.format(path=place.path, host=host, more="").encode())
                line = await reader.readline()
                told[line.split()[1].decode() if line else "dropped"] += 1
                kept.append(writer)
        except (OSError, TimeoutError, IndexError):
            told["dropped"] += 1
    for writer in kept:
        writer.close()
    return {f"answered {name}": number for name, number in sorted(told.items())}


async def slow(url: str, count: int) -> dict[str, int]:
    """Handshakes that never end."""
    opened = [await _dialled(url, send=False) for _ in range(count)]
    for _, writer in opened:
        writer.write(b"GET /uiap/ws HTTP/1.1\r\nHost: x\r\nX-")
    codes = await asyncio.gather(*(_ended(reader) for reader, _ in opened))
    for _, writer in opened:
        writer.close()
    return {"still open": codes.count(-1), "dropped": len(codes) - codes.count(-1)}


async def huge(url: str, count: int) -> dict[str, int]:
    """Frames of 64 MiB, announced and begun."""
    codes = []
    for _ in range(count):
        reader, writer = await _dialled(url)
        with suppress(OSError):
            writer.write(frame(b"x" * 65536, announced=64 * MiB))
        codes.append(await _ended(reader))
        writer.close()
    return {f"closed with {code}": codes.count(code) for code in sorted(set(codes))}


async def pings(url: str, count: int) -> dict[str, int]:
    """Pings without end, whose answers nobody reads."""
    sent = 0
    ping = frame(b"p" * 100, first=0x89) * 500
    for _ in range(count):
        _, writer = await _dialled(url)
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(2):
                for _ in range(200):
                    writer.write(ping)
                    sent += 500
                    await writer.drain()
        writer.transport.abort()
    return {"pings sent": sent}


async def bomb(url: str, count: int) -> dict[str, int]:
    """A gibibyte of zeros in a few kilobytes, compressed although that was not agreed upon."""
    packer = zlib.compressobj(1, zlib.DEFLATED, -15)
    packed = b"".join(packer.compress(bytes(MiB)) for _ in range(1024)) + packer.flush(zlib.Z_SYNC_FLUSH)
    assert len(packed) < 8 * MiB
    codes = []
    for _ in range(count):
        reader, writer = await _dialled(url, more="Sec-WebSocket-Extensions: permessage-deflate\r\n")
        with suppress(OSError):
            writer.write(frame(packed[: MiB - 64], first=0xC1))
        codes.append(await _ended(reader))
        writer.close()
    return {f"closed with {code}": codes.count(code) for code in sorted(set(codes))}


async def deaf(url: str, count: int) -> dict[str, int]:
    """Sessions that ask on and on and never read what they are told."""

    async def one(number: int) -> bool:
        visitor = Visitor(url, 10_000 + number)
        await visitor.come()
        line = visitor._writer.transport
        visitor._reader._transport.pause_reading()  # type: ignore[attr-defined]
        give_up = time.monotonic() + 90
        while not line.is_closing() and time.monotonic() < give_up:
            with suppress(OSError, TimeoutError):
                visitor.say("web.state.get", {})
                async with asyncio.timeout(0.05):
                    await asyncio.Event().wait()  # the line tells us by itself when it is cut
        cut = line.is_closing()
        line.abort()
        return cut

    return {"never read": count, "cut off": sum(await asyncio.gather(*map(one, range(count))))}


Attack = Callable[[str, int], Awaitable[dict[str, int]]]
ATTACKS: dict[str, tuple[Attack, int, int]] = {
    "ramp": (ramp, 5_000, 40),
    "slow handshakes": (slow, 200, 3),
    "frames of 64 MiB": (huge, 50, 2),
    "pings": (pings, 20, 1),
    "compression bomb": (bomb, 20, 1),
    "never reading": (deaf, 20, 1),
}


async def _attacked(name: str, count: int, url: str) -> dict[str, int]:
    """In a process of its own, so that it takes nothing from the polite ones but what it takes from the server."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.server.siege", name, str(count), url), cwd=ROOT, stdout=subprocess.PIPE
    )
    try:
        told, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    found: dict[str, int] = json.loads(told)
    return found


async def besieged(
    name: str, *, small: bool = False, polite: int = 20, seconds: float = 10.0
) -> dict[str, Any]:
    """Robustness P2: one attack, while polite sessions go on; what they noticed, and what is left of it."""
    _, many, few = ATTACKS[name]
    async with served() as crowd:
        visitors, _ = await crowd.visitors(polite)
        before = await crowd.busy(visitors, seconds)
        quiet = crowd.rss_mib()
        siege = asyncio.ensure_future(_attacked(name, few if small else many, crowd.url))
        during = await crowd.busy(visitors, seconds)
        while not siege.done():
            during += await crowd.busy(visitors, 2.0)
        told = await siege
        peak, rss = crowd.rss_mib(), crowd.rss_mib()
        give_up = time.monotonic() + 60
        while rss > quiet * 1.2 and time.monotonic() < give_up:
            await crowd.busy(visitors, 2.0)
            rss = crowd.rss_mib()
        lost = sum(len(v.handles - set(v.results)) for v in visitors)
        for visitor in visitors:
            visitor.leave()
    return {
        **told,
        "accepted p99 ms before": share(before, 0.99),
        "accepted p99 ms during": share(during, 0.99),
        "server RSS MiB before": round(quiet, 1),
        "at its end": round(peak, 1),
        "RSS ratio a minute later at most": round(rss / quiet, 3),
        "results lost": lost,
    }


def wrong_besieged(name: str, figures: dict[str, Any]) -> list[str]:
    found = []
    if figures["results lost"]:
        found.append(f"{name}: {figures['results lost']} results of polite sessions were lost")
    if figures["accepted p99 ms during"] > max(2 * figures["accepted p99 ms before"], 50):
        found.append(f"{name}: polite sessions waited {figures['accepted p99 ms during']} ms")
    if figures["RSS ratio a minute later at most"] > 1.2:
        found.append(f"{name}: memory stayed at {figures['RSS ratio a minute later at most']}")
    if (
        figures.get("still open")
        or figures.get("closed with -1")
        or figures.get("never read", 0) > figures.get("cut off", 0)
    ):
        found.append(f"{name}: some attackers were left on the line")
    return found


if __name__ == "__main__":
    name, count, url = sys.argv[1:]
    print(json.dumps(asyncio.run(ATTACKS[name][0](url, int(count)))))  # type: ignore[arg-type]
