"""RFC 8785 canonical JSON and digests of it.

The fast encoder agrees with the RFC unless a number has an exponent or ends in `.0`, or a key has characters beyond
the basic plane. Such values go to the reference implementation, so the bytes always conform to the RFC.
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
    """Return the canonical bytes of a JSON value or spec struct."""
    data = msgspec.json.encode(value, order="sorted")
    if (
        not isinstance(value, dict | list | msgspec.Struct)
        or _has_unusual_numbers(data)
        or _has_unusual_keys(data)
    ):
        return rfc8785.dumps(msgspec.to_builtins(value))
    return data


def _has_unusual_numbers(data: bytes) -> bool:
    """Return whether a number has another canonical form, as 1.0, 1e16 and -0.0 have. Cheap searches come first."""
    if _WHOLE.search(data):
        return True
    shape = data.translate(_DIGITS)
    return (b"0e0" in shape or b"0e-0" in shape) and _EXPONENT.search(data) is not None


def _has_unusual_keys(data: bytes) -> bool:
    """Return whether a key is beyond the basic plane, where sorting by UTF-16 units differs."""
    return not data.isascii() and _ASTRAL_KEY.search(data) is not None


def to_json_value(value: Any) -> Any:
    """Return a struct as plain lists, dicts and scalars, as in its JSON."""
    return msgspec.json.decode(msgspec.json.encode(value))


def files_digest(files: Mapping[str, str | bytes]) -> str:
    """Return the digest of the files of a package: a canonical object of paths and texts."""
    texts = {
        name: content if isinstance(content, str) else content.decode(errors="replace")
        for name, content in files.items()
    }
    return content_digest(canonical(texts))
