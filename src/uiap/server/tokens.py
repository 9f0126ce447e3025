"""Bearer tokens and their owners. Tokens are kept as digests and compared in constant time.

The file is JSON: `{"tokens": [{"sha256": "…", "principal": "bot"}, {"sha256": "…", "principal": "ann", "type": "user",
"answersFor": ["bot"]}]}`, optionally with `roles` and `grants`. An agent can never grant, even if its token lists that
grant. A person answers for the agents in `answersFor`. Without `grants` a principal has the grants of its type.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, UnsetType

from uiap.errors import Unavailable
from uiap.ids import new_secret
from uiap.spec.policy import PolicyGrant, PolicyPrincipal

MAX_BYTES = 1024 * 1024
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


class TokenHolder(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """The owner of one token."""

    sha256: Digest
    principal: Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
    type: Literal["agent", "user", "observer", "system"] = "agent"
    answers_for: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    grants: tuple[PolicyGrant, ...] | UnsetType = UNSET

    @property
    def policy_principal(self) -> PolicyPrincipal:
        """The owner as a principal of the policy engine."""
        return PolicyPrincipal(
            type=self.type, id=self.principal, roles=self.roles or UNSET, grants=self.grants
        )


class _TokenFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    tokens: tuple[TokenHolder, ...]


class Tokens:
    """All tokens of a server, one for each principal."""

    def __init__(self, holders: Iterable[TokenHolder]) -> None:
        self._holders = tuple(holders)
        self._by_principal = {holder.principal: holder for holder in self._holders}
        if len(self._by_principal) != len(self._holders):
            raise Unavailable("two tokens name the same principal; give each its own name")

    def holder_of(self, token: str) -> TokenHolder | None:
        """Return the owner of a token; compare every digest, so that the time reveals nothing."""
        digest = digest_of(token)
        found = None
        for holder in self._holders:
            if compare_digest(digest, holder.sha256):
                found = holder
        return found

    def by_principal(self, principal: str | None) -> TokenHolder | None:
        """Return the token owner with this principal id."""
        return self._by_principal.get(principal or "")


def digest_of(token: str) -> str:
    return sha256(token.encode()).hexdigest()


def single_token(token: str, principal: str) -> Tokens:
    """Return the tokens of a server with one token."""
    return Tokens([TokenHolder(sha256=digest_of(token), principal=principal)])


def read_tokens(path: Path) -> Tokens:
    """Read a token file; refuse one that other users can write."""
    try:
        found = path.stat()
        if stat.S_IMODE(found.st_mode) & 0o022:
            raise Unavailable(f"other users can write `{path}`; run chmod 600 on it")
        if found.st_size > MAX_BYTES:
            raise Unavailable(f"`{path}` is larger than {MAX_BYTES:,} bytes; is it a token file?")
        return Tokens(msgspec.json.decode(path.read_bytes(), type=_TokenFile).tokens)
    except OSError as error:
        raise Unavailable(f"cannot read `{path}`: {(error.strerror or str(error)).lower()}") from None
    except msgspec.MsgspecError as error:
        raise Unavailable(f"`{path}` is not a token file: {str(error).lower()}") from None


def read_or_create_secret(path: Path) -> str:
    """Return the secret in a file; create the file if it does not exist, readable by this user only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        secret = path.read_text().strip()
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise Unavailable(
                f"other users can read `{path}`; run chmod 600 on it, and make a new secret"
            ) from None
        if len(secret) < 16:
            raise Unavailable(f"the secret in `{path}` is too short; remove the file for a new one") from None
        return secret
    secret = new_secret("token")
    with os.fdopen(descriptor, "w") as file:
        file.write(secret)
    return secret
