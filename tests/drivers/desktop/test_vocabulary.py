"""AT-SPI's vocabulary in ours."""

from __future__ import annotations

from typing import get_args

from uiap.drivers.desktop import vocabulary
from uiap.spec.capability import UIRole


def test_states_are_read_from_both_words() -> None:
    for name, bit in vocabulary.STATE_BITS.items():
        words = (1 << bit, 0) if bit < 32 else (0, 1 << (bit - 32))
        assert vocabulary.states(words) == {name}
    assert vocabulary.states((0, 0)) == vocabulary.states(()) == frozenset()


def test_every_role_is_one_of_the_protocol() -> None:
    assert set(vocabulary.ROLES.values()) <= set(get_args(UIRole))


def test_layout_roles_are_not_elements_of_their_own() -> None:
    assert vocabulary.LAYOUT.isdisjoint(vocabulary.TEXTS | vocabulary.RANGES | vocabulary.WINDOWS)
