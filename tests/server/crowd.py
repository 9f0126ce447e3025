"""A crowd of sessions over WebSocket against a real server in a process of its own, whose executor is a fake.

Robustness P1 (many sessions at once, none of them hears of another) and P2 (attackers among polite clients). Run by
`make soak CASE=P1` and `CASE=P2`; the tests do the same with a few. `python -m tests.server.crowd PATH` is the server.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

ROOT = Path(__file__).parents[2]
NODES, CONNECTIONS = 200, int(os.environ.get("UIAP_CROWD_CONNECTIONS", "1200"))
MiB = 1024 * 1024
TITLE = {"by": "semantic", "role": "textbox", "name": "Title"}
READ = {"actionId": "ui.read", "target": {"ref": TITLE}, "args": {"what": "value"}}
UPGRADE = (
    "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: uiap.v0.1\r\n{more}\r\n"
)

# -- the server ---------------------------------------------------------------------------------------------------


def _page(widgets: int, whose: str = "") -> Any:
    from uiap.drivers.scripted import ScriptedDriver, ScriptedPage, Widget

    rows = [Widget(f"row{n}", "button", f"Row {n}") for n in range(widgets - 1)]
    whole = [Widget("title", "textbox", "Title", state={"textValue": whose}), *rows]
    return ScriptedDriver(ScriptedPage("http://notes.test/", whole))


async def _canned() -> Callable[[Any], Any]:
    """A handler that shows everybody the same graph."""
    from uiap.host.dispatch import Reply
    from uiap.spec.web import WebStateSnapshotPayload

    pattern = _page(NODES)
    await pattern.start(lambda _event: None)
    snapshot = WebStateSnapshotPayload(graph=await pattern.observe())
    return lambda _call: Reply("web.state.snapshot", snapshot)


async def _fake_executor(writer: Any, clock: Any) -> tuple[Any, Any]:
    """The hall with its journal; an action is accepted once that is on disk, and a timer is all that executes it."""
    from uiap.host import tables
    from uiap.host.dispatch import Call, Outcome, Reply
    from uiap.host.hall import Hall
    from uiap.host.journal import Journal
    from uiap.ids import IdMaker, new_seed
    from uiap.protocol.negotiation import Support
    from uiap.spec.action import ActionAcceptedPayload, ActionResultPayload, VerificationOutcome
    from uiap.spec.core import ParticipantInfo

    ids = IdMaker(new_seed())

    async def executed(call: Call) -> Outcome:
        handle, action = ids.secret("act"), call.payload.action_id
        done = ActionResultPayload(
            action_handle=handle,
            action_id=action,
            status="succeeded",
            verification=VerificationOutcome(passed=True, policy="none", observed=()),
            return_value={"value": call.seat.session.metadata["whose"]},
        )
        row = {"handle": handle, "session": call.seat.id, "action": action, "key": None, "digest": ""}
        row |= {"stage": "accepted", "wall": clock.now().wall}
        await writer.write((tables.actions, row))
        asyncio.get_running_loop().call_later(0.02, call.seat.publish, "action.result", done)
        taken = ActionAcceptedPayload(action_handle=handle, action_id=action, status="accepted")
        return Reply("action.accepted", taken)

    hall = Hall(
        {"web.state.get": await _canned(), "action.request": executed},
        support=Support(profiles=("web@0.1",)),
        me=ParticipantInfo(role="bridge", id="crowd"),
        clock=clock,
        journal=Journal(writer),
        limits={"idle_s": 0.0, "resume_s": 0.0},
    )
    return hall, hall


async def _whole_path(writer: Any, clock: Any) -> tuple[Any, Any]:
    """The reception as `uiap serve` has it: runtime, policy, ledger, journal, audit and trace of every action.

    Every session has a page in memory of its own; the graph it is given is canned all the same.
    """
    from uiap.drivers.driver import Driver
    from uiap.server.applications import Applications
    from uiap.server.reception import Reception

    class InMemory(Applications):
        async def opened(self, metadata: Mapping[str, Any]) -> Driver:
            page: Driver = _page(5, str(metadata.get("whose")))
            return page

    class NoBrowsers:
        capacity = CONNECTIONS

        async def warm(self) -> None: ...

        async def close(self) -> None: ...

    reception = Reception(
        NoBrowsers(),  # type: ignore[arg-type]
        tokens=None,
        writer=writer,
        clock=clock,
        applications=InMemory(),
        idle_s=0.0,
        resume_s=0.0,
    )
    await reception.start()
    reception.hall.handlers = {**reception.hall.handlers, "web.state.get": await _canned()}
    return reception, reception


PATHS = {"fake executor": _fake_executor, "whole path": _whole_path}


async def serve(path: str, folder: Path) -> None:
    """Behind the real transport and with the real store, until standard input ends."""
    from uiap.host.allocator import give_back, map_large_blocks_apart
    from uiap.host.clock import SystemClock
    from uiap.host.interpreter import share_fairly
    from uiap.host.store import Store, sqlite_url
    from uiap.host.writer import Writer
    from uiap.transports.asgi import AsgiListener, application

    map_large_blocks_apart()
    clock = SystemClock()
    store = Store(sqlite_url(folder / "crowd.sqlite3"))
    writer = Writer(store, lambda: clock.now().wall)
    door, hall = await PATHS[path](writer, clock)
    listener = AsgiListener(application(door.accept, max_connections=CONNECTIONS), thinned=give_back)
    await listener.start()
    share_fairly()
    print(listener.websocket_url, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await hall.close()
    await listener.stop()
    writer.close()
    print(store.lost(), flush=True)
    store.close()


@asynccontextmanager
async def served(path: str = "fake executor") -> AsyncIterator[Crowd]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.server.crowd", path),
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


# -- polite clients -----------------------------------------------------------------------------------------------


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


# -- attackers (robustness P2) ------------------------------------------------------------------------------------


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
        *(sys.executable, "-m", "tests.server.crowd", name, str(count), url), cwd=ROOT, stdout=subprocess.PIPE
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
    if len(sys.argv) == 2:
        with tempfile.TemporaryDirectory(prefix="uiap-") as kept:
            asyncio.run(serve(sys.argv[1], Path(kept)))
    else:
        name, count, url = sys.argv[1:]
        print(json.dumps(asyncio.run(ATTACKS[name][0](url, int(count)))))  # type: ignore[arg-type]
