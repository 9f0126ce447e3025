"""The list of primitives: sorted, complete, and planned with known gestures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import button
from uiap.actions.ops import OP_KINDS, Guard
from uiap.actions.press import parse_chord
from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS
from uiap.actions.set_value import is_within_tolerance, nearest_value
from uiap.spec.capability import PRIMITIVE_ACTIONS
from uiap.spec.web import WebElementState

WITHOUT_GESTURE = ("nav.navigate", "ui.read")
ARGS: dict[str, dict[str, Any]] = {
    "ui.enterText": {"text": "x"},
    "ui.setValue": {"value": 3},
    "ui.choose": {"label": "x"},
    "ui.upload": {"files": ["x.txt"]},
    "x.uiap.press": {"key": "Control+K"},
    "x.uiap.pinch": {"scale": 2},
    "x.uiap.drag": {"dx": 5},
}
GESTURES = {"press", "drag", "doubleActivate", "secondaryActivate", "longPress", "pinch"}


@pytest.mark.requirement("CAP-7")
def test_every_primitive_of_the_spec_is_there_and_every_gesture() -> None:
    assert set(PRIMITIVE_ACTIONS) <= set(ACTIONS)
    assert set(ACTIONS) - set(PRIMITIVE_ACTIONS) == {f"x.uiap.{word}" for word in GESTURES}


def test_the_list_is_alphabetical_by_file_name() -> None:
    words = [primitive.id.split(".")[-1].lower() for primitive in ACTIONS.values()]
    assert words == sorted(words)


@pytest.mark.parametrize("primitive", ACTIONS.values(), ids=ACTIONS)
def test_a_plan_uses_known_gestures_in_the_chosen_mode_under_the_guard(primitive: Primitive) -> None:
    guard = Guard(node="el_1")
    for mode in primitive.modes:
        plan = primitive.plan(mode, guard, button(), ARGS.get(primitive.id, {}))
        assert bool(plan) is (primitive.id not in WITHOUT_GESTURE)
        assert all(op.kind in OP_KINDS and op.mode == mode and op.guard == guard for op in plan)


@pytest.mark.parametrize("primitive", ACTIONS.values(), ids=ACTIONS)
def test_the_descriptor_describes_the_primitive(primitive: Primitive) -> None:
    descriptor = primitive.descriptor
    assert descriptor.id == primitive.id and descriptor.args == primitive.args
    assert ("none" in descriptor.target_kinds) is not primitive.needs_target


@pytest.mark.parametrize(
    ("wanted", "tolerance", "held"),
    [(72, 0, 72), (72, 3, 70), (73, 3, 75), (120, 30, 100), (120, 3, 120), (70, 0, 70)],
)
def test_a_value_is_set_on_the_grid_of_the_control_within_the_tolerance(
    wanted: float, tolerance: float, held: float
) -> None:
    slider = button(state=WebElementState(min=0, max=100, step=5))
    assert nearest_value(slider, {"value": wanted, "tolerance": tolerance}) == held


@pytest.mark.parametrize(
    ("keys", "key", "held"),
    [
        ("Enter", "Enter", ()),
        ("a", "a", ()),
        ("+", "+", ()),
        ("Control++", "+", ("Control",)),
        ("ctrl+shift+K", "K", ("Control", "Shift")),
    ],
)
def test_a_chord_is_a_key_with_modifiers(keys: str, key: str, held: tuple[str, ...]) -> None:
    assert parse_chord(keys) == (key, held)


@pytest.mark.parametrize(
    ("value", "held", "tolerance", "there"),
    [(70, 70, 0, True), (70, 71, 2, True), (70, 73, 2, False), ("2026-03-01", None, 0, False)],
)
def test_a_value_is_there_within_the_tolerance(
    value: float | str, held: float | None, tolerance: float, there: bool
) -> None:
    state = WebElementState(numeric_value=held) if held is not None else WebElementState(text_value="x")
    assert is_within_tolerance(button(state=state), {"value": value, "tolerance": tolerance}) is there
