"""Sends hostile envelopes to a real host loop with a journal, over any transport (case P3).

Each envelope that is a request must be answered within a second, with the code of the reference implementation. A
valid message after every thousand must still be served. A frame that is no text must end only its own connection.
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

TIMEOUT_S = 1.0  # each answer must arrive within a second
MAX_WAIT_S = 60.0  # an answer that takes longer counts as missing
CONTROL_EVERY = 1000


@dataclass
class Figures:
    """The counts and times of a run."""

    sent: int = 0
    answered: int = 0
    refused: int = 0
    controls: int = 0
    stray: int = 0
    """Responses to messages that are not requests."""
    slowest_ms: float = 0.0
    slowest_cpu_ms: float = 0.0
    """In CPU time of this process, which a busy machine does not increase."""
    late: int = 0
    rss_kib: dict[int, int] = field(default_factory=dict)


def rss_kib() -> int:
    """Return the resident memory of this process."""
    gc.collect()
    output = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return int(output.stdout)


def declining(_call: Call) -> Outcome:
    return decline("not_found", "nothing here")


def host_with_journal(journal: Journal) -> HostLoop:
    handlers = dict.fromkeys(("action.request", "action.cancel", "uiap.policy.get"), declining)
    return make_host_loop(handlers=handlers, journal=journal, limits={"heartbeat_s": 0.0})


class Attacker:
    """One session that sends hostile envelopes."""

    def __init__(self, transport: Transport, figures: Figures) -> None:
        self.transport, self.figures = transport, figures
        self.session = ""
        self.recent_ids = Window(init_1=None)
        self.answers: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def open(self) -> None:
        answer = await self.ask("init_1", msgspec.json.encode(initialize()).decode())
        assert answer["type"] == "session.initialized", answer
        self.session = answer["payload"]["sessionId"]

    async def ask(self, id: str, text: str, bound: float = 30.0) -> dict[str, Any]:
        await self.transport.send(text)
        return await self.answer(id, bound)

    async def answer(self, id: str, bound: float) -> dict[str, Any]:
        """Return the response to this id. Error events about unreadable texts may precede it."""
        started, used = time.monotonic(), time.process_time()
        async with asyncio.timeout(MAX_WAIT_S):
            while True:
                response: dict[str, Any] = msgspec.json.decode(await self.transport.receive())
                if response.get("correlationId") == id:
                    self._record_duration(time.monotonic() - started, time.process_time() - used, bound)
                    return response
                self.figures.stray += response["kind"] == "response"
                assert response["kind"] == "response" or response["type"] == "error", response

    def _record_duration(self, spent: float, used: float, bound: float) -> None:
        self.figures.slowest_ms = max(self.figures.slowest_ms, spent * 1000)
        self.figures.slowest_cpu_ms = max(self.figures.slowest_cpu_ms, used * 1000)
        self.figures.late += spent > bound

    async def attack(self, text: str, bound: float) -> None:
        code, _, id = judge(text, self.recent_ids)
        self.figures.sent += 1
        await self.transport.send(text.replace("sess_1", self.session))
        if id is None:
            return
        response = await self.answer(id.replace("sess_1", self.session), bound)
        self.figures.answered += 1
        if code is not None:
            self.figures.refused += 1
            assert (response["type"], response["payload"]["code"]) == ("error", code), (text, response)
        assert "Traceback" not in str(response) and ".py" not in str(response)

    async def control(self, number: int) -> None:
        id = f"control_{number}"
        self.recent_ids.add(id)
        response = await self.ask(
            id,
            msgspec.json.encode(
                envelope("session.ping", {"nonce": id}, id=id, sessionId=self.session)
            ).decode(),
        )
        assert response["payload"] == {"nonce": id}
        self.figures.controls += 1


Dial = Callable[[], Awaitable[Transport]]


@asynccontextmanager
async def over_memory(host: HostLoop) -> AsyncIterator[tuple[Dial, str | None]]:
    async with asyncio.TaskGroup() as tasks:

        async def dial() -> Transport:
            ours, theirs = pair()
            tasks.create_task(host.accept(theirs))
            return ours

        yield dial, None


@asynccontextmanager
async def over_websocket(host: HostLoop) -> AsyncIterator[tuple[Dial, str | None]]:
    listener = AsgiListener(application(host.accept))
    await listener.start()
    yield (lambda: connect(listener.websocket_url)), listener.websocket_url
    await listener.stop()


TRANSPORTS = {"memory": over_memory, "websocket": over_websocket}


async def send_hostile_messages(
    transport: str, folder: Path, *, seed: int, count: int, bound: float = TIMEOUT_S
) -> Figures:
    """Send `count` hostile envelopes over one transport, then check that the journal can be replayed."""
    mmap_large_blocks()  # as every serving process does
    figures = Figures()
    store = Store(sqlite_url(folder / "journal.sqlite3"))
    writer = Writer(store, lambda: "w")
    host = host_with_journal(Journal(writer))
    async with AsyncExitStack() as stack:
        dial, url = await stack.enter_async_context(TRANSPORTS[transport](host))
        attacker = Attacker(await dial(), figures)
        await attacker.open()
        for number, text in enumerate(mutants(seed, count), 1):
            await attacker.attack(text, bound)
            if number % CONTROL_EVERY == 0 or number == count:
                await attacker.control(number)
                if url is not None:
                    await send_invalid_frames(url)
            if number in (count // 10, count):
                figures.rss_kib[number] = rss_kib()
        await attacker.transport.close()
    await host.close()
    writer.close()
    assert store.lost_count() == 0
    assert [one.diverged for one in replay(store) if one.diverged is not None] == []
    store.close()
    return figures


async def send_invalid_frames(url: str) -> None:
    """Send bytes that are not UTF-8, and a binary frame. Each must end its own connection."""
    for data, text, code in ((b'{"uiap": "\xff\xfe"}', True, 1007), (b"\x00\x01", False, 4400)):
        async with raw_websocket(url, subprotocols=["uiap.v0.1"], compression=None) as socket:
            await socket.send(data, text=text)
            try:
                async with asyncio.timeout(10):
                    while True:
                        await socket.recv()
            except ConnectionClosed as closed:
                assert closed.rcvd is not None and closed.rcvd.code == code, closed
