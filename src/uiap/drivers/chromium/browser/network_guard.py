"""The network guard of a whole browser: it checks every request of every page, frame and worker before it is sent.

It intercepts at the browser, so that shared and service workers, beacons and popups cannot bypass it.
WebSockets cannot be intercepted there; a content security policy added to documents and worker scripts blocks them.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable
from typing import Any

from uiap.drivers.chromium.browser.context import BrowserContext
from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.events import RequestBlocked
from uiap.drivers.network_rules import (
    DOCUMENT_RESOURCES,
    NetworkRules,
    PendingRequest,
    block_reason,
)

POLICY_HEADER = "content-security-policy"
PATTERNS = [
    {"urlPattern": "*", "requestStage": "Request"},
    {"urlPattern": "*", "requestStage": "Response", "resourceType": "Document"},
    # CDP reports the scripts of workers as `Other`
    {"urlPattern": "*", "requestStage": "Response", "resourceType": "Other"},
]
HTML_HEADERS = [{"name": "content-type", "value": "text/html"}]


class NetworkGuard:
    """Applies network rules to one browser that only this session uses."""

    def __init__(self, browser: CdpSession, context: BrowserContext) -> None:
        self._browser, self._context = browser, context
        self._rules: NetworkRules | None = None
        self._stop: Callable[[], None] | None = None

    async def set_rules(self, rules: NetworkRules | None) -> None:
        """Start guarding, change the rules, or stop with None; requests already sent are not affected."""
        if rules is None:
            await self._end()
            return
        self._rules = rules
        if self._stop is None:
            self._stop = self._browser.on("Fetch.requestPaused", self._on_request_paused)
            await self._browser.send("Fetch.enable", {"patterns": PATTERNS})

    async def _end(self) -> None:
        if self._stop is not None:
            self._stop()
            self._stop = None
            await self._browser.send("Fetch.disable")
        self._rules = None

    def _on_request_paused(self, event: dict[str, Any]) -> None:
        rules = self._rules
        if "responseStatusCode" in event or "responseErrorReason" in event:
            self._on_response(event, rules)
            return
        described = event["request"]
        request = PendingRequest(
            method=described["method"],
            url=described["url"],
            resource=event["resourceType"],
            body=described.get("postData"),
        )
        reason = block_reason(rules, request) if rules is not None else None
        if reason is None:
            self._browser.send_and_forget("Fetch.continueRequest", {"requestId": event["requestId"]})
            return
        frame = event.get("frameId", "")
        tab = self._context.tab_with_frame(frame)
        self._block(
            event["requestId"],
            in_frame=tab is not None and request.resource in DOCUMENT_RESOURCES and frame != tab.id,
        )
        self._context.emit(
            RequestBlocked(
                tab=tab.id if tab is not None else self._context.active,
                at=time.monotonic(),
                method=request.method,
                url=request.url,
                resource=request.resource,
                reason=reason,
            )
        )

    def _block(self, request_id: str, *, in_frame: bool) -> None:
        """Block a request; a frame inside a page gets an empty document instead.

        Otherwise Chromium renders its own error page in the frame, which costs more than the page around it.
        """
        if in_frame:
            empty = {"requestId": request_id, "responseCode": 200, "responseHeaders": HTML_HEADERS}
            self._browser.send_and_forget("Fetch.fulfillRequest", empty)
        else:
            params = {"requestId": request_id, "errorReason": "BlockedByClient"}
            self._browser.send_and_forget("Fetch.failRequest", params)

    def _on_response(self, event: dict[str, Any], rules: NetworkRules | None) -> None:
        """Pass on the response, with the policy added if it can run scripts."""
        status = event.get("responseStatusCode", 0)
        if rules is None or rules.writes or not status or 300 <= status < 400:
            self._browser.send_and_forget("Fetch.continueResponse", {"requestId": event["requestId"]})
            return
        headers = [*event.get("responseHeaders", []), {"name": POLICY_HEADER, "value": connect_policy(rules)}]
        params = {
            "requestId": event["requestId"],
            "responseCode": status,
            "responseHeaders": headers,
        }
        if event["resourceType"] not in DOCUMENT_RESOURCES:
            self._browser.send_and_forget("Fetch.continueResponse", params)
            return
        # Chromium applies the policy to a document only if we fulfil the whole response.
        body = self._browser.post("Fetch.getResponseBody", {"requestId": event["requestId"]})
        body.add_done_callback(lambda done: self._fulfil(params, done))

    def _fulfil(self, params: dict[str, Any], body: asyncio.Future[dict[str, Any]]) -> None:
        if body.cancelled() or body.exception() is not None:  # a download, or the page has navigated away
            self._browser.send_and_forget("Fetch.continueResponse", {"requestId": params["requestId"]})
            return
        reply = body.result()
        text = reply["body"] if reply["base64Encoded"] else base64.b64encode(reply["body"].encode()).decode()
        self._browser.send_and_forget("Fetch.fulfillRequest", params | {"body": text})


def connect_policy(rules: NetworkRules) -> str:
    """Return a policy that permits all connections except sockets, unless the rules list them as reads."""
    sockets = (read.url for read in rules.reads if read.url.startswith(("ws:", "wss:")))
    origins = {"/".join(url.split("/")[:3]) for url in sockets}  # patterns: the host may contain a `*`
    return " ".join(("connect-src http: https: data: blob:", *sorted(origins)))
