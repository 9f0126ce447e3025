"""The network guard of a whole browser: every request of every page, frame and worker is judged before it is sent.

It stands at the browser itself, so that shared and service workers, beacons and popups cannot pass beside it.
WebSockets cannot be stopped there; a policy added to every document and worker script forbids them to connect.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable
from typing import Any

from uiap.drivers.chromium.browser.context import Context
from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.events import RequestBlocked
from uiap.drivers.network_rules import (
    DOCUMENT_RESOURCES,
    NetworkRules,
    PendingRequest,
    block_reason,
)

POLICY = "content-security-policy"
PATTERNS = [
    {"urlPattern": "*", "requestStage": "Request"},
    {"urlPattern": "*", "requestStage": "Response", "resourceType": "Document"},
    # the scripts of workers are told as `Other`
    {"urlPattern": "*", "requestStage": "Response", "resourceType": "Other"},
]
EMPTY = [{"name": "content-type", "value": "text/html"}]


class NetworkGuard:
    """Rules in force over one browser of our own."""

    def __init__(self, browser: CdpSession, context: Context) -> None:
        self._browser, self._context = browser, context
        self._rules: NetworkRules | None = None
        self._stop: Callable[[], None] | None = None

    async def use(self, rules: NetworkRules | None) -> None:
        """Begin, change or end guarding; what was sent before is not called back."""
        if rules is None:
            await self._end()
            return
        self._rules = rules
        if self._stop is None:
            self._stop = self._browser.on("Fetch.requestPaused", self._paused)
            await self._browser.send("Fetch.enable", {"patterns": PATTERNS})

    async def _end(self) -> None:
        if self._stop is not None:
            self._stop()
            self._stop = None
            await self._browser.send("Fetch.disable")
        self._rules = None

    def _paused(self, event: dict[str, Any]) -> None:
        rules = self._rules
        if "responseStatusCode" in event or "responseErrorReason" in event:
            self._answered(event, rules)
            return
        request = event["request"]
        asked = PendingRequest(
            method=request["method"],
            url=request["url"],
            resource=event["resourceType"],
            body=request.get("postData"),
        )
        reason = block_reason(rules, asked) if rules is not None else None
        if reason is None:
            self._browser.tell("Fetch.continueRequest", {"requestId": event["requestId"]})
            return
        frame = event.get("frameId", "")
        tab = self._context.tab_with_frame(frame)
        self._hold(
            event["requestId"],
            within=tab is not None and asked.resource in DOCUMENT_RESOURCES and frame != tab.id,
        )
        self._context.emit(
            RequestBlocked(
                tab=tab.id if tab is not None else self._context.active,
                at=time.monotonic(),
                method=asked.method,
                url=asked.url,
                resource=asked.resource,
                reason=reason,
            )
        )

    def _hold(self, request: str, *, within: bool) -> None:
        """Nothing is sent; a frame within a page gets an empty document in its place.

        Else Chromium draws its own page about the failure there, which costs more than the page around it.
        """
        if within:
            empty = {"requestId": request, "responseCode": 200, "responseHeaders": EMPTY}
            self._browser.tell("Fetch.fulfillRequest", empty)
        else:
            params = {"requestId": request, "errorReason": "BlockedByClient"}
            self._browser.tell("Fetch.failRequest", params)

    def _answered(self, event: dict[str, Any], rules: NetworkRules | None) -> None:
        """Give the answer on, with the policy if it is one that can run script."""
        status = event.get("responseStatusCode", 0)
        if rules is None or rules.writes or not status or 300 <= status < 400:
            self._browser.tell("Fetch.continueResponse", {"requestId": event["requestId"]})
            return
        headers = [*event.get("responseHeaders", []), {"name": POLICY, "value": connect_policy(rules)}]
        params = {
            "requestId": event["requestId"],
            "responseCode": status,
            "responseHeaders": headers,
        }
        if event["resourceType"] not in DOCUMENT_RESOURCES:
            self._browser.tell("Fetch.continueResponse", params)
            return
        # A document takes its policy only from an answer that is ours from head to foot.
        body = self._browser.post("Fetch.getResponseBody", {"requestId": event["requestId"]})
        body.add_done_callback(lambda done: self._fulfil(params, done))

    def _fulfil(self, params: dict[str, Any], body: asyncio.Future[dict[str, Any]]) -> None:
        if body.cancelled() or body.exception() is not None:  # a download, or the page went elsewhere
            self._browser.tell("Fetch.continueResponse", {"requestId": params["requestId"]})
            return
        got = body.result()
        text = got["body"] if got["base64Encoded"] else base64.b64encode(got["body"].encode()).decode()
        self._browser.tell("Fetch.fulfillRequest", params | {"body": text})


def connect_policy(rules: NetworkRules) -> str:
    """Return the connect sources of a page: everything except sockets, and the sockets that are known to read."""
    sockets = (read.url for read in rules.reads if read.url.startswith(("ws:", "wss:")))
    known = {"/".join(url.split("/")[:3]) for url in sockets}  # patterns, so the host may hold a `*`
    return " ".join(("connect-src http: https: data: blob:", *sorted(known)))
