"""The storage state of a context: cookies, and localStorage of every visited origin.

Origins are visited in a hidden page whose requests we answer ourselves. So neither saving nor loading contacts a
server or runs code of the application.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any

from uiap.drivers.chromium.browser.context import BrowserContext
from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.chromium.page.world import as_js_string, value_of
from uiap.drivers.driver import StorageState
from uiap.drivers.errors import CallFailed

COOKIE_MEMBERS = (
    "name",
    "value",
    "domain",
    "path",
    "expires",
    "httpOnly",
    "secure",
    "sameSite",
    "partitionKey",
)
EMPTY_PAGE = base64.b64encode(b"<!doctype html><title>storage</title>").decode()

# A page with an opaque origin has no storage; access throws.
READ_WEB_STORAGE = """(() => { try { return JSON.stringify([
  ...Object.entries(localStorage).map(([name, value]) => ["local " + name, value]),
  ...Object.entries(sessionStorage).map(([name, value]) => ["session " + name, value])]) } catch { return "[]" } })()"""


def replace_web_storage_script(items: Mapping[str, str]) -> str:
    """Return an expression that replaces all storage items of the page by `items`."""
    entries = as_js_string(json.dumps([[*key.split(" ", 1), value] for key, value in items.items()]))
    return (
        "(() => { try { localStorage.clear(); sessionStorage.clear();"
        f" for (const [kind, name, value] of JSON.parse({entries}))"
        " (kind === 'local' ? localStorage : sessionStorage).setItem(name, value) } catch {} })()"
    )


class ChromiumStorage:
    def __init__(self, context: BrowserContext) -> None:
        self._context = context

    async def save(self) -> StorageState:
        """Return cookies and localStorage in the format of Playwright's storage state."""
        reply = await self._context.browser.send("Storage.getCookies", {"browserContextId": self._context.id})
        cookies = [
            {member: cookie[member] for member in COOKIE_MEMBERS if member in cookie}
            for cookie in reply["cookies"]
        ]
        origins = []
        if visited := sorted(self._context.origins):
            async with _OriginVisitor(self._context) as visitor:
                for origin in visited:
                    items = await visitor.read(origin)
                    if items:
                        origins.append({"origin": origin, "localStorage": items})
        return {"cookies": cookies, "origins": origins}

    async def load(self, state: StorageState) -> None:
        """Add the cookies and localStorage items of `state`."""
        cookies = [_cookie(cookie) for cookie in state.get("cookies", [])]
        if cookies:
            await self._context.browser.send(
                "Storage.setCookies", {"cookies": cookies, "browserContextId": self._context.id}
            )
        origins = state.get("origins", [])
        if origins:
            async with _OriginVisitor(self._context) as visitor:
                for entry in origins:
                    await visitor.write(entry["origin"], entry.get("localStorage", []))
                    self._context.origins.add(entry["origin"])


def _cookie(cookie: dict[str, Any]) -> dict[str, Any]:
    params = {member: cookie[member] for member in COOKIE_MEMBERS if member in cookie}
    if params.get("expires", 0) < 0:  # a session cookie
        params.pop("expires")
    return params


class _OriginVisitor:
    """A hidden page that can load any origin without contacting its server."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._session: CdpSession
        self._target = ""

    async def __aenter__(self) -> _OriginVisitor:
        self._target, self._session = await self._context.open_hidden_page()
        self._session.on("Fetch.requestPaused", self._answer)
        await self._session.send("Fetch.enable", {"patterns": [{"urlPattern": "*"}]})
        return self

    async def __aexit__(self, *_: object) -> None:
        self._context.browser.send_and_forget("Target.closeTarget", {"targetId": self._target})

    def _answer(self, event: dict[str, Any]) -> None:
        self._session.send_and_forget(
            "Fetch.fulfillRequest",
            {
                "requestId": event["requestId"],
                "responseCode": 200,
                "responseHeaders": [{"name": "Content-Type", "value": "text/html"}],
                "body": EMPTY_PAGE,
            },
        )

    async def read(self, origin: str) -> list[dict[str, str]]:
        entries = await self._evaluate(origin, "JSON.stringify(Object.entries(localStorage))")
        return [{"name": name, "value": value} for name, value in json.loads(entries)]

    async def write(self, origin: str, items: list[dict[str, str]]) -> None:
        pairs = as_js_string(json.dumps([[item["name"], item["value"]] for item in items]))
        code = f"for (const [name, value] of JSON.parse({pairs})) localStorage.setItem(name, value)"
        await self._evaluate(origin, code)

    async def _evaluate(self, origin: str, expression: str) -> Any:
        reply = await self._session.send("Page.navigate", {"url": f"{origin}/"})
        if reply.get("errorText"):
            raise CallFailed("storage", 0, f"cannot open `{origin}`: {reply['errorText']}")
        guarded = f"if (origin !== {as_js_string(origin)}) throw new Error('wrong origin'); {expression}"
        return value_of(
            await self._session.send("Runtime.evaluate", {"expression": guarded, "returnByValue": True})
        )
