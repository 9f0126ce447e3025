"""P3: hostile envelopes through a real hall with its journal, judged by the naive twin, over any transport.

Each that can be attributed to a request must be answered within a second with the code the twin says; a valid
message after every thousand must still be served; text that is no text at all must end its connection alone.
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
from websockets.asyncio.client import connect as raw_websocket
from websockets.exceptions import ConnectionClosed

from tests.protocol.test_fuzz import Window
from tests.reference.envelope_twin import judge
from tests.support.conversation import envelope, initialize
from tests.support.host_loops import make_host_loop
from tests.support.mutations import mutants
from uiap.host.loop.allocator import mmap_large_blocks
from uiap.host.loop.dispatch import Call, Outcome, decline
from uiap.host.loop.loop import HostLoop
from uiap.host.records.journal import Journal, replay
from uiap.host.records.store import Store, sqlite_url
from uiap.host.records.writer import Writer
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.memory import pair
from uiap.transports.transport import Transport
from uiap.transports.websocket import connect

BOUND = 1.0  # P3: no hang of more than a second
PATIENCE = 60.0  # an answer that takes longer than this is none
CONTROL = 1000


@dataclass
class Figures:
    sent: int = 0
    answered: int = 0
    refused: int = 0
    controls: int = 0
    stray: int = 0
    """Responses to what was no request."""
    slowest_ms: float = 0.0
    slowest_cpu_ms: float = 0.0
    """Of our own processor time: what a busy machine did not add."""
    late: int = 0
    rss_kib: dict[int, int] = field(default_factory=dict)


def rss_kib() -> int:
    """This process's memory, as every Unix tells it."""
    gc.collect()
    said = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return int(said.stdout)


def declining(_call: Call) -> Outcome:
    return decline("not_found", "nothing here")


def fortress(journal: Journal) -> HostLoop:
    handlers = dict.fromkeys(("action.request", "action.cancel", "uiap.policy.get"), declining)
    return make_host_loop(handlers=handlers, journal=journal, limits={"heartbeat_s": 0.0})


class Attacker:
    """One session that is mostly abused."""

    def __init__(self, transport: Transport, figures: Figures) -> None:
        self.transport, self.figures = transport, figures
        self.session = ""
        self.seen = Window(init_1=None)
        self.answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def open(self) -> None:
        answer = await self.ask("init_1", msgspec.json.encode(initialize()).decode())
        assert answer["type"] == "session.initialized", answer
        self.session = answer["payload"]["sessionId"]

    async def ask(self, id: str, text: str, bound: float = 30.0) -> dict[str, Any]:
        await self.transport.send(text)
        return await self.answer(id, bound)

    async def answer(self, id: str, bound: float) -> dict[str, Any]:
        """The response to this id; error events about unreadable texts may come before it."""
        begun, used = time.monotonic(), time.process_time()
        async with asyncio.timeout(PATIENCE):
            while True:
                said: dict[str, Any] = msgspec.json.decode(await self.transport.receive())
                if said.get("correlationId") == id:
                    self._timed(time.monotonic() - begun, time.process_time() - used, bound)
                    return said
                self.figures.stray += said["kind"] == "response"
                assert said["kind"] == "response" or said["type"] == "error", said

    def _timed(self, spent: float, used: float, bound: float) -> None:
        self.figures.slowest_ms = max(self.figures.slowest_ms, spent * 1000)
        self.figures.slowest_cpu_ms = max(self.figures.slowest_cpu_ms, used * 1000)
        self.figures.late += spent > bound

    async def attack(self, text: str, bound: float) -> None:
        code, _, id = judge(text, self.seen)
        self.figures.sent += 1
        await self.transport.send(text.replace("sess_1", self.session))
        if id is None:
            return
        said = await self.answer(id.replace("sess_1", self.session), bound)
        self.figures.answered += 1
        if code is not None:
            self.figures.refused += 1
            assert (said["type"], said["payload"]["code"]) == ("error", code), (text, said)
        assert "Traceback" not in str(said) and ".py" not in str(said)

    async def control(self, number: int) -> None:
        id = f"control_{number}"
        self.seen.add(id)
        said = await self.ask(
            id,
            msgspec.json.encode(
                envelope("session.ping", {"nonce": id}, id=id, sessionId=self.session)
            ).decode(),
        )
        assert said["payload"] == {"nonce": id}
        self.figures.controls += 1


Dial = Callable[[], Awaitable[Transport]]


@asynccontextmanager
async def over_memory(house: HostLoop) -> AsyncIterator[tuple[Dial, str | None]]:
    async with asyncio.TaskGroup() as tasks:

        async def dial() -> Transport:
            ours, theirs = pair()
            tasks.create_task(house.accept(theirs))
            return ours

        yield dial, None


@asynccontextmanager
async def over_websocket(house: HostLoop) -> AsyncIterator[tuple[Dial, str | None]]:
    listener = AsgiListener(application(house.accept))
    await listener.start()
    yield (lambda: connect(listener.websocket_url)), listener.websocket_url
    await listener.stop()


WAYS = {"memory": over_memory, "websocket": over_websocket}


async def siege(way: str, folder: Path, *, seed: int, count: int, bound: float = BOUND) -> Figures:
    """`count` hostile envelopes over one way; the journal must replay afterwards."""
    mmap_large_blocks()  # as every serving process does
    figures = Figures()
    store = Store(sqlite_url(folder / "journal.sqlite3"))
    writer = Writer(store, lambda: "w")
    house = fortress(Journal(writer))
    async with AsyncExitStack() as stack:
        dial, url = await stack.enter_async_context(WAYS[way](house))
        attacker = Attacker(await dial(), figures)
        await attacker.open()
        for number, text in enumerate(mutants(seed, count), 1):
            await attacker.attack(text, bound)
            if number % CONTROL == 0 or number == count:
                await attacker.control(number)
                if url is not None:
                    await no_text_at_all(url)
            if number in (count // 10, count):
                figures.rss_kib[number] = rss_kib()
        await attacker.transport.close()
    await house.close()
    writer.close()
    assert store.lost_count() == 0
    assert [one.diverged for one in replay(store) if one.diverged is not None] == []
    store.close()
    return figures


async def no_text_at_all(url: str) -> None:
    """Bytes that are not UTF-8, and a binary frame: each ends its own connection and no other."""
    for data, text, code in ((b'{"uiap": "\xff\xfe"}', True, 1007), (b"\x00\x01", False, 4400)):
        async with raw_websocket(url, subprotocols=["uiap.v0.1"], compression=None) as socket:
            await socket.send(data, text=text)
            try:
                async with asyncio.timeout(10):
                    while True:
                        await socket.recv()
            except ConnectionClosed as closed:
                assert closed.rcvd is not None and closed.rcvd.code == code, closed
