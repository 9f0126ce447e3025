"""A tab whose pages run the tracer, and a server with every kind of answer that a page can wait for."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

from tests.web.cdp import SDK, Browser
from tests.web.tab import Tab

TRACER = Path(SDK).with_name("tracer.js")
NAME = "tracer-name-of-the-test"


@contextlib.asynccontextmanager
async def traced_tab(browser: Browser, *, tracer: bool = True) -> AsyncIterator[Tab]:
    """Open a tab with the page script and, unless told otherwise, the tracer."""
    tab = Tab(browser)
    await tab.open(TRACER.read_text().replace("__UIAP_TRACER__", NAME) if tracer else "", tracer=NAME)
    yield tab
    await tab.close()


async def click(tab: Tab, name: str, token: str) -> None:
    """Click a button under the guard, with a token of its own."""
    key = tab.found("button", name)["instanceId"]
    probed = (await tab.ask("probe", {"ids": [key]}))["results"][key]
    await _arm(tab, name, token)
    for kind in ("mousePressed", "mouseReleased"):
        where = probed["point"]
        await tab.send(
            "Input.dispatchMouseEvent", type=kind, x=where["x"], y=where["y"], button="left", clickCount=1
        )


async def press_key(tab: Tab, name: str, token: str, key: str) -> None:
    """Press a key on the button that has the focus, under the guard."""
    await _arm(tab, name, token)
    for kind in ("rawKeyDown", "keyUp"):
        await tab.send("Input.dispatchKeyEvent", type=kind, key=key, code=key)


async def _arm(tab: Tab, name: str, token: str) -> None:
    key = tab.found("button", name)["instanceId"]
    guard = {"instanceId": key, "role": "button", "name": name, "record": None, "token": token}
    assert (await tab.ask("arm", guard))["ok"]


def causes(tab: Tab) -> dict[str, set[str | None]]:
    """Return the tokens that changed each checkbox, by its name."""
    names = {
        key: node.get("name", "") for key, node in tab.graph["elements"].items() if node["role"] == "checkbox"
    }
    found: dict[str, set[str | None]] = {}
    for message in tab.messages:
        if message["t"] == "delta" and message["context"] == tab.world:
            for update in message["delta"].get("elements", {}).get("updated", []):
                if update["key"] in names:
                    found.setdefault(names[update["key"]], set()).add(message.get("causedBy"))
    return found


def pending(tab: Tab, token: str) -> list[Any] | None:
    """Return the last report of the work of an input."""
    reports = [
        message["work"] for message in tab.messages if message["t"] == "work" and message["token"] == token
    ]
    return reports[-1] if reports else None


class RoadSite:
    """Serves pages; answers late, in pieces, by server-sent events and over a socket."""

    def __init__(self, pages: Mapping[str, tuple[str, str]]) -> None:
        self.pages = dict(pages)
        """The content type and the body of each path. `type` may hold further header lines."""
        self._streams: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> RoadSite:
        self._server = await asyncio.start_server(self._answer, "127.0.0.1", 0)
        self._sockets = await serve(self._converse, "127.0.0.1", 0)
        self.origin = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        self.socket = f"ws://127.0.0.1:{next(iter(self._sockets.sockets)).getsockname()[1]}"
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ticking.cancel()
        for stream in self._streams:
            stream.close()
        self._server.close()
        self._sockets.close()

    async def _tick(self) -> None:
        """Push an event that nobody asked for to every stream, ten times a second."""
        count = 0
        while True:
            await asyncio.sleep(0.1)
            count += 1
            self._push({"type": "tick", "count": count})

    def _push(self, event: dict[str, Any]) -> None:
        for stream in list(self._streams):
            if stream.is_closing():
                self._streams.discard(stream)
            else:
                stream.write(f"data: {json.dumps(event)}\n\n".encode())

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            path, _, query = head.split(" ")[1].partition("?")
            await self._respond(path, query, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            writer.close()

    async def _respond(self, path: str, query: str, writer: asyncio.StreamWriter) -> None:
        if path == "/events":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
            self._streams.add(writer)
            return
        if path == "/pieces":
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n")
            for piece in (b"one ", b"two ", b"three"):
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.02)
            writer.close()
            return
        if path == "/never":
            return
        if path == "/tell":
            asyncio.get_running_loop().call_later(0.03, self._push, {"type": "told", "id": query})
        if path in ("/late", "/later"):
            await asyncio.sleep(0.03 if path == "/late" else 0.06)
        kind, body = self.pages.get(path, ("application/json", json.dumps({"path": path})))
        data = body.encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + data)
        await writer.drain()
        writer.close()

    async def _converse(self, connection: ServerConnection) -> None:
        """Push a message ten times a second, and answer each message after 40 ms as it asks."""

        async def push() -> None:
            while True:
                await asyncio.sleep(0.1)
                await connection.send(json.dumps({"type": "news", "text": "same"}))

        pushing = asyncio.create_task(push())
        try:
            with contextlib.suppress(ConnectionClosed):
                async for text in connection:
                    message = json.loads(text)
                    await asyncio.sleep(0.04)
                    await connection.send(json.dumps(message.get("answer", {"type": "pong"})))
        finally:
            pushing.cancel()
