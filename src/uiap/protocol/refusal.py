"""A refusal: why a message was not taken, as a value that knows whether and to whom it may be answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec


class Refusal(msgspec.Struct, frozen=True):
    """One failed check of companions §3.3.1. `path` is the JSON Pointer of the member at fault, if one is."""

    code: str
    message: str
    path: str | None = None
    detail: Mapping[str, Any] = {}
    correlation_id: str | None = None
    """The request this answers; None where no request can be answered."""
    announce: bool = False
    """Tell the peer by an `error` event: its text could not even be read (companions §3.6)."""

    def about(self, correlation_id: str | None) -> Refusal:
        return msgspec.structs.replace(self, correlation_id=correlation_id)
