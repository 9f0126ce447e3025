"""Console lines and exceptions of a page as events."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.chromium.page.console import MAX_TEXT_CHARS, watch_console
from uiap.drivers.events import ConsoleLine, PageError


class Session:
    def __init__(self) -> None:
        self.listeners: dict[str, Callable[[dict[str, Any]], None]] = {}
        self.sent: list[str] = []

    def on(self, event: str, callback: Callable[[dict[str, Any]], None]) -> None:
        self.listeners[event] = callback

    def send_and_forget(self, method: str) -> None:
        self.sent.append(method)


def emitted(event: str, params: dict[str, Any]) -> Any:
    session, events = Session(), []
    watch_console(cast(CdpSession, session), "t1", events.append)
    assert session.sent == ["Log.enable"]
    session.listeners[event](params)
    (one,) = events
    return one


def test_the_arguments_of_a_call_are_one_line_with_its_position() -> None:
    args = [
        {"type": "string", "value": "saved"},
        {"type": "number", "unserializableValue": "NaN"},
        {"type": "symbol"},
    ]
    trace = {"callFrames": [{"url": "http://app.test/a.js", "lineNumber": 7}]}
    line = emitted("Runtime.consoleAPICalled", {"type": "warning", "args": args, "stackTrace": trace})
    assert isinstance(line, ConsoleLine)
    assert (line.level, line.text, line.url, line.line) == (
        "warning",
        "saved NaN symbol",
        "http://app.test/a.js",
        7,
    )


def test_an_uncaught_exception_has_its_description_and_a_bounded_text() -> None:
    details = {"text": "Uncaught", "exception": {"description": "Error: boom " + "x" * MAX_TEXT_CHARS}}
    error = emitted("Runtime.exceptionThrown", {"exceptionDetails": details})
    assert isinstance(error, PageError)
    assert error.text.startswith("Error: boom") and len(error.text) == MAX_TEXT_CHARS


def test_an_entry_of_the_browser_is_a_line_too() -> None:
    line = emitted("Log.entryAdded", {"entry": {"level": "error", "text": "404"}})
    assert (line.level, line.text, line.url) == ("error", "404", "")
