"""The client of a resident session: a session that ends meanwhile is reported in one sentence."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from uiap.cli.socket_client import SessionNotOpen, SocketClient


@pytest.fixture
def ending_session(tmp_path: Path) -> Iterator[Path]:
    """Serve a session that answers the handshake and is gone when the next request arrives."""
    path = tmp_path / "ending.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(path))
        server.listen()
        serving = threading.Thread(target=_answer_once, args=(server,), daemon=True)
        serving.start()
        yield path
    serving.join(5)


def _answer_once(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection, connection.makefile("rb") as lines:
        asked = json.loads(lines.readline())
        reply = {"type": "session.initialized", "correlationId": asked["id"], "payload": {"sessionId": "s1"}}
        connection.sendall(json.dumps(reply).encode() + b"\n")


def test_a_session_that_ended_is_reported_by_the_first_request_and_by_later_ones(
    ending_session: Path,
) -> None:
    client = SocketClient(ending_session, timeout=5)
    for _ in range(3):  # the first request may still be sent, a later one meets a closed pipe
        with pytest.raises(SessionNotOpen, match="the session ended before it answered"):
            client.ask("web.state.get", {})
    client.close()
