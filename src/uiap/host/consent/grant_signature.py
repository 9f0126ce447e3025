"""Grant signatures: an HMAC of the confirmed digest under a secret that only the person's channel has.

This module imports only the standard library, so that `uiap approve` starts fast.
"""

from __future__ import annotations

import hmac


def sign_grant(secret: str, digest: str) -> str:
    """Return the grant token: the granted digest and the proof of who granted it."""
    mac = hmac.digest(secret.encode(), f"uiap grant {digest}".encode(), "sha256").hex()
    return f"{digest}.{mac}"


def signed_by(secret: str, token: str) -> bool:
    """Return whether the token was made with this secret."""
    digest, _, _mac = token.partition(".")
    return hmac.compare_digest(sign_grant(secret, digest).encode(), token.encode())


def for_session(digest: str) -> str:
    """Return the digest that a person signs to allow a kind of question for the session."""
    return f"session:{digest}"


def sign_denial(secret: str, digest: str) -> str:
    """Return the token of a denial, for channels that must prove denials too."""
    return sign_grant(secret, f"no:{digest}")


def is_denial_of(token: str, digest: str) -> bool:
    """Return whether the token denies this digest. The signature is not checked."""
    return token.partition(".")[0] == f"no:{digest}"
