"""Console messages and uncaught exceptions of a page, as events."""

from __future__ import annotations

import time
from typing import Any

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.events import ConsoleLine, PageError, Sink

MAX_TEXT_CHARS = 2_000  # characters of one line; a page may log a whole document


def watch_console(session: CdpSession, tab: str, emit: Sink) -> None:
    """Emit the console lines, log entries and uncaught exceptions of a session."""

    def on_console_call(event: dict[str, Any]) -> None:
        location = _location(event.get("stackTrace"))
        text = " ".join(_argument_text(argument) for argument in event.get("args", ()))
        emit(
            ConsoleLine(
                tab=tab, at=time.monotonic(), level=event["type"], text=text[:MAX_TEXT_CHARS], **location
            )
        )

    def on_log_entry(event: dict[str, Any]) -> None:
        entry = event["entry"]
        emit(
            ConsoleLine(
                tab=tab,
                at=time.monotonic(),
                level=entry["level"],
                text=entry["text"][:MAX_TEXT_CHARS],
                url=entry.get("url", ""),
                line=entry.get("lineNumber", 0),
            )
        )

    def on_exception(event: dict[str, Any]) -> None:
        details = event["exceptionDetails"]
        exception = details.get("exception", {})
        text = exception.get("description") or str(exception.get("value", details["text"]))
        line = details.get("lineNumber", 0)
        emit(
            PageError(
                tab=tab,
                at=time.monotonic(),
                text=text[:MAX_TEXT_CHARS],
                url=details.get("url", ""),
                line=line,
            )
        )

    session.on("Runtime.consoleAPICalled", on_console_call)
    session.on("Log.entryAdded", on_log_entry)
    session.on("Runtime.exceptionThrown", on_exception)
    session.send_and_forget("Log.enable")


def _argument_text(argument: dict[str, Any]) -> str:
    if "value" in argument:
        return str(argument["value"])
    return str(argument.get("unserializableValue") or argument.get("description") or argument["type"])


def _location(trace: dict[str, Any] | None) -> dict[str, Any]:
    frames = (trace or {}).get("callFrames") or [{}]
    return {"url": frames[0].get("url", ""), "line": frames[0].get("lineNumber", 0)}
