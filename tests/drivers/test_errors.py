"""Errors of drivers say what did not happen."""

from __future__ import annotations

from uiap.drivers.errors import BrowserUnavailable, CallFailed, CallTimedOut, DriverError
from uiap.errors import UiapError, Unavailable


def test_a_timeout_names_the_call_and_the_time() -> None:
    error = CallTimedOut("Page.navigate", 1.5)
    assert "`Page.navigate`" in error.message and "1.5 s" in error.message
    assert (error.method, error.seconds) == ("Page.navigate", 1.5)


def test_a_refusal_of_the_browser_keeps_its_code_and_reason() -> None:
    error = CallFailed("DOM.focus", -32000, "Element is not focusable")
    assert (error.cdp_code, error.reason) == (-32000, "Element is not focusable")
    assert error.reason in error.message


def test_a_missing_browser_is_caught_like_everything_that_is_missing_here() -> None:
    assert issubclass(BrowserUnavailable, DriverError) and issubclass(BrowserUnavailable, Unavailable)
    assert issubclass(DriverError, UiapError)
