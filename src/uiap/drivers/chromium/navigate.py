"""Taking a tab to an address: ends when the new document has published, or with the reason why not."""

from __future__ import annotations

import time
from typing import Any

from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused, PerformUnknown
from uiap.drivers.errors import CallFailed, ConnectionLost, TargetGone
from uiap.timeouts import NAVIGATION_S

# The server was never reached, or let nobody in, so nothing can have happened there.
UNREACHED = (
    "ERR_NAME_NOT_RESOLVED",
    "ERR_CONNECTION_REFUSED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_ADDRESS_INVALID",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_INVALID_URL",
    "ERR_UNKNOWN_URL_SCHEME",
    "ERR_UNSAFE_PORT",
    "ERR_FILE_NOT_FOUND",
    "ERR_BLOCKED_BY_CLIENT",
    "ERR_BLOCKED_BY_ADMINISTRATOR",
    "ERR_SOCKS_CONNECTION_",  # no address, nobody there, or not let through by the egress
    "ERR_CERT_",
    "ERR_SSL_",
    "ERR_INVALID_AUTH_CREDENTIALS",
)
# What a browser drops from an address before it looks at the scheme.
IGNORED = dict.fromkeys(range(33))


async def navigate(tab: Tab, url: str, *, timeout: float = NAVIGATION_S) -> PerformOutcome:
    """Go to `url` and wait for its graph, at most `timeout` seconds."""
    if (standing := tab.dialog) is not None:
        return PerformRefused("dialog", f"a JavaScript {standing.kind} is open; answer it first")
    if url.translate(IGNORED).lower().startswith("javascript:"):
        return PerformRefused("invalid", "an address that is a script is not a place to go to")
    seq, at, crashes = tab.feed.seq, time.monotonic(), tab.crashes
    deadline, before = at + timeout, tab.frames.root.loader
    reply = tab.session.post("Page.navigate", {"url": url})
    await tab.until(lambda: reply.done() or tab.dialog or tab.closed, timeout, reply)
    if not reply.done():
        if tab.dialog is not None:  # beforeunload: whoever answers decides whether the page is left
            return PerformDispatched(seq, at, "dialog")
        reply.cancel()
        return PerformUnknown("timeout", f"`{url}` did not answer within {timeout:g} s")
    try:
        answer = reply.result()
    except CallFailed as error:
        return PerformRefused("invalid", error.reason)
    except ConnectionLost as error:
        return PerformUnknown("connection_lost", str(error))
    except TargetGone as error:
        return PerformUnknown("closed", str(error))
    return await _settled(tab, answer, PerformDispatched(seq, at), deadline, crashes, before)


async def _settled(
    tab: Tab, answer: dict[str, Any], done: PerformDispatched, deadline: float, crashes: int, before: str
) -> PerformOutcome:
    if answer.get("isDownload"):
        return PerformDispatched(done.seq, done.at, detail={"download": True})
    if error := answer.get("errorText"):
        if any(code in error for code in UNREACHED):
            return PerformRefused("unavailable", error)
        return PerformUnknown("interrupted", error)
    loader = answer.get("loaderId")
    if loader is None:  # the same document: only the fragment changed
        return done
    settled = await tab.until(
        lambda: (
            ((tab.has_loaded(loader) or _replaced(tab, loader, before)) and tab.feed.published)
            or tab.dialog
            or tab.closed
            or tab.crashes != crashes
        ),
        max(0.0, deadline - time.monotonic()),
    )
    if tab.closed:
        return PerformUnknown("closed", str(tab.closed))
    if tab.crashes != crashes:
        return PerformUnknown("crash", "the tab crashed while loading")
    if tab.dialog is not None:
        return PerformDispatched(done.seq, done.at, "dialog")
    return done if settled else PerformDispatched(done.seq, done.at, detail={"loading": True})


def _replaced(tab: Tab, loader: str, before: str) -> bool:
    """The page went on elsewhere by itself before it had loaded, and is there now."""
    now = tab.frames.root.loader
    return now not in (loader, before) and tab.has_loaded(now)
