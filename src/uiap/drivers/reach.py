"""Which addresses a guarded interface may reach: a decision about names and numbers, made without a network.

The public internet, and what was allowed by name; nothing of this machine or the networks behind it (robustness P11).
A name is judged by what it resolves to, so that no name of the outside can stand for an address of the inside.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias
from unicodedata import normalize
from urllib.parse import urlsplit

from uiap.errors import UiapError

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network

WEB = {"http": 80, "https": 443}
HARMLESS = frozenset({"data", "about", "blob"})
"""Schemes that lead nowhere: what they show came with the request."""
LOOPBACK = (ipaddress.ip_network("127.0.0.0/8"), ipaddress.ip_network("::1/128"))
PRIVATE = tuple(
    map(
        ipaddress.ip_network,
        (
            "127.0.0.0/8",
            "::1/128",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "100.64.0.0/10",
            "fc00::/7",
        ),
    )
)
TRANSLATED = ipaddress.ip_network("64:ff9b::/96")
"""NAT64: the last four bytes are the address that is meant."""


@dataclass(frozen=True, slots=True)
class AllowedDestination:
    """One word of `--allow`: a name or networks, on one port or on all."""

    name: str = ""
    networks: tuple[Network, ...] = ()
    port: int | None = None

    def matches(self, host: str, address: Address, port: int) -> bool:
        if self.port not in (None, port):
            return False
        if self.name and self.name == host:
            return not address.is_link_local  # metadata services are allowed by number or not at all
        return any(address in network for network in self.networks)


class Reach:
    """The public internet and what is allowed besides."""

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self.allowed = tuple(parse_allowed(word) for word in allow)

    def admits(self, host: str, address: Address, port: int) -> bool:
        """May a connection to `address`, which `host` stands for, be made?"""
        meant = tuple(_meant(address))
        if all(_public(one) for one in meant):
            return True
        host = host.rstrip(".").lower()
        return any(one.matches(host, meant[-1], port) for one in self.allowed)

    def refusal(self, url: str) -> str | None:
        """Why nobody needs to try this address; None where only its resolution can tell."""
        try:
            parts = urlsplit(url.strip())
            host, port = parts.hostname or "", parts.port or WEB.get(parts.scheme.lower(), 0)
        except ValueError:
            return "it is not an address"
        scheme = parts.scheme.lower()
        if scheme in HARMLESS:
            return None
        if scheme not in WEB or not host:
            return "only web pages may be opened here, by http:// or https://"
        address = _literal(host)
        if address is None or self.admits(host, address, port):
            return None
        known = (
            f"[{address}]" if address.version == 6 else "localhost" if address.is_loopback else str(address)
        )
        return f"`{host}` is inside this network; whoever started this can let it be: --allow {known}:{port}"


def parse_allowed(word: str) -> AllowedDestination:
    """`private`, `localhost`, a name, an address or a network (`10.0.0.0/8`), each with `:PORT` if wanted."""
    text, port = _without_port(word.strip().lower())
    if text == "private":
        return AllowedDestination(networks=PRIVATE, port=port)
    if text == "localhost":
        return AllowedDestination(name=text, networks=LOOPBACK, port=port)
    try:
        return AllowedDestination(networks=(ipaddress.ip_network(text, strict=False),), port=port)
    except ValueError:
        pass
    if not text or not all(part.replace("-", "").isalnum() for part in text.split(".")):
        raise UiapError(f"`{word}` cannot be allowed; give a name, an address, a network or `private`")
    return AllowedDestination(name=text, port=port)


def _without_port(text: str) -> tuple[str, int | None]:
    if text.startswith("["):  # [::1]:8000
        text, _, rest = text[1:].partition("]")
        return text, int(rest[1:]) if rest[1:].isdigit() else None
    name, colon, digits = text.rpartition(":")
    if colon and digits.isdigit() and ":" not in name and int(digits) < 65536:
        return name, int(digits)
    return text, None


def _literal(host: str) -> Address | None:
    """The address a host is by itself; browsers also read `127.1`, `2130706433`, `0x7f.1` and `①②⑦.1` as one."""
    host = normalize("NFKC", host).replace("。", ".").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return ipaddress.ip_address("127.0.0.1")
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return _numbers(host)


def _numbers(host: str) -> Address | None:
    parts = host.rstrip(".").split(".")
    try:
        values = [
            int(p, 16 if p.startswith("0x") else 8 if p.startswith("0") and len(p) > 1 else 10) for p in parts
        ]
    except ValueError:
        return None
    if (
        not 1 <= len(values) <= 4
        or any(v > 255 for v in values[:-1])
        or values[-1] >= 256 ** (5 - len(values))
    ):
        return None
    number = values[-1] + sum(v << (24 - 8 * n) for n, v in enumerate(values[:-1]))
    return ipaddress.IPv4Address(number)


def _meant(address: Address) -> Iterable[Address]:
    """The address, then the one it carries inside."""
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        carried = address.ipv4_mapped or address.sixtofour
        if address in TRANSLATED:
            carried = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if address.teredo is not None:
            carried = address.teredo[1]
        if carried is not None:
            yield carried


def _public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address in TRANSLATED):
        return True  # judged by what it carries
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)
