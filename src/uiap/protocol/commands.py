"""What a session wants done: imperative, carried out by the host, in order."""

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
    """Decide who the caller is; answer with Admitted or TurnedAway."""

    request: SessionInitializePayload


class Resume(Command, frozen=True):
    """Find the session the caller wants back; hand it this transport, or answer TurnedAway."""

    session_id: str


class Deliver(Command, frozen=True):
    """A checked message for the host. A request waits for Answered or Declined."""

    id: str
    kind: str
    type: str
    payload: Any
    source: ParticipantRef
    correlation_id: str | None = None


class WakeAt(Command, frozen=True):
    """Send Woke at this monotonic moment."""

    mono: float


class Settle(Command, frozen=True):
    """The peer ends the session: settle open work, then send Ended."""

    reason: TerminateReason


class Suspend(Command, frozen=True):
    """The transport is gone; keep working, keep the results."""


class CloseTransport(Command, frozen=True):
    code: int
    reason: str


class Finish(Command, frozen=True):
    """The session is over; forget it."""

    reason: TerminateReason


class Note(Command, frozen=True):
    """Worth a log line; nobody can be answered."""

    text: str
    code: str
