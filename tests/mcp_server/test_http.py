"""The MCP server on a port: the journey with the official client, and the requests it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from apps.videoland import Server
from tests.mcp_server.conftest import ENTRY, truth
from tests.mcp_server.journey import Person, create_a_video
from tests.mcp_server.test_catalogue import idle
from tests.support.raw_http import exchange
from tests.transports.test_admission import HOSTS, ORIGINS
from uiap.mcp_server.http import MAX_BYTES, serving
from uiap.mcp_server.server import server
from uiap.server.admission import RequestAdmission
from uiap.server.tokens import single_token
from uiap.transports.asgi import AsgiListener

TOKEN = "mcp-token-0123456789"
HELLO = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
)
ACCEPT = "application/json, text/event-stream"


def listening() -> AbstractAsyncContextManager[AsgiListener]:
    return serving(server(idle()), RequestAdmission(single_token(TOKEN, "mcp")))


async def hello(listener: AsgiListener, *headers: str, body: str = HELLO) -> int:
    lines = ["POST /mcp HTTP/1.1", *headers, "Content-Type: application/json", f"Accept: {ACCEPT}"]
    lines += [f"Content-Length: {len(body.encode())}", "Connection: close", "", body]
    answer = await exchange(listener.address, "\r\n".join(lines).encode())
    return answer.status


async def test_a_request_with_the_exact_host_and_the_token_is_accepted():
    async with listening() as listener:
        for name in ("127.0.0.1", "localhost", "LocalHost", "[::1]"):
            host = f"Host: {name}:{listener.port}"
            assert await hello(listener, host, f"Authorization: Bearer {TOKEN}") == 200
            own = f"Origin: http://{name}:{listener.port}"
            assert await hello(listener, host, own, f"Authorization: Bearer {TOKEN}") == 200
            assert await hello(listener, host) == 401
            assert await hello(listener, host, "Authorization: Bearer wrong") == 401
            assert await hello(listener, host, f"Authorization: Basic {TOKEN}") == 401


async def test_every_hostile_host_and_origin_is_refused_even_with_the_token():
    async with listening() as listener:
        port, token = listener.port, f"Authorization: Bearer {TOKEN}"
        good = f"Host: 127.0.0.1:{port}"
        for host in HOSTS:
            value = host.format(port=port, other=port + 1)
            assert await hello(listener, f"Host: {value}", token) in (400, 403), value
        for origin in ORIGINS:
            value = origin.format(port=port, other=port + 1)
            assert await hello(listener, good, f"Origin: {value}", token) == 403, value
        assert await hello(listener, good, good, token) == 403
        assert await hello(listener, good, "Sec-Fetch-Site: cross-site", token) == 403


async def test_a_body_over_one_mebibyte_is_refused():
    async with listening() as listener:
        headers = (f"Host: 127.0.0.1:{listener.port}", f"Authorization: Bearer {TOKEN}")
        assert await hello(listener, *headers, body="x" * (MAX_BYTES + 1)) == 413


@pytest.fixture
def started(environ: dict[str, str], home: Path) -> Iterator[tuple[str, str]]:
    """Start `uiap mcp --http` in its own process and yield its address and token."""
    file = home / "secret"
    words = [sys.executable, *ENTRY, "mcp", "--http", "--port", "0"]
    words += ["--token-file", str(file)]
    with subprocess.Popen(words, env=environ, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        ready = process.stderr.readline()
        assert ready.startswith("ready: http://127.0.0.1:"), ready
        assert file.stat().st_mode & 0o077 == 0
        try:
            yield ready.split()[1].rstrip(","), file.read_text()
        finally:
            process.terminate()
            assert process.wait(30) == 0


@pytest.mark.browser
async def test_the_journey_succeeds_over_http(videoland: Server, started: tuple[str, str], uiap: Person):
    before = truth(videoland)["videos"]
    url, token = started
    bearer = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=bearer, timeout=60) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        done = await create_a_video(client, videoland.url, "Made over HTTP", uiap)
    assert done["ok"], done
    assert truth(videoland)["videos"] == before + 1
