"""The listener: it reports its address, leaves nothing behind when it stops, and does not change logging."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

import httpx
import pytest

from tests.support.echo_host import EchoHost
from tests.support.raw_http import exchange
from tests.support.wires import SECONDS, Client
from uiap.errors import Unavailable
from uiap.transports import Transport, websocket
from uiap.transports.asgi import AsgiListener, application
from uiap.transports.http import HttpTransport


async def test_both_bindings_share_one_port() -> None:
    host = EchoHost()
    listener = AsgiListener(application(host))
    await listener.start()
    over_ws = await Client(await websocket.connect(listener.websocket_url)).initialize()
    over_http = await Client(HttpTransport(listener.address)).initialize()
    assert sorted(t.binding for t in host.open) == ["http@0.1", "ws@0.1"]
    assert (await over_ws.ask({"a": 1}))["payload"] == (await over_http.ask({"a": 1}))["payload"] == {"a": 1}
    await over_ws.transport.close()
    await over_http.transport.close()
    await listener.stop()


async def test_the_address_is_available_only_after_the_start() -> None:
    listener = AsgiListener(application(EchoHost()))
    with pytest.raises(Unavailable, match="not started"):
        listener.address  # noqa: B018
    await listener.start()
    assert listener.address == f"http://127.0.0.1:{listener.port}"
    assert listener.websocket_url == f"ws://127.0.0.1:{listener.port}/uiap/ws"
    address = listener.address
    await listener.stop()
    await listener.stop()
    with pytest.raises(httpx.ConnectError):
        async with httpx.AsyncClient() as client:
            await client.get(address)


async def test_a_handler_that_does_not_end_is_cancelled_after_the_grace_period() -> None:
    cancelled: list[str] = []

    async def stubborn(transport: Transport) -> None:
        await transport.receive()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(transport.binding)
            raise

    before = asyncio.all_tasks()
    listener = AsgiListener(application(stubborn), close_timeout=0.05)
    await listener.start()
    socket = await websocket.connect(listener.websocket_url)
    await socket.send("{}")
    async with httpx.AsyncClient(base_url=listener.address, timeout=SECONDS) as client:
        headers = {"Content-Type": "application/uiap+json"}
        body = '{"id":"m","kind":"request","type":"session.initialize"}'
        posting = asyncio.ensure_future(client.post("/uiap/sessions", content=body, headers=headers))
        await asyncio.wait([posting], timeout=0.1)
        async with asyncio.timeout(SECONDS):
            await listener.stop(grace=0.1)
        assert (await posting).status_code == 503
    await socket.close()
    assert sorted(cancelled) == ["http@0.1", "ws@0.1"]
    assert asyncio.all_tasks() == before


async def test_a_listener_can_be_restarted_on_a_new_port() -> None:
    host = EchoHost()
    listener = AsgiListener(application(host))
    for _ in range(2):
        await listener.start()
        client = await Client(await websocket.connect(listener.websocket_url)).initialize()
        await client.transport.close()
        await listener.stop()


async def test_malformed_requests_are_refused_without_a_log_line(caplog: pytest.LogCaptureFixture) -> None:
    levels = {name: logging.getLogger(name).level for name in ("uvicorn", "uvicorn.error", "uvicorn.access")}
    listener = AsgiListener(application(EchoHost()))
    await listener.start()
    for garbage in (b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET\r\n\r\n", b"POST / HTTP/9.9\r\n\r\n"):
        assert (await exchange(listener.address, garbage)).status == 400
    await listener.stop()
    assert caplog.text == ""
    assert levels == {name: logging.getLogger(name).level for name in levels}


def test_client_transports_need_no_server_libraries() -> None:
    program = (
        "import sys\n"
        "import uiap.transports.memory, uiap.transports.stdio, uiap.transports.local\n"
        "import uiap.transports.websocket, uiap.transports.http\n"
        "print(sorted({'starlette', 'uvicorn'} & set(sys.modules)))\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize("missing", ["starlette", "uvicorn", "httptools"])
def test_a_missing_extra_is_reported_with_the_package_to_install(missing: str) -> None:
    program = f"import sys; sys.modules[{missing!r}] = None\nimport uiap.transports.asgi"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert f"a server needs `{missing}`; install uiap[server]" in ran.stderr
