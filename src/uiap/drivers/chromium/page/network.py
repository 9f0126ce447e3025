"""Requests of one tab as events: sent, answered, ended. Bodies are never fetched."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.events import RequestEnded, RequestSent, ResponseReceived, Sink

ASKED_S = 2.0  # what was asked for longer ago came to nothing, and this is something else


class Open(NamedTuple):
    """A request that has not ended."""

    url: str
    method: str
    frame: str
    loader: str


class Network:
    """Follows the Network domain of every session of a tab."""

    def __init__(self, tab: str, emit: Sink) -> None:
        self._tab = tab
        self._emit = emit
        self._open: dict[str, Open] = {}
        self._asked: dict[str, float] = {}
        """When a frame's page asked to go elsewhere; the request itself is made by another process, and later."""

    def watch(self, session: CdpSession) -> None:
        session.on("Page.frameRequestedNavigation", self._leaves)
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
        for request in list(self._open):
            self._end(request, failed=True, reason="crashed")

    def left(self, frame: str, loader: str | None = None) -> None:
        """The frame's document is gone: what only it waited for will never be told to end."""
        for request, waiting in list(self._open.items()):
            if waiting.frame == frame and waiting.loader != loader:
                self._end(request, failed=True, reason="left")

    def arrived(self, frame: str) -> None:
        """The frame's document came in another process, whose session does not tell the end of its request."""
        for request, waiting in list(self._open.items()):
            if waiting.frame == frame and request == waiting.loader:
                self._end(request, failed=False, reason="")

    def _leaves(self, event: dict[str, Any]) -> None:
        if event.get("disposition") == "currentTab":
            self._asked[event["frameId"]] = time.monotonic()

    def _sent(self, event: dict[str, Any]) -> None:
        request = event["request"]
        before = self._open.get(event["requestId"])
        if redirect := event.get("redirectResponse"):
            self._respond(event, redirect, before.method if before else "GET")
        self._open[event["requestId"]] = Open(
            request["url"], request["method"], event.get("frameId", ""), event.get("loaderId", "")
        )
        self._emit(
            RequestSent(
                tab=self._tab,
                at=self._begun(event),
                request=event["requestId"],
                url=request["url"],
                method=request["method"],
                resource=event.get("type", ""),
                initiator=event.get("initiator", {}),
                redirected_from=before.url if before else None,
            )
        )

    def _begun(self, event: dict[str, Any]) -> float:
        """A document was asked for when the page asked for it."""
        now = time.monotonic()
        asked = self._asked.pop(event.get("frameId", ""), None) if event.get("type") == "Document" else None
        return now if asked is None or now - asked > ASKED_S else asked

    def _answered(self, event: dict[str, Any]) -> None:
        waiting = self._open.get(event["requestId"])
        self._respond(event, event["response"], waiting.method if waiting else "GET")

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
        reason = event.get("blockedReason") or event.get("errorText", "")
        self._end(event["requestId"], failed=failed, reason=reason)

    def _end(self, request: str, *, failed: bool, reason: str) -> None:
        if self._open.pop(request, None) is not None:  # each request ends once
            self._emit(
                RequestEnded(
                    tab=self._tab, at=time.monotonic(), request=request, failed=failed, reason=reason
                )
            )
