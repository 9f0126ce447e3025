"""The origins a run may visit, and the patterns that make several addresses one. Works on strings alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import SplitResult, parse_qsl, urlencode, urljoin, urlsplit

from uiap.graph.identity import route_pattern
from uiap.origin import origin_of

_LANGUAGE_PARAMETERS = frozenset({"lang", "language", "locale", "hl", "setlang", "l10n"})
_LANGUAGE_PATH = re.compile(
    r"/(?:set[-_]?)?(?:lang|language|locale|l10n|i18n)/[a-z]{2,3}(?:[-_][a-z0-9]{2,4})*/?$", re.IGNORECASE
)
_ID_LIKE = re.compile(r"[\d.,:/+-]*\d[\d.,:/+-]*|[0-9a-f]{8,}|[0-9a-f-]{32,}", re.IGNORECASE)
_WORD = re.compile(r"(?!.*\d{2})[^\W\d][\w.-]*")
"""The name of a view. A number, an id or a sentence is none."""
_NAMES_RECORD = re.compile(r"(?:ids?|pk|uuid|guid|key|slug)$", re.IGNORECASE)
_VIEW_PARAMETERS = frozenset(
    {
        "tab",
        "view",
        "section",
        "mode",
        "step",
        "panel",
        "template",
        "page",
        "screen",
        "layout",
        "module",
        "pane",
    }
)
"""Parameters whose values name a part of the application if they are words: `?tab=history`, `?page=users`."""


@lru_cache(8192)
def address_pattern(url: str) -> str:
    """Return the pattern of an address: record ids folded, parameter values dropped unless they choose a view."""
    parts = urlsplit(url)
    route, query = _hash_route(parts), _query(parts)
    keys = []
    for key, value in parse_qsl(query, keep_blank_values=True):
        keys.append(f"{key}={value}" if _names_view(key, value) else f"{key}=")
    pattern = route_pattern((parts.path if route is None else route.lstrip("!")) or "/")
    return pattern + ("?" + "&".join(sorted(set(keys))) if keys else "")


def without_carried(url: str, page: str) -> str:
    """Return the address of a link without the parameters that it only carries along from its page.

    An application that keeps a filter, a period or a language adds it to the address of every other page. A
    parameter that names a record stays.
    """
    parts, ours = urlsplit(url), urlsplit(page)
    if path_without_query(url) == path_without_query(page):
        return url
    carried = set(parse_qsl(_query(ours), keep_blank_values=True))
    pairs = parse_qsl(_query(parts), keep_blank_values=True)
    kept = [one for one in pairs if one not in carried or _NAMES_RECORD.search(one[0])]
    if len(kept) == len(pairs):
        return url
    route, query = _hash_route(parts), urlencode(kept)
    if route is None:
        return parts._replace(query=query).geturl()
    return parts._replace(query="", fragment=route + (f"?{query}" if query else "")).geturl()


def path_pattern(url: str) -> str:
    """Return the pattern of an address without its parameters."""
    return address_pattern(url).partition("?")[0]


def address_from_page(url: str, page: str) -> str:
    """Return the pattern of an address without the parts of the path that it has in common with the page."""
    path, separator, parameters = address_pattern(url).partition("?")
    ours, theirs = path.split("/"), path_pattern(page).split("/")
    common = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), len(theirs))
    up = "../" * (len(theirs) - common)
    return up + "/".join(ours[common:]) + separator + parameters


def path_without_query(url: str) -> str:
    """Return the path without its parameters; record ids stay."""
    parts = urlsplit(url)
    route = _hash_route(parts)
    return parts.path + (f"#{route}" if route is not None else "")


def page_address(url: str) -> str:
    """Return the path and the sorted parameters; of the fragment only a route counts."""
    return f"{path_without_query(url)}?{'&'.join(sorted(_query(urlsplit(url)).split('&')))}"


def view_parameters(url: str) -> frozenset[tuple[str, str]]:
    """Return the parameters of the address that name a view, with their values."""
    pairs = parse_qsl(_query(urlsplit(url)))
    return frozenset((key, value) for key, value in pairs if _names_view(key, value))


def view_address(url: str) -> str:
    """Return the path with the parameters that name a view; record ids stay."""
    return f"{path_without_query(url)}?{'&'.join(sorted('='.join(one) for one in view_parameters(url)))}"


def _names_view(key: str, value: str) -> bool:
    """Whether a parameter chooses a view by a word: `?tab=history` and `?@template=search`, not `?page=2`."""
    is_word = _WORD.fullmatch(value) is not None and not _ID_LIKE.fullmatch(value)
    return is_word and key.lstrip("@:_.") in _VIEW_PARAMETERS


def _hash_route(parts: SplitResult) -> str | None:
    """Return the path in the fragment, without its parameters; None if the fragment is no route."""
    route, _, _ = parts.fragment.partition("?")
    return route if route.startswith(("/", "!/")) else None


def _query(parts: SplitResult) -> str:
    """Return the parameters of the address and of the route in its fragment."""
    inner = parts.fragment.partition("?")[2] if _hash_route(parts) is not None else ""
    return "&".join(one for one in (parts.query, inner) if one)


@dataclass(frozen=True, slots=True)
class AllowedOrigins:
    """The origins that a run is authorised for (DISC-SEC.1)."""

    base: str
    origins: frozenset[str]

    @classmethod
    def of(cls, base_url: str, more: tuple[str, ...] = ()) -> AllowedOrigins:
        return cls(base_url, frozenset({origin_of(base_url), *(origin_of(one) for one in more)}))

    def resolve(self, href: str, base: str | None = None) -> str:
        return urljoin(base or self.base, href)

    def allows(self, url: str) -> bool:
        """Return whether a run may go to this URL: a web page of an allowed origin."""
        origin = origin_of(url)
        return origin.startswith(("http://", "https://")) and origin in self.origins

    def refusal(self, href: str) -> str | None:
        """Return the reason why the run must not follow this address; None if it may."""
        scheme = href.translate(dict.fromkeys(range(33))).partition(":")[0].lower()
        if ":" in href and scheme.isalnum() and scheme not in ("http", "https") and "/" not in scheme:
            return f"a `{scheme}:` address is not a page of this application"
        url = self.resolve(href)
        if not self.allows(url):
            return f"`{origin_of(url)}` is not an origin this run was authorised for"
        return None

    def switches_language(self, href: str) -> bool:
        """Whether a parameter or a part of the path chooses a language: `?lang=de`, `/lang/de`."""
        parts = urlsplit(href)
        if any(key.lower() in _LANGUAGE_PARAMETERS for key, _ in parse_qsl(parts.query)):
            return True
        return _LANGUAGE_PATH.search(parts.path) is not None
