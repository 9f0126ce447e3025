"""Digests of values, files and texts. Equal input gives an equal digest in every process and on every machine.

Keyed digests (signatures, the audit chain) are not here: each belongs to the module that holds its key.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b, sha256
from typing import Any

import msgspec


def json_digest(value: Any) -> str:
    """Return the SHA-256 digest of a value's JSON with sorted members, in hexadecimal."""
    return sha256(msgspec.json.encode(value, order="sorted")).hexdigest()


def content_digest(data: bytes) -> str:
    """Return the SHA-256 digest of a file or document as it is written in manifests: `sha256:…`."""
    return "sha256:" + sha256(data).hexdigest()


def text_digest(parts: Iterable[str], *, size_bytes: int = 16) -> str:
    """Return a digest of texts in their order, in hexadecimal. It tells states apart and protects nothing."""
    return blake2b("\x1f".join(parts).encode(), digest_size=size_bytes).hexdigest()
