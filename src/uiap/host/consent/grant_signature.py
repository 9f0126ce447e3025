"""How a person signs a grant: the digest of what was shown, under a secret that only the person's channel has.

Standard library alone, so that `uiap approve` stays quick.
"""

from __future__ import annotations

import hmac


def sign_grant(secret: str, digest: str) -> str:
    """The grant token: what is granted, and the proof of who granted it."""
    mac = hmac.digest(secret.encode(), f"uiap grant {digest}".encode(), "sha256").hex()
    return f"{digest}.{mac}"


def signed_by(secret: str, token: str) -> bool:
    digest, _, _mac = token.partition(".")
    return hmac.compare_digest(sign_grant(secret, digest).encode(), token.encode())


def sign_denial(secret: str, digest: str) -> str:
    """The same for a no, where a channel has to prove that too."""
    return sign_grant(secret, f"no:{digest}")


def is_denial_of(token: str, digest: str) -> bool:
    return token.partition(".")[0] == f"no:{digest}"
