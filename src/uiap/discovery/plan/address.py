"""Where a run may go, and which addresses are one place: origins, schemes, patterns with folded parameters.

Only strings; nobody is asked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qsl, urljoin, urlsplit

from uiap.discovery import risk_words
from uiap.graph.identity import route_pattern
from uiap.spec.policy import SideEffectClass

_VERBS = frozenset({"action", "do", "op", "cmd", "method", "_method"})
_JOINED = re.compile(r"[._-]+")
_LANGUAGE_KEYS = frozenset({"lang", "language", "locale", "hl", "setlang", "l10n"})
_COUNTED = re.compile(r"[\d.,:/+-]*\d[\d.,:/+-]*|[0-9a-f]{8,}|[0-9a-f-]{32,}", re.IGNORECASE)
_CHOSEN_KEYS = frozenset({"tab", "view", "section", "mode", "step", "panel"})
_USUAL = {"http": 80, "https": 443}


def origin(url: str) -> str:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        return "null"
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
    return f"{parts.scheme}://{host}" + ("" if port in (None, _USUAL.get(parts.scheme)) else f":{port}")


@lru_cache(8192)
def place(url: str) -> str:
    """The address as one place: record ids and counted parameters folded, what merely sorts or pages dropped."""
    parts = urlsplit(url)
    path = parts.fragment if parts.fragment.startswith(("/", "!/")) else parts.path
    keys = []
    for key, value in parse_qsl(parts.query, keep_blank_values=True):
        keys.append(f"{key}={value}" if key in _CHOSEN_KEYS and not _COUNTED.fullmatch(value) else f"{key}=")
    pattern = route_pattern(path.lstrip("!") or "/")
    return pattern + ("?" + "&".join(sorted(set(keys))) if keys else "")


def path_of(url: str) -> str:
    """The place without its parameters."""
    return place(url).partition("?")[0]


def bare(url: str) -> str:
    """The address without its parameters; ids stay."""
    parts = urlsplit(url)
    inner = parts.fragment.partition("?")[0]
    return parts.path + (f"#{inner}" if inner.startswith(("/", "!/")) else "")


@dataclass(frozen=True, slots=True)
class Territory:
    """DISC-SEC.1: the origins a run was authorised for."""

    base: str
    origins: frozenset[str]

    @classmethod
    def of(cls, base_url: str, more: tuple[str, ...] = ()) -> Territory:
        return cls(base_url, frozenset({origin(base_url), *(origin(one) for one in more)}))

    def resolve(self, href: str, here: str | None = None) -> str:
        return urljoin(here or self.base, href)

    def admits(self, url: str) -> bool:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and origin(url) in self.origins

    def problem(self, href: str) -> str | None:
        """H13: why nobody may follow this; None for a permitted place."""
        scheme = href.translate(dict.fromkeys(range(33))).partition(":")[0].lower()
        if ":" in href and scheme.isalnum() and scheme not in ("http", "https") and "/" not in scheme:
            return f"a `{scheme}:` address is not a place of this application"
        url = self.resolve(href)
        if not self.admits(url):
            return f"`{origin(url)}` is not an origin this run was authorised for"
        return None

    def commanding(self, href: str) -> SideEffectClass | None:
        """A GET that writes shows itself only by its words: `/logout`, `/items/3/delete`."""
        parts = urlsplit(self.resolve(href))
        said = [risk_words.commanding(_JOINED.sub(" ", part)) for part in parts.path.split("/") if part]
        said += [risk_words.commanding(value) for key, value in parse_qsl(parts.query) if key in _VERBS]
        return next((one for one in said if one is not None), None)

    def language(self, href: str) -> bool:
        return any(key.lower() in _LANGUAGE_KEYS for key, _ in parse_qsl(urlsplit(href).query))
