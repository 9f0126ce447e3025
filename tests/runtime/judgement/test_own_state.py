"""The action's own end state: signals of the caller never replace it."""

from __future__ import annotations

import pytest

from tests.support.playbook import (
    ALREADY,
    CAUSED,
    UNMET,
    Playbook,
    action,
    button,
    dispatched,
    found,
    lane_taken,
    observed,
    probed,
    recorded,
    request,
    started,
    watching,
)
from uiap.actions.registry import ACTIONS
from uiap.runtime.expectation import expect
from uiap.runtime.judgement.answer import ObservedFacts, Passed, Waiting
from uiap.runtime.judgement.own_state import held_before, own_state
from uiap.signals.effect_report import EffectReport
from uiap.spec.action import VerificationSpec
from uiap.spec.capability import StatusContains
from uiap.spec.web import ElementNode, WebElementState

READY = StatusContains(text="Ready")
WANTS_READY = VerificationSpec(policy="all", signals=(READY,))


def field(text: str) -> ElementNode:
    return button(
        "Title", role="textbox", state=WebElementState(visible=True, editable=True, text_value=text)
    )


def test_a_text_entry_needs_its_text_whatever_the_caller_expects() -> None:
    expected = expect(WANTS_READY, ACTIONS["ui.enterText"], field(""), {"text": "Hello"})
    empty = own_state(expected, EffectReport((UNMET, CAUSED), "status text", "caused", "rev_2", True))
    assert isinstance(empty, Waiting) and "value.equals" in empty.why
    assert isinstance(own_state(expected, EffectReport((CAUSED, CAUSED), None, None, "rev_2", True)), Passed)


def test_text_is_typed_even_if_the_expected_signal_is_already_true() -> None:
    asked = request("ui.enterText", "Title", args={"text": "Hello"}, verification=WANTS_READY)
    play = Playbook(action(asked))
    play >> started >> found(field("")) >> probed(role="textbox", name="Title", editable=True) >> lane_taken
    play >> watching(UNMET, ALREADY)
    assert not play.results, "the field is empty, so this is no no-op"
    assert any(type(command).__name__ == "Perform" for command in play.commands)


def test_it_is_a_no_op_only_if_end_state_and_claimed_signals_were_true_before() -> None:
    expected = expect(WANTS_READY, ACTIONS["ui.enterText"], field("Hello"), {"text": "Hello"})
    assert held_before(expected, (ALREADY, ALREADY), field("Hello"))
    assert not held_before(expected, (UNMET, ALREADY), field("Hell"))
    asked = request("ui.enterText", "Title", args={"text": "Hello"}, verification=WANTS_READY)
    for claim, ended in ((UNMET, False), (ALREADY, True)):
        play = Playbook(action(asked))
        play >> started >> found(field("Hello")) >> probed(role="textbox", name="Title", editable=True)
        play >> lane_taken >> watching(ALREADY, claim)
        assert bool(play.results) is ended
    assert play.metadata["outcome"] == "no_op"
    assert play.metadata["alreadyTrue"] == ["value.equals", "status.contains"]


def test_a_press_has_no_end_state_besides_its_delivery() -> None:
    expected = expect(None, ACTIONS["ui.activate"], button(), {})
    assert isinstance(own_state(expected, EffectReport()), Passed)
    assert not held_before(expected, (), button())


@pytest.mark.parametrize("shown", [True, False])
def test_a_switch_must_end_in_its_state(shown: bool) -> None:
    off = button("Wifi", role="switch", state=WebElementState(visible=True, checked=False))
    asked = request("ui.toggle", "Wifi", verification=WANTS_READY)
    play = Playbook(action(asked))
    (
        play
        >> started
        >> found(off)
        >> probed(role="switch", name="Wifi")
        >> lane_taken
        >> watching(UNMET, UNMET)
    )
    play >> recorded >> dispatched()
    own = CAUSED if shown else UNMET
    play.at(0.1) >> observed("status text", own, CAUSED, complete=True)
    play.at(0.3) >> observed("status text", own, CAUSED, complete=True)
    assert bool(play.results) is shown


def test_an_item_that_left_with_its_menu_is_proved_only_by_what_the_driver_read_back() -> None:
    item = button("Ruler", role="menuitem", state=WebElementState(visible=True, checked=False))
    expected = expect(None, ACTIONS["ui.toggle"], item, {})
    gone = EffectReport((UNMET,), "menu gone", "caused", "rev_2", True)
    assert isinstance(own_state(expected, gone, ObservedFacts(gesture={})), Waiting)
    assert isinstance(own_state(expected, gone, ObservedFacts(gesture={"held": True})), Passed)
    shown = ObservedFacts(gesture={"held": True}, element=item)
    assert isinstance(own_state(expected, gone, shown), Waiting), "an item that is shown speaks for itself"


@pytest.mark.parametrize(("shown", "held"), [("Hello", True), ("Hell", False), ("hello", True)])
def test_an_editor_that_closed_is_proved_by_the_text_in_its_place(shown: str, held: bool) -> None:
    expected = expect(None, ACTIONS["ui.enterText"], field(""), {"text": "Hello", "commit": True})
    gone = EffectReport((UNMET,), "cell text", "caused", "rev_2", True, shown_instead=("Total", shown))
    typed = {"typed": True}
    assert isinstance(own_state(expected, gone, ObservedFacts(gesture=typed)), Passed) is held
    there = ObservedFacts(gesture=typed, element=field(""))
    assert isinstance(own_state(expected, gone, there), Waiting), "a field that is shown speaks for itself"
