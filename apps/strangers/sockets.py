"""A WebSocket server that echoes what a page asks for, in the way that the page's address declares."""

from __future__ import annotations

import json
import threading
from typing import Any
from urllib.parse import parse_qs, urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from apps.page_server import LOOPBACK

PUSH_S = 0.15


class SocketListener:
    """A port on loopback. `/?push=TEXT` pushes a text again and again; `/?answer=JSON` answers each message with it."""

    def __init__(self, ended: threading.Event) -> None:
        self._ended = ended
        self._server = serve(self._talk, LOOPBACK, 0)
        self.port: int = self._server.socket.getsockname()[1]

    def serve_forever(self) -> None:
        self._server.serve_forever()

    def shutdown(self) -> None:
        self._server.shutdown()

    def _talk(self, connection: ServerConnection) -> None:
        asked = parse_qs(urlsplit(connection.request.path if connection.request else "/").query)
        push, answer = asked.get("push", [""])[0], asked.get("answer", [""])[0]
        try:
            while not self._ended.is_set():
                self._turn(connection, push, answer)
        except ConnectionClosed:
            return

    def _turn(self, connection: ServerConnection, push: str, answer: str) -> None:
        try:
            asked: Any = json.loads(connection.recv(timeout=PUSH_S))
        except TimeoutError:
            if push:
                connection.send(push)
            return
        if answer:
            connection.send(json.dumps({"id": asked.get("id"), **json.loads(answer)}))
