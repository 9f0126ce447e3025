"""The client of a resident session: one Unix socket, one envelope per line.

Standard library alone, because the session commands must start fast.
"""

from __future__ import annotations

import json
import os
import socket
import time
from typing import TYPE_CHECKING, Any

from uiap.timeouts import HANDOFF_S, REPLY_S

if TYPE_CHECKING:
    from pathlib import Path

ENDED = "the session ended before it answered; start it again with: uiap open URL"
PROFILES = ("web@0.1", "x.uiap.desktop@0.1", "x.uiap.android@0.1")


class SessionNotOpen(Exception):
    """No resident session answers; the message names the next step."""


class RequestRefused(Exception):
    """The session replied with an error."""

    def __init__(self, payload: dict[str, Any]) -> None:
        super().__init__(payload.get("message", "refused"))
        self.payload = payload


class SocketClient:
    """One short session with a resident process."""

    def __init__(
        self,
        path: Path | str,
        *,
        token: str | None = None,
        extensions: tuple[str, ...] = ("x.uiap.tools",),
        profiles: tuple[str, ...] = PROFILES,
        timeout: float = HANDOFF_S + 2 * REPLY_S,
    ) -> None:
        _require_own_folder(os.path.dirname(path))  # noqa: PTH120 (pathlib is slow to import)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout)
        self._count = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        try:
            self._socket.connect(str(path))
        except (FileNotFoundError, ConnectionRefusedError):
            self._socket.close()
            name = os.path.basename(path).removesuffix(".sock")  # noqa: PTH119 (pathlib is slow to import)
            raise SessionNotOpen(not_open_text(name, os.path.dirname(path))) from None  # noqa: PTH120
        self._lines = self._socket.makefile("rb")
        self._session = self._initialize(token, profiles, extensions)

    def _initialize(self, token: str | None, profiles: tuple[str, ...], extensions: tuple[str, ...]) -> str:
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
        try:
            self._socket.sendall(json.dumps(envelope).encode() + b"\n")
        except ConnectionError:
            raise SessionNotOpen(ENDED) from None
        return id

    def ask(self, type: str, payload: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return its reply; events that arrive before it are kept in `events`."""
        id = self.send(type, payload)
        while True:
            message = self.next()
            if message.get("correlationId") == id:
                if message["type"] == "error":
                    raise RequestRefused(message["payload"])
                return message
            self.events.append(message)

    def set_timeout(self, seconds: float) -> None:
        """Set how long each later read may take."""
        self._socket.settimeout(max(seconds, 0.01))

    def next(self) -> dict[str, Any]:
        try:
            line = self._lines.readline()
        except ConnectionError:
            line = b""
        if not line:
            raise SessionNotOpen(ENDED)
        message: dict[str, Any] = json.loads(line)
        return message

    def until(self, type: str) -> dict[str, Any]:
        """Return the next event of this type, those in `events` first."""
        while True:
            for n, event in enumerate(self.events):
                if event["type"] == type:
                    return self.events.pop(n)
            self.events.append(self.next())

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


def not_open_text(name: str, folder: str) -> str:
    """Return what to do if a session is not open: use one that is, or start one."""
    try:
        files = os.listdir(folder)  # noqa: PTH208 (pathlib is slow to import)
    except OSError:
        files = []
    others = sorted(file.removesuffix(".sock") for file in files if file.endswith(".sock"))
    others = [other for other in others if other != name]
    if others:
        return f"no session `{name}` is open, but `{'`, `'.join(others)}`; use: --session {others[0]}"
    return f"no session `{name}` is open; start one with: uiap open URL"


def _require_own_folder(folder: str) -> None:
    """Raise SessionNotOpen if another user made the folder of the socket: its session would not be ours."""
    try:
        found = os.lstat(folder)
    except OSError:
        return
    if found.st_uid != os.getuid():
        raise SessionNotOpen(f"`{folder}` belongs to another user; set UIAP_HOME to a folder of your own")
