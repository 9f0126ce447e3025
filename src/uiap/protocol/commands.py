"""Commands of a session to its host. The host carries them out in order."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.spec.core import ParticipantRef, SessionInitializePayload, TerminateReason


class Command(msgspec.Struct, frozen=True, tag_field="do", tag=True):
    pass


class SendText(Command, frozen=True):
    """Write this envelope to the transport."""

    text: str


class Admit(Command, frozen=True):
    """Identify the caller; answer with `Admitted` or `TurnedAway`."""

    request: SessionInitializePayload


class Resume(Command, frozen=True):
    """Find the session to resume and give it this transport, or answer with `TurnedAway`."""

    session_id: str


class Deliver(Command, frozen=True):
    """Handle a valid message. A request waits for `Answered` or `Declined`."""

    id: str
    kind: str
    type: str
    payload: Any
    source: ParticipantRef
    correlation_id: str | None = None


class WakeAt(Command, frozen=True):
    """Send `Woke` at this monotonic time."""

    mono: float


class Settle(Command, frozen=True):
    """Finish open work because the peer ends the session, then send `Ended`."""

    reason: TerminateReason


class Suspend(Command, frozen=True):
    """Continue without a transport, and keep the results."""


class CloseTransport(Command, frozen=True):
    code: int
    reason: str


class Finish(Command, frozen=True):
    """Release the session; it has ended."""

    reason: TerminateReason


class Note(Command, frozen=True):
    """Write a log line about a message that cannot be answered."""

    text: str
    code: str
