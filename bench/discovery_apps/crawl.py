"""A plain link crawl for comparison, as most site mappers do it: pages by HTTP, links from their markup, no scripts."""

from __future__ import annotations

import http.cookiejar
import urllib.error
import urllib.parse
import urllib.request
from collections import deque
from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

from uiap.discovery.plan.address import AllowedOrigins, address_pattern
from uiap.discovery.safety.links import link_order

MAX_PAGES = 400
"""The most pages to request."""
MAX_PER_PATTERN = 3
"""The most addresses of one pattern, so that a list does not use up the budget."""


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a":
            self.links += [value for key, value in attrs if key == "href" and value]


def crawl(home: str, cookies: Sequence[dict[str, Any]]) -> set[str]:
    """Return the paths of the pages that links lead to, with record ids folded as discovery folds them."""
    allowed_origins = AllowedOrigins.of(home)
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(_jar(cookies)))
    queue, requested, found = deque([home]), dict[str, int](), set[str]()
    queued = {home}
    while queue and sum(requested.values()) < MAX_PAGES:
        url = queue.popleft()
        if requested.get(address_pattern(url), 0) >= MAX_PER_PATTERN or link_order("", url) is not None:
            continue
        requested[address_pattern(url)] = requested.get(address_pattern(url), 0) + 1
        page = _page(opener, url)
        if page is None:
            continue
        where, text = page
        found.add(address_pattern(where).partition("?")[0])
        reader = _Links()
        reader.feed(text)
        for href in reader.links:
            link = urllib.parse.urljoin(where, href).partition("#")[0]
            if allowed_origins.refusal(link) is None and link not in queued:
                queued.add(link)
                queue.append(link)
    return found


def _page(opener: urllib.request.OpenerDirector, url: str) -> tuple[str, str] | None:
    try:
        with opener.open(url, timeout=20) as answer:
            if "html" not in answer.headers.get("Content-Type", ""):
                return None
            return answer.url, answer.read(4_000_000).decode(errors="replace")
    except (urllib.error.URLError, OSError, ValueError):
        return None


def _jar(cookies: Sequence[dict[str, Any]]) -> http.cookiejar.CookieJar:
    jar = http.cookiejar.CookieJar()
    for one in cookies:
        jar.set_cookie(
            http.cookiejar.Cookie(
                version=0,
                name=one["name"],
                value=one["value"],
                port=None,
                port_specified=False,
                domain="localhost.local",
                domain_specified=False,
                domain_initial_dot=False,
                path=one.get("path", "/"),
                path_specified=True,
                secure=False,
                expires=None,
                discard=True,
                comment=None,
                comment_url=None,
                rest={},
            )
        )
    return jar
