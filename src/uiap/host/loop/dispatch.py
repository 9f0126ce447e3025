"""Types of the dispatch table, which has one handler per message type. A type without a handler is refused."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from uiap.spec.core import ErrorPayload, ParticipantRef

if TYPE_CHECKING:
    from uiap.host.loop.loop import SessionConnection


class Call(NamedTuple):
    """One delivered message and the connection it came from."""

    connection: SessionConnection
    id: str
    kind: str
    type: str
    payload: Any
    source: ParticipantRef


class Reply(NamedTuple):
    """The type and payload of an answer."""

    type: str
    payload: msgspec.Struct
    masked: bool = False
    """The handler has masked private values itself."""


Outcome = Reply | ErrorPayload | None
"""A reply, a refusal, or None if the handler answers later itself or the message is an event."""

Handler = Callable[[Call], Outcome | Awaitable[Outcome]]
Handlers = Mapping[str, Handler]


def decline(code: str, message: str, **detail: Any) -> ErrorPayload:
    """Return the error payload of a refused request."""
    return ErrorPayload(code=code, message=message, detail=detail or msgspec.UNSET)
