"""Ids: equal for equal seeds, unique, and impossible to guess if they work as handles."""

from __future__ import annotations

import re

from uiap.ids import IdMaker, new_secret, new_seed


def test_the_same_seed_makes_the_same_ids_in_order():
    one, two = IdMaker("seed"), IdMaker("seed")
    made = [one.next("msg"), one.secret("act"), one.next("msg")]
    assert made == [two.next("msg"), two.secret("act"), two.next("msg")]
    assert made[0] == "msg_1"
    assert made[2] == "msg_3"


def test_ids_of_one_maker_never_repeat():
    maker = IdMaker(new_seed())
    made = [maker.next("m") for _ in range(2000)] + [maker.secret("m") for _ in range(2000)]
    assert len(set(made)) == 4000


def test_secrets_of_different_seeds_have_nothing_in_common():
    made = {IdMaker(f"seed{n}").secret("act") for n in range(500)}
    assert len(made) == 500


def test_handles_have_128_bits():
    secret = IdMaker(new_seed()).secret("act")
    assert re.fullmatch(r"act_[a-z2-7]{26}", secret)
    assert re.fullmatch(r"sess_[0-9a-f]{32}", new_secret("sess"))
    assert re.fullmatch(r"[0-9a-f]{32}", new_seed())
    assert new_seed() != new_seed()
