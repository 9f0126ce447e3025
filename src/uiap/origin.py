"""The origin of a URL. Every permission that names an origin compares the texts that `origin_of` returns.

Pure text work: nothing is resolved or requested. Whether an origin is allowed is the caller's decision.
"""

from __future__ import annotations

import re
import unicodedata
from ipaddress import AddressValueError, IPv6Address
from typing import NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

OPAQUE = "null"
"""The origin of every URL that has none of its own. It equals no origin, not even itself: use `same_origin`."""

_DEFAULT_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
_HOST = re.compile(r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?")
_IDEOGRAPHIC_STOP = "\u3002"
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*):")
_IGNORED_CHARACTERS = dict.fromkeys(range(33))


def origin_of(url: str) -> str:
    """Return the origin of a URL as a browser writes it, such as `https://app.example:8443`, or `OPAQUE`.

    - The origin is the scheme, the host and the port. Path, query and fragment do not count.
    - Scheme and host are in lower case.
    - The default port is dropped: 80 for `http` and `ws`, 443 for `https` and `wss`.
    - User info is no part of an origin: `https://app.example@evil.example` is `https://evil.example`.
    - A host outside ASCII is written in its ASCII form (`xn--…`), an IPv6 address in its shortest form.
    - A trailing dot stays: `app.example.` and `app.example` are two origins, as they are for a browser.
    - Only `http`, `https`, `ws` and `wss` have origins. All other schemes, and a relative URL, are opaque.
    - A URL that two parsers may read differently is opaque: a bad port, a backslash or an escape in the host.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return OPAQUE
    if parts.scheme not in _DEFAULT_PORTS or host is None or "\\" in parts.netloc:
        return OPAQUE
    name = _address(host) if ":" in host else _name(host)
    if name is None:
        return OPAQUE
    return f"{parts.scheme}://{name}" + ("" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}")


def scheme_of(url: str) -> str:
    """Return the scheme in lower case as a browser reads it, or "" for a relative URL.

    A browser drops control characters and spaces before it reads the scheme.
    """
    match = _SCHEME.match(url.translate(_IGNORED_CHARACTERS))
    return "" if match is None else match.group(1).lower()


class UserInfo(NamedTuple):
    """The name and password that an address carries for its origin."""

    origin: str
    name: str
    password: str


def split_user_info(url: str) -> tuple[str, UserInfo | None]:
    """Return the address without its name and password, and these: `https://ann:secret@app.example/` carries both."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url, None
    given, at, host = parts.netloc.rpartition("@")
    if not at or parts.scheme not in ("http", "https"):
        return url, None
    plain = urlunsplit(parts._replace(netloc=host))
    name, _, password = given.partition(":")
    return plain, UserInfo(origin_of(plain), unquote(name), unquote(password))


def same_origin(url: str, other: str) -> bool:
    """Return whether two URLs have one origin. An opaque origin is never the same as another."""
    origin = origin_of(url)
    return origin != OPAQUE and origin == origin_of(other)


def origin_to_act_on(origin: object, url: object) -> str:
    """Return the origin of a document, or that of its address if a sandbox took its own away."""
    if origin == OPAQUE and isinstance(url, str):
        return origin_of(url)
    return origin if isinstance(origin, str) else ""


def _address(host: str) -> str | None:
    try:
        address = IPv6Address(host)
    except AddressValueError:
        return None
    return None if address.scope_id else f"[{address.compressed}]"


def _name(host: str) -> str | None:
    if not host.isascii():
        plain = unicodedata.normalize("NFKC", host).lower().replace(_IDEOGRAPHIC_STOP, ".")
        host = ".".join(_label(label) for label in plain.split("."))
    return host if _HOST.fullmatch(host) else None


def _label(label: str) -> str:
    """Return the ASCII form of one label. `ß` stays itself, as in browsers: `faß` is not `fass`."""
    return label if label.isascii() else "xn--" + label.encode("punycode").decode()
