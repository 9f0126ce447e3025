"""Graphs of dumps: recordings of real applications, and synthetic dumps for cases without a recording."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from tests.drivers.android.stage import DUMPS, recorded
from tests.drivers.touchscreen.screens import SnapshotReader, graph, node, only, rows, screen
from uiap.drivers.touchscreen.hierarchy import BadDump, parse
from uiap.graph.outline import outline
from uiap.graph.store import GraphStore

NAMES = (
    "fractal-controls",
    "fractal-presets",
    "lan-audio-1",
    "lan-audio-2",
    "lan-audio-3",
    "nora-chat_dump",
    "nora-ui2",
    "nora-ui3",
    "nora-ui_dump",
    "nora-ui_dump2",
    "nora-window_dump",
    "quick-settings",
)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.requirement("MDM-P1")
def test_every_text_and_control_of_a_recorded_screen_is_an_element(name: str):
    xml = recorded(name)
    reader = SnapshotReader()
    page = reader(xml)
    ids = {element.instance_id for element in page.elements}
    assert len(ids) == len(page.elements)
    for one in parse(xml).nodes():
        acts = {"clickable", "long-clickable", "checkable", "scrollable", "password"} & one.flags
        if acts or one.text.strip() or one.description.strip():
            twin = [
                n
                for n in reader.layout.elements
                if (n.bounds, n.cls, n.text) == (one.bounds, one.cls, one.text)
            ]
            assert twin, (one.cls, one.text, one.description, sorted(one.flags))
    kept = {flag for element in page.elements for flag in (element.metadata or {}).get("flags", ())}
    flags = {flag for one in reader.layout.elements for flag in one.flags}
    assert {
        flag for flag in flags if flag in ("scrollable", "long-clickable", "checkable", "clickable")
    } <= kept


def test_all_recorded_dumps_are_read():
    if not DUMPS.exists():
        pytest.skip("the recorded dumps are not here")
    assert {path.stem for path in DUMPS.glob("*.xml")} == set(NAMES)


@pytest.mark.parametrize(
    ("name", "values"),
    [("lan-audio-1", [50, 100, 50]), ("fractal-controls", [38, 33])],
)
@pytest.mark.requirement("MDM-R5")
def test_recorded_sliders_have_value_and_range(name: str, values: list[int]):
    sliders = [one.state for one in graph(recorded(name)).elements if one.role == "slider"]
    assert [one.numeric_value for one in sliders] == values
    assert {(one.min, one.max) for one in sliders} == {(0, 100)}


def test_slider_without_a_number_has_no_value():
    slider = only(graph(recorded("quick-settings")), "slider")
    assert slider.name == "屏幕亮度"
    assert (slider.state.numeric_value, slider.state.text_value, slider.state.max) == (UNSET, UNSET, UNSET)


def test_slider_takes_the_label_above_it_as_a_heuristic_name():
    page = graph(recorded("fractal-controls"))
    assert {one.name for one in page.elements if one.role == "slider"} == {"Iterations", "Bailout"}
    assert only(page, "slider", "Bailout").source == "heuristic"


def test_recorded_switches_have_state_and_text():
    switches = {
        one.name: one.state for one in graph(recorded("quick-settings")).elements if one.role == "switch"
    }
    assert (switches["飞行模式"].checked, switches["飞行模式"].text_value) == (True, "开启")
    assert (switches["热点"].checked, switches["热点"].text_value) == (False, "关闭")


@pytest.mark.requirement("MDM-R4a", "MDM-R6", "MDM-R6b")
def test_clickable_node_takes_name_and_role_from_its_content():
    page = graph(recorded("nora-ui2"))
    load = only(page, "button", "Load Model & Start Chat")
    assert load.source == "text" and "activate" in load.affordances
    inside = [one for one in page.elements if one.parent_instance_id == load.instance_id]
    assert [(one.role, one.name, "activate" in one.affordances) for one in inside] == [
        ("label", "Load Model & Start Chat", False)
    ]


def test_touch_point_of_a_recorded_card_misses_the_controls_in_it():
    reader = SnapshotReader()
    reader(recorded("lan-audio-1"))
    layout = reader.layout
    card = next(
        node
        for node, element in layout.elements.items()
        if element.name == "均衡器" and element.role == "switch"
    )
    x, y = layout.touch_point(card) or (0, 0)
    assert card.bounds.contains(x, y)
    inner = [one for one in card.walk() if one is not card and one.has("clickable")]
    assert inner and not any(one.bounds.contains(x, y) for one in inner)


def test_collapsed_text_means_not_expanded():
    help = only(graph(recorded("lan-audio-1")), "button", "连接帮助")
    assert help.state.expanded is False


def test_text_of_a_password_field_is_never_published():
    secret = node("EditText", text="hunter2", content_desc="Password", password="true", clickable="true")
    page = graph(screen(secret))
    field = only(page, "textbox", "Password")
    assert field.state.sensitive is True and field.state.text_value is UNSET
    assert "hunter2" not in outline(GraphStore(page)) and "hunter2" not in repr(page)


def test_negative_bounds_are_kept_and_the_touch_point_is_on_the_screen():
    reader = SnapshotReader()
    page = reader(
        screen(node("Button", text="Drawer", clickable="true", bounds=(-54, 0, 1080, 210))), (1080, 2400)
    )
    button = only(page, "button")
    assert button.bbox and (button.bbox.x, button.bbox.width) == (-54, 1134)
    point = reader.layout.touch_point(next(n for n in reader.layout.elements if n.text == "Drawer"))
    assert point is not None and point[0] >= 0


def test_element_outside_of_the_screen_is_not_in_the_viewport():
    page = graph(
        screen(node("Button", text="Far", clickable="true", bounds=(0, 2500, 100, 2600))), (1080, 2400)
    )
    assert only(page, "button").state.in_viewport is False


@pytest.mark.parametrize(("rotation", "size"), [(0, (1080, 2400)), (1, (2400, 1080)), (3, (2400, 1080))])
def test_rotated_screen_swaps_width_and_height(rotation: int, size: tuple[int, int]):
    page = graph(screen(node("Button", text="A", clickable="true"), rotation=rotation), (1080, 2400))
    assert page.viewport and (page.viewport.width, page.viewport.height) == size
    assert page.metadata and page.metadata["rotation"] == rotation


def test_checked_and_selected_are_published_even_if_false():
    page = graph(
        screen(
            node("CheckBox", text="Agree", checkable="true", clickable="true"),
            node("RadioButton", text="One", checkable="true", checked="true", clickable="true"),
        )
    )
    assert only(page, "checkbox").state.checked is False and only(page, "radio").state.checked is True
    assert only(page, "checkbox").state.selected is False


def test_field_that_shows_its_hint_is_empty():
    page = graph(screen(node("EditText", text="Search", hint="Search", clickable="true", focusable="true")))
    field = only(page, "textbox", "Search")
    assert (field.state.text_value, field.state.placeholder) == ("", "Search")


def test_dialog_is_a_modal_scope():
    title = node("TextView", text="Delete?", resource_id="android:id/alertTitle")
    page = graph(screen(title, node("Button", text="OK", clickable="true", bounds=(0, 60, 100, 110))))
    assert [(one.kind, one.name) for one in page.scopes] == [("dialog", "Delete?")]
    assert page.modal_stack == (page.scopes[0].scope_id,)


@pytest.mark.requirement("MDM-R3b")
def test_progress_without_a_number_and_a_loading_label_are_busy_but_a_loading_button_is_not():
    page = graph(
        screen(
            node("ProgressBar"),
            node("TextView", text="Loading…", bounds=(0, 60, 100, 110)),
            node("Button", text="Loading dock", clickable="true", bounds=(0, 120, 100, 170)),
            node("ProgressBar", content_desc="40%", bounds=(0, 180, 100, 190)),
        )
    )
    busy = {one.role for one in page.elements if one.state.busy is True}
    assert busy == {"spinner", "label"}
    assert only(page, "progress").state.numeric_value == 40


def test_control_in_a_list_row_has_the_record_of_its_row():
    page = graph(rows("user-0", "user-1", "user-2"))
    buttons = [one for one in page.elements if one.role == "button"]
    assert [(one.metadata or {}).get("record") for one in buttons] == ["user-0", "user-1", "user-2"]
    assert page.collections and page.collections[0].count == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ERROR: could not get idle state.",
        "<hierarchy rotation='0'><node",
        "<hierarchy><node></hierarchy>",
        "<!DOCTYPE x [<!ENTITY a 'b'>]><hierarchy></hierarchy>",
    ],
)
def test_incomplete_hierarchy_is_rejected(text: str):
    with pytest.raises(BadDump):
        parse(text)


def test_very_deep_hierarchy_is_parsed():
    depth = 3000
    deep = "<node>" * depth + "</node>" * depth
    assert sum(1 for _ in parse(f"<hierarchy>{deep}</hierarchy>").nodes()) == depth
