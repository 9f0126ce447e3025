"""Requests of one tab as events: sent, responded, ended. Bodies are never fetched."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.events import RequestEnded, RequestSent, ResponseReceived, Sink

NAVIGATION_MAX_AGE_S = 2.0  # an older navigation request had no result, and the new request is unrelated


class OpenRequest(NamedTuple):
    """A request that has not ended."""

    url: str
    method: str
    frame: str
    loader: str


class NetworkWatcher:
    """Follows the Network domain of every session of a tab."""

    def __init__(self, tab: str, root_frame: str, emit: Sink) -> None:
        self._tab = tab
        self._root_frame = root_frame
        self._emit = emit
        self._open: dict[str, OpenRequest] = {}
        self._navigation_times: dict[str, float] = {}
        """When a page asked to navigate its frame; another process sends the request itself, and later."""

    def watch(self, session: CdpSession) -> None:
        session.on("Page.frameRequestedNavigation", self._on_navigation_requested)
        session.on("Network.requestWillBeSent", self._on_request_sent)
        session.on("Network.responseReceived", self._on_response)
        session.on("Network.loadingFinished", lambda event: self._on_loading_ended(event, failed=False))
        session.on("Network.loadingFailed", lambda event: self._on_loading_ended(event, failed=True))
        # Do not buffer bodies: nobody reads them, and a long session would accumulate them.
        session.send_and_forget("Network.enable", {"maxTotalBufferSize": 0, "maxResourceBufferSize": 0})

    @property
    def in_flight(self) -> tuple[str, ...]:
        return tuple(self._open)

    def fail_all(self) -> None:
        """End all requests as failed, because the renderer crashed."""
        for request in list(self._open):
            self._end(request, failed=True, reason="crashed")

    def fail_requests_of(self, frame: str, loader: str | None = None) -> None:
        """End the requests of a document that is gone; the browser does not report their end."""
        for request, waiting in list(self._open.items()):
            if waiting.frame == frame and waiting.loader != loader:
                self._end(request, failed=True, reason="left")

    def end_navigation_of(self, frame: str) -> None:
        """End the request for a document that loaded in another process, whose session does not report its end."""
        for request, waiting in list(self._open.items()):
            if waiting.frame == frame and request == waiting.loader:
                self._end(request, failed=False, reason="")

    def _on_navigation_requested(self, event: dict[str, Any]) -> None:
        if event.get("disposition") == "currentTab":
            self._navigation_times[event["frameId"]] = time.monotonic()

    def _on_request_sent(self, event: dict[str, Any]) -> None:
        request = event["request"]
        before = self._open.get(event["requestId"])
        if redirect := event.get("redirectResponse"):
            self._emit_response(event, redirect, before.method if before else "GET")
        self._open[event["requestId"]] = OpenRequest(
            request["url"], request["method"], event.get("frameId", ""), event.get("loaderId", "")
        )
        self._emit(
            RequestSent(
                tab=self._tab,
                at=self._start_time(event),
                request=event["requestId"],
                url=request["url"],
                method=request["method"],
                resource=event.get("type", ""),
                initiator=event.get("initiator", {}),
                redirected_from=before.url if before else None,
                embedded=event.get("type") == "Document" and event.get("frameId") != self._root_frame,
            )
        )

    def _start_time(self, event: dict[str, Any]) -> float:
        """Return when the request started; for a document, when the page asked to navigate."""
        now = time.monotonic()
        is_document = event.get("type") == "Document"
        requested = self._navigation_times.pop(event.get("frameId", ""), None) if is_document else None
        return now if requested is None or now - requested > NAVIGATION_MAX_AGE_S else requested

    def _on_response(self, event: dict[str, Any]) -> None:
        waiting = self._open.get(event["requestId"])
        self._emit_response(event, event["response"], waiting.method if waiting else "GET")

    def _emit_response(self, event: dict[str, Any], response: dict[str, Any], method: str) -> None:
        self._emit(
            ResponseReceived(
                tab=self._tab,
                at=time.monotonic(),
                request=event["requestId"],
                url=response["url"],
                method=method,
                status=response["status"],
                resource=event.get("type", ""),
                by_worker=response.get("fromServiceWorker", False),
            )
        )

    def _on_loading_ended(self, event: dict[str, Any], *, failed: bool) -> None:
        reason = event.get("blockedReason") or event.get("errorText", "")
        self._end(event["requestId"], failed=failed, reason=reason)

    def _end(self, request: str, *, failed: bool, reason: str) -> None:
        if self._open.pop(request, None) is not None:  # each request ends once
            self._emit(
                RequestEnded(
                    tab=self._tab, at=time.monotonic(), request=request, failed=failed, reason=reason
                )
            )
