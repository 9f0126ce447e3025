"""Grants: accepted once, for one digest, under one key, until they expire."""

from __future__ import annotations

import msgspec
import pytest

from uiap.host.consent.grant_signature import sign_grant, signed_by
from uiap.host.consent.grants import Grants
from uiap.runtime.grant_terms import GrantTerms

ASKED = GrantTerms(
    session="s",
    principal="eve",
    handle="act_1",
    action="ui.activate",
    args="0",
    policy="pol_1",
    expires=120.0,
)
SECRET = "person's"


def grants(**settings: bool) -> Grants:
    made = Grants(**settings)
    made.register_key("ann", SECRET)
    return made


@pytest.mark.requirement("ACT-SEC.2")
@pytest.mark.parametrize(
    "term", [name for name in GrantTerms.__struct_fields__ if name not in ("box", "asked_at", "expires")]
)
def test_a_grant_is_rejected_if_any_of_its_terms_differs(term: str) -> None:
    other = msgspec.structs.replace(ASKED, **{term: ("x",) if term == "target" else "x"})
    assert grants().accept("ann", sign_grant(SECRET, ASKED.digest), other, 1.0) == "for something else"
    assert other.covers(ASKED) is (term == "revision")


def test_a_target_may_move_a_little_but_not_far() -> None:
    at = msgspec.structs.replace(ASKED, box=(10.0, 10.0, 80.0, 20.0))
    assert at.covers(msgspec.structs.replace(ASKED, box=(14.0, 25.0, 80.0, 20.0)))
    assert not at.covers(msgspec.structs.replace(ASKED, box=(10.0, 40.0, 80.0, 20.0)))
    assert at.covers(ASKED), "a driver that knows no places leaves the other terms"
    assert at.digest != ASKED.digest


def test_a_grant_is_accepted_once_and_redeemed_once() -> None:
    book, token = grants(), sign_grant(SECRET, ASKED.digest)
    assert book.accept("ann", token, ASKED, 1.0) is None
    assert book.accept("ann", token, ASKED, 1.0) == "used"
    assert book.redeem(ASKED, 2.0) is None
    assert book.redeem(ASKED, 2.0) == "used"
    assert book.accept("ann", token, ASKED, 3.0) == "used"


def test_a_grant_expires_before_it_is_accepted_and_before_it_is_redeemed() -> None:
    book, token = grants(), sign_grant(SECRET, ASKED.digest)
    assert book.accept("ann", token, ASKED, 120.0) == "expired"
    assert book.accept("ann", token, ASKED, 119.9) is None
    assert book.redeem(ASKED, 120.0) is not None


def test_only_an_accepted_grant_is_redeemed() -> None:
    assert grants().redeem(ASKED, 1.0) == "for something else"
    assert grants().redeem(None, 1.0) == "unsigned"


def test_a_token_under_another_key_is_forged() -> None:
    book = grants()
    for token in (
        sign_grant("other", ASKED.digest),
        "",
        ".",
        f"{ASKED.digest}.",
        f"{ASKED.digest}.{'0' * 64}",
    ):
        assert book.accept("ann", token or "-", ASKED, 1.0) == "forged"
    assert book.accept("bob", sign_grant(SECRET, ASKED.digest), ASKED, 1.0) == "forged"


def test_a_grant_without_a_token_is_unsigned_if_proof_is_required() -> None:
    assert grants(proof_required=True).accept("ann", None, ASKED, 1.0) == "unsigned"
    assert grants().accept("ann", None, ASKED, 1.0) is None


def test_expired_grants_are_forgotten() -> None:
    book = grants()
    for n in range(100):
        asked = msgspec.structs.replace(ASKED, handle=f"act_{n}", expires=float(n + 1))
        assert book.accept("ann", sign_grant(SECRET, asked.digest), asked, 0.0) is None
        book.redeem(asked, 0.0)
    book.redeem(None, 1.0)
    assert book.redeem(msgspec.structs.replace(ASKED, expires=500.0), 200.0) is not None
    assert len(book._spent) + len(book._open) == 0


def test_every_character_of_a_token_is_checked() -> None:
    token = sign_grant(SECRET, "ab")
    assert signed_by(SECRET, token)
    assert not any(
        signed_by(SECRET, token[:n] + "0" + token[n + 1 :]) for n in range(len(token)) if token[n] != "0"
    )
