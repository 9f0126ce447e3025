"""A process on the device that runs as long as its connection. It does not interpret the output.

adb does not end a process when its connection ends: the process dies at its next write, which a silent one never
does. So a shell supervises it. A line from the host ends the process, and so does the end of the connection. If the
process ends by itself, the connection ends too.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any

from adbutils.errors import AdbError

# the order to end may come before the process has started, or before a variable could hold its number
SUPERVISED = "{{ trap 'kill $!; wait $!; exit' TERM; {line} & wait $!; kill $$; }} & read x; kill $!; wait $!"
STOP_S = 5.0


class RemoteProcess:
    """A process on the device. Its methods block, so they run in threads; any thread may call `stop`."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        connection.conn.settimeout(None)

    def read(self) -> bytes:
        """Return new output; empty if the process has ended."""
        try:
            return bytes(self._connection.conn.recv(65536))
        except (OSError, AdbError):
            return b""

    def stop(self) -> None:
        """Ask the process to end; the reading thread notices when it does."""
        with suppress(OSError, AdbError):
            self._connection.conn.sendall(b"\n")

    def disconnect(self) -> None:
        """Close the connection."""
        with suppress(OSError, AdbError):
            self._connection.conn.shutdown(socket.SHUT_RDWR)
        with suppress(OSError, AdbError):
            self._connection.close()
