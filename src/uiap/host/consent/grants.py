"""Grants: signed, single-use, valid for exactly what one person was shown, for two minutes at most.

A grant is accepted when it arrives and redeemed when the input is sent. The page may change in between, so both steps
check the same terms. `approval` decides before this who may grant at all.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from uiap.host.consent.grant_signature import for_session, sign_grant, signed_by
from uiap.ids import new_secret
from uiap.runtime.grant_terms import GrantTerms

Rejected: TypeAlias = Literal["unsigned", "forged", "for something else", "used", "expired"]


class Grants:
    """The accepted grants of one page. The host's own key signs answers from channels it has authenticated."""

    def __init__(self, *, proof_required: bool = False) -> None:
        self.proof_required = proof_required
        self._host_key = new_secret("host")
        self._keys: dict[str, str] = {}
        self._open: dict[str, GrantTerms] = {}
        self._spent: dict[str, float] = {}

    def register_key(self, person: str, secret: str) -> None:
        """Register the secret that this person's channel signs with."""
        self._keys[person] = secret

    def token(self, bond: GrantTerms, *, remember: bool = False) -> str:
        """Return a token signed by the host, for a person whose channel it has authenticated."""
        return sign_grant(self._host_key, for_session(bond.digest) if remember else bond.digest)

    def accept(
        self, person: str, token: str | None, asked: GrantTerms, mono: float, *, remember: bool = False
    ) -> Rejected | None:
        """Accept a grant for `asked`, once. Return why it is rejected, or None.

        With `remember` the token must be for the session, so that a grant for once cannot be widened.
        """
        digest = asked.digest
        if token is None and self.proof_required:
            return "unsigned"
        token = token or self.token(asked, remember=remember)
        keys = [self._host_key, *([self._keys[person]] if person in self._keys else [])]
        if not any(signed_by(key, token) for key in keys):
            return "forged"
        if token.partition(".")[0] != (for_session(digest) if remember else digest):
            return "for something else"
        if digest in self._spent or digest in self._open:
            return "used"
        if mono >= asked.expires:
            return "expired"
        self._open[digest] = asked
        return None

    def redeem(self, granted: GrantTerms | None, mono: float) -> Rejected | None:
        """Use up an accepted grant right before dispatch. Return why it is rejected, or None."""
        if granted is None:
            return "unsigned"
        self._forget_expired(mono)
        digest = granted.digest
        if digest in self._spent:
            return "used"
        if self._open.pop(digest, None) is None:
            return "for something else"
        self._spent[digest] = granted.expires
        return "expired" if mono >= granted.expires else None

    def _forget_expired(self, mono: float) -> None:
        """Forget expired grants. They are rejected anyway."""
        self._spent = {digest: until for digest, until in self._spent.items() if until > mono}
        self._open = {digest: bond for digest, bond in self._open.items() if bond.expires > mono}
