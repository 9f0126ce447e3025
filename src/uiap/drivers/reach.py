"""Decide which addresses a guarded interface may reach, without using the network.

The public internet and explicitly allowed addresses are permitted; this machine and its private networks are not.
A host name is judged by the address it resolves to, so that a public name cannot point to a private address.
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

WEB_PORTS = {"http": 80, "https": 443}
LOCAL_SCHEMES = frozenset({"data", "about", "blob"})
"""Schemes that need no connection."""
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
NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""The last four bytes of such an address are the IPv4 address it stands for."""


@dataclass(frozen=True, slots=True)
class AllowedDestination:
    """One value of `--allow`: a host name or networks, on one port or on all ports."""

    name: str = ""
    networks: tuple[Network, ...] = ()
    port: int | None = None

    def matches(self, host: str, address: Address, port: int) -> bool:
        if self.port not in (None, port):
            return False
        if self.name and self.name == host:
            return not address.is_link_local  # cloud metadata services must be allowed by their address
        return any(address in network for network in self.networks)


class Reach:
    """The public internet and the explicitly allowed destinations."""

    def __init__(self, allow: Iterable[str] = ()) -> None:
        self.allowed = tuple(parse_allowed(value) for value in allow)

    def admits(self, host: str, address: Address, port: int) -> bool:
        """Return whether a connection to `address`, to which `host` resolved, is permitted."""
        addresses = tuple(_with_embedded(address))
        if all(_is_public(each) for each in addresses):
            return True
        host = host.rstrip(".").lower()
        return any(destination.matches(host, addresses[-1], port) for destination in self.allowed)

    def refusal(self, url: str) -> str | None:
        """Return why the URL is not permitted; None if it is, or if that depends on name resolution."""
        try:
            parts = urlsplit(url.strip())
            host, port = parts.hostname or "", parts.port or WEB_PORTS.get(parts.scheme.lower(), 0)
        except ValueError:
            return "this is not a valid URL"
        scheme = parts.scheme.lower()
        if scheme in LOCAL_SCHEMES:
            return None
        if scheme not in WEB_PORTS or not host:
            return "only web pages may be opened here; use an http:// or https:// URL"
        address = _literal_address(host)
        if address is None or self.admits(host, address, port):
            return None
        name = (
            f"[{address}]" if address.version == 6 else "localhost" if address.is_loopback else str(address)
        )
        return f"`{host}` is in a private network; to permit it, start with --allow {name}:{port}"


def parse_allowed(value: str) -> AllowedDestination:
    """Parse `private`, `localhost`, a name, an address or a network (`10.0.0.0/8`), each with an optional `:PORT`."""
    text, port = _split_port(value.strip().lower())
    if text == "private":
        return AllowedDestination(networks=PRIVATE, port=port)
    if text == "localhost":
        return AllowedDestination(name=text, networks=LOOPBACK, port=port)
    try:
        return AllowedDestination(networks=(ipaddress.ip_network(text, strict=False),), port=port)
    except ValueError:
        pass
    if not text or not all(part.replace("-", "").isalnum() for part in text.split(".")):
        raise UiapError(f"`{value}` cannot be allowed; give a name, an address, a network or `private`")
    return AllowedDestination(name=text, port=port)


def _split_port(text: str) -> tuple[str, int | None]:
    if text.startswith("["):  # [::1]:8000
        text, _, rest = text[1:].partition("]")
        return text, int(rest[1:]) if rest[1:].isdigit() else None
    name, colon, digits = text.rpartition(":")
    if colon and digits.isdigit() and ":" not in name and int(digits) < 65536:
        return name, int(digits)
    return text, None


def _literal_address(host: str) -> Address | None:
    """Return the IP address that `host` denotes without resolution; None if it is a name.

    Browsers also accept `127.1`, `2130706433`, `0x7f.1` and `①②⑦.1` as addresses.
    """
    host = normalize("NFKC", host).replace("。", ".").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return ipaddress.ip_address("127.0.0.1")
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return _ipv4_from_numbers(host)


def _ipv4_from_numbers(host: str) -> Address | None:
    """Parse an IPv4 address of one to four decimal, octal or hexadecimal numbers."""
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


def _with_embedded(address: Address) -> Iterable[Address]:
    """Yield the address, then the IPv4 address embedded in it."""
    yield address
    if isinstance(address, ipaddress.IPv6Address):
        embedded = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            embedded = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if address.teredo is not None:
            embedded = address.teredo[1]
        if embedded is not None:
            yield embedded


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address in NAT64):
        return True  # the embedded address decides
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)
