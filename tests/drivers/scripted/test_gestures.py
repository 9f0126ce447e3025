"""Gestures on scripted widgets: refused like on a real page, and read back."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.actions.ops import Adjust, AnyOp, Check, Click, Guard, Holds, Select, SetText
from uiap.drivers.scripted.app import App, ScriptedPage, Widget
from uiap.drivers.scripted.gestures import ScriptedGestures, read_back

GESTURES = ScriptedGestures(None)


def app(*widgets: Widget) -> App:
    return App("d1", ScriptedPage("http://notes.test/", widgets))


def guard(made: App, key: str = "w", **terms: Any) -> Guard:
    return Guard(node=made.node_id(key), **terms)


def react(made: App, op: AnyOp) -> App:
    assert GESTURES.refusal(made, op) is None
    GESTURES.react(made, op)
    return made


def test_a_click_calls_the_handler_of_the_script() -> None:
    pressed: list[str] = []
    made = app(Widget("w", "button", "Save", on={"click": lambda _: pressed.append("save")}))
    react(made, Click(guard=guard(made)))
    assert pressed == ["save"]


def test_text_checks_and_choices_change_the_widget() -> None:
    field = app(Widget("w", "textbox", "Title"))
    react(field, SetText(guard=guard(field), text="Hello"))
    assert field.graph(1, "t").elements[0].state.text_value == "Hello"
    box = app(Widget("w", "checkbox", "Public"))
    react(box, Check(guard=guard(box), checked=True))
    assert box.graph(1, "t").elements[0].state.checked is True
    listed = app(Widget("w", "combobox", "Colour", options=("Red", "Blue")))
    react(listed, Select(guard=guard(listed), values=("Blue",)))
    assert listed.graph(1, "t").elements[0].state.text_value == "Blue"


@pytest.mark.parametrize(
    ("widget", "terms", "reason"),
    [
        (Widget("w", "button", "Save", state={"enabled": False}), {}, "disabled"),
        (Widget("w", "button", "Save"), {"name": "Delete"}, "changed"),
        (Widget("w", "button", "Save", record="video:1"), {"record": "video:2"}, "changed"),
    ],
)
def test_a_gesture_that_a_page_would_refuse_is_refused(
    widget: Widget, terms: dict[str, str], reason: str
) -> None:
    made = app(widget)
    refused = GESTURES.refusal(made, Click(guard=guard(made, **terms)))
    assert refused is not None and refused.reason == reason


def test_a_removed_widget_is_gone_and_a_missing_option_is_invalid() -> None:
    made = app(Widget("w", "combobox", "Colour", options=("Red",)))
    missing = GESTURES.refusal(made, Select(guard=guard(made), values=("Green",)))
    assert missing is not None and missing.reason == "invalid"
    old = guard(made)
    made.remove("w")
    gone = GESTURES.refusal(made, Click(guard=old))
    assert gone is not None and gone.reason == "gone"


def test_a_slider_is_set_to_its_nearest_step_and_reports_whether_that_is_close_enough() -> None:
    made = app(Widget("w", "slider", "Volume", state={"min": 0, "max": 100, "step": 10}))
    op = Adjust(guard=guard(made), value=42, tolerance=1)
    report = read_back(react(made, op), op)
    assert (report["value"], report["held"]) == (40, False)


def test_a_text_is_compared_without_being_changed() -> None:
    made = app(Widget("w", "textbox", "Title", state={"text_value": "Hello"}))
    assert GESTURES.refusal(made, Holds(guard=guard(made), text="Hello")) is None
    assert GESTURES.refusal(made, Holds(guard=guard(made), text="Other")) is not None
