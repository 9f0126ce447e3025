"""The high-water mark of the audit chain: number and hash of its last record, in a file beside the key.

The database cannot prove that it is the newest one: an older copy of it is consistent too. The mark is outside of it,
is signed with the key, and only rises. A chain that does not reach the mark lost records.
"""

from __future__ import annotations

import fcntl
import hmac
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MARK_BYTES = 256
"""More than a mark has. A longer file is not a mark."""


class Mark(NamedTuple):
    """Number and hash of the last record that was stored."""

    seq: int
    hash: bytes


class Forged(NamedTuple):
    """The file exists, but its content was not written with the key."""

    file: Path


class HighWaterMark:
    """The file of one mark. Several processes of one user may share it."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def read(self, key: bytes) -> Mark | Forged | None:
        """Return the mark, or None if there is no file."""
        try:
            descriptor = os.open(self.file, os.O_RDONLY | os.O_NOFOLLOW)
        except FileNotFoundError:
            return None
        except OSError:  # a link, or a file of another user
            return Forged(self.file)
        try:
            return _parse(os.read(descriptor, MARK_BYTES), key) or Forged(self.file)
        finally:
            os.close(descriptor)

    def rise(self, mark: Mark, key: bytes, *, replace: bool = False) -> None:
        """Write the mark unless the stored one is higher. `replace` writes it in any case."""
        descriptor = os.open(self.file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            stored = _parse(os.read(descriptor, MARK_BYTES), key)
            if replace or stored is None or stored.seq < mark.seq:
                text = _text(mark, key)
                os.pwrite(descriptor, text, 0)
                os.ftruncate(descriptor, len(text))
        finally:
            os.close(descriptor)


def _text(mark: Mark, key: bytes) -> bytes:
    return f"{mark.seq:020}:{mark.hash.hex()}:{_signature(mark, key)}\n".encode()


def _signature(mark: Mark, key: bytes) -> str:
    return hmac.digest(key, b"uiap audit mark" + mark.seq.to_bytes(8, "big") + mark.hash, "sha256").hex()


def _parse(text: bytes, key: bytes) -> Mark | None:
    with suppress(ValueError, OverflowError):
        seq, hash, signature = text.decode("ascii").strip().split(":")
        mark = Mark(int(seq), bytes.fromhex(hash))
        if hmac.compare_digest(_signature(mark, key), signature):
            return mark
    return None
