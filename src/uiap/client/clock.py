"""The wall clock in the format of the protocol."""

from __future__ import annotations

from datetime import UTC, datetime

from uiap.instant import timestamp


def now() -> str:
    """Return the current time as a protocol timestamp."""
    return timestamp(datetime.now(UTC))
