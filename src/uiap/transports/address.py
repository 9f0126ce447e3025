"""Where a peer is: loopback or not, and whether a credential may travel there in the clear."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from uiap.errors import Unavailable

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def require_safe_token(url: str, token: str | None) -> None:
    """Companions §9.3: TLS except on loopback. A token in clear text is everybody's token."""
    parts = urlsplit(url)
    if token and parts.scheme in ("ws", "http") and not is_loopback(parts.hostname or ""):
        raise Unavailable(f"will not send a token to `{url}` without TLS; use wss:// or https://")
