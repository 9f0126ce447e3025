"""An EchoHost behind http@0.1, and a plain HTTP client with one session on it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from tests.support.echo_host import EchoHost, envelope
from tests.support.wires import SECONDS
from uiap.transports import Transport
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.events import EventReader, SseEvent

MEDIA = {"Content-Type": "application/uiap+json", "Accept": "application/uiap+json"}
INITIALIZE = envelope("request", "session.initialize", "init")


class Server:
    """The server, and the client with its session."""

    def __init__(self, host: EchoHost, listener: AsgiListener, client: httpx.AsyncClient) -> None:
        self.host, self.listener, self.client = host, listener, client
        self.session = ""
        self._streams: list[tuple[httpx.Response, Any]] = []

    @property
    def path(self) -> str:
        return f"/uiap/sessions/{self.session}"

    @property
    def transport(self) -> Transport:
        (transport,) = self.host.open
        return transport

    async def initialize(self) -> Server:
        answer = await self.client.post("/uiap/sessions", content=INITIALIZE)
        self.session = answer.json()["payload"]["sessionId"]
        return self

    async def post(self, text: str | bytes, **headers: str) -> httpx.Response:
        return await self.client.post(f"{self.path}/messages", content=text, headers=headers)

    def request(self, id_: str, payload: dict[str, Any] | None = None, kind: str = "request") -> str:
        return envelope(kind, "x.test.echo", id_, payload, sessionId=self.session)

    async def emit(self, count: int) -> list[str]:
        return [await self.host.emit(self.transport, self.session) for _ in range(count)]

    @asynccontextmanager
    async def events(self, last: str | None = None) -> AsyncIterator[AsyncIterator[SseEvent]]:
        headers = {"Last-Event-ID": last} if last else {}
        async with self.client.stream("GET", f"{self.path}/events", headers=headers) as response:
            assert response.status_code == 200, await response.aread()
            yield _events(response)


async def _events(response: httpx.Response) -> AsyncIterator[SseEvent]:
    reader = EventReader(1_000_000)
    async for chunk in response.aiter_bytes():
        for event in reader.feed(chunk):
            yield event


async def take(events: AsyncIterator[SseEvent], count: int) -> list[SseEvent]:
    async with asyncio.timeout(SECONDS):
        return [await anext(events) for _ in range(count)]


@asynccontextmanager
async def run_server(**options: Any) -> AsyncIterator[Server]:
    host = EchoHost()
    listener = AsgiListener(application(host, **options))
    await listener.start()
    try:
        async with httpx.AsyncClient(base_url=listener.address, headers=MEDIA, timeout=SECONDS) as client:
            yield await Server(host, listener, client).initialize()
    finally:
        await listener.stop()


def fault(answer: httpx.Response) -> tuple[int, str, str | None]:
    """Return status, error code and correlation id of an `error` answer."""
    error = answer.json()
    assert answer.headers["content-type"].startswith("application/uiap+json")
    assert error["type"] == "error"
    assert error["kind"] == ("response" if "correlationId" in error else "event")
    return answer.status_code, error["payload"]["code"], error.get("correlationId")
