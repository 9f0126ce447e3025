"""http@0.1: the event stream, replay exactly once, and the end of a session."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable

import pytest

from tests.support.echo_host import EchoHost, envelope
from tests.support.http_server import Server, fault, run_server, take
from tests.support.raw_http import dial, read_head
from tests.support.wires import SECONDS, Client
from uiap.spec.http import HTTPBindingConfig
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.http import HttpTransport


async def test_the_stream_is_framed_as_the_binding_specifies(server: Server) -> None:
    (id_,) = await server.emit(1)
    reader, writer = await dial(server.listener.address)
    writer.write(
        f"GET {server.path}/events HTTP/1.1\r\nHost: 127.0.0.1:{server.listener.port}\r\n\r\n".encode()
    )
    async with asyncio.timeout(SECONDS):
        head = await read_head(reader)
        assert head.headers["content-type"] == "text/event-stream"
        assert head.headers["cache-control"] == "no-store"
        text = await reader.readuntil(b"}\n\n")
    lines = [line for line in text.split(b"\r\n")[-1].split(b"\n") if line]
    assert lines[0] == b"event: uiap"
    assert lines[1] == f"id: {id_}".encode()
    assert lines[2].startswith(b'data: {"uiap": "0.1", "kind": "event"')
    assert len(lines) == 3
    writer.transport.abort()


async def test_an_idle_stream_is_kept_alive_by_comments() -> None:
    async with run_server(keep_alive=0.02) as server:
        async with server.client.stream("GET", f"{server.path}/events") as response:
            received = b""
            async with asyncio.timeout(SECONDS):
                async for chunk in response.aiter_bytes():
                    received += chunk
                    if received.count(b": keep-alive\n\n") >= 3:
                        break
        assert b"data:" not in received


async def test_events_before_the_first_stream_are_not_lost(server: Server) -> None:
    sent = await server.emit(5)
    async with server.events() as events:
        assert [event.id for event in await take(events, 5)] == sent


async def test_a_reader_that_reconnects_gets_missed_events_exactly_once(server: Server) -> None:
    first = await server.emit(3)
    async with server.events() as events:
        received = [event.id for event in await take(events, 3)]
    missed = await server.emit(4)
    for cut in range(4):
        async with server.events(last=received[-1]) as events:
            received += [event.id for event in await take(events, 1)]
        assert len(received) == 4 + cut
    async with server.events(last=received[-1]) as events:
        (after,) = await server.emit(1)
        received += [event.id for event in await take(events, 1)]
    assert received == [*first, *missed, after]


async def test_events_that_are_no_longer_kept_are_410(server: Server) -> None:
    (first, *_) = await server.emit(300)
    for last in (first, "never-sent"):
        answer = await server.client.get(f"{server.path}/events", headers={"Last-Event-ID": last})
        assert fault(answer)[:2] == (410, "not_found")
    async with server.events() as events:  # after the resync the stream can be reopened
        assert len(await take(events, 256)) == 256


async def test_events_older_than_the_resume_window_are_410() -> None:
    async with run_server(resume_window=0.0) as server:
        first, second = await server.emit(2)
        answer = await server.client.get(f"{server.path}/events", headers={"Last-Event-ID": first})
        assert answer.status_code == 410
        async with server.events(last=second) as events:
            assert [event.id for event in await take(events, 0)] == []


async def test_a_newer_stream_ends_the_older_one(server: Server) -> None:
    async with server.events() as older, server.events() as newer:
        with pytest.raises(StopAsyncIteration):
            await take(older, 1)
        sent = await server.emit(2)
        assert [event.id for event in await take(newer, 2)] == sent


async def test_a_burst_larger_than_the_log_waits_for_its_reader(server: Server) -> None:
    async with server.events() as events:
        sending = asyncio.ensure_future(server.emit(1000))
        received = [event.id for event in await take(events, 1000)]
        assert received == await sending


async def test_a_stream_that_is_not_read_is_closed_and_blocks_no_request() -> None:
    async with run_server(send_timeout=0.1) as server:
        reader, writer = await dial(server.listener.address)
        head = f"Host: 127.0.0.1:{server.listener.port}\r\n\r\n"
        writer.write(f"GET {server.path}/events HTTP/1.1\r\n{head}".encode())
        await read_head(reader)
        reader._transport.pause_reading()  # type: ignore[attr-defined]
        payload = {"text": "x" * 200_000}
        async with asyncio.timeout(SECONDS):
            for _ in range(300):
                await server.host.emit(server.transport, server.session, payload)
        assert (await server.post(server.request("m1"))).status_code == 200
        writer.transport.abort()


# the end of a session -----------------------------------------------------------------------------------


async def test_delete_sends_a_terminate_request_with_the_source_of_the_client(server: Server) -> None:
    answer = await server.client.delete(server.path)
    assert (answer.status_code, answer.json()["type"]) == (200, "session.terminated")
    asked = server.host.received[-1]
    assert (asked["kind"], asked["type"]) == ("request", "session.terminate")
    assert asked["payload"] == {"reason": "user_request"}
    assert asked["sessionId"] == server.session
    assert asked["source"] == {"role": "agent", "id": "tester"}
    await server.host.wait_for_connections(0)
    assert fault(await server.client.delete(server.path))[:2] == (404, "session_not_found")


async def test_a_stream_ends_with_a_close_code_and_reason(server: Server) -> None:
    async with server.events() as events:
        sent = await server.emit(1)
        await server.transport.close(4409, "superseded")
        last, end = await take(events, 2)
    assert last.id == sent[0]
    assert (end.name, json.loads(end.data)) == ("close", {"code": 4409, "reason": "superseded"})


async def test_a_session_resumed_elsewhere_supersedes_the_old_transport(server: Server) -> None:
    old = server.transport
    text = envelope("request", "session.initialize", "again", {"resume": {"sessionId": server.session}})
    answer = await server.client.post("/uiap/sessions", content=text)
    assert answer.json()["payload"]["sessionId"] == server.session
    await server.host.wait_for_connections(1)
    assert old.closed
    assert [end.close_code for end in server.host.ends] == [4409]
    assert (await server.post(server.request("m1"))).status_code == 200


async def test_a_session_without_a_stream_ends_after_the_idle_timeout() -> None:
    async with run_server(resume_window=0.01, idle_timeout=0.3) as server:
        assert (await server.post(server.request("m1"))).status_code == 200
        await server.host.wait_for_connections(0)
    assert server.host.ends[0].close_code == 1006


async def test_a_post_whose_session_ends_gets_the_matching_error(server: Server) -> None:
    ends: Iterable[tuple[int, int, str]] = [
        (4400, 400, "invalid_envelope"),
        (4401, 401, "unauthorized"),
        (1011, 500, "internal_error"),
        (1013, 503, "busy"),
        (1000, 404, "session_not_found"),
    ]
    for code, status, word in ends:
        await server.host.wait_for_connections(1)
        waiting = asyncio.ensure_future(server.post(server.request("m1", {"silent": True})))
        async with asyncio.timeout(SECONDS):
            while server.host.received[-1]["id"] != "m1":
                await asyncio.sleep(0)
        await server.transport.close(code)
        assert fault(await waiting)[:2] == (status, word)
        await server.host.wait_for_connections(0)
        await server.initialize()


async def test_numbered_posts_reach_the_host_in_the_order_of_their_numbers(server: Server) -> None:
    second = asyncio.ensure_future(
        server.post(server.request("second", kind="event"), **{"UIAP-Sequence": "2"})
    )
    await asyncio.wait([second], timeout=0.05)
    assert not second.done()
    await server.post(server.request("first", kind="event"), **{"UIAP-Sequence": "1"})
    assert (await second).status_code == 202
    await server.post(server.request("last"))
    assert [m["id"] for m in server.host.received][-3:] == ["first", "second", "last"]


async def test_an_invalid_sequence_number_is_ignored(server: Server) -> None:
    for number in ("-1", "x", "9" * 40, "²"):
        headers = [(b"content-type", b"application/uiap+json"), (b"uiap-sequence", number.encode())]
        answer = await server.client.post(
            f"{server.path}/messages", content=server.request(f"m{number}"), headers=headers
        )
        assert answer.status_code == 200


async def test_the_paths_can_be_configured() -> None:
    config = HTTPBindingConfig(
        base_url="",
        session_path="/a",
        message_path_template="/a/{sessionId}/m",
        event_stream_path_template="/b/{sessionId}/e",
    )
    host = EchoHost()
    listener = AsgiListener(application(host, paths=config))
    await listener.start()
    client = await Client(HttpTransport(listener.address, config)).initialize()
    await client.send({"emit": 1})
    assert {(await client.receive())["kind"], (await client.receive())["kind"]} == {"event", "response"}
    await client.transport.close()
    await listener.stop()
