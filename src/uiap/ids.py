"""The only maker of ids.

Pure rooms never draw chance themselves: an `IdMaker` is built from a seed that arrived in an event, so a
replayed journal makes the same ids again. Ids that act as handles carry 128 bits that cannot be guessed
without the seed (robustness P5).
"""

from __future__ import annotations

import secrets
from base64 import b32encode
from hashlib import blake2b

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def new_seed() -> str:
    """Chance for one machine: 128 bits, as hex."""
    return secrets.token_hex(16)


def new_secret(prefix: str) -> str:
    """An id that nobody can guess, for what is made outside a machine (session ids, tokens)."""
    return f"{prefix}_{secrets.token_hex(16)}"


def _base36(number: int) -> str:
    text = ""
    while True:
        number, digit = divmod(number, 36)
        text = _DIGITS[digit] + text
        if number == 0:
            return text


class IdMaker:
    """Ids of one machine, in order, the same for the same seed."""

    def __init__(self, seed: str) -> None:
        self._key = seed.encode()
        self._count = 0

    def next(self, prefix: str) -> str:
        """Unique within this machine, readable in a log, guessable."""
        self._count += 1
        return f"{prefix}_{_base36(self._count)}"

    def secret(self, prefix: str) -> str:
        """Unique, and not to be guessed without the seed."""
        self._count += 1
        digest = blake2b(self._count.to_bytes(8, "big"), key=self._key, digest_size=16).digest()
        return f"{prefix}_{b32encode(digest).decode().rstrip('=').lower()}"
