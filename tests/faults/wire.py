"""A bad line between browser and server: slow, far away, and now and then what it carries is lost.

A relay on the loopback that moves bytes both ways. It may be made worse at any time; it knows nothing of HTTP.
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
"""What was lost is sent again after so long, as a sender without an answer would."""


@dataclass
class Wire:
    server: int
    port: int = 0
    bytes_per_s: float = 0.0
    """0: as fast as it goes."""
    latency_s: float = 0.0
    loss: float = 0.0
    """Of so many chunks one is lost; every third of those takes the connection with it."""
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    lost: int = 0
    ended: threading.Event = field(default_factory=threading.Event)

    def worsen(self, *, kbit: float = 0, latency_s: float = 0, loss: float = 0, seed: int = 0) -> None:
        self.bytes_per_s, self.latency_s, self.loss = kbit * 125, latency_s, loss
        self.chance = random.Random(seed)

    def carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while not self.ended.is_set() and (chunk := source.recv(CHUNK)):
                if not self._arrives(len(chunk)):
                    _cut(source)
                    _cut(sink)
                    return
                sink.sendall(chunk)
            sink.shutdown(socket.SHUT_WR)

    def _arrives(self, size: int) -> bool:
        wait = self.latency_s / 2 + (size / self.bytes_per_s if self.bytes_per_s else 0)
        if self.loss and self.chance.random() < self.loss:
            self.lost += 1
            if self.chance.random() < 1 / 3:
                return False
            wait += self.chance.uniform(*STALL_S)
        return not (wait and self.ended.wait(wait))


def _cut(end: socket.socket) -> None:
    """Reset, not closed; whoever waits for more of it wakes up."""
    with suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.shutdown(socket.SHUT_RDWR)
    end.close()


@contextmanager
def wire(server: int) -> Iterator[Wire]:
    made = Wire(server)
    door = socket.create_server(("127.0.0.1", 0))
    made.port = door.getsockname()[1]
    ends: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def accept() -> None:
        with suppress(OSError):
            while True:
                near, _ = door.accept()
                far = socket.create_connection(("127.0.0.1", server))
                ends.extend((near, far))
                for one, other in ((near, far), (far, near)):
                    threads.append(threading.Thread(target=made.carry, args=(one, other), daemon=True))
                    threads[-1].start()

    listening = threading.Thread(target=accept, daemon=True)
    listening.start()
    try:
        yield made
    finally:
        made.ended.set()
        with suppress(OSError):
            door.shutdown(socket.SHUT_RDWR)
        door.close()
        for end in ends:
            _cut(end)
        for thread in (listening, *threads):
            thread.join(5)
