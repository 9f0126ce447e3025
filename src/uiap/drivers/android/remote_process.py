"""A program that goes on running on the device for as long as somebody here listens. Knows nothing of what it says.

adb leaves a program alone when its connection ends: it dies when it next writes, which a quiet one never does. So a
shell stands beside it and reads. A line from here ends the program, and so does the end of the connection; when the
program ends by itself, the connection ends too.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any

from adbutils.errors import AdbError

SUPERVISED = "{{ trap 'kill $p' TERM; {line} & p=$!; wait $p; kill $$; }} & read x; kill $!; wait $!"
STOP_S = 5.0


class RemoteProcess:
    """Its calls block, for threads of their own; `end` may be called from any other."""

    def __init__(self, wire: Any) -> None:
        self._wire = wire
        wire.conn.settimeout(None)

    def read(self) -> bytes:
        """What it wrote since; nothing when it has ended."""
        try:
            return bytes(self._wire.conn.recv(65536))
        except (OSError, AdbError):
            return b""

    def end(self) -> None:
        """Ask it to; whoever reads sees it happen."""
        with suppress(OSError, AdbError):
            self._wire.conn.sendall(b"\n")

    def cut(self) -> None:
        """Hang up."""
        with suppress(OSError, AdbError):
            self._wire.conn.shutdown(socket.SHUT_RDWR)
        with suppress(OSError, AdbError):
            self._wire.close()
