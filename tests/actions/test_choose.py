"""ui.choose: the options that are named, the gesture, and the proof."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import button
from uiap.actions.choose import ACTION
from uiap.actions.ops import Click, Guard, Select
from uiap.actions.primitive import ValueProof
from uiap.spec.capability import ElementState
from uiap.spec.web import WebElementState

GUARD = Guard(node="el_1")
LIST = button("Colour", role="combobox")


@pytest.mark.parametrize(
    ("args", "values", "by"),
    [
        ({"label": "Red"}, ("Red",), "label"),
        ({"index": 2}, ("2",), "index"),
        ({"multiple": ["a", "b"]}, ("a", "b"), None),
        ({"multiple": ["a"], "value": True}, ("a",), "value"),
    ],
)
def test_options_are_selected_by_the_given_selector(args: dict[str, Any], values: Any, by: Any) -> None:
    (op,) = ACTION.plan("semanticUi", GUARD, LIST, args)
    assert isinstance(op, Select) and (op.values, op.by) == (values, by)


def test_an_option_without_arguments_is_pressed_itself_and_proved_by_its_state() -> None:
    option = button("Red", role="option")
    (op,) = ACTION.plan("externalDriver", GUARD, option, {})
    assert isinstance(op, Click)
    (signal,) = ACTION.proof(option, {})
    assert isinstance(signal, ElementState) and signal.state.selected is True


@pytest.mark.parametrize(("args", "first"), [({}, "externalDriver"), ({"label": "Red"}, "semanticUi")])
def test_the_option_itself_is_pressed_with_trusted_input_and_a_list_is_set_first(
    args: dict[str, Any], first: str
) -> None:
    assert ACTION.modes_for(LIST, args)[0] == first
    assert set(ACTION.modes_for(LIST, args)) == set(ACTION.modes)


def test_an_option_of_a_closed_native_list_is_set_and_not_pressed() -> None:
    option = button("Red", role="option", state=WebElementState(selected=False))
    assert ACTION.modes_for(option, {})[0] == "semanticUi"


def test_a_menu_item_with_a_state_is_chosen_and_proved_by_that_state() -> None:
    item = button("Large", role="menuitem", state=WebElementState(checked=False), affordances=("activate",))
    command = button("Print", role="menuitem", affordances=("activate",))
    assert ACTION.accepts(item) and not ACTION.accepts(command)
    (op,) = ACTION.plan("externalDriver", GUARD, item, {})
    assert isinstance(op, Click) and op.picks is True
    (signal,) = ACTION.proof(item, {})
    assert isinstance(signal, ElementState) and signal.state.checked is True


def test_a_choice_is_proved_by_the_shown_label_or_by_what_the_driver_read_back() -> None:
    proof = ACTION.proof(LIST, {"label": "Red"})
    assert isinstance(proof, ValueProof)
    red = button("Colour", role="combobox", state=WebElementState(text_value="Red"))
    assert proof.test(red, {"native": True, "label": "Red"})
    assert not proof.test(LIST, {"native": True, "label": "Red"})
    assert proof.test(LIST, {"held": True}) and not proof.test(LIST, {"held": False})
