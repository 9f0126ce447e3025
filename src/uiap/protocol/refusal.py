"""The reason why a message is refused, and the request that the refusal answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Refusal(msgspec.Struct, frozen=True):
    """One failed check of a message. `path` is the JSON Pointer of the invalid member, if there is one."""

    code: str
    message: str
    path: str | None = None
    detail: Mapping[str, Any] = {}
    correlation_id: str | None = None
    """The id of the request that this answers, or None if there is none to answer."""
    announce: bool = False
    """Send an `error` event to the peer, because its text could not be decoded at all."""

    def about(self, correlation_id: str | None) -> Refusal:
        """Return this refusal as the answer to a request."""
        return msgspec.structs.replace(self, correlation_id=correlation_id)
