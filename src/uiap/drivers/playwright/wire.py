"""A CDP transport through Playwright: our messages travel inside messages of a Playwright CDP session.

Playwright does not share its pipe to the browser, but offers CDP sessions for single targets. Through a session with
the browser we attach to the browser again, and reach its tabs and frames as over any other wire.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uiap.drivers.chromium.connection.cdp import CdpConnection
from uiap.drivers.errors import BrowserUnavailable

if TYPE_CHECKING:
    from playwright.async_api import Browser, CDPSession

CLOSE_TIMEOUT_S = 5.0


class PlaywrightWire:
    """One JSON text per tunnelled message."""

    def __init__(self, connection: CdpConnection, session: CDPSession, tunnel: str) -> None:
        self._connection = connection
        self._session = session
        self._tunnel = tunnel
        self._sending: set[asyncio.Task[Any]] = set()
        self._closed = False
        session.on("Target.receivedMessageFromTarget", self._on_message)
        session.on("Target.detachedFromTarget", self._on_detached)
        session.on("close", lambda _: self._lost("Playwright closed the session"))

    @classmethod
    async def open(cls, connection: CdpConnection, browser: Browser) -> PlaywrightWire:
        from playwright.async_api import Error

        try:
            session = await browser.new_browser_cdp_session()
            target_id = (await session.send("Target.getTargetInfo"))["targetInfo"]["targetId"]
            # not flattened: Playwright cannot address a session below its own
            attached = await session.send("Target.attachToTarget", {"targetId": target_id, "flatten": False})
        except Error as error:
            raise BrowserUnavailable(
                f"Playwright's browser cannot be shared: {_first_line(error)}"
            ) from error
        wire = cls(connection, session, attached["sessionId"])
        connection.use(wire)
        return wire

    def write(self, message: bytes) -> None:
        if not self._closed:
            # Tasks start in the order of their creation, and Playwright writes before it first waits.
            task = asyncio.get_running_loop().create_task(self._send(message.decode()))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    async def _send(self, message: str) -> None:
        from playwright.async_api import Error

        try:
            params = {"sessionId": self._tunnel, "message": message}
            await self._session.send("Target.sendMessageToTarget", params)
        except Error as error:
            self._lost(_first_line(error))

    def close(self) -> None:
        self._closed = True

    async def detach(self) -> None:
        """Detach the session; everything that was attached through it ends too."""
        from playwright.async_api import Error

        self.close()
        for task in list(self._sending):
            task.cancel()
        try:
            async with asyncio.timeout(CLOSE_TIMEOUT_S):
                await self._session.detach()
        except (Error, TimeoutError):
            return  # the browser has already ended

    def _on_message(self, event: dict[str, Any]) -> None:
        if event["sessionId"] == self._tunnel and not self._closed:
            self._connection.feed(event["message"])

    def _on_detached(self, event: dict[str, Any]) -> None:
        if event["sessionId"] == self._tunnel:
            self._lost("the browser detached the session")

    def _lost(self, reason: str) -> None:
        if not self._closed:
            self._closed = True
            self._connection.lost(reason)


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
