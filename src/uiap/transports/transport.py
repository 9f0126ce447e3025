"""The interface of every transport: ordered text in both directions, one envelope each, and a close code.

Transports do not read envelopes; the codec decides what the text means.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from uiap.errors import TransportClosed

__all__ = [
    "CLOSE_ABNORMAL",
    "CLOSE_GOING_AWAY",
    "CLOSE_INTERNAL",
    "CLOSE_INVALID",
    "CLOSE_NORMAL",
    "CLOSE_OVERLOADED",
    "CLOSE_RESYNC",
    "CLOSE_SUPERSEDED",
    "CLOSE_TOO_BIG",
    "CLOSE_UNAUTHORIZED",
    "MAX_MESSAGE_BYTES",
    "Accept",
    "AdmissionGranted",
    "AdmissionRefused",
    "Admit",
    "Listener",
    "Peer",
    "Transport",
    "TransportClosed",
    "closed_error",
]

MAX_MESSAGE_BYTES = 1_048_576  # the default of `SessionLimits.maxMessageBytes`

# close codes of RFC 6455 §7.4.1, used by every binding
CLOSE_NORMAL = 1000
CLOSE_GOING_AWAY = 1001
CLOSE_ABNORMAL = 1006
CLOSE_TOO_BIG = 1009
CLOSE_INTERNAL = 1011
CLOSE_OVERLOADED = 1013
# close codes of the protocol
CLOSE_INVALID = 4400
CLOSE_UNAUTHORIZED = 4401
CLOSE_SUPERSEDED = 4409
# our own close code: events were lost (HTTP 410), so the client must read the state again
CLOSE_RESYNC = 4410


@dataclass(frozen=True, slots=True)
class Peer:
    """The other side of a connection, as far as the transport knows it."""

    address: str
    principal_id: str | None = None  # None if not authenticated before the first envelope
    headers: Mapping[str, str] = field(default_factory=dict)  # a harmless subset; never a credential


class Transport(Protocol):
    """One connection. One task receives; any number of tasks may send."""

    @property
    def binding(self) -> str: ...

    @property
    def peer(self) -> Peer: ...

    @property
    def closed(self) -> bool: ...

    async def send(self, text: str) -> None:
        """Send one envelope, waiting while the peer is slow; raise TransportClosed if it is gone."""

    async def receive(self) -> str | bytes:
        """Return the text of the next envelope, or bytes if it is not UTF-8; raise TransportClosed at the end."""

    async def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        """End the connection; a second call does nothing."""


Accept = Callable[[Transport], Awaitable[None]]
"""The host's handler of one connection; it returns when the connection has ended."""


class Listener(Protocol):
    """Accepts connections. After `stop` it leaves no task, socket or file behind."""

    @property
    def address(self) -> str: ...

    async def start(self) -> None: ...

    async def stop(self, grace: float = 5.0) -> None: ...


@dataclass(frozen=True, slots=True)
class AdmissionGranted:
    """The request is admitted, with this authenticated principal."""

    principal_id: str | None = None


@dataclass(frozen=True, slots=True)
class AdmissionRefused:
    """The request is refused with this HTTP status and error."""

    status: int
    code: str
    message: str


Admit = Callable[[Mapping[str, str], str, str], AdmissionGranted | AdmissionRefused]
"""Decides from headers, path and client address, before anything else is read."""


def closed_error(code: int, reason: str = "") -> TransportClosed:
    """Return the exception for a closed connection, with a default message if the peer gave no reason."""
    return TransportClosed(reason or f"the connection is closed ({code})", close_code=code)
