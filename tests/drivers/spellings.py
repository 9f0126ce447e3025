"""Generate every known spelling of internal addresses.

The families: numbers in other bases and with fewer parts, IPv4 embedded in IPv6, digits and dots of other alphabets,
and user names and ports before and after. Host names are judged by their resolution instead (see `test_egress`).
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

INTERNAL_IPV4 = (
    "127.0.0.1",
    "169.254.169.254",
    "10.0.0.1",
    "172.16.5.9",
    "192.168.1.1",
    "0.0.0.0",
    "100.64.0.7",
)
INTERNAL_IPV6 = ("::1", "::", "fe80::1", "fd00:ec2::254", "fc00::7", "ff02::1")
NAMES = ("localhost", "LocalHost", "localhost.", "a.localhost", "LOCALHOST.")
"""Other names are judged by their resolution, when a connection is made."""
DIGITS = ("０１２３４５６７８９", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", "⓪①②③④⑤⑥⑦⑧⑨")
DOTS = ("。", "．", "｡")


def numbers(address: str) -> Iterator[str]:
    """Yield the forms that inet_aton accepts: one to four decimal, octal or hexadecimal parts, padded or not."""
    value = int(IPv4Address(address))
    for parts in (1, 2, 3, 4):
        head = [(value >> (24 - 8 * n)) & 255 for n in range(parts - 1)]
        rest = value & ((1 << (8 * (5 - parts))) - 1)
        whole = [*head, rest]
        for form in ("{}", "0x{:x}", "0X{:X}", "0x{:08x}", "0{:o}", "00{:o}", "0000000{:o}"):
            yield ".".join(form.format(part) for part in whole)
        if parts > 1:
            yield ".".join(f"0x{part:x}" if n % 2 else f"{part}" for n, part in enumerate(whole))
            yield ".".join(f"0{part:o}" if n % 2 else f"0x{part:x}" for n, part in enumerate(whole))


def other_alphabets(address: str) -> Iterator[str]:
    """Yield forms that a browser normalizes to ASCII digits and dots."""
    for digits in DIGITS:
        yield address.translate({ord(str(n)): digits[n] for n in range(10)})
    for dot in DOTS:
        yield address.replace(".", dot)


def embedded_in_ipv6(address: str) -> Iterator[str]:
    """Yield IPv6 addresses that embed it: mapped, compatible, NAT64, 6to4; short, long and in upper case."""
    value = int(IPv4Address(address))
    high, low = value >> 16, value & 0xFFFF
    for prefix in (f"::ffff:{high:x}:{low:x}", f"64:ff9b::{high:x}:{low:x}", f"2002:{high:x}:{low:x}::"):
        yield f"[{prefix}]"
        yield f"[{IPv6Address(prefix).exploded.upper()}]"
    yield f"[::ffff:{address}]"
    yield f"[0:0:0:0:0:FFFF:{address}]"
    yield f"[::{address}]"


def hosts() -> Iterator[str]:
    for address in INTERNAL_IPV4:
        yield from (*numbers(address), f"{address}.", *other_alphabets(address), *embedded_in_ipv6(address))
    for address in INTERNAL_IPV6:
        yield from (f"[{address}]", f"[{IPv6Address(address).exploded}]", f"[{address.upper()}]")
    yield from NAMES


def urls() -> Iterator[str]:
    """Yield URLs of each host, with user names, ports and paths that look like another host."""
    for host in dict.fromkeys(hosts()):
        for scheme in ("http", "https", "ws"):
            yield f"{scheme}://{host}/"
        yield f"http://{host}:8080/latest/meta-data/"
        yield f"http://example.com@{host}/"
        yield f"http://example.com:80@{host}:80/"
        yield f"http://{host}/?x=example.com#@example.com"
        yield f"HTTP://{host}"
