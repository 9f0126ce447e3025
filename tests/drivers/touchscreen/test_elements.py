"""Nodes that are elements for a person: roles, names, and points that a touch can hit."""

from __future__ import annotations

from uiap.drivers.touchscreen.elements import ScreenLayout
from uiap.drivers.touchscreen.hierarchy import parse


def layout(*nodes: str) -> ScreenLayout:
    inner = "".join(nodes)
    frame = f'<node class="android.widget.FrameLayout" bounds="[0,0][100,200]">{inner}</node>'
    return ScreenLayout(parse(f'<hierarchy rotation="0">{frame}</hierarchy>'), (100, 200))


def node(cls: str, box: str, text: str = "", inner: str = "", **flags: str) -> str:
    marks = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in flags.items())
    return f'<node class="android.widget.{cls}" text="{text}" bounds="{box}" {marks}>{inner}</node>'


def names(made: ScreenLayout) -> list[tuple[str, str]]:
    return [(one.role, one.name) for one in made.elements.values()]


def test_a_clickable_container_takes_its_name_from_the_texts_inside() -> None:
    inner = node("TextView", "[0,0][50,20]", "Inbox")
    made = layout(node("LinearLayout", "[0,0][100,40]", inner=inner, clickable="true"))
    assert ("button", "Inbox") in names(made)


def test_a_field_without_a_name_takes_the_label_above_it() -> None:
    made = layout(
        node("TextView", "[0,0][60,20]", "Email"), node("EditText", "[0,22][90,50]", clickable="true")
    )
    assert ("textbox", "Email") in names(made)


def test_a_touch_point_misses_the_controls_inside_of_a_card() -> None:
    inner = node("Button", "[40,10][60,30]", "Delete", clickable="true")
    made = layout(node("LinearLayout", "[0,0][100,40]", inner=inner, clickable="true"))
    card = next(one for one in made.elements if one.class_name == "LinearLayout")
    point = made.touch_point(card)
    assert point is not None and not (40 <= point[0] < 60 and 10 <= point[1] < 30)


def test_a_node_outside_of_the_screen_has_no_visible_part() -> None:
    made = layout(node("Button", "[0,300][50,340]", "Below", clickable="true"))
    below = next(one for one in made.elements if one.text == "Below")
    assert made.visible_bounds(below).is_empty
    assert made.touch_point(below) is None
