"""The contract of all transports: ordered text in both directions, isolation, and an end that both sides notice."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.echo_host import envelope
from tests.support.wires import SECONDS, WIRES, Client, Wire
from uiap.transports import MAX_MESSAGE_BYTES, TransportClosed

FDS = Path("/proc/self/fd")


def open_files() -> int:
    return len(list(FDS.iterdir())) if FDS.exists() else 0


@pytest.fixture(params=sorted(WIRES))
async def wire(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Wire]:
    """A wire that must not leak a task or a file descriptor."""
    tasks, files = asyncio.all_tasks(), open_files()
    async with WIRES[request.param](tmp_path) as wire:
        clients: list[Client] = []
        connect = wire.connect

        async def connect_and_remember() -> Client:
            clients.append(await connect())
            return clients[-1]

        wire.connect = connect_and_remember  # type: ignore[method-assign]
        yield wire
        async with asyncio.timeout(SECONDS):
            await asyncio.gather(*(client.transport.close() for client in clients))
            await wire.host.wait_for_connections(0)
    for _ in range(100):  # sockets close in the loop's next turns, not later
        await asyncio.sleep(0)
    assert asyncio.all_tasks() - tasks - {asyncio.current_task()} == set()
    assert open_files() <= files


def sized(client: Client, id_: str, size: int) -> str:
    """Return a request of exactly `size` bytes."""
    bare = len(envelope("request", "x.test.echo", id_, {"text": ""}, sessionId=client.session))
    return envelope("request", "x.test.echo", id_, {"text": "x" * (size - bare)}, sessionId=client.session)


async def test_messages_arrive_in_the_order_they_were_sent(wire: Wire) -> None:
    client = await wire.connect()
    for number in range(200):
        await client.send({"number": number}, kind="event")
    await client.ask({"emit": 100})
    sent = [m["payload"]["number"] for m in wire.host.received if m["kind"] == "event"]
    assert sent == list(range(200))


async def test_events_arrive_in_the_order_they_were_emitted(wire: Wire) -> None:
    client = await wire.connect()
    await client.send({"emit": 200})
    events: list[int] = []
    while len(events) < 200:
        message = await client.receive()
        if message["kind"] == "event":
            events.append(message["payload"]["number"])
    assert events == list(range(1, 201))


@pytest.mark.parametrize(
    "text",
    [
        "äöü €",
        "𝒜🧪 astral",
        "line\u2028separator\u2029paragraph",
        "nul \x00 escape",
        "\r\n\t\x0b\x85\x1c",
        "\ufeffbom",
    ],
)
async def test_text_arrives_unchanged(wire: Wire, text: str) -> None:
    client = await wire.connect()
    answer = await client.ask({"text": text, "emit": 1})
    assert answer["payload"]["text"] == text
    assert wire.host.received[-1]["payload"]["text"] == text


async def test_pretty_printed_json_is_still_one_message(wire: Wire) -> None:
    client = await wire.connect()
    plain = json.loads(envelope("request", "x.test.echo", "pretty", {"a": [1, 2]}, sessionId=client.session))
    await client.transport.send(json.dumps(plain, indent=2).replace("\n", "\r\n"))
    assert (await client.receive())["correlationId"] == "pretty"


async def test_a_message_of_exactly_one_mebibyte_passes(wire: Wire) -> None:
    client = await wire.connect()
    await client.transport.send(sized(client, "big", MAX_MESSAGE_BYTES - 200))
    answer = await client.receive()
    assert answer["correlationId"] == "big"
    assert len(answer["payload"]["text"]) > MAX_MESSAGE_BYTES - 500
    silent = envelope("event", "x.test.note", "e", {"text": ""}, sessionId=client.session)
    full = silent.replace('"text": ""', '"text": "%s"' % ("y" * (MAX_MESSAGE_BYTES - len(silent))))
    await client.transport.send(full)
    await client.ask({"after": True})
    assert [m["id"] for m in wire.host.received][-2:][0] == "e"


async def test_a_message_above_one_mebibyte_is_refused_and_never_delivered(wire: Wire) -> None:
    client, other = await wire.connect(), await wire.connect()
    try:
        await client.transport.send(sized(client, "huge", MAX_MESSAGE_BYTES + 1))
        answer = await client.receive()
    except TransportClosed as end:
        assert end.close_code == 1009
    else:  # HTTP says so and goes on
        assert answer["payload"]["code"] == "payload_too_large"
        assert answer["correlationId"] == "huge"
    assert "huge" not in [m["id"] for m in wire.host.received]
    assert (await other.ask({"still": "here"}))["payload"] == {"still": "here"}


async def test_many_connections_do_not_see_each_other(wire: Wire) -> None:
    clients = await asyncio.gather(*(wire.connect() for _ in range(40)))
    assert len({client.session for client in clients}) == 40

    async def talk(client: Client) -> None:
        for number in range(5):
            answer = await client.ask({"mine": client.session, "number": number})
            assert answer["payload"] == {"mine": client.session, "number": number}
            assert answer["sessionId"] == client.session

    await asyncio.gather(*(talk(client) for client in clients))


async def test_close_reaches_the_other_side(wire: Wire) -> None:
    client = await wire.connect()
    await client.ask({})
    await client.transport.close(1000, "done")
    await wire.host.wait_for_connections(0)
    assert client.transport.closed


async def test_close_by_the_host_reaches_the_client_after_earlier_messages(wire: Wire) -> None:
    client = await wire.connect()
    await client.send({"reason": "completed"}, type_="session.terminate")
    assert (await client.receive())["type"] == "session.terminated"
    with pytest.raises(TransportClosed) as end:
        await client.receive()
    assert end.value.close_code == 1000
    assert client.transport.closed


async def test_sending_and_receiving_after_close_raise_transport_closed(wire: Wire) -> None:
    client = await wire.connect()
    await client.transport.close()
    await client.transport.close()
    with pytest.raises(TransportClosed):
        await client.transport.send("{}")
    with pytest.raises(TransportClosed):
        await client.receive()


async def test_a_pending_receive_ends_when_its_own_side_closes(wire: Wire) -> None:
    client = await wire.connect()
    waiting = asyncio.create_task(client.receive())
    await asyncio.wait([waiting], timeout=0.01)
    await client.transport.close()
    with pytest.raises(TransportClosed):
        await waiting


async def test_a_host_cannot_send_to_a_closed_connection(wire: Wire) -> None:
    client = await wire.connect()
    (theirs,) = wire.host.open
    await client.transport.close()
    await wire.host.wait_for_connections(0)
    with pytest.raises(TransportClosed):
        await wire.host.emit(theirs, client.session)
    assert theirs.closed


async def test_peer_that_vanishes_ends_only_its_own_connection(wire: Wire) -> None:
    client, other = await wire.connect(), await wire.connect()
    await wire.vanish(client.transport)
    await wire.host.wait_for_connections(1)
    assert (await other.ask({"still": "here"}))["payload"] == {"still": "here"}


async def test_a_cancelled_receive_loses_nothing(wire: Wire) -> None:
    client = await wire.connect()
    waiting = asyncio.create_task(client.transport.receive())
    await asyncio.wait([waiting], timeout=0.01)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert (await client.ask({"number": 1}))["payload"] == {"number": 1}


async def test_stopping_ends_open_connections_for_their_clients(wire: Wire) -> None:
    first, second = await wire.connect(), await wire.connect()
    await first.ask({})
    async with asyncio.timeout(SECONDS):
        await wire.stop()
    assert wire.host.open == set()
    for client in (first, second):
        with pytest.raises(TransportClosed):
            await client.receive()
