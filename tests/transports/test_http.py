"""http@0.1 (companions §9.3): every status, the event stream, replay exactly once, and the session's end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from tests.support.echo_host import EchoHost, envelope
from tests.support.raw_http import dial, exchange, read_head
from tests.support.wires import SECONDS, Client
from uiap.spec.http import HTTPBindingConfig, ReconnectPolicy
from uiap.transports import Transport, TransportClosed
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.binding import HttpBinding, retry_delay
from uiap.transports.events import Event, EventReader
from uiap.transports.http import HttpTransport

MEDIA = {"Content-Type": "application/uiap+json", "Accept": "application/uiap+json"}
INITIALIZE = envelope("request", "session.initialize", "init")
AT_ONCE = HttpBinding(reconnect=ReconnectPolicy(initial_delay_ms=1, jitter=0))


class Server:
    """An EchoHost behind HTTP, and a plain HTTP client with one session."""

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
    async def events(self, last: str | None = None) -> AsyncIterator[AsyncIterator[Event]]:
        headers = {"Last-Event-ID": last} if last else {}
        async with self.client.stream("GET", f"{self.path}/events", headers=headers) as response:
            assert response.status_code == 200, await response.aread()
            yield _events(response)


async def _events(response: httpx.Response) -> AsyncIterator[Event]:
    reader = EventReader(1_000_000)
    async for chunk in response.aiter_bytes():
        for event in reader.feed(chunk):
            yield event


async def take(events: AsyncIterator[Event], count: int) -> list[Event]:
    async with asyncio.timeout(SECONDS):
        return [await anext(events) for _ in range(count)]


@asynccontextmanager
async def serving(**options: Any) -> AsyncIterator[Server]:
    host = EchoHost()
    listener = AsgiListener(application(host, **options))
    await listener.start()
    try:
        async with httpx.AsyncClient(base_url=listener.address, headers=MEDIA, timeout=SECONDS) as client:
            yield await Server(host, listener, client).initialize()
    finally:
        await listener.stop()


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with serving() as server:
        yield server


def fault(answer: httpx.Response) -> tuple[int, str, str | None]:
    said = answer.json()
    assert answer.headers["content-type"].startswith("application/uiap+json")
    assert said["type"] == "error"
    assert said["kind"] == ("response" if "correlationId" in said else "event")
    return answer.status_code, said["payload"]["code"], said.get("correlationId")


# statuses -----------------------------------------------------------------------------------------------


async def test_opening_a_session_answers_with_exactly_one_envelope(server: Server) -> None:
    answer = await server.client.post("/uiap/sessions", content=INITIALIZE)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/uiap+json"
    assert answer.json()["type"] == "session.initialized"
    assert answer.json()["correlationId"] == "init"


async def test_a_request_is_answered_and_an_event_or_response_is_accepted(server: Server) -> None:
    answer = await server.post(server.request("m1", {"a": 1}))
    assert (answer.status_code, answer.json()["correlationId"]) == (200, "m1")
    for kind in ("event", "response"):
        accepted = await server.post(server.request(f"m-{kind}", kind=kind))
        assert (accepted.status_code, accepted.content) == (202, b"")
    await server.post(server.request("m2"))
    assert [m["id"] for m in server.host.received] == ["init", "m1", "m-event", "m-response", "m2"]


STATUSES = {
    "invalid_envelope": 400,
    "invalid_payload": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "session_not_found": 404,
    "duplicate_message": 409,
    "invalid_state": 409,
    "conflict": 409,
    "payload_too_large": 413,
    "rate_limited": 429,
    "internal_error": 500,
    "busy": 503,
    # errors of the protocol: the exchange itself went well
    "policy_denied": 200,
    "unsupported_type": 200,
    "unsupported_version": 200,
    "session_required": 200,
    "session_not_active": 200,
    "not_found": 200,
    "stale_revision": 200,
    "target_not_found": 200,
    "uiap.workflow/unknown_step": 200,
}


async def test_each_error_code_has_the_status_the_binding_gives_it(server: Server) -> None:
    seen = {}
    for number, code in enumerate(STATUSES):
        answer = await server.post(server.request(f"m{number}", {"error": code}))
        seen[code] = fault(answer)[0]
        assert fault(answer)[1:] == (code, f"m{number}")
    assert seen == STATUSES


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        b"{}",
        b'{"id":"m","kind":"reply"}',
        b'{"id":"","kind":"request"}',
        b'{"id":7,"kind":"request"}',
        b'{"kind":"request","id":"' + b"x" * 129 + b'"}',
        b'{"id":"m","kind":"request","payload":"\xff"}',
        b'{"id":"m","kind":"request","payload":' + b"[" * 10_000 + b"]" * 10_000 + b"}",
        b'{"id":"m","kind":"request","payload":NaN}',
        b'{"id":"\\ud800","kind":"request"',
    ],
)
async def test_what_is_no_envelope_is_400_and_never_reaches_the_host(server: Server, body: bytes) -> None:
    before = len(server.host.received)
    for path in ("/uiap/sessions", f"{server.path}/messages"):
        answer = await server.client.post(path, content=body)
        assert fault(answer) == (400, "invalid_envelope", None)
    assert len(server.host.received) == before
    assert (await server.post(server.request("control"))).status_code == 200


async def test_another_media_type_is_415(server: Server) -> None:
    for media in ("application/json", "text/plain", "multipart/form-data; boundary=x", ""):
        answer = await server.post(server.request("m1"), **{"Content-Type": media})
        assert fault(answer)[0] == 415
    charset = {"Content-Type": "Application/UIAP+JSON; charset=utf-8"}
    assert (await server.post(server.request("m2"), **charset)).status_code == 200


async def test_a_body_over_the_cap_is_413_however_it_is_sent() -> None:
    async with serving(max_bytes=2000) as server:
        big = server.request("big", {"text": "x" * 2000})
        assert fault(await server.post(big))[:2] == (413, "payload_too_large")

        async def chunks() -> AsyncIterator[bytes]:
            for at in range(0, len(big), 100):
                yield big[at : at + 100].encode()

        answer = await server.client.post(f"{server.path}/messages", content=chunks())
        assert fault(answer)[:2] == (413, "payload_too_large")
        assert "big" not in [m["id"] for m in server.host.received]
        assert (await server.post(server.request("small"))).status_code == 200


async def test_an_unknown_session_is_404_on_every_path(server: Server) -> None:
    server.session = "session_guess"
    for answer in (
        await server.post(server.request("m1")),
        await server.client.get(f"{server.path}/events"),
        await server.client.delete(server.path),
    ):
        assert fault(answer)[:2] == (404, "session_not_found")


async def test_a_message_for_another_session_than_its_path_is_404(server: Server) -> None:
    text = envelope("request", "x.test.echo", "m1", sessionId="session_other")
    assert fault(await server.post(text)) == (404, "session_not_found", "m1")


async def test_paths_and_methods_that_do_not_exist_get_an_error_envelope(server: Server) -> None:
    assert fault(await server.client.get("/nowhere"))[:2] == (404, "not_found")
    assert fault(await server.client.get("/uiap/sessions"))[0] == 405
    preflight = await server.client.options(
        "/uiap/sessions", headers={"Access-Control-Request-Method": "POST"}
    )
    assert preflight.status_code == 405  # CORS is off
    assert not [name for name in preflight.headers if name.startswith("access-control")]


async def test_an_id_that_is_still_being_answered_is_409() -> None:
    async with serving(answer_timeout=0.5) as server:
        first = asyncio.ensure_future(server.post(server.request("same", {"silent": True})))
        async with asyncio.timeout(SECONDS):
            while "same" not in [m["id"] for m in server.host.received]:
                await asyncio.sleep(0)
        assert fault(await server.post(server.request("same"))) == (409, "duplicate_message", "same")
        assert fault(await first)[:2] == (503, "timeout")


async def test_an_answer_that_comes_too_late_for_its_post_comes_as_an_event() -> None:
    async with serving(answer_timeout=0.05) as server:
        assert fault(await server.post(server.request("late", {"silent": True})))[:2] == (503, "timeout")
        late = envelope(
            "response", "x.test.echoed", "re_late", correlationId="late", sessionId=server.session
        )
        await server.transport.send(late)
        async with server.events() as events:
            assert json.loads((await take(events, 1))[0].data)["correlationId"] == "late"


async def test_more_sessions_than_places_are_503_and_a_place_is_given_back() -> None:
    async with serving(max_connections=1) as server:
        assert fault(await server.client.post("/uiap/sessions", content=INITIALIZE))[:2] == (503, "busy")
        await server.client.delete(server.path)
        await server.host.settled(0)
        assert (await server.client.post("/uiap/sessions", content=INITIALIZE)).status_code == 200


async def test_a_host_that_takes_nothing_is_busy_after_the_bound() -> None:
    async def deaf(transport: Transport) -> None:
        session = {"sessionId": "s"}
        init = json.loads(await transport.receive())
        await transport.send(
            envelope("response", "session.initialized", "r", session, correlationId=init["id"])
        )
        await asyncio.Event().wait()

    listener = AsgiListener(application(deaf, send_timeout=0.05))
    await listener.start()
    async with httpx.AsyncClient(base_url=listener.address, headers=MEDIA, timeout=SECONDS) as client:
        await client.post("/uiap/sessions", content=INITIALIZE)
        text = envelope("event", "x.test.note", "e", sessionId="s")
        answers = [await client.post("/uiap/sessions/s/messages", content=text) for _ in range(65)]
    assert [answer.status_code for answer in answers[:64]] == [202] * 64
    assert fault(answers[64])[:2] == (503, "busy")
    await listener.stop(grace=0.1)


async def test_a_refused_initialize_leaves_no_session_behind(server: Server) -> None:
    text = envelope("request", "x.test.echo", "init", {"error": "unsupported_version"})
    answer = await server.client.post("/uiap/sessions", content=text)
    assert fault(answer) == (200, "unsupported_version", "init")
    await server.host.settled(1)


async def test_an_unattributable_error_answers_the_only_open_post(server: Server) -> None:
    waiting = asyncio.ensure_future(server.post(server.request("m1", {"silent": True})))
    async with asyncio.timeout(SECONDS):
        while "m1" not in [m["id"] for m in server.host.received]:
            await asyncio.sleep(0)
    text = envelope(
        "event", "error", "e1", {"code": "invalid_envelope", "message": "-"}, sessionId=server.session
    )
    await server.transport.send(text)
    assert fault(await waiting)[:2] == (400, "invalid_envelope")


# the event stream ---------------------------------------------------------------------------------------


async def test_the_stream_is_framed_as_the_binding_says(server: Server) -> None:
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


async def test_a_quiet_stream_is_kept_alive_by_comments() -> None:
    async with serving(keep_alive=0.02) as server:
        async with server.client.stream("GET", f"{server.path}/events") as response:
            seen = b""
            async with asyncio.timeout(SECONDS):
                async for chunk in response.aiter_bytes():
                    seen += chunk
                    if seen.count(b": keep-alive\n\n") >= 3:
                        break
        assert b"data:" not in seen


async def test_events_before_the_first_stream_are_not_lost(server: Server) -> None:
    sent = await server.emit(5)
    async with server.events() as events:
        assert [event.id for event in await take(events, 5)] == sent


async def test_a_reader_that_comes_back_gets_what_it_missed_exactly_once(server: Server) -> None:
    first = await server.emit(3)
    async with server.events() as events:
        seen = [event.id for event in await take(events, 3)]
    missed = await server.emit(4)
    for cut in range(4):
        async with server.events(last=seen[-1]) as events:
            seen += [event.id for event in await take(events, 1)]
        assert len(seen) == 4 + cut
    async with server.events(last=seen[-1]) as events:
        (after,) = await server.emit(1)
        seen += [event.id for event in await take(events, 1)]
    assert seen == [*first, *missed, after]


async def test_events_that_are_no_longer_kept_are_410(server: Server) -> None:
    (first, *_) = await server.emit(300)
    for last in (first, "never-said"):
        answer = await server.client.get(f"{server.path}/events", headers={"Last-Event-ID": last})
        assert fault(answer)[:2] == (410, "not_found")
    async with server.events() as events:  # after the resync the stream can be opened again
        assert len(await take(events, 256)) == 256


async def test_events_older_than_the_resume_window_are_410() -> None:
    async with serving(resume_window=0.0) as server:
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


async def test_a_burst_beyond_the_log_waits_for_its_reader(server: Server) -> None:
    async with server.events() as events:
        sending = asyncio.ensure_future(server.emit(1000))
        seen = [event.id for event in await take(events, 1000)]
        assert seen == await sending


async def test_a_stream_nobody_reads_is_cut_off_and_holds_up_nobody() -> None:
    async with serving(send_timeout=0.1) as server:
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


# the end ------------------------------------------------------------------------------------------------


async def test_delete_is_a_terminate_by_the_user_in_the_clients_own_name(server: Server) -> None:
    answer = await server.client.delete(server.path)
    assert (answer.status_code, answer.json()["type"]) == (200, "session.terminated")
    asked = server.host.received[-1]
    assert (asked["kind"], asked["type"]) == ("request", "session.terminate")
    assert asked["payload"] == {"reason": "user_request"}
    assert asked["sessionId"] == server.session
    assert asked["source"] == {"role": "agent", "id": "tester"}
    await server.host.settled(0)
    assert fault(await server.client.delete(server.path))[:2] == (404, "session_not_found")


async def test_a_stream_says_why_it_ends(server: Server) -> None:
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
    await server.host.settled(1)
    assert old.closed
    assert [end.close_code for end in server.host.ends] == [4409]
    assert (await server.post(server.request("m1"))).status_code == 200


async def test_a_client_without_a_stream_lives_until_the_idle_timeout() -> None:
    async with serving(resume_window=0.01, idle_timeout=0.3) as server:
        assert (await server.post(server.request("m1"))).status_code == 200
        await server.host.settled(0)
    assert server.host.ends[0].close_code == 1006


async def test_a_post_whose_session_ends_meanwhile_is_answered(server: Server) -> None:
    ends: Iterable[tuple[int, int, str]] = [
        (4400, 400, "invalid_envelope"),
        (4401, 401, "unauthorized"),
        (1011, 500, "internal_error"),
        (1013, 503, "busy"),
        (1000, 404, "session_not_found"),
    ]
    for code, status, word in ends:
        await server.host.settled(1)
        waiting = asyncio.ensure_future(server.post(server.request("m1", {"silent": True})))
        async with asyncio.timeout(SECONDS):
            while server.host.received[-1]["id"] != "m1":
                await asyncio.sleep(0)
        await server.transport.close(code)
        assert fault(await waiting)[:2] == (status, word)
        await server.host.settled(0)
        await server.initialize()


async def test_numbered_posts_are_fed_in_their_order_whichever_arrives_first(server: Server) -> None:
    second = asyncio.ensure_future(
        server.post(server.request("second", kind="event"), **{"UIAP-Sequence": "2"})
    )
    await asyncio.wait([second], timeout=0.05)
    assert not second.done()
    await server.post(server.request("first", kind="event"), **{"UIAP-Sequence": "1"})
    assert (await second).status_code == 202
    await server.post(server.request("last"))
    assert [m["id"] for m in server.host.received][-3:] == ["first", "second", "last"]


async def test_a_nonsense_number_is_ignored(server: Server) -> None:
    for number in ("-1", "x", "9" * 40, "²"):
        headers = [(b"content-type", b"application/uiap+json"), (b"uiap-sequence", number.encode())]
        answer = await server.client.post(
            f"{server.path}/messages", content=server.request(f"m{number}"), headers=headers
        )
        assert answer.status_code == 200


async def test_the_paths_of_a_deployment_can_differ() -> None:
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


# the client ---------------------------------------------------------------------------------------------


@asynccontextmanager
async def connected(**options: Any) -> AsyncIterator[tuple[Client, EchoHost, AsgiListener]]:
    host = EchoHost()
    listener = AsgiListener(application(host, **options))
    await listener.start()
    client = await Client(HttpTransport(listener.address, AT_ONCE)).initialize()
    try:
        yield client, host, listener
    finally:
        await client.transport.close()
        await listener.stop()


async def next_event(client: Client) -> str:
    while (message := await client.receive())["kind"] != "event":
        pass
    return str(message["id"])


async def test_a_client_whose_stream_is_cut_goes_on_without_losing_or_repeating_an_event() -> None:
    async with connected() as (client, host, listener):
        (theirs,) = host.open
        sent, seen = [], []
        for _ in range(5):
            sent += [await host.emit(theirs, client.session) for _ in range(3)]
            seen += [await next_event(client) for _ in range(3)]
            for connection in list(listener._state.connections):
                connection.transport.abort()
            sent.append(await host.emit(theirs, client.session))
            seen.append(await next_event(client))
        assert seen == sent


async def test_a_client_that_missed_too_much_is_told_to_resync() -> None:
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


async def test_a_slow_answer_does_not_hold_up_what_is_sent_after_it() -> None:
    async with connected(answer_timeout=SECONDS) as (client, host, _):
        slow = await client.send({"silent": True})
        assert (await client.ask({"quick": True}))["payload"] == {"quick": True}
        (theirs,) = host.open
        late = envelope("response", "x.test.echoed", "r", correlationId=slow, sessionId=client.session)
        await theirs.send(late)
        assert (await client.receive())["correlationId"] == slow


async def test_a_client_with_nobody_there_is_closed_with_a_sentence() -> None:
    transport = HttpTransport("http://127.0.0.1:1")
    with pytest.raises(TransportClosed, match="cannot reach"):
        await transport.send(INITIALIZE)
    await transport.close()


async def test_an_answer_over_the_clients_cap_ends_its_transport() -> None:
    async with serving() as server:
        transport = HttpTransport(server.listener.address, max_bytes=1000)
        client = await Client(transport).initialize()
        await client.send({"text": "x" * 2000})
        with pytest.raises(TransportClosed) as end:
            await client.receive()
        assert end.value.close_code == 1009
        await transport.close()


def test_retries_grow_are_spread_and_end() -> None:
    policy = ReconnectPolicy()
    delays = [retry_delay(policy, attempt, 0.5) for attempt in range(1, 12)]
    assert delays[:6] == [0.5, 1.0, 2.0, 4.0, 8.0, 15.0]
    assert delays[10] is None  # ten attempts
    assert (retry_delay(policy, 1, 0.0), retry_delay(policy, 1, 1.0)) == (0.4, 0.6)
    assert retry_delay(ReconnectPolicy(max_attempts=0), 1000, 0.5) == 15.0
    assert retry_delay(ReconnectPolicy(enabled=False), 1, 0.5) is None


async def test_a_request_by_hand_that_never_ends_its_body_is_dropped() -> None:
    host = EchoHost()
    listener = AsgiListener(application(host), request_timeout=0.1)
    await listener.start()
    head = f"Host: 127.0.0.1:{listener.port}\r\nContent-Type: application/uiap+json\r\nContent-Length: 100\r\n\r\n"
    with pytest.raises((asyncio.IncompleteReadError, ConnectionResetError)):
        await exchange(listener.address, f"POST /uiap/sessions HTTP/1.1\r\n{head}half")
    assert host.received == []
    await listener.stop()
