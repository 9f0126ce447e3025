"""Which requests an interface may make while it is guarded: rules as data, judged without a browser.

A request that could write is blocked unless it is known to read; a document comes from a permitted origin or not at
all. What a GET does on the server cannot be seen here: that is for whoever decides what is pressed.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
DOCUMENT_RESOURCES = frozenset({"Document"})
HARMLESS_SCHEMES = frozenset({"data", "blob", "about", "chrome", "chrome-error", "devtools"})
BlockReason: TypeAlias = Literal["write", "origin", "address", "scheme", "socket"]

_NOISE = re.compile(r'#[^\n]*|"""(?:\\"""|[^"]|"(?!""))*"""|"(?:\\.|[^"\\\n])*"')
_WORD = re.compile(r"[{}]|[_A-Za-z]\w*")


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A request that reads although its method could write: `POST https://app.example/api/search*`."""

    url: str
    method: str = "*"

    @classmethod
    def parse(cls, text: str) -> ReadRequest:
        method, _, url = text.strip().rpartition(" ")
        return cls(url=url, method=method.upper() or "*")

    def matches(self, method: str, url: str) -> bool:
        return self.method in ("*", method) and fnmatchcase(url, self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkRules:
    origins: frozenset[str] = field(default_factory=frozenset)
    """Where documents may come from, frames and popups included; empty means anywhere."""
    writes: bool = False
    """Writing requests pass, to the permitted origins alone."""
    reads: tuple[ReadRequest, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingRequest:
    """One request before it is sent; each hop of a redirect is one."""

    method: str
    url: str
    resource: str = ""
    body: str | None = None


def block_reason(rules: NetworkRules, asked: PendingRequest) -> BlockReason | None:
    """Why it must not be sent, or None."""
    scheme = urlsplit(asked.url).scheme.lower()
    if scheme in ("http", "https", "ws", "wss"):
        return _over_the_network(rules, asked)
    return None if scheme in HARMLESS_SCHEMES else "scheme"


def origin_of(url: str) -> str:
    """`scheme://host:port`, without the port where it is the usual one."""
    parts = urlsplit(url)
    usual = {"http": 80, "https": 443, "ws": 80, "wss": 443}.get(parts.scheme)
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
    try:
        port = parts.port
    except ValueError:
        return "null"
    return f"{parts.scheme}://{host}" + ("" if port in (None, usual) else f":{port}")


def is_graphql_read(body: str | None) -> bool:
    """Is this GraphQL that only asks? A batch counts if every part does; what cannot be read does not."""
    try:
        said = msgspec.json.decode(body or "")
    except msgspec.DecodeError:
        return False
    parts = said if isinstance(said, list) else [said]
    return bool(parts) and all(isinstance(part, dict) and _queries(part.get("query")) for part in parts)


def _over_the_network(rules: NetworkRules, asked: PendingRequest) -> BlockReason | None:
    origin = origin_of(asked.url)
    if rules.origins and origin not in rules.origins:
        if asked.resource in DOCUMENT_RESOURCES:
            return "origin"
        if _inside(asked.url) and not any(map(_inside, rules.origins)):
            return "address"  # P11: a page of the outside has no business with addresses of the inside
    if _metadata_service(asked.url) and origin not in rules.origins:
        return "address"
    if any(known.matches(asked.method, asked.url) for known in rules.reads):
        return None
    if asked.url.startswith(("ws:", "wss:")):
        return None if rules.writes else "socket"
    if asked.method in READ_METHODS or (asked.method == "POST" and is_graphql_read(asked.body)):
        return None
    if rules.writes and (not rules.origins or origin in rules.origins):
        return None
    return "write"


def _queries(text: object) -> bool:
    """Every operation at the top of the document is a query, and there is one."""
    if not isinstance(text, str):
        return False
    depth, kinds, fresh = 0, [], True
    for word in _WORD.findall(_NOISE.sub(" ", text)):
        if word == "{":
            if depth == 0 and fresh:
                kinds.append("query")  # the short form
            depth, fresh = depth + 1, False
        elif word == "}":
            depth -= 1
            fresh = depth == 0
        elif depth == 0 and fresh:
            kinds.append(word)
            fresh = False
    return depth == 0 and "query" in kinds and set(kinds) <= {"query", "fragment"}


def _inside(url: str) -> bool:
    host = (urlsplit(url).hostname or "").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_private or address.is_loopback or address.is_link_local


def _metadata_service(url: str) -> bool:
    try:
        address = ipaddress.ip_address(urlsplit(url).hostname or "")
    except ValueError:
        return False
    return address.is_link_local
