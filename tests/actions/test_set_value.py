"""ui.setValue: the value that is set, and when it counts as reached."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import button
from uiap.actions.ops import Adjust, Guard
from uiap.actions.set_value import ACTION, is_within_tolerance, nearest_value
from uiap.spec.web import ElementNode, WebElementState


def slider(**state: Any) -> ElementNode:
    return button(
        "Volume", role="slider", state=WebElementState(**{"min": 0, "max": 100, "step": 5, **state})
    )


@pytest.mark.parametrize(
    ("wanted", "tolerance", "value"),
    [(50, 0, 50), (52, 2, 50), (52, 1, 52), (104, 5, 100), ("2026-01-01", 0, "2026-01-01")],
)
def test_the_nearest_step_is_set_only_if_it_is_within_the_tolerance(
    wanted: Any, tolerance: float, value: Any
) -> None:
    assert nearest_value(slider(), {"value": wanted, "tolerance": tolerance}) == value


def test_the_rest_of_the_tolerance_is_left_to_the_gesture() -> None:
    (op,) = ACTION.plan("semanticUi", Guard(node="el_1"), slider(), {"value": 52, "tolerance": 3})
    assert isinstance(op, Adjust) and (op.value, op.tolerance) == (50, 1)


def test_a_value_counts_as_number_or_as_text() -> None:
    assert is_within_tolerance(slider(numeric_value=51), {"value": 50, "tolerance": 1})
    assert not is_within_tolerance(slider(numeric_value=52), {"value": 50, "tolerance": 1})
    assert is_within_tolerance(slider(text_value="50"), {"value": 50})
    assert is_within_tolerance(slider(text_value="#FF0000"), {"value": "#ff0000"})
    assert not is_within_tolerance(slider(), {"value": 50})
