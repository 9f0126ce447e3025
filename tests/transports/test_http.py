"""http@0.1: the status codes, and the answer to each POST."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import httpx
import pytest

from tests.support.echo_host import envelope
from tests.support.http_server import INITIALIZE, MEDIA, Server, fault, run_server, take
from tests.support.wires import SECONDS
from uiap.transports import Transport
from uiap.transports.asgi import AsgiListener, application


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
    # errors of the protocol: the HTTP exchange itself succeeded
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


async def test_each_error_code_has_its_http_status(server: Server) -> None:
    statuses = {}
    for number, code in enumerate(STATUSES):
        answer = await server.post(server.request(f"m{number}", {"error": code}))
        statuses[code] = fault(answer)[0]
        assert fault(answer)[1:] == (code, f"m{number}")
    assert statuses == STATUSES


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
async def test_an_invalid_envelope_is_400_and_never_reaches_the_host(server: Server, body: bytes) -> None:
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


async def test_a_body_over_the_limit_is_413_also_in_chunks() -> None:
    async with run_server(max_bytes=2000) as server:
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


async def test_the_id_of_an_open_request_is_409() -> None:
    async with run_server(answer_timeout=0.5) as server:
        first = asyncio.ensure_future(server.post(server.request("same", {"silent": True})))
        async with asyncio.timeout(SECONDS):
            while "same" not in [m["id"] for m in server.host.received]:
                await asyncio.sleep(0)
        assert fault(await server.post(server.request("same"))) == (409, "duplicate_message", "same")
        assert fault(await first)[:2] == (503, "timeout")


async def test_an_answer_that_is_too_late_for_its_post_comes_as_an_event() -> None:
    async with run_server(answer_timeout=0.05) as server:
        assert fault(await server.post(server.request("late", {"silent": True})))[:2] == (503, "timeout")
        late = envelope(
            "response", "x.test.echoed", "re_late", correlationId="late", sessionId=server.session
        )
        await server.transport.send(late)
        async with server.events() as events:
            assert json.loads((await take(events, 1))[0].data)["correlationId"] == "late"


async def test_too_many_sessions_are_503_until_one_ends() -> None:
    async with run_server(max_connections=1) as server:
        assert fault(await server.client.post("/uiap/sessions", content=INITIALIZE))[:2] == (503, "busy")
        await server.client.delete(server.path)
        await server.host.wait_for_connections(0)
        assert (await server.client.post("/uiap/sessions", content=INITIALIZE)).status_code == 200


async def test_a_host_that_receives_nothing_is_busy_once_its_inbox_is_full() -> None:
    async def never_receive(transport: Transport) -> None:
        session = {"sessionId": "s"}
        init = json.loads(await transport.receive())
        await transport.send(
            envelope("response", "session.initialized", "r", session, correlationId=init["id"])
        )
        await asyncio.Event().wait()

    listener = AsgiListener(application(never_receive, send_timeout=0.05))
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
    await server.host.wait_for_connections(1)


async def test_an_error_without_correlation_id_answers_the_only_open_post(server: Server) -> None:
    waiting = asyncio.ensure_future(server.post(server.request("m1", {"silent": True})))
    async with asyncio.timeout(SECONDS):
        while "m1" not in [m["id"] for m in server.host.received]:
            await asyncio.sleep(0)
    text = envelope(
        "event", "error", "e1", {"code": "invalid_envelope", "message": "-"}, sessionId=server.session
    )
    await server.transport.send(text)
    assert fault(await waiting)[:2] == (400, "invalid_envelope")
