"""The table of moves: complete, drawn in the docs, and every move is made by some test."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from tests.support.playbook import (
    EventFactory,
    Playbook,
    action,
    answered,
    button,
    cancelled,
    denied,
    dispatched,
    found,
    granted,
    lane_taken,
    observed,
    page_changed,
    page_lost,
    press,
    probed,
    read,
    refused,
    request,
    started,
    until_acting,
    until_checked,
    until_verifying,
    watching,
    woke,
)
from uiap.runtime import events as when
from uiap.runtime import lifecycle
from uiap.runtime.lifecycle import MOVES, is_final, mermaid
from uiap.runtime.machine import ActionMachine, IllegalMove
from uiap.spec.action import FINAL_STATES, RuntimeState
from uiap.spec.capability import RiskDescriptor

DOCS = Path(__file__).parents[2] / "docs" / "runtime.md"


@pytest.mark.requirement("ACT-4")
def test_every_state_has_its_row_and_final_states_lead_nowhere() -> None:
    assert set(MOVES) == set(get_args(RuntimeState))
    assert all(not MOVES[state] for state in FINAL_STATES)
    assert all(is_final(state) == (not moves) for state, moves in MOVES.items())


@pytest.mark.requirement("ACT-4")
def test_recovering_is_never_entered_from_executing() -> None:
    assert "RECOVERING" not in MOVES["EXECUTING"]


@pytest.mark.requirement("ACT-4")
def test_a_handler_that_moves_where_its_row_does_not_lead_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def jump(action: Any, _event: Any) -> list[Any]:
        action.state = "SUCCEEDED"
        return []

    wrong = lifecycle.Row(jump, frozenset({"RESOLVING_TARGET"}))
    monkeypatch.setattr(lifecycle, "TABLE", {**lifecycle.TABLE, ("RECEIVED", when.Started): wrong})
    with pytest.raises(IllegalMove, match="RECEIVED -> SUCCEEDED by Started"):
        Playbook(press()) >> started


@pytest.mark.requirement("ACT-5.6")
def test_every_open_state_can_be_cancelled() -> None:
    assert all("CANCELLED" in moves for moves in MOVES.values() if moves)


def test_the_diagram_in_the_docs_is_the_table() -> None:
    assert f"```mermaid\n{mermaid()}```" in DOCS.read_text()


def test_every_move_of_the_table_is_made_by_some_conversation() -> None:
    made: set[tuple[str, str]] = set()
    for play in _conversations():
        made |= play
    wanted = {(state, target) for state, targets in MOVES.items() for target in targets}
    assert made == wanted, sorted(wanted ^ made)


def _conversations() -> list[set[tuple[str, str]]]:
    risky = button(risk=RiskDescriptor(level="confirm"))
    blocked = button(risk=RiskDescriptor(level="blocked"))

    def asked() -> Playbook:
        return _Traced(action(rules="standard")) >> started >> found(risky) >> probed()

    def pressed() -> Playbook:
        return until_acting(_Traced(press()))

    plays = [
        _Traced(press()) >> cancelled,
        _Traced(press(target=request(name=None).target)) >> started,
        _Traced(press()) >> started >> cancelled,
        _Traced(press()) >> started >> found(button(id="a"), button(id="b")),
        _Traced(press()) >> started >> found() >> page_changed,
        _Traced(press()) >> started >> found() >> cancelled,
        (_Traced(press(timeout_ms=50)) >> started >> found()).at(1) >> woke,
        until_checked(_Traced(press())) >> cancelled,
        until_checked(_Traced(press())) >> probed(visible=False) >> page_changed,
        until_checked(_Traced(press()), blocked) >> probed(),
        asked() >> granted >> probed(),
        asked() >> denied,
        until_checked(_Traced(action(rules="standard")), blocked)
        >> probed()
        >> lane_taken
        >> watching()
        >> observed("x"),
        asked() >> page_lost,
        pressed() >> refused("gone"),
        pressed() >> cancelled,
        pressed() >> refused("opaque"),
        pressed() >> dispatched("dialog") >> answered(True) >> cancelled,
        pressed() >> dispatched("dialog") >> cancelled,
        (pressed() >> dispatched("dialog")).at(9) >> woke,
        until_checked(_Traced(action(request("ui.read")))) >> probed() >> lane_taken >> read(),
        until_verifying(_Traced(press())).at(9) >> woke,
        (until_verifying(_Traced(press())) >> observed("x", complete=True)).at(0.1)
        >> observed("x", complete=True),
    ]
    return [play.made for play in plays if isinstance(play, _Traced)]


class _Traced(Playbook):
    """Keeps which moves were made, from the progress messages and the end."""

    def __init__(self, begun: ActionMachine) -> None:
        super().__init__(begun)
        self.made: set[tuple[str, str]] = set()

    def __rshift__(self, happening: EventFactory) -> Playbook:
        before: str = self.action.state
        super().__rshift__(happening)
        for command in self.commands:
            stage = getattr(getattr(command, "payload", None), "stage", None)
            if (
                stage is not None and stage.upper() != before
            ):  # a target is reported in the state that found it
                self.made.add((before, stage.upper()))
                before = stage.upper()
        if self.action.state != before:
            self.made.add((before, self.action.state))
        return self
