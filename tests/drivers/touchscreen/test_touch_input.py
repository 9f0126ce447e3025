"""Input that was not sent says why."""

from __future__ import annotations

from uiap.drivers.errors import DriverError
from uiap.drivers.touchscreen.touch_input import InputNotSent, InputUncertain


def test_a_refused_input_has_a_reason_for_the_outcome() -> None:
    assert InputNotSent("the text has no key").reason == "invalid"
    error = InputNotSent("the element moved", "changed")
    assert (error.message, error.reason) == ("the element moved", "changed")


def test_an_uncertain_input_is_an_error_of_the_driver() -> None:
    assert issubclass(InputUncertain, DriverError) and issubclass(InputNotSent, DriverError)
