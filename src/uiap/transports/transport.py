"""What every transport promises: ordered text both ways, one envelope each, and an end that both sides see.

Nothing here knows an envelope; a codec above decides what the text means.
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

MAX_MESSAGE_BYTES = 1_048_576  # companions §3.4: SessionLimits.maxMessageBytes

# RFC 6455 §7.4.1, used by every binding so that a host reads one vocabulary
CLOSE_NORMAL = 1000
CLOSE_GOING_AWAY = 1001
CLOSE_ABNORMAL = 1006
CLOSE_TOO_BIG = 1009
CLOSE_INTERNAL = 1011
CLOSE_OVERLOADED = 1013
# companions §9.3
CLOSE_INVALID = 4400
CLOSE_UNAUTHORIZED = 4401
CLOSE_SUPERSEDED = 4409
# ours: the event stream has a hole (HTTP 410), so what the client holds must be read again
CLOSE_RESYNC = 4410


@dataclass(frozen=True, slots=True)
class Peer:
    """Who is on the other side, as far as the transport can tell."""

    address: str
    principal_id: str | None = None  # authenticated before the first envelope, or None
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
        """Hand over one envelope, waiting while the peer is slow; TransportClosed when it is gone."""

    async def receive(self) -> str | bytes:
        """The next envelope's text; bytes only where it is not UTF-8. TransportClosed at the end."""

    async def close(self, code: int = CLOSE_NORMAL, reason: str = "") -> None:
        """End the connection; a second call does nothing."""


Accept = Callable[[Transport], Awaitable[None]]
"""A host's handler of one connection; it returns when the connection is finished."""


class Listener(Protocol):
    """A place where connections arrive. After `stop` no task, socket or file of it is left."""

    @property
    def address(self) -> str: ...

    async def start(self) -> None: ...

    async def stop(self, grace: float = 5.0) -> None: ...


@dataclass(frozen=True, slots=True)
class AdmissionGranted:
    principal_id: str | None = None


@dataclass(frozen=True, slots=True)
class AdmissionRefused:
    status: int
    code: str
    message: str


Admit = Callable[[Mapping[str, str], str, str], AdmissionGranted | AdmissionRefused]
"""Decides on (headers, path, client address) before anything else is read."""


def closed_error(code: int, reason: str = "") -> TransportClosed:
    """The end of a connection as an exception, with words even where the peer gave none."""
    return TransportClosed(reason or f"the connection is closed ({code})", close_code=code)
