"""The wall clock as the wire writes it."""

from __future__ import annotations

from datetime import UTC, datetime

from uiap.protocol.events import timestamp


def now() -> str:
    return timestamp(datetime.now(UTC))
