"""Every way we know to spell an address that nobody may be led to (robustness P11), as families, generated.

Numbers in other bases and fewer parts, IPv6 around IPv4, digits of other alphabets, dots that are none, and users and
ports before and after. They are refused by how they are written; names, by what they resolve to (`test_egress`).
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address

INSIDE4 = ("127.0.0.1", "169.254.169.254", "10.0.0.1", "172.16.5.9", "192.168.1.1", "0.0.0.0", "100.64.0.7")
INSIDE6 = ("::1", "::", "fe80::1", "fd00:ec2::254", "fc00::7", "ff02::1")
NAMES = ("localhost", "LocalHost", "localhost.", "a.localhost", "LOCALHOST.")
"""Other names point inside only by what they resolve to, which is judged where a connection is made."""
DIGITS = ("０１２３４５６７８９", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", "⓪①②③④⑤⑥⑦⑧⑨")
DOTS = ("。", "．", "｡")


def numbers(address: str) -> Iterator[str]:
    """inet_aton's own family: one to four parts, each decimal, octal or hexadecimal, padded or not."""
    value = int(IPv4Address(address))
    for parts in (1, 2, 3, 4):
        head = [(value >> (24 - 8 * n)) & 255 for n in range(parts - 1)]
        rest = value & ((1 << (8 * (5 - parts))) - 1)
        whole = [*head, rest]
        for one in ("{}", "0x{:x}", "0X{:X}", "0x{:08x}", "0{:o}", "00{:o}", "0000000{:o}"):
            yield ".".join(one.format(part) for part in whole)
        if parts > 1:
            yield ".".join(f"0x{part:x}" if n % 2 else f"{part}" for n, part in enumerate(whole))
            yield ".".join(f"0{part:o}" if n % 2 else f"0x{part:x}" for n, part in enumerate(whole))


def other_alphabets(address: str) -> Iterator[str]:
    """What a browser folds into plain digits and dots before it looks."""
    for digits in DIGITS:
        yield address.translate({ord(str(n)): digits[n] for n in range(10)})
    for dot in DOTS:
        yield address.replace(".", dot)


def around(address: str) -> Iterator[str]:
    """IPv6 that carries it: mapped, compatible, NAT64, 6to4; short, long and in capitals."""
    value = int(IPv4Address(address))
    high, low = value >> 16, value & 0xFFFF
    for prefix in (f"::ffff:{high:x}:{low:x}", f"64:ff9b::{high:x}:{low:x}", f"2002:{high:x}:{low:x}::"):
        yield f"[{prefix}]"
        yield f"[{IPv6Address(prefix).exploded.upper()}]"
    yield f"[::ffff:{address}]"
    yield f"[0:0:0:0:0:FFFF:{address}]"
    yield f"[::{address}]"


def hosts() -> Iterator[str]:
    for address in INSIDE4:
        yield from (*numbers(address), f"{address}.", *other_alphabets(address), *around(address))
    for address in INSIDE6:
        yield from (f"[{address}]", f"[{IPv6Address(address).exploded}]", f"[{address.upper()}]")
    yield from NAMES


def urls() -> Iterator[str]:
    """Each host as it may stand in an address: with users, ports and paths that look like another place."""
    for host in dict.fromkeys(hosts()):
        for scheme in ("http", "https", "ws"):
            yield f"{scheme}://{host}/"
        yield f"http://{host}:8080/latest/meta-data/"
        yield f"http://example.com@{host}/"
        yield f"http://example.com:80@{host}:80/"
        yield f"http://{host}/?x=example.com#@example.com"
        yield f"HTTP://{host}"
