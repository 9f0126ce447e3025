"""Rules for the requests of a guarded interface, as data that is checked without a browser.

A request that could write is blocked unless it is known to read. A document must come from a permitted origin.
The rules cannot tell what a GET changes on the server; callers must decide which elements are safe to press.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from uiap.origin import OPAQUE, origin_of
from uiap.policy.disguise import words_of
from uiap.policy.lexicon import meaning_of

READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS", "PROPFIND", "REPORT", "SEARCH", "QUERY"})
"""The methods that the registry of HTTP declares safe, apart from those that no page can send."""
DOCUMENT_RESOURCES = frozenset({"Document"})
SIGN_IN_RESOURCES = frozenset({"Document", "XHR", "Fetch"})
HARMLESS_SCHEMES = frozenset({"data", "blob", "about", "chrome", "chrome-error", "devtools"})
READ_VERBS = frozenset(
    {
        "get",
        "list",
        "find",
        "search",
        "read",
        "fetch",
        "query",
        "count",
        "describe",
        "lookup",
        "show",
        "select",
        "load",
        "view",
        "browse",
        "filter",
        "fields",
        "name",
    }
)
WRITE_VERBS = frozenset(
    {
        "set",
        "create",
        "update",
        "delete",
        "remove",
        "write",
        "insert",
        "save",
        "send",
        "unlink",
        "add",
        "put",
        "patch",
        "move",
        "run",
        "execute",
        "do",
        "and",
        "or",
        "then",
        "mark",
        "ack",
        "pop",
        "next",
        "consume",
        "lock",
    }
)
BlockReason: TypeAlias = Literal["write", "origin", "address", "scheme", "socket", "speculation"]

_COMMENTS_AND_STRINGS = re.compile(r'#[^\n]*|"""(?:\\"""|[^"]|"(?!""))*"""|"(?:\\.|[^"\\\n])*"')
_NAMES_AND_BRACES = re.compile(r"[{}]|[_A-Za-z]\w*")


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
    """Which requests a page may send. Name the origins, or say that documents may come from anywhere."""

    origins: frozenset[str] = field(default_factory=frozenset)
    """Permitted origins of documents, frames and popups included."""
    anywhere: bool = False
    """Permit documents of every origin."""
    writes: bool = False
    """Permit requests that could write, but only to the permitted origins."""
    sign_in: bool = False
    """Permit the posts of pages and frames, as signing in needs them; beacons and other methods stay blocked."""
    sockets: bool = False
    """Permit WebSockets, which carry anything in both directions."""
    reads: tuple[ReadRequest, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.origins) == self.anywhere:
            raise ValueError("name the permitted origins, or set anywhere=True, and not both")


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingRequest:
    """A request that is not sent yet; each step of a redirect counts as one."""

    method: str
    url: str
    resource: str = ""
    body: str | None = None
    speculative: bool = False
    """The browser fetches the address ahead of time: nobody followed the link, which may order something."""


def block_reason(rules: NetworkRules, request: PendingRequest) -> BlockReason | None:
    """Return why the request must not be sent; None if it may be sent."""
    if request.speculative and not rules.writes:
        return "speculation"
    scheme = urlsplit(request.url).scheme.lower()
    if scheme in ("http", "https", "ws", "wss"):
        return _network_block_reason(rules, request)
    return None if scheme in HARMLESS_SCHEMES else "scheme"


def is_graphql_read(body: str | None) -> bool:
    """Return whether the body is a GraphQL query, or a batch of queries only."""
    try:
        decoded = msgspec.json.decode(body or "")
    except msgspec.DecodeError:
        return False
    parts = decoded if isinstance(decoded, list) else [decoded]
    return bool(parts) and all(isinstance(part, dict) and _only_queries(part.get("query")) for part in parts)


def is_rpc_read(body: str | None) -> bool:
    """Return whether the body is a JSON-RPC call of a method that reads, or a batch of such calls."""
    try:
        decoded = msgspec.json.decode(body or "")
    except msgspec.DecodeError:
        return False
    calls = decoded if isinstance(decoded, list) else [decoded]
    return bool(calls) and all(isinstance(call, dict) and _calls_read(call) for call in calls)


def _calls_read(call: dict[str, object]) -> bool:
    if "jsonrpc" not in call:
        return False
    method, params = call.get("method"), call.get("params")
    if method == "call" and isinstance(params, dict):  # the method of an object, named in the parameters
        method = params.get("method")
    return isinstance(method, str) and names_read(method)


def names_read(name: str) -> bool:
    """Return whether the name of an operation begins with a verb that reads and has no word that orders."""
    words = words_of(name.rpartition(".")[2].rpartition("/")[2])
    if not words or READ_VERBS.isdisjoint(words[:2]):
        return False
    return not any(word in WRITE_VERBS or meaning_of(word).orders for word in words)


def _network_block_reason(rules: NetworkRules, request: PendingRequest) -> BlockReason | None:
    origin = origin_of(request.url)
    permitted = origin != OPAQUE and origin in rules.origins
    if not rules.anywhere and not permitted:
        if request.resource in DOCUMENT_RESOURCES:
            return "origin"
        if _is_internal(request.url) and not any(map(_is_internal, rules.origins)):
            return "address"  # a page from the public internet must not reach internal addresses
    if _is_link_local(request.url) and not permitted:
        return "address"
    if any(read.matches(request.method, request.url) for read in rules.reads):
        return None
    if request.url.startswith(("ws:", "wss:")):
        return None if rules.sockets else "socket"
    if request.method in READ_METHODS or (request.method == "POST" and _reads_by_body(request.body)):
        return None
    if rules.writes and (rules.anywhere or permitted):
        return None
    if rules.sign_in and request.method == "POST" and request.resource in SIGN_IN_RESOURCES:
        return None
    return "write"


def _reads_by_body(body: str | None) -> bool:
    return is_graphql_read(body) or is_rpc_read(body)


def _only_queries(text: object) -> bool:
    """Return whether the GraphQL document has a query and no other kind of operation."""
    if not isinstance(text, str):
        return False
    depth, kinds, at_definition = 0, [], True  # at_definition: the next name begins a definition
    for token in _NAMES_AND_BRACES.findall(_COMMENTS_AND_STRINGS.sub(" ", text)):
        if token == "{":
            if depth == 0 and at_definition:
                kinds.append("query")  # the short form
            depth, at_definition = depth + 1, False
        elif token == "}":
            depth -= 1
            at_definition = depth == 0
        elif depth == 0 and at_definition:
            kinds.append(token)
            at_definition = False
    return depth == 0 and "query" in kinds and set(kinds) <= {"query", "fragment"}


def _is_internal(url: str) -> bool:
    """Return whether the host is an address of this machine or of a private network."""
    host = (urlsplit(url).hostname or "").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_private or address.is_loopback or address.is_link_local


def _is_link_local(url: str) -> bool:
    """Return whether the host is link-local, as the metadata services of clouds are."""
    try:
        address = ipaddress.ip_address(urlsplit(url).hostname or "")
    except ValueError:
        return False
    return address.is_link_local
