"""A relay between browser and server that simulates a bad network: slow, with latency, and with losses.

It forwards bytes in both directions on the loopback interface, and knows nothing about HTTP.
"""

from __future__ import annotations

import random
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

CHUNK = 1460
STALL_S = (0.6, 2.5)
"""The range of delays before a lost chunk is sent again."""


@dataclass
class Relay:
    """The port of a relay and the quality of its connections."""

    server: int
    port: int = 0
    bytes_per_s: float = 0.0
    """0 means no limit."""
    latency_s: float = 0.0
    loss: float = 0.0
    """The share of chunks that are lost. Every third loss also resets the connection."""
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    lost: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def degrade(self, *, kbit: float = 0, latency_s: float = 0, loss: float = 0, seed: int = 0) -> None:
        self.bytes_per_s, self.latency_s, self.loss = kbit * 125, latency_s, loss
        self.chance = random.Random(seed)

    def forward(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while not self.ended.is_set() and (chunk := source.recv(CHUNK)):
                if not self._wait_for_arrival(len(chunk)):
                    _reset(source)
                    _reset(sink)
                    return
                sink.sendall(chunk)
            sink.shutdown(socket.SHUT_WR)

    def _wait_for_arrival(self, size: int) -> bool:
        wait = self.latency_s / 2 + (size / self.bytes_per_s if self.bytes_per_s else 0)
        if self.loss and self.chance.random() < self.loss:
            self.lost += 1
            if self.chance.random() < 1 / 3:
                return False
            wait += self.chance.uniform(*STALL_S)
        return not (wait and self.ended.wait(wait))


def _reset(end: socket.socket) -> None:
    """Reset the connection, so that a pending read ends at once."""
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def relay(server: int) -> Iterator[Relay]:
    started = Relay(server)
    listener = socket.create_server(("127.0.0.1", 0))
    started.port = listener.getsockname()[1]
    ends: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", server))
                ends.extend((near, far))
                for one, other in ((near, far), (far, near)):
                    threads.append(threading.Thread(target=started.forward, args=(one, other), daemon=True))
                    threads[-1].start()

    listening = threading.Thread(target=accept, daemon=True)
    listening.start()
    try:
        yield started
    finally:
        started.ended.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for end in ends:
            _reset(end)
        for thread in (listening, *threads):
            thread.join(5)
