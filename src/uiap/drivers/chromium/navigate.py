"""Navigate a tab to a URL, and wait until the new document has published its graph."""

from __future__ import annotations

import json
import time
from typing import Any

from uiap.drivers.chromium.page.tab import Tab
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused, PerformUnknown
from uiap.drivers.errors import CallFailed, ConnectionLost, DriverError, TargetGone
from uiap.origin import origin_of, scheme_of
from uiap.timeouts import NAVIGATION_S

# With these errors the request never reached the application, so it had no effect.
UNREACHED_ERRORS = (
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
    "ERR_SOCKS_CONNECTION_",  # no address, no server, or refused by the egress proxy
    "ERR_CERT_",
    "ERR_SSL_",
    "ERR_INVALID_AUTH_CREDENTIALS",
)
# A document that shows its content is open by then, even if one of its scripts or style sheets never arrives.
PARTLY_LOADED_S = 8.0
REFUSED_SCHEMES = frozenset({"javascript", "vbscript", "view-source", "blob", "filesystem"})
"""Schemes that nobody may open: they run a script, or show the data of another document."""

HISTORY_STEPS: dict[str, int] = {"history:back": -1, "history:forward": 1, "history:reload": 0}
"""Addresses that mean a step in the history of the tab."""


async def navigate(tab: Tab, url: str, *, timeout: float = NAVIGATION_S) -> PerformOutcome:
    """Navigate to `url` and wait for its graph, at most `timeout` seconds."""
    if (dialog := tab.dialog) is not None:
        return PerformRefused("dialog", f"a JavaScript {dialog.kind} is open; answer it first")
    if (scheme := scheme_of(url)) in REFUSED_SCHEMES:
        return PerformRefused(
            "invalid", f"a `{scheme}:` URL cannot be opened; use an http:// or https:// URL"
        )
    if url in HISTORY_STEPS:
        return await _go(tab, url, timeout)
    seq, at, crashes = tab.feed.seq, time.monotonic(), tab.crashes
    deadline, before = at + timeout, tab.frames.root.loader
    reply = tab.session.post("Page.navigate", {"url": url})
    await tab.wait_until(lambda: reply.done() or tab.dialog or tab.closed, timeout, reply)
    if not reply.done():
        if tab.dialog is not None:  # beforeunload: the answer decides whether the page is left
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
    return await _wait_for_document(tab, answer, PerformDispatched(seq, at), deadline, crashes, before)


ROUTE_S = 1.0
"""A router that reacts changes its page within this time."""
_CHANGE_ROUTE = """new Promise((resolve) => {
  const end = (changed) => { observer.disconnect(); resolve(changed) };
  const observer = new MutationObserver(() => end(true));
  observer.observe(document, {subtree: true, childList: true, characterData: true, attributes: true});
  setTimeout(() => end(false), LIMIT_MS);
  history.pushState(null, "", URL_TEXT);
  dispatchEvent(new PopStateEvent("popstate", {state: null}));
})"""


async def change_route(tab: Tab, url: str) -> PerformOutcome | None:
    """Let the history router of the page go to `url`; return None if it has none, or does not react (ACT-11.14b)."""
    root, seq, at = tab.frames.root, tab.feed.seq, time.monotonic()
    if not root.has_router or origin_of(root.url) != origin_of(url) or tab.dialog is not None:
        return None
    expression = _CHANGE_ROUTE.replace("URL_TEXT", json.dumps(url)).replace(
        "LIMIT_MS", str(round(ROUTE_S * 1000))
    )
    params = {"expression": expression, "awaitPromise": True, "returnByValue": True}
    try:
        changed = await tab.evaluate(tab.session, params, timeout=2 * ROUTE_S)
    except DriverError:  # the router loaded a document after all
        return PerformDispatched(seq, at)
    return PerformDispatched(seq, at) if changed else None


async def _wait_for_document(
    tab: Tab, answer: dict[str, Any], done: PerformDispatched, deadline: float, crashes: int, before: str
) -> PerformOutcome:
    if answer.get("isDownload"):
        return PerformDispatched(done.seq, done.at, detail={"download": True})
    if error := answer.get("errorText"):
        if any(code in error for code in UNREACHED_ERRORS):
            return PerformRefused("unavailable", error)
        return PerformUnknown("interrupted", error)
    loader = answer.get("loaderId")
    if loader is None:  # only the fragment changed, so the document stays
        return done

    def is_decided() -> bool:
        loaded = tab.has_loaded(loader) or _was_redirected(tab, loader, before)
        is_gone = tab.dialog or tab.closed or tab.crashes != crashes
        return bool((loaded and tab.feed.has_published) or is_gone)

    left = max(0.0, deadline - time.monotonic())
    settled = await tab.wait_until(is_decided, min(left, PARTLY_LOADED_S))
    if not settled and not (tab.frames.root.loader == loader and tab.feed.has_published):
        settled = await tab.wait_until(is_decided, max(0.0, deadline - time.monotonic()))
    return _outcome(tab, done, crashes, bool(settled))


def _outcome(tab: Tab, done: PerformDispatched, crashes: int, settled: bool) -> PerformOutcome:
    if tab.closed:
        return PerformUnknown("closed", str(tab.closed))
    if tab.crashes != crashes:
        return PerformUnknown("crash", "the tab crashed while loading")
    if tab.dialog is not None:
        return PerformDispatched(done.seq, done.at, "dialog")
    return done if settled else PerformDispatched(done.seq, done.at, detail={"loading": True})


def _was_redirected(tab: Tab, loader: str, before: str) -> bool:
    """Return whether the page redirected itself before it had loaded, and the other page has loaded."""
    current = tab.frames.root.loader
    return current not in (loader, before) and tab.has_loaded(current)


async def _go(tab: Tab, step: str, timeout: float) -> PerformOutcome:
    """Go back or forward in the history, or load the page again."""
    try:
        history = await tab.call(tab.session, "Page.getNavigationHistory", {}, timeout=timeout)
    except CallFailed as error:
        return PerformRefused("invalid", error.reason)
    index = history["currentIndex"] + HISTORY_STEPS[step]
    entry = history["entries"][index] if 0 <= index < len(history["entries"]) else None
    if entry is None or (entry["url"] == "about:blank" and step != "history:reload"):
        which = "later" if step == "history:forward" else "earlier"
        return PerformRefused("unavailable", f"the tab has no {which} page")
    if entry["transitionType"] == "form_submit":  # its step in the history would send the form once more
        return await navigate(tab, entry["url"], timeout=timeout)
    if step == "history:reload":
        return await _load_entry(tab, "Page.reload", {}, None, timeout)
    params = {"entryId": entry["id"]}
    return await _load_entry(tab, "Page.navigateToHistoryEntry", params, entry["url"], timeout)


async def _load_entry(
    tab: Tab, method: str, params: dict[str, Any], url: str | None, timeout: float
) -> PerformOutcome:
    done, crashes, before = (
        PerformDispatched(tab.feed.seq, time.monotonic()),
        tab.crashes,
        tab.frames.root.loader,
    )
    reply = tab.session.post(method, params)
    settled = await tab.wait_until(
        lambda: (
            (reply.done() and (reply.exception() or _has_arrived(tab, before, url)))
            or tab.dialog
            or tab.closed
            or tab.crashes != crashes
        ),
        timeout,
        reply,
    )
    if reply.done() and not reply.cancelled() and isinstance(reply.exception(), CallFailed):
        return PerformRefused("invalid", str(reply.exception()))
    return _outcome(tab, done, crashes, bool(settled))


def _has_arrived(tab: Tab, before: str, url: str | None) -> bool:
    """Return whether another document has loaded, or the same one shows this address."""
    root = tab.frames.root
    if root.loader != before:
        return tab.has_loaded(root.loader) and tab.feed.has_published
    return url is not None and root.url == url
