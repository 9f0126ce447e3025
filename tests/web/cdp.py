"""A small Chrome DevTools client over pipes, for the tests of the page script; it does not use the drivers."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

SDK = Path(__file__).parents[2] / "src/uiap/drivers/chromium/assets/sdk.js"
WORLD = "uiap"
BINDING = "__uiap_push"
FLAGS = [
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
]
WAIT = 30.0


def find_chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
    return next((path for name in names if (path := shutil.which(name))), None)


class Browser:
    """One Chromium. Replies are matched by id; events go to the handler of their session."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._replies: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._handlers: dict[str, Callable[[str, dict[str, Any]], None]] = {}
        self.broken: Exception | None = None
        self._profile = tempfile.mkdtemp(prefix="uiap-web-")

    async def start(self) -> None:
        chromium = find_chromium()
        assert chromium is not None
        command_read, self._command = os.pipe()
        reply_read, reply_write = os.pipe()
        flags = [*FLAGS, *(["--no-sandbox"] if os.geteuid() == 0 else []), f"--user-data-dir={self._profile}"]
        shell = f'exec "$@" 3</dev/fd/{command_read} 4>/dev/fd/{reply_write}'
        self._process = await asyncio.create_subprocess_exec(
            "/bin/sh", "-c", shell, "sh", chromium, *flags, "about:blank",
            pass_fds=(command_read, reply_write),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        os.close(command_read)
        os.close(reply_write)
        stream = asyncio.StreamReader(limit=2**28)
        loop = asyncio.get_running_loop()
        self._transport, _ = await loop.connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(reply_read, "rb")
        )
        self._reading = asyncio.create_task(self._read(stream))

    async def _read(self, stream: asyncio.StreamReader) -> None:
        while not stream.at_eof():
            try:
                message = json.loads((await stream.readuntil(b"\0"))[:-1])
            except asyncio.IncompleteReadError:
                return
            if "id" in message:
                future = self._replies.pop(message["id"], None)
                if future and not future.done():
                    future.set_result(message)
            elif handler := self._handlers.get(message.get("sessionId", "")):
                try:
                    handler(message["method"], message.get("params", {}))
                except Exception as error:  # the waiting test must see the error, not a timeout
                    self.broken = error
                    for waiting in self._replies.values():
                        if not waiting.done():
                            waiting.set_exception(error)

    async def send(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        if self.broken:
            raise self.broken
        number = next(self._ids)
        future = self._replies[number] = asyncio.get_running_loop().create_future()
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        await asyncio.to_thread(_write_all, self._command, data)
        reply = await asyncio.wait_for(future, WAIT)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply['error']['message']}")
        return dict(reply["result"])

    def listen(self, session: str, handler: Callable[[str, dict[str, Any]], None]) -> None:
        self._handlers[session] = handler

    async def close(self) -> None:
        self._process.terminate()
        await asyncio.wait_for(self._process.wait(), WAIT)
        self._reading.cancel()
        self._transport.close()
        os.close(self._command)
        shutil.rmtree(self._profile, ignore_errors=True)


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
