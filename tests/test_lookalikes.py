"""Letters that deceive a reader."""

from __future__ import annotations

import pytest

from uiap.lookalikes import has_direction_marks, has_mixed_scripts, neutralised, skeleton


@pytest.mark.parametrize("mark", ["\u202e", "\u200f", "\u2066", "\u061c"])
def test_marks_that_reorder_a_text_are_found(mark: str) -> None:
    assert has_direction_marks(f"Sa{mark}ve") and not has_direction_marks("Save — Übersicht")


def test_invisible_characters_are_removed_and_lookalikes_unified() -> None:
    assert neutralised("De\u200blete \n account") == "Delete account"
    assert skeleton("D\u0435lete") == "delete" == skeleton("ᴅᴇʟᴇᴛᴇ")
    assert has_mixed_scripts("D\u0435lete") and not has_mixed_scripts("Delete Удалить")
