"""Requests that were held back and look like reads, with the option that lets them pass.

Many applications read by POST. A run without such requests shows empty screens, so they are named.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from uiap.policy.disguise import words_of
from uiap.policy.lexicon import meaning_of

_READS = frozenset(
    {
        "search",
        "query",
        "list",
        "find",
        "filter",
        "graphql",
        "get",
        "fetch",
        "load",
        "read",
        "autocomplete",
        "suggest",
        "suggestions",
        "lookup",
        "data",
        "count",
        "table",
        "report",
        "stats",
        "export",
        "preview",
        "validate",
        "select",
        "browse",
        "view",
        "rpc",
    }
)
_REPORTS = frozenset(
    {
        "track",
        "tracking",
        "log",
        "logs",
        "event",
        "events",
        "beacon",
        "analytics",
        "metric",
        "metrics",
        "collect",
        "telemetry",
        "ping",
        "heartbeat",
        "alive",
        "csp",
        "error",
        "errors",
        "rum",
        "presence",
        "online",
        "session",
        "sessions",
    }
)


def looks_like_read(method: str, url: str, *, on_load: bool) -> bool:
    """Return whether the request probably reads: its address says so, or the page needs it to load."""
    words = [word for part in urlsplit(url).path.split("/") for word in words_of(part)]
    if method != "POST" or any(meaning_of(word).orders for word in words) or not _REPORTS.isdisjoint(words):
        return False
    return on_load or not _READS.isdisjoint(words)


def read_option(method: str, url: str) -> str:
    """Return the option of `uiap discover` that permits the request and those like it."""
    return f"--read-request '{method} {url.partition('?')[0]}*'"
