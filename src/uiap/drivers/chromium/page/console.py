"""What a page writes to its console and the exceptions nobody caught, as events."""

from __future__ import annotations

import time
from typing import Any

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.events import ConsoleLine, PageError, Sink

LONGEST = 2_000  # characters of one line; a page may log a whole document


def watch_console(session: CdpSession, tab: str, emit: Sink) -> None:
    def said(event: dict[str, Any]) -> None:
        where = _where(event.get("stackTrace"))
        text = " ".join(_shown(argument) for argument in event.get("args", ()))
        emit(ConsoleLine(tab=tab, at=time.monotonic(), level=event["type"], text=text[:LONGEST], **where))

    def logged(event: dict[str, Any]) -> None:
        entry = event["entry"]
        emit(
            ConsoleLine(
                tab=tab,
                at=time.monotonic(),
                level=entry["level"],
                text=entry["text"][:LONGEST],
                url=entry.get("url", ""),
                line=entry.get("lineNumber", 0),
            )
        )

    def thrown(event: dict[str, Any]) -> None:
        details = event["exceptionDetails"]
        exception = details.get("exception", {})
        text = exception.get("description") or str(exception.get("value", details["text"]))
        line = details.get("lineNumber", 0)
        emit(
            PageError(
                tab=tab, at=time.monotonic(), text=text[:LONGEST], url=details.get("url", ""), line=line
            )
        )

    session.on("Runtime.consoleAPICalled", said)
    session.on("Log.entryAdded", logged)
    session.on("Runtime.exceptionThrown", thrown)
    session.tell("Log.enable")


def _shown(argument: dict[str, Any]) -> str:
    if "value" in argument:
        return str(argument["value"])
    return str(argument.get("unserializableValue") or argument.get("description") or argument["type"])


def _where(trace: dict[str, Any] | None) -> dict[str, Any]:
    frames = (trace or {}).get("callFrames") or [{}]
    return {"url": frames[0].get("url", ""), "line": frames[0].get("lineNumber", 0)}
