"""Dumps as nodes: bounds, texts and flags, and dumps that are not used."""

from __future__ import annotations

import pytest

from uiap.drivers.touchscreen.hierarchy import BadDump, ScreenBounds, parse, parse_bounds

DUMP = """<?xml version="1.0"?><hierarchy rotation="1">
<node class="android.widget.FrameLayout" bounds="[0,0][100,200]">
  <node class="android.widget.EditText" text="Search" hint="Search" bounds="[10,20][90,60]" clickable="true"/>
  <node class="android.widget.Button" text="Go" content-desc="" bounds="bad" enabled="true"/>
</node></hierarchy>"""


def test_nodes_come_in_the_order_of_the_dump_with_their_parents() -> None:
    hierarchy = parse(DUMP)
    assert hierarchy.rotation == 1
    frame, field, button = hierarchy.nodes()
    assert [one.class_name for one in (frame, field, button)] == ["FrameLayout", "EditText", "Button"]
    assert list(button.ancestors()) == [frame]
    assert field.has("clickable") and not button.has("clickable")


def test_a_field_that_shows_its_hint_is_empty() -> None:
    _, field, button = parse(DUMP).nodes()
    assert field.field_text == ""
    assert button.text == "Go"


def test_bounds_may_be_negative_and_anything_else_is_empty() -> None:
    assert parse_bounds("[-54,0][1080,210]") == ScreenBounds(-54, 0, 1080, 210)
    assert parse_bounds("bad").is_empty


def test_rectangles_intersect_and_contain_points() -> None:
    one, other = ScreenBounds(0, 0, 10, 10), ScreenBounds(5, 5, 20, 20)
    assert one.intersection(other) == ScreenBounds(5, 5, 10, 10)
    assert one.contains(9, 9) and not one.contains(10, 10)
    assert ScreenBounds(0, 0, 2, 2).intersection(ScreenBounds(5, 5, 9, 9)).is_empty


@pytest.mark.parametrize("text", ["", "ERROR: could not get idle state.", "<hierarchy", "<html></html>"])
def test_an_answer_that_is_no_hierarchy_is_refused(text: str) -> None:
    with pytest.raises(BadDump):
        parse(text)
