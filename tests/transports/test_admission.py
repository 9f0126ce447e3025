"""DNS rebinding: every forged Host or Origin is refused over HTTP, SSE and WebSocket before a session opens."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping

import httpx
import pytest

from tests.support.echo_host import EchoHost, envelope
from tests.support.raw_http import UPGRADE, exchange
from tests.support.wires import Client
from uiap.errors import Unauthorized, Unavailable
from uiap.transports import AdmissionGranted, AdmissionRefused, websocket
from uiap.transports.admission import loopback_only
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.http import HttpTransport

# {port} is the bound port, {other} is another port
HOSTS = [
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.evil.example",
    "127.0.0.1.evil.example:{port}",
    "127.0.0.1:evil.com",
    "127.0.0.1:{port}.evil.com",
    "127.0.0.1:{port}@evil.com",
    "evil.com@127.0.0.1:{port}",
    "localhost:80@evil",
    "localhost.evil.example:{port}",
    "localhost.:{port}",
    "xlocalhost:{port}",
    "[::1]",
    "[::1]:{other}",
    "::1:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "127.0.0.1",
    "127.0.0.1:{other}",
    "127.0.0.1:0{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "0x7f000001:{port}",
    "0177.0.0.1:{port}",
    "0.0.0.0:{port}",
    "192.168.0.1:{port}",
    "169.254.169.254",
    "localhost",
    "localhost:{other}",
    "localhost:{port}/",
    "localhost:{port}, localhost:{port}",
    "",
]
ORIGINS = [
    "null",
    "",
    "http://localhost.evil",
    "http://localhost.evil:{port}",
    "http://localhost",
    "http://127.0.0.1:{other}",
    "https://127.0.0.1:{port}",
    "http://localhost:{port}",  # another origin than the Host that was asked
    "http://127.0.0.1:{port}.evil.com",
    "http://127.0.0.1:{port}@evil.com",
    "http://127.0.0.1:{port}/",
    "http://evil.example",
    "file://",
    "chrome-extension://abcdef",
]
REPEATED = [
    "Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n",
    "Host: evil.example\r\nHost: 127.0.0.1:{port}\r\n",
    "Host: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n",
    "Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nOrigin: null\r\n",
    "Host: 127.0.0.1:{port}\r\nSec-Fetch-Site: cross-site\r\n",
    "Host: 127.0.0.1:{port}\r\nSec-Fetch-Site: same-site\r\n",
]
HEADS = (
    [f"Host: {host}\r\n" for host in HOSTS]
    + [f"Host: 127.0.0.1:{{port}}\r\nOrigin: {origin}\r\n" for origin in ORIGINS]
    + REPEATED
)
BODY = envelope("request", "session.initialize", "init")
KINDS = {
    "http": "POST /uiap/sessions HTTP/1.1\r\n{head}Content-Type: application/uiap+json\r\n"
    f"Content-Length: {len(BODY)}\r\n\r\n{BODY}".replace("{", "{{")
    .replace("}", "}}")
    .replace("{{head}}", "{head}"),
    "sse": "GET /uiap/sessions/some/events HTTP/1.1\r\n{head}Accept: text/event-stream\r\n\r\n",
    "ws": "GET /uiap/ws HTTP/1.1\r\n{head}" + UPGRADE + "\r\n",
}


@pytest.fixture
async def server() -> AsyncIterator[tuple[AsgiListener, EchoHost]]:
    host = EchoHost()
    listener = AsgiListener(application(host))
    await listener.start()
    yield listener, host
    await listener.stop()


@pytest.mark.parametrize("kind", sorted(KINDS))
async def test_a_request_that_does_not_address_this_server_is_refused(
    server: tuple[AsgiListener, EchoHost], kind: str
) -> None:
    listener, host = server
    assert len(HEADS) >= 40
    for head in HEADS:
        sent = head.replace("{port}", str(listener.port)).replace("{other}", str(listener.port + 1))
        answer = await exchange(listener.address, KINDS[kind].format(head=sent))
        if kind == "ws" and sent.count("Origin") == 2:  # the WebSocket library rejects such a handshake first
            assert answer.status == 400
            continue
        assert answer.status == 403, (kind, sent)
        assert json.loads(answer.body)["payload"]["code"] == "forbidden"
    assert host.received == []
    assert host.open == set()


@pytest.mark.parametrize("kind,expected", [("http", 200), ("sse", 404), ("ws", 101)])
@pytest.mark.parametrize(
    "head",
    [
        "Host: 127.0.0.1:{port}\r\n",
        "Host: localhost:{port}\r\n",
        "Host: LocalHost:{port}\r\n",
        "Host: [::1]:{port}\r\n",
        "Host: 127.0.0.1:{port}\r\nOrigin: http://127.0.0.1:{port}\r\nSec-Fetch-Site: same-origin\r\n",
        "Host: localhost:{port}\r\nOrigin: http://localhost:{port}\r\n",
    ],
)
async def test_a_local_client_and_a_page_of_this_server_are_admitted(
    server: tuple[AsgiListener, EchoHost], kind: str, expected: int, head: str
) -> None:
    listener, _ = server
    sent = head.replace("{port}", str(listener.port))
    assert (await exchange(listener.address, KINDS[kind].format(head=sent))).status == expected


def test_a_default_port_may_be_left_out_of_the_host() -> None:
    assert isinstance(loopback_only(80)({"host": "localhost"}, "/", ""), AdmissionGranted)
    assert isinstance(loopback_only(443, scheme="https")({"host": "[::1]"}, "/", ""), AdmissionGranted)
    assert isinstance(loopback_only(443)({"host": "localhost"}, "/", ""), AdmissionRefused)


def test_a_server_that_is_not_on_loopback_needs_authentication() -> None:
    for host in ("0.0.0.0", "::", "192.168.0.1", "example.com"):
        with pytest.raises(Unavailable, match="without authentication"):
            AsgiListener(application(EchoHost()), host=host)


def by_token(headers: Mapping[str, str], path: str, client: str) -> AdmissionGranted | AdmissionRefused:
    names = {"Bearer a": "alice", "Bearer b": "bob"}
    name = names.get(headers.get("authorization", ""))
    return AdmissionGranted(name) if name else AdmissionRefused(401, "unauthorized", "send a token")


async def test_a_custom_admission_sets_the_principal_on_both_bindings() -> None:
    host = EchoHost()
    listener = AsgiListener(application(host, admit=by_token))
    await listener.start()
    over_ws = await Client(await websocket.connect(listener.websocket_url, token="a")).initialize()
    over_http = await Client(HttpTransport(listener.address, token="b")).initialize()
    assert {(t.binding, t.peer.principal_id) for t in host.open} == {("ws@0.1", "alice"), ("http@0.1", "bob")}
    assert all("authorization" not in t.peer.headers for t in host.open)
    with pytest.raises(Unauthorized):
        await websocket.connect(listener.websocket_url, token="wrong")
    async with httpx.AsyncClient(base_url=listener.address) as raw:
        refused = await raw.post(
            "/uiap/sessions", content=BODY, headers={"Content-Type": "application/uiap+json"}
        )
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json()["payload"]["code"] == "unauthorized"
    await over_ws.transport.close()
    await over_http.transport.close()
    await listener.stop()


async def test_a_session_id_is_useless_to_another_principal() -> None:
    """The id is not a credential: for another principal the session does not exist."""
    host = EchoHost()
    listener = AsgiListener(application(host, admit=by_token))
    await listener.start()
    alice = await Client(HttpTransport(listener.address, token="a")).initialize()
    before = len(host.received)
    path = f"/uiap/sessions/{alice.session}"
    stolen = envelope("request", "x.test.echo", "m", sessionId=alice.session)
    media = {"Authorization": "Bearer b", "Content-Type": "application/uiap+json"}
    async with httpx.AsyncClient(base_url=listener.address, headers=media) as bob:
        answers = [
            await bob.post(f"{path}/messages", content=stolen),
            await bob.get(f"{path}/events"),
            await bob.delete(path),
        ]
    assert [(a.status_code, a.json()["payload"]["code"]) for a in answers] == [(404, "session_not_found")] * 3
    assert len(host.received) == before
    assert (await alice.ask({"mine": True}))["payload"] == {"mine": True}
    await alice.transport.close()
    await listener.stop()


async def test_a_token_is_not_sent_without_tls() -> None:
    with pytest.raises(Unavailable, match="without TLS"):
        await websocket.connect("ws://example.com/uiap/ws", token="secret")
    with pytest.raises(Unavailable, match="without TLS"):
        HttpTransport("http://example.com", token="secret")
