"""The client of http@0.1: lost event streams, slow answers, unreachable servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.support.echo_host import EchoHost, envelope
from tests.support.http_server import INITIALIZE, run_server
from tests.support.raw_http import exchange
from tests.support.wires import SECONDS, Client
from uiap.spec.http import ReconnectPolicy
from uiap.transports import TransportClosed
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.binding import HttpBinding, retry_delay
from uiap.transports.http import HttpTransport

RECONNECT_AT_ONCE = HttpBinding(reconnect=ReconnectPolicy(initial_delay_ms=1, jitter=0))


@asynccontextmanager
async def connected(**options: Any) -> AsyncIterator[tuple[Client, EchoHost, AsgiListener]]:
    host = EchoHost()
    listener = AsgiListener(application(host, **options))
    await listener.start()
    client = await Client(HttpTransport(listener.address, RECONNECT_AT_ONCE)).initialize()
    try:
        yield client, host, listener
    finally:
        await client.transport.close()
        await listener.stop()


async def next_event(client: Client) -> str:
    while (message := await client.receive())["kind"] != "event":
        pass
    return str(message["id"])


async def test_a_client_that_loses_its_stream_neither_misses_nor_repeats_an_event() -> None:
    async with connected() as (client, host, listener):
        (theirs,) = host.open
        sent, received = [], []
        for _ in range(5):
            sent += [await host.emit(theirs, client.session) for _ in range(3)]
            received += [await next_event(client) for _ in range(3)]
            for connection in list(listener._state.connections):
                connection.transport.abort()
            sent.append(await host.emit(theirs, client.session))
            received.append(await next_event(client))
        assert received == sent


async def test_a_client_that_missed_too_many_events_must_resync() -> None:
    async with connected() as (client, host, listener):
        (theirs,) = host.open
        await host.emit(theirs, client.session)
        await next_event(client)
        for connection in list(listener._state.connections):
            connection.transport.abort()
        await asyncio.gather(*(host.emit(theirs, client.session) for _ in range(300)))
        with pytest.raises(TransportClosed) as end:
            while True:
                await client.receive()
        assert end.value.close_code == 4410
        assert "read the state again" in end.value.message


async def test_a_slow_answer_does_not_delay_later_requests() -> None:
    async with connected(answer_timeout=SECONDS) as (client, host, _):
        slow = await client.send({"silent": True})
        assert (await client.ask({"quick": True}))["payload"] == {"quick": True}
        (theirs,) = host.open
        late = envelope("response", "x.test.echoed", "r", correlationId=slow, sessionId=client.session)
        await theirs.send(late)
        assert (await client.receive())["correlationId"] == slow


async def test_an_unreachable_server_closes_the_client_with_a_reason() -> None:
    transport = HttpTransport("http://127.0.0.1:1")
    with pytest.raises(TransportClosed, match="cannot reach"):
        await transport.send(INITIALIZE)
    await transport.close()


async def test_an_answer_over_the_limit_of_the_client_ends_its_transport() -> None:
    async with run_server() as server:
        transport = HttpTransport(server.listener.address, max_bytes=1000)
        client = await Client(transport).initialize()
        await client.send({"text": "x" * 2000})
        with pytest.raises(TransportClosed) as end:
            await client.receive()
        assert end.value.close_code == 1009
        await transport.close()


def test_retry_delays_grow_have_jitter_and_end() -> None:
    policy = ReconnectPolicy()
    delays = [retry_delay(policy, attempt, 0.5) for attempt in range(1, 12)]
    assert delays[:6] == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0]
    assert delays[10] is None  # ten attempts
    assert (retry_delay(policy, 1, 0.0), retry_delay(policy, 1, 1.0)) == (0.4, 0.6)
    assert retry_delay(ReconnectPolicy(max_attempts=0), 1000, 0.5) == 15.0
    assert retry_delay(ReconnectPolicy(enabled=False), 1, 0.5) is None


async def test_a_request_with_an_incomplete_body_is_dropped_after_the_timeout() -> None:
    host = EchoHost()
    listener = AsgiListener(application(host), request_timeout=0.1)
    await listener.start()
    head = f"Host: 127.0.0.1:{listener.port}\r\nContent-Type: application/uiap+json\r\nContent-Length: 100\r\n\r\n"
    with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
        await exchange(listener.address, f"POST /uiap/sessions HTTP/1.1\r\n{head}half")
    assert host.received == []
    await listener.stop()
