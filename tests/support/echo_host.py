"""A host that only echoes, to test transports.

It answers `session.initialize` with a session id, and every other request with a response that has the same payload.
A request with `emit` also gets that many events. `session.terminate` ends the session.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from uiap.ids import new_secret
from uiap.transports import Transport, TransportClosed

TS = "2026-03-26T13:12:09.123Z"


def envelope(kind: str, type_: str, id_: str, payload: dict[str, Any] | None = None, **members: Any) -> str:
    members_in_order = {
        "uiap": "0.1",
        "kind": kind,
        "type": type_,
        "id": id_,
        "ts": TS,
        "source": {"role": "agent", "id": "tester"},
        "payload": payload or {},
        **members,
    }
    return json.dumps(members_in_order, ensure_ascii=False)


class EchoHost:
    """Handles all connections of a listener; `open` are the ones that have not ended."""

    def __init__(self) -> None:
        self.open: set[Transport] = set()
        self.ends: list[TransportClosed] = []
        self.received: list[dict[str, Any]] = []
        self.changed = asyncio.Condition()
        self._events = 0

    async def __call__(self, transport: Transport) -> None:
        async with self.changed:
            self.open.add(transport)
            self.changed.notify_all()
        try:
            await self._serve(transport)
        except TransportClosed as end:
            self.ends.append(end)
        finally:
            async with self.changed:
                self.open.discard(transport)
                self.changed.notify_all()

    async def _serve(self, transport: Transport) -> None:
        session = ""
        while True:
            text = await transport.receive()
            message = json.loads(text)
            self.received.append(message)
            if message["kind"] != "request":
                continue
            if message["type"] == "session.initialize":
                resume = message["payload"].get("resume", {})
                session = resume.get("sessionId") or new_secret("session")
                await self._answer(transport, message, "session.initialized", {"sessionId": session}, session)
                continue
            payload = message["payload"]
            for _ in range(payload.get("emit", 0)):
                await self.emit(transport, session)
            if "error" in payload:
                await self._answer(
                    transport, message, "error", {"code": payload["error"], "message": "-"}, session
                )
            elif message["type"] == "session.terminate":
                await self._answer(transport, message, "session.terminated", payload, session)
                await transport.close(1000, "terminated")
                return
            elif "silent" not in payload:
                await self._answer(transport, message, "x.test.echoed", payload, session)

    async def emit(self, transport: Transport, session: str, payload: dict[str, Any] | None = None) -> str:
        self._events += 1
        id_ = f"event_{self._events}"
        body = payload or {"number": self._events}
        await transport.send(envelope("event", "x.test.happened", id_, body, sessionId=session))
        return id_

    async def _answer(
        self, transport: Transport, request: dict[str, Any], type_: str, payload: dict[str, Any], session: str
    ) -> None:
        id_ = f"re_{request['id']}"[:128]
        members = {"sessionId": session} if session else {}
        await transport.send(
            envelope("response", type_, id_, payload, correlationId=request["id"], **members)
        )

    async def wait_for_connections(self, connections: int, seconds: float = 10.0) -> None:
        """Wait until exactly this many connections are open."""
        async with asyncio.timeout(seconds), self.changed:
            await self.changed.wait_for(lambda: len(self.open) == connections)
