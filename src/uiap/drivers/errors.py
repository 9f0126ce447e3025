"""Exceptions that drivers raise.

    DriverError
    ├── BrowserUnavailable   no browser was found, or it did not start
    ├── ConnectionLost       the browser is gone: its pipe or socket ended
    ├── TargetGone           one tab or frame is gone (closed, crashed, detached); the others still work
    ├── BlockedByDialog      a JavaScript dialog is open, so the page cannot answer
    ├── CallTimedOut         no answer within the timeout; the page may still carry out the call
    ├── CallFailed           the browser answered with an error
    ├── PathRefused          a path that was not allowed explicitly, or leaves its folder
    └── NotSupported         the driver does not support this; its facts do not list it

Expected outcomes of an action are values (see `driver.py`), not exceptions.
"""

from __future__ import annotations

from uiap.errors import UiapError, Unavailable

PAGE_GONE = "page_gone"
"""The reason in the detail of an error about a page that is gone."""


class DriverError(UiapError):
    """Base class of all exceptions that a driver raises."""


class BrowserUnavailable(DriverError, Unavailable):
    pass


class ConnectionLost(DriverError):
    pass


class TargetGone(DriverError):
    pass


class PageGone(DriverError):
    """There is no page to read any more: its tab crashed, or the browser has stopped."""

    code = "invalid_state"

    def __init__(self, message: str) -> None:
        super().__init__(message, detail={"reason": PAGE_GONE})


class BlockedByDialog(DriverError):
    pass


class CallTimedOut(DriverError):
    def __init__(self, method: str, seconds: float) -> None:
        super().__init__(f"no answer to `{method}` within {seconds:g} s; the page may be busy or hung")
        self.method = method
        self.seconds = seconds


class CallFailed(DriverError):
    def __init__(self, method: str, code: int, message: str) -> None:
        super().__init__(f"`{method}` was refused by the browser: {message}")
        self.method = method
        self.reason = message
        self.cdp_code = code


class PathRefused(DriverError):
    pass


class NotSupported(DriverError):
    pass
