"""The network guard of a whole browser: it checks every request of every page, frame and worker before it is sent.

It intercepts at the browser, so that shared and service workers, beacons and popups cannot bypass it. Code that ran
before is not intercepted, so the guard leaves the pages that are open when it starts.
WebSockets cannot be intercepted there; `connection_script` and a content security policy refuse them.
"""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from uiap.drivers.chromium.browser.context import BrowserContext
from uiap.drivers.chromium.page.connection_script import connection_script
from uiap.drivers.events import RequestBlocked, RequestPermitted
from uiap.drivers.network_rules import (
    DOCUMENT_RESOURCES,
    READ_METHODS,
    NetworkRules,
    PendingRequest,
    block_reason,
)

if TYPE_CHECKING:
    from uiap.drivers.chromium.browser.browser import ChromiumBrowser
    from uiap.drivers.chromium.page.tab import Tab

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

    def __init__(self, browser: ChromiumBrowser, context: BrowserContext) -> None:
        self._owner, self._browser, self._context = browser, browser.session, context
        self._rules: NetworkRules | None = None
        self._stop: Callable[[], None] | None = None

    async def set_rules(self, rules: NetworkRules | None) -> None:
        """Start guarding, change the rules, or stop with None; requests already sent are not affected."""
        if rules is None:
            await self._end()
            return
        self._rules = rules
        is_new = self._stop is None
        if is_new:
            self._stop = self._browser.on("Fetch.requestPaused", self._on_request_paused)
            await self._browser.send("Fetch.enable", {"patterns": PATTERNS})
            await self._context.leave_pages()
        sockets = [read.url for read in rules.reads if read.url.startswith(("ws:", "wss:"))]
        script = "" if rules.sockets else connection_script(sockets)
        if script != self._context.guard_script:
            await self._context.set_guard_script(script)
        if is_new:  # last, so that a worker which starts from now on gets the script
            await self._owner.enable_auto_attach(workers=True)

    async def _end(self) -> None:
        if self._stop is not None:
            await self._context.set_guard_script("")
            await self._owner.enable_auto_attach()
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
            speculative=_is_speculative(described["headers"]),
        )
        reason = block_reason(rules, request) if rules is not None else None
        tab = self._context.tab_with_frame(event.get("frameId", ""))
        tab_id = tab.id if tab is not None else next((one.tab for one in self._context.all()), "")
        if reason is None:
            self._browser.send_and_forget("Fetch.continueRequest", {"requestId": event["requestId"]})
            if request.method not in READ_METHODS:
                permitted = RequestPermitted(
                    tab=tab_id, at=time.monotonic(), method=request.method, url=request.url
                )
                self._context.emit(permitted)
            return
        self._block(event, tab)
        if reason == "speculation":
            return  # a hint of the page, not a request of the application
        self._context.emit(
            RequestBlocked(
                tab=tab_id,
                at=time.monotonic(),
                method=request.method,
                url=request.url,
                resource=request.resource,
                reason=reason,
            )
        )

    def _block(self, event: dict[str, Any], tab: Tab | None) -> None:
        """Block a request. The page stays as it is; a frame inside it gets an empty document.

        Otherwise Chromium renders its own error page in the frame, which costs more than the page around it.
        """
        request, is_document = {"requestId": event["requestId"]}, event["resourceType"] in DOCUMENT_RESOURCES
        if is_document and tab is not None and event["frameId"] != tab.target_id:
            empty = request | {"responseCode": 200, "responseHeaders": HTML_HEADERS}
            self._browser.send_and_forget("Fetch.fulfillRequest", empty)
        else:
            reason = "Aborted" if is_document else "BlockedByClient"
            self._browser.send_and_forget("Fetch.failRequest", request | {"errorReason": reason})

    def _on_response(self, event: dict[str, Any], rules: NetworkRules | None) -> None:
        """Pass on the response, with the policy added if it can run scripts."""
        status = event.get("responseStatusCode", 0)
        if rules is None or rules.sockets or not status or 300 <= status < 400:
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


def _is_speculative(headers: dict[str, str]) -> bool:
    """Whether the browser prefetches or prerenders an address that nobody opened."""
    purposes = (value for name, value in headers.items() if name.lower() in ("sec-purpose", "purpose"))
    return any("prefetch" in value or "prerender" in value for value in purposes)


def connect_policy(rules: NetworkRules) -> str:
    """Return a policy that permits all connections except sockets, unless the rules list them as reads."""
    sockets = (read.url for read in rules.reads if read.url.startswith(("ws:", "wss:")))
    origins = {"/".join(url.split("/")[:3]) for url in sockets}  # patterns: the host may contain a `*`
    return " ".join(("connect-src http: https: data: blob:", *sorted(origins)))
