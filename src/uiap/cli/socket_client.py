"""A session command's way to the resident: the standard library, one socket, one envelope a line. Fast to import."""

from __future__ import annotations

import json
import os
import socket
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PROFILES = ("web@0.1", "x.uiap.desktop@0.1", "x.uiap.android@0.1")


class SessionNotOpen(Exception):
    """No resident session answers; the message says what to do."""


class RequestRefused(Exception):
    """The session answered with an error."""

    def __init__(self, payload: dict[str, Any]) -> None:
        super().__init__(payload.get("message", "refused"))
        self.payload = payload


class SocketClient:
    """One short session with a resident."""

    def __init__(
        self,
        path: Path | str,
        *,
        token: str | None = None,
        extensions: tuple[str, ...] = ("x.uiap.tools",),
        profiles: tuple[str, ...] = PROFILES,
        timeout: float = 660.0,
    ) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        self._count = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        try:
            self._socket.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            self._socket.close()
            name = os.path.basename(path).removesuffix(".sock")  # noqa: PTH119 (pathlib is dear here)
            raise SessionNotOpen(f"no session `{name}` is open; start one with: uiap open URL") from None
        self._lines = self._socket.makefile("rb")
        self._session = self._hello(token, profiles, extensions)

    def _hello(self, token: str | None, profiles: tuple[str, ...], extensions: tuple[str, ...]) -> str:
        payload: dict[str, Any] = {
            "supportedVersions": ["0.1"],
            "supportedProfiles": list(profiles),
            "supportedExtensions": [{"id": id, "versions": ["0.1"], "required": True} for id in extensions],
            "participant": {"role": "agent", "id": "cli"},
        }
        if token is not None:
            payload["auth"] = {"scheme": "bearer", "token": token}
        return str(self.ask("session.initialize", payload)["payload"]["sessionId"])

    def send(self, type: str, payload: dict[str, Any], kind: str = "request") -> str:
        self._count += 1
        id = f"cli_{os.getpid()}_{self._count}"
        now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        envelope: dict[str, Any] = {
            "uiap": "0.1",
            "kind": kind,
            "type": type,
            "id": id,
            "ts": now,
            "source": {"role": "agent", "id": "cli"},
            "payload": payload,
        }
        if self._session is not None:
            envelope["sessionId"] = self._session
        self._socket.sendall(json.dumps(envelope).encode() + b"\n")
        return id

    def ask(self, type: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer; events on the way are kept."""
        id = self.send(type, payload)
        while True:
            said = self.next()
            if said.get("correlationId") == id:
                if said["type"] == "error":
                    raise RequestRefused(said["payload"])
                return said
            self.events.append(said)

    def next(self) -> dict[str, Any]:
        line = self._lines.readline()
        if not line:
            raise SessionNotOpen("the session ended while it was asked; look at it with: uiap open URL")
        said: dict[str, Any] = json.loads(line)
        return said

    def until(self, type: str) -> dict[str, Any]:
        """The next event of this type, kept ones first."""
        while True:
            for n, said in enumerate(self.events):
                if said["type"] == type:
                    return self.events.pop(n)
            self.events.append(self.next())

    def close(self) -> None:
        self._lines.close()
        self._socket.close()
