"""tools/state_diagram.py draws every state and every move of the table."""

from __future__ import annotations

from tools import state_diagram
from uiap.runtime.lifecycle import MOVES
from uiap.spec.action import FINAL_STATES


def test_every_state_but_the_two_common_endings_is_drawn() -> None:
    assert set(state_diagram.PLACES) == set(MOVES) - {"FAILED", "CANCELLED"}
    assert all(f">{state}</text>" in state_diagram.svg() for state in state_diagram.PLACES)


def test_every_open_state_leads_to_the_endings_that_are_not_drawn() -> None:
    assert all(
        {"FAILED", "CANCELLED"} <= targets for state, targets in MOVES.items() if state not in FINAL_STATES
    )


def test_every_other_move_of_the_table_has_an_arrow() -> None:
    drawn = state_diagram.drawn_moves()
    wanted = {(state, to) for state, targets in MOVES.items() for to in targets - {"FAILED", "CANCELLED"}}
    assert set(drawn) == wanted
    assert state_diagram.svg().count('class="move"') == len(wanted)
