"""x.uiap.press: chords, and which keys change nothing but the view."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.actions.ops import Press
from uiap.actions.press import ACTION, parse_chord


@pytest.mark.parametrize(
    ("text", "chord"),
    [
        ("Enter", ("Enter", ())),
        ("Control+Shift+K", ("K", ("Control", "Shift"))),
        ("+", ("+", ())),
        ("Control++", ("+", ("Control",))),
    ],
)
def test_a_chord_has_its_key_last(text: str, chord: Any) -> None:
    assert parse_chord(text) == chord


@pytest.mark.parametrize(
    ("key", "effect"),
    [("Tab", "ui_state"), ("Shift+Tab", "ui_state"), ("Control+Tab", "unknown"), ("Enter", "unknown")],
)
def test_only_keys_that_move_the_focus_or_the_view_have_a_known_effect(key: str, effect: str) -> None:
    assert ACTION.effect(None, {"key": key}) == effect


def test_a_press_without_a_target_has_no_guard() -> None:
    (op,) = ACTION.plan("externalDriver", None, None, {"key": "Control+k"})
    assert isinstance(op, Press)
    assert (op.key, op.modifiers, op.guard) == ("k", ("Control",), None)
