"""The list of primitives: in order, named by the spec, with gestures a driver knows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import button
from uiap.actions.ops import OP_KINDS, Guard
from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS
from uiap.actions.set_value import nearest
from uiap.spec.web import WebElementState

ARGS: dict[str, dict[str, Any]] = {
    "ui.enterText": {"text": "x"},
    "ui.setValue": {"value": 3},
    "ui.choose": {"label": "x"},
}


def test_the_list_is_alphabetical_by_file_name() -> None:
    words = [primitive.id.split(".")[1].lower() for primitive in ACTIONS.values()]
    assert words == sorted(words)


@pytest.mark.parametrize("primitive", ACTIONS.values(), ids=ACTIONS)
def test_a_plan_uses_known_gestures_in_the_chosen_mode_under_the_guard(primitive: Primitive) -> None:
    guard = Guard(node="el_1")
    for mode in primitive.modes:
        plan = primitive.plan(mode, guard, button(), ARGS.get(primitive.id, {}))
        assert all(op.kind in OP_KINDS and op.mode == mode and op.guard == guard for op in plan)


@pytest.mark.parametrize("primitive", ACTIONS.values(), ids=ACTIONS)
def test_the_descriptor_says_what_the_primitive_is(primitive: Primitive) -> None:
    told = primitive.descriptor
    assert told.id == primitive.id and told.args == primitive.args
    assert ("none" in told.target_kinds) is not primitive.needs_target


@pytest.mark.parametrize(
    ("wanted", "tolerance", "held"),
    [(72, 0, 72), (72, 3, 70), (73, 3, 75), (120, 30, 100), (120, 3, 120), (70, 0, 70)],
)
def test_a_value_is_set_on_the_grid_of_the_control_within_the_tolerance(
    wanted: float, tolerance: float, held: float
) -> None:
    slider = button(state=WebElementState(min=0, max=100, step=5))
    assert nearest(slider, {"value": wanted, "tolerance": tolerance}) == held
