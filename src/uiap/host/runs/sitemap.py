"""Reads the sitemap of an application: once, without its session, and only from an allowed origin."""

from __future__ import annotations

import re
from html import unescape

import httpx

from uiap.discovery.plan.address import AllowedOrigins
from uiap.origin import origin_of

_LOC = re.compile(r"<loc>\s*([^<]+?)\s*</loc>", re.IGNORECASE)
_MAX_BYTES = 2_000_000
_MAX_URLS = 500


async def sitemap_urls(allowed_origins: AllowedOrigins) -> tuple[str, ...]:
    """Return the allowed addresses in `/sitemap.xml`; none if there is no sitemap."""
    url = origin_of(allowed_origins.base) + "/sitemap.xml"
    try:
        async with httpx.AsyncClient(timeout=5.0, trust_env=False, follow_redirects=False) as client:
            response = await client.get(url)
    except httpx.HTTPError:
        return ()
    if response.status_code != 200 or len(response.content) > _MAX_BYTES:
        return ()
    found = dict.fromkeys(unescape(loc) for loc in _LOC.findall(response.text))
    return tuple(url for url in found if allowed_origins.allows(url))[:_MAX_URLS]
