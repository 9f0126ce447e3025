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
from uiap.origin import origin_of
from uiap.spec.policy import SideEffectClass

_VERB_PARAMETERS = frozenset({"action", "do", "op", "cmd", "method", "_method"})
_SEPARATORS = re.compile(r"[._-]+")
_LANGUAGE_PARAMETERS = frozenset({"lang", "language", "locale", "hl", "setlang", "l10n"})
_ID_LIKE = re.compile(r"[\d.,:/+-]*\d[\d.,:/+-]*|[0-9a-f]{8,}|[0-9a-f-]{32,}", re.IGNORECASE)
_VIEW_PARAMETERS = frozenset({"tab", "view", "section", "mode", "step", "panel"})


@lru_cache(8192)
def address_pattern(url: str) -> str:
    """The address as one place: record ids and counted parameters folded, what merely sorts or pages dropped."""
    parts = urlsplit(url)
    path = parts.fragment if parts.fragment.startswith(("/", "!/")) else parts.path
    keys = []
    for key, value in parse_qsl(parts.query, keep_blank_values=True):
        keys.append(
            f"{key}={value}" if key in _VIEW_PARAMETERS and not _ID_LIKE.fullmatch(value) else f"{key}="
        )
    pattern = route_pattern(path.lstrip("!") or "/")
    return pattern + ("?" + "&".join(sorted(set(keys))) if keys else "")


def path_pattern(url: str) -> str:
    """The place without its parameters."""
    return address_pattern(url).partition("?")[0]


def path_without_query(url: str) -> str:
    """The address without its parameters; ids stay."""
    parts = urlsplit(url)
    inner = parts.fragment.partition("?")[0]
    return parts.path + (f"#{inner}" if inner.startswith(("/", "!/")) else "")


@dataclass(frozen=True, slots=True)
class AllowedOrigins:
    """DISC-SEC.1: the origins a run was authorised for."""

    base: str
    origins: frozenset[str]

    @classmethod
    def of(cls, base_url: str, more: tuple[str, ...] = ()) -> AllowedOrigins:
        return cls(base_url, frozenset({origin_of(base_url), *(origin_of(one) for one in more)}))

    def resolve(self, href: str, here: str | None = None) -> str:
        return urljoin(here or self.base, href)

    def admits(self, url: str) -> bool:
        """Return whether a run may go to this URL: a web page of a permitted origin."""
        origin = origin_of(url)
        return origin.startswith(("http://", "https://")) and origin in self.origins

    def problem(self, href: str) -> str | None:
        """H13: why nobody may follow this; None for a permitted place."""
        scheme = href.translate(dict.fromkeys(range(33))).partition(":")[0].lower()
        if ":" in href and scheme.isalnum() and scheme not in ("http", "https") and "/" not in scheme:
            return f"a `{scheme}:` address is not a place of this application"
        url = self.resolve(href)
        if not self.admits(url):
            return f"`{origin_of(url)}` is not an origin this run was authorised for"
        return None

    def commanding(self, href: str) -> SideEffectClass | None:
        """A GET that writes shows itself only by its words: `/logout`, `/items/3/delete`."""
        parts = urlsplit(self.resolve(href))
        words = [_SEPARATORS.sub(" ", part) for part in parts.path.split("/") if part]
        words += [value for key, value in parse_qsl(parts.query) if key in _VERB_PARAMETERS]
        effects = map(risk_words.ordered_side_effect, words)
        return next((effect for effect in effects if effect is not None), None)

    def language(self, href: str) -> bool:
        return any(key.lower() in _LANGUAGE_PARAMETERS for key, _ in parse_qsl(urlsplit(href).query))
