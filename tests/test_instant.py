"""A moment is written in one way: UTC, ISO 8601, milliseconds."""

from datetime import UTC, datetime

import msgspec

from uiap.instant import Instant, timestamp


def test_a_timestamp_has_milliseconds_that_are_cut_off_and_not_rounded() -> None:
    assert timestamp(datetime(2026, 3, 1, 10, 0, 0, 1_999, tzinfo=UTC)) == "2026-03-01T10:00:00.001Z"
    assert timestamp(datetime(2026, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)) == "2026-12-31T23:59:59.999Z"


def test_an_instant_is_stored_as_a_pair() -> None:
    at = Instant(1.5, "2026-03-01T10:00:00.000Z")
    assert msgspec.json.encode(at) == b'[1.5,"2026-03-01T10:00:00.000Z"]'
    assert msgspec.json.decode(msgspec.json.encode(at), type=Instant) == at
