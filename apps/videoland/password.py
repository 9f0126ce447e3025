"""Password hashes, so that not even a fixture app stores a password."""

from __future__ import annotations

import hashlib
import hmac
import secrets


def hashed(password: str) -> str:
    salt = secrets.token_hex(8)
    return f"{salt}${_digest(salt, password)}"


def matches(password: str, stored: str) -> bool:
    salt, _, digest = stored.partition("$")
    return hmac.compare_digest(_digest(salt, password), digest)


def _digest(salt: str, password: str) -> str:
    # n is small on purpose: tests log in hundreds of times on two cores.
    return hashlib.scrypt(password.encode(), salt=salt.encode(), n=2**10, r=8, p=1).hex()
