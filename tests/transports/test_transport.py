"""The exception of a closed connection."""

from __future__ import annotations

from uiap.transports.transport import CLOSE_NORMAL, CLOSE_RESYNC, closed_error


def test_the_reason_of_the_peer_is_the_message() -> None:
    error = closed_error(CLOSE_RESYNC, "events were lost")
    assert (error.close_code, error.message) == (CLOSE_RESYNC, "events were lost")


def test_without_a_reason_the_code_is_in_the_message() -> None:
    assert str(CLOSE_NORMAL) in closed_error(CLOSE_NORMAL).message
