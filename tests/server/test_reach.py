"""Network access of served sessions: no page reaches the local network, by any request or redirect."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

import uiap
from uiap import settings
from uiap.server.app import ServerOptions, serve

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><title>led astray</title><h1>Hello</h1>
<iframe src="{far}/frame"></iframe><img src="{far}/img"><script src="{far}/script"></script>
<link rel="stylesheet" href="{far}/style"><link rel="prefetch" href="{far}/prefetch">
<video src="{far}/video"></video><object data="{far}/object"></object>
<form action="{far}/form" method="post" target="f"><button>Send</button></form><iframe name="f"></iframe>
<a href="{far}/file" download target="g">Fetch</a><iframe name="g"></iframe><output id="log">0</output>
<script>
const tried = [];
const note = (what) => {{ tried.push(what); document.getElementById("log").textContent = tried.sort().join(" "); }};
fetch("{far}/fetch", {{mode: "no-cors"}}).then(() => note("FETCHED"), () => note("fetch"));
fetch("/go").then(() => note("REDIRECTED"), () => note("redirect"));
const socket = new WebSocket("{ws}/socket");
socket.onopen = () => note("CONNECTED"); socket.onerror = () => note("socket");
new EventSource("{far}/events").onerror = () => note("events");
navigator.sendBeacon("{far}/beacon", "x");
const told = "then(() => postMessage('REACHED'), () => postMessage('worker'))";
const script = new Blob([`fetch('{far}/worker', {{mode: 'no-cors'}}).${{told}}`]);
new Worker(URL.createObjectURL(script)).onmessage = (e) => note(e.data);
window.open("{far}/popup"); window.open("file:///etc/passwd");
document.querySelector("form").submit(); document.querySelector("a").click();
</script>"""
EXPECTED, REACHED = "events fetch redirect socket worker", ("FETCHED", "REDIRECTED", "CONNECTED", "REACHED")


class Sites:
    """A page that may be opened, and a server on the same machine that no page may reach."""

    def __init__(self) -> None:
        self.near = self.far = 0
        self.reached_far = 0

    async def _near(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"GET /go"):
            answer = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{self.far}/\r\nContent-Length: 0\r\n"
            writer.write(f"{answer}Connection: close\r\n\r\n".encode())
        else:
            far = f"127.0.0.1:{self.far}"
            body = PAGE.format(far=f"http://{far}", ws=f"ws://{far}").encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n" + body)
        await writer.drain()
        writer.close()

    async def _far(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reached_far += 1
        writer.close()

    async def start(self) -> list[asyncio.Server]:
        servers = [await asyncio.start_server(serve, "127.0.0.1", 0) for serve in (self._near, self._far)]
        self.near, self.far = (server.sockets[0].getsockname()[1] for server in servers)
        return servers


@pytest.fixture
async def sites() -> AsyncIterator[Sites]:
    made = Sites()
    servers = await made.start()
    yield made
    for server in servers:
        server.close()


async def test_no_request_reaches_the_local_network(config: settings.Settings, sites: Sites):
    options = ServerOptions(browsers=1, allow=(f"127.0.0.1:{sites.near}",))
    async with serve(options, config) as running, uiap.connect(running.listener.websocket_url) as ui:
        for url in (
            "file:///etc/passwd",
            "http://169.254.169.254/latest/meta-data/",
            f"http://127.0.0.1:{sites.far}/",
            f"http://[::ffff:127.0.0.1]:{sites.far}/",
        ):
            refused = await ui.navigate(url)
            assert refused.error is not None
            assert (refused.error.code, refused.side_effect_state) == ("action_unsupported", "none"), url
            assert refused.error.detail["reason"] == "policy_denied"
        # the redirect is refused before the next request
        assert not await ui.navigate(f"http://127.0.0.1:{sites.near}/go")
        await ui.navigate(
            f"http://127.0.0.1:{sites.near}/"
        )  # its forbidden requests fail, but the page opens
        (home,) = (tab for tab in await ui.tabs() if tab.url.endswith(f":{sites.near}/"))
        await ui.tabs("show", home.tab)
        async with asyncio.timeout(60):
            while f'status "{EXPECTED}"' not in (text := await ui.outline()):
                assert not any(word in text for word in REACHED), text
                await ui.wait(since=(await ui.observe()).revision, timeout_ms=2_000)
        tabs = await ui.tabs()
        assert not any("passwd" in tab.url for tab in tabs)
        assert running.pool.denied_connections >= 8
    assert sites.reached_far == 0
