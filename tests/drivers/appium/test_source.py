"""Page sources as hierarchies. The sources are synthetic, in the form of each platform."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from uiap.drivers.touchscreen.elements import ScreenLayout
from uiap.drivers.touchscreen.graph import ForegroundApp, build_graph
from uiap.drivers.touchscreen.hierarchy import BadDump
from uiap.drivers.touchscreen.identity import NodeRegistry
from uiap.spec.web import ElementNode, PageGraph

source = pytest.importorskip("uiap.drivers.appium.source", reason="the extra appium is not installed")


def part(kind: str, box: Sequence[int], *inner: str, **attributes: str) -> str:
    x, y, width, height = box
    attributes = {"enabled": "true", "visible": "true", **attributes}
    rendered = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    tag = f"XCUIElementType{kind}"
    return f'<{tag} type="{tag}" {rendered} x="{x}" y="{y}" width="{width}" height="{height}">{"".join(inner)}</{tag}>'


def application(*inner: str) -> str:
    return f"<AppiumAUT>{part('Application', (0, 0, 390, 844), *inner, name='Settings', label='Settings')}</AppiumAUT>"


def graph(xml: str) -> PageGraph:
    layout = ScreenLayout(source.parse_source(xml).hierarchy)
    ids = NodeRegistry("d1e").assign_ids(layout)
    return build_graph(
        layout, ids, profile="x.uiap.appium@0.1", url="appium:", foreground=ForegroundApp(), seq=1, now="now"
    )


def named(page: PageGraph, name: str) -> ElementNode:
    (found,) = [one for one in page.elements if one.name == name]
    return found


def test_ios_elements_have_roles_states_and_values():
    page = graph(
        application(
            part("Switch", (300, 100, 60, 30), label="Wi-Fi", value="1"),
            part("Slider", (20, 200, 350, 30), label="Volume", value="50%"),
            part(
                "TextField", (20, 300, 350, 40), label="Mail", value="a@b", placeholderValue="you@example.com"
            ),
            part("TextField", (20, 350, 350, 40), label="Phone", value="+1", placeholderValue="+1"),
            part("SecureTextField", (20, 400, 350, 40), label="Password", value="••••"),
            part("Button", (20, 500, 100, 40), label="Next", enabled="false"),
            part("ActivityIndicator", (150, 600, 20, 20), label="In progress"),
        )
    )
    assert named(page, "Wi-Fi").role == "switch" and named(page, "Wi-Fi").state.checked is True
    volume = named(page, "Volume").state
    assert (volume.numeric_value, volume.min, volume.max) == (50, 0, 100)
    assert named(page, "Mail").state.text_value == "a@b" and named(page, "Mail").state.placeholder
    assert named(page, "Phone").state.text_value == ""  # a hint is not a value
    assert named(page, "Password").state.sensitive is True and not named(page, "Password").state.text_value
    assert named(page, "Next").state.enabled is False
    assert named(page, "In progress").role == "spinner"


def test_table_row_is_one_button_with_the_name_of_its_texts():
    row = ("Cell", (0, 100, 390, 44))
    rows = [
        part(*row, part("StaticText", (20, 110, 100, 20), label=name))
        for name in ("General", "Privacy", "Sound")
    ]
    page = graph(application(part("Table", (0, 100, 390, 700), *rows)))
    pressed = [one for one in page.elements if "activate" in one.affordances]
    assert [one.name for one in pressed] == ["General", "Privacy", "Sound"]
    assert pressed[0].metadata["record"] == "General"  # type: ignore[index]


def test_clock_and_keyboard_are_no_elements():
    bar = part("StatusBar", (0, 0, 390, 20), part("StaticText", (170, 0, 40, 20), label="9:50"))
    keys = part("Keyboard", (0, 500, 390, 300), part("Key", (0, 500, 40, 40), label="q"))
    page = source.parse_source(application(part("Button", (0, 100, 100, 40), label="Go"), bar, keys))
    assert page.keyboard_shown and page.application == "Settings"
    assert [one.name for one in ScreenLayout(page.hierarchy).elements.values()] == ["Go"]


def test_alert_is_a_modal_dialog():
    alert = part(
        "Alert", (60, 300, 270, 150), part("Button", (60, 400, 135, 44), label="Allow"), label="Location"
    )
    page = graph(application(part("Button", (0, 100, 100, 40), label="Behind"), alert))
    assert {"Allow", "Location"} <= {one.name for one in page.elements}
    assert "Behind" not in {one.name for one in page.elements}
    assert page.modal_stack and page.scopes[0].kind == "dialog"


def test_android_source_is_parsed_like_a_dump():
    button = (
        '<android.widget.Button index="0" text="Save" clickable="true" enabled="true" bounds="[0,0][90,40]"/>'
    )
    frame = (
        f'<android.widget.FrameLayout index="0" bounds="[0,0][90,200]">{button}</android.widget.FrameLayout>'
    )
    page = source.parse_source(f'<?xml version="1.0"?><hierarchy rotation="0">{frame}</hierarchy>')
    (save,) = ScreenLayout(page.hierarchy).elements.values()
    assert (save.role, save.name, save.node.path) == ("button", "Save", "/hierarchy/*[1]/*[1]")


def test_ios_element_path_is_its_position_in_the_source():
    window = part(
        "Window", (0, 0, 390, 844), part("Other", (0, 0, 1, 1)), part("Button", (0, 0, 9, 9), label="Go")
    )
    (go,) = ScreenLayout(source.parse_source(application(window)).hierarchy).elements.values()
    assert go.node.path == "/XCUIElementTypeApplication/*[1]/*[2]"


@pytest.mark.parametrize("text", ["", "not xml", "<!DOCTYPE a><a/>", "<AppiumAUT>"])
def test_invalid_page_source_is_rejected(text: str):
    with pytest.raises(BadDump):
        source.parse_source(text)
