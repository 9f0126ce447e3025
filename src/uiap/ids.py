"""The source of all ids.

Pure packages use no randomness: an `IdMaker` gets a seed from an event, so a replayed journal makes the same ids again.
Ids that work as handles have 128 bits that cannot be guessed without the seed.
"""

from __future__ import annotations

import secrets
from base64 import b32encode
from hashlib import blake2b

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def new_seed() -> str:
    """Return a random seed for one state machine: 128 bits in hexadecimal."""
    return secrets.token_hex(16)


def new_secret(prefix: str) -> str:
    """Return a random id that cannot be guessed, for ids made outside a state machine (sessions, tokens)."""
    return f"{prefix}_{secrets.token_hex(16)}"


def _base36(number: int) -> str:
    text = ""
    while True:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
        if number == 0:
            return text


class IdMaker:
    """The ids of one state machine: the same seed gives the same ids in the same order."""

    def __init__(self, seed: str) -> None:
        self._key = seed.encode()
        self._count = 0

    def next(self, prefix: str) -> str:
        """Return an id that is unique in this machine, short and easy to guess."""
        self._count += 1
        return f"{prefix}_{_base36(self._count)}"

    def secret(self, prefix: str) -> str:
        """Return an id that is unique and cannot be guessed without the seed."""
        self._count += 1
        digest = blake2b(self._count.to_bytes(8, "big"), key=self._key, digest_size=16).digest()
        return f"{prefix}_{b32encode(digest).decode().rstrip('=').lower()}"
