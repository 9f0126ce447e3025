"""RFC 8785 canonical JSON and the digests made from it.

The fast writer agrees with the RFC for texts without exponents, without `.0` and without keys beyond the basic
plane; anything else goes to the reference implementation. So the bytes are always the RFC's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
import rfc8785

from uiap.digests import content_digest

_EXPONENT = re.compile(rb"[:,\[]-?[0-9]+(?:\.[0-9]+)?e")
_WHOLE = re.compile(rb"\.0[,}\]]")
_ASTRAL_KEY = re.compile(rb'"[^"]*[\xf0-\xf7][^"]*":')
_DIGITS = bytes(ord("0") if chr(byte).isascii() and chr(byte).isdigit() else byte for byte in range(256))


def canonical(value: Any) -> bytes:
    """The one byte sequence of a JSON value or spec struct."""
    data = msgspec.json.encode(value, order="sorted")
    if (
        not isinstance(value, dict | list | msgspec.Struct)
        or _has_unusual_numbers(data)
        or _has_unusual_keys(data)
    ):
        return rfc8785.dumps(msgspec.to_builtins(value))
    return data


def _has_unusual_numbers(data: bytes) -> bool:
    """Numbers that the two standards write differently: 1.0, 1e16, -0.0. Plain searches first, they are cheap."""
    if _WHOLE.search(data):
        return True
    shape = data.translate(_DIGITS)
    return (b"0e0" in shape or b"0e-0" in shape) and _EXPONENT.search(data) is not None


def _has_unusual_keys(data: bytes) -> bool:
    """RFC 8785 sorts by UTF-16 units, which differs beyond the basic plane."""
    return not data.isascii() and _ASTRAL_KEY.search(data) is not None


def to_json_value(value: Any) -> Any:
    """A struct as the lists, objects and scalars that a reader of its JSON would see."""
    return msgspec.json.decode(msgspec.json.encode(value))


def files_digest(files: Mapping[str, str | bytes]) -> str:
    """The digest of a package's source: every path with its text, in one canonical object."""
    texts = {
        name: content if isinstance(content, str) else content.decode(errors="replace")
        for name, content in files.items()
    }
    return content_digest(canonical(texts))
