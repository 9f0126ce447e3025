"""What happens to a session: past tense, with the moment it happened. A journal of these replays exactly."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from uiap.spec.core import ErrorPayload, TerminateReason
from uiap.spec.policy import PolicyPrincipal


class Instant(msgspec.Struct, frozen=True, array_like=True):
    """One moment on two clocks: the monotonic one for waiting, the wall clock for what is written down."""

    mono: float
    wall: str


def timestamp(wall: datetime) -> str:
    """ISO-8601 in UTC with milliseconds, as the examples of the specs write it."""
    return wall.strftime("%Y-%m-%dT%H:%M:%S.") + f"{wall.microsecond // 1000:03d}Z"


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=True, kw_only=True):
    at: Instant


class Received(Event, frozen=True, kw_only=True):
    """A text arrived on the session's transport."""

    text: str


class Garbled(Event, frozen=True, kw_only=True):
    """Bytes arrived that are not UTF-8 text, or more of them than a message may have."""

    size: int


class Admitted(Event, frozen=True, kw_only=True):
    """The caller of `session.initialize` is who it says it is, with these effective grants."""

    principal: PolicyPrincipal | None = None


class TurnedAway(Event, frozen=True, kw_only=True):
    """The caller of `session.initialize` may not come in."""

    error: ErrorPayload


class Resumed(Event, frozen=True, kw_only=True):
    """A new transport carries on this session; `text` is its `session.initialize`."""

    text: str


class TransportLost(Event, frozen=True, kw_only=True):
    pass


class Woke(Event, frozen=True, kw_only=True):
    """The moment asked for by WakeAt has come."""


class Answered(Event, frozen=True, kw_only=True):
    """The host has the reply to a delivered request."""

    request_id: str
    type: str
    payload: Any


class Declined(Event, frozen=True, kw_only=True):
    """The host refuses a delivered request."""

    request_id: str
    error: ErrorPayload


class Published(Event, frozen=True, kw_only=True):
    """Something the peer should hear of."""

    type: str
    payload: Any


class Asked(Event, frozen=True, kw_only=True):
    """The host wants an answer from the peer."""

    type: str
    payload: Any


class Ended(Event, frozen=True, kw_only=True):
    """The host ends the session; its open work has been settled."""

    reason: TerminateReason
    message: str | None = None
