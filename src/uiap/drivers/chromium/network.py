"""Requests of one tab as events: sent, answered, ended. Bodies are never fetched."""

from __future__ import annotations

import time
from typing import Any

from uiap.drivers.chromium.cdp import Session
from uiap.drivers.events import RequestEnded, RequestSent, ResponseReceived, Sink


class Network:
    """Follows the Network domain of every session of a tab."""

    def __init__(self, tab: str, emit: Sink) -> None:
        self._tab = tab
        self._emit = emit
        self._open: dict[str, tuple[str, str]] = {}  # request → url, method; until it ends

    def watch(self, session: Session) -> None:
        session.on("Network.requestWillBeSent", self._sent)
        session.on("Network.responseReceived", self._answered)
        session.on("Network.loadingFinished", lambda event: self._ended(event, failed=False))
        session.on("Network.loadingFailed", lambda event: self._ended(event, failed=True))
        # Bodies are not kept: nobody reads them, and a long session would hold them all.
        session.tell("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})

    @property
    def in_flight(self) -> tuple[str, ...]:
        return tuple(self._open)

    def forget(self) -> None:
        """The renderer is gone, and with it every answer."""
        self._open.clear()

    def _sent(self, event: dict[str, Any]) -> None:
        request = event["request"]
        before = self._open.get(event["requestId"])
        if redirect := event.get("redirectResponse"):
            self._respond(event, redirect, before[1] if before else "GET")
        self._open[event["requestId"]] = (request["url"], request["method"])
        self._emit(
            RequestSent(
                tab=self._tab,
                at=time.monotonic(),
                request=event["requestId"],
                url=request["url"],
                method=request["method"],
                resource=event.get("type", ""),
                initiator=event.get("initiator", {}),
                redirected_from=before[0] if before else None,
            )
        )

    def _answered(self, event: dict[str, Any]) -> None:
        _, method = self._open.get(event["requestId"], ("", "GET"))
        self._respond(event, event["response"], method)

    def _respond(self, event: dict[str, Any], response: dict[str, Any], method: str) -> None:
        self._emit(
            ResponseReceived(
                tab=self._tab,
                at=time.monotonic(),
                request=event["requestId"],
                url=response["url"],
                method=method,
                status=response["status"],
                resource=event.get("type", ""),
            )
        )

    def _ended(self, event: dict[str, Any], *, failed: bool) -> None:
        self._open.pop(event["requestId"], None)
        self._emit(
            RequestEnded(
                tab=self._tab,
                at=time.monotonic(),
                request=event["requestId"],
                failed=failed,
                reason=event.get("blockedReason") or event.get("errorText", ""),
            )
        )
