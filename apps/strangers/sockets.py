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
    """A port on loopback. `/?push=TEXT` pushes a text again and again; `/?answer=JSON` answers each message with it.

    With `delay_ms` an answer comes later, and messages of the type `silent` get none.
    """

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
        given = {name: values[0] for name, values in asked.items()}
        try:
            while not self._ended.is_set():
                self._turn(connection, given)
        except ConnectionClosed:
            return

    def _turn(self, connection: ServerConnection, given: dict[str, str]) -> None:
        try:
            asked: Any = json.loads(connection.recv(timeout=PUSH_S))
        except TimeoutError:
            if "push" in given:
                connection.send(given["push"])
            return
        if "answer" in given and asked.get("type", "") != given.get("silent"):
            self._ended.wait(int(given.get("delay_ms", "0")) / 1000)
            connection.send(json.dumps({"id": asked.get("id"), **json.loads(given["answer"])}))
