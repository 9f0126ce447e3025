"""Events of a session, each with the time it happened. A journal of them replays exactly."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.instant import Instant
from uiap.spec.core import ErrorPayload, TerminateReason
from uiap.spec.policy import PolicyPrincipal


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=True, kw_only=True):
    at: Instant


class Received(Event, frozen=True, kw_only=True):
    """A text arrived on the session's transport."""

    text: str


class Garbled(Event, frozen=True, kw_only=True):
    """Bytes arrived that are not UTF-8 text, or more of them than a message may have."""

    size: int


class Admitted(Event, frozen=True, kw_only=True):
    """The caller of `session.initialize` is authenticated and has these effective grants."""

    principal: PolicyPrincipal | None = None


class TurnedAway(Event, frozen=True, kw_only=True):
    """The caller of `session.initialize` may not open a session."""

    error: ErrorPayload


class Resumed(Event, frozen=True, kw_only=True):
    """A new transport continues this session; `text` is its `session.initialize`."""

    text: str


class TransportLost(Event, frozen=True, kw_only=True):
    pass


class Woke(Event, frozen=True, kw_only=True):
    """The time set by `WakeAt` has come."""


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
    """The host has an event for the peer."""

    type: str
    payload: Any


class Asked(Event, frozen=True, kw_only=True):
    """The host has a request for the peer."""

    type: str
    payload: Any


class Ended(Event, frozen=True, kw_only=True):
    """The host ends the session after its open work is finished."""

    reason: TerminateReason
    message: str | None = None
