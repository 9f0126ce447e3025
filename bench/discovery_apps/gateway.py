"""A relay in front of an application that records every request that reaches its server.

Not every server writes an access log, and none writes the same one. The relay passes bytes on unchanged; it only reads
the head of each request. Each connection of the browser has its own connection to the server.
"""

from __future__ import annotations

import re
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedIOBase

_SAFE = ("GET", "HEAD", "OPTIONS")
_MAX_LINE_BYTES = 65536


class RequestLog:
    """The requests that reached the server, in order."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def clear(self) -> None:
        self.lines.clear()

    def writes(self, expected: tuple[str, ...] = ()) -> list[str]:
        """Return the requests that could write, without those that match an expected pattern."""
        could_write = [one for one in self.lines if not one.startswith(_SAFE)]
        return [one for one in could_write if not any(re.match(pattern, one) for pattern in expected)]


@contextmanager
def relaying(server_port: int, log: RequestLog) -> Iterator[int]:
    """Relay to the server on this port, and yield the port to use instead."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            with suppress(OSError), socket.create_connection(("localhost", server_port)) as upstream:
                answers = threading.Thread(target=_pump, args=(upstream, self.connection), daemon=True)
                answers.start()
                _relay_requests(self.rfile, upstream, log)
                with suppress(OSError):
                    upstream.shutdown(socket.SHUT_WR)
                answers.join()

    class Relay(socketserver.ThreadingTCPServer):
        daemon_threads, allow_reuse_address, request_queue_size = True, True, 128

    with Relay(("127.0.0.1", 0), Handler) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        try:
            yield relay.server_address[1]
        finally:
            relay.shutdown()


def _relay_requests(source: BufferedIOBase, upstream: socket.socket, log: RequestLog) -> None:
    while line := source.readline(_MAX_LINE_BYTES):
        method, _, rest = line.decode("latin-1").partition(" ")
        log.lines.append(f"{method} {rest.rpartition(' ')[0]}")
        head = [line]
        while (one := source.readline(_MAX_LINE_BYTES)) not in (b"\r\n", b""):
            head.append(one)
        upstream.sendall(b"".join((*head, b"\r\n")))
        fields = {name.strip().lower(): value.strip() for name, _, value in (x.partition(b":") for x in head)}
        if b"upgrade" in fields:
            while data := source.read1(_MAX_LINE_BYTES):
                upstream.sendall(data)
            return
        _relay_body(source, upstream, fields)


def _relay_body(source: BufferedIOBase, upstream: socket.socket, fields: dict[bytes, bytes]) -> None:
    if fields.get(b"transfer-encoding", b"").lower() == b"chunked":
        while size_line := source.readline(_MAX_LINE_BYTES):
            size = int(size_line.partition(b";")[0], 16)
            upstream.sendall(size_line + source.read(size + 2))
            if not size:
                return
    elif length := int(fields.get(b"content-length", b"0")):
        upstream.sendall(source.read(length))


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(_MAX_LINE_BYTES):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
