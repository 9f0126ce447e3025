"""States that name a kind: `true` alone says nothing."""

from __future__ import annotations

import pytest

from uiap.spec.capability import UIState


@pytest.mark.parametrize("member", ["current", "has_popup"])
def test_a_state_is_false_or_names_its_kind(member: str) -> None:
    assert getattr(UIState(**{member: False}), member) is False
    with pytest.raises(ValueError, match="must be false or name"):
        UIState(**{member: True})


def test_a_kind_is_accepted() -> None:
    assert UIState(current="page", has_popup="menu").has_popup == "menu"
