"""Element ids survive moves, and never refer to another element."""

from __future__ import annotations

import pytest

from tests.drivers.android.stage import recorded
from tests.drivers.touchscreen.screens import SnapshotReader, node, only, rows, screen
from uiap.graph.diff import diff

pytestmark = pytest.mark.requirement("MDM-R2")


def button(text: str, top: int, **attributes: str) -> str:
    return node("Button", text=text, clickable="true", bounds=(0, top, 400, top + 100), **attributes)


def test_ids_survive_a_layout_shift():
    read = SnapshotReader()
    before = read(screen(button("Save", 100, index="0"), button("Cancel", 250, index="1")))
    banner = node("TextView", text="New version", bounds=(0, 0, 1080, 90))
    after = read(screen(banner, button("Save", 400, index="1"), button("Cancel", 550, index="2")))
    for name in ("Save", "Cancel"):
        assert only(before, "button", name).instance_id == only(after, "button", name).instance_id


def test_ids_survive_a_scroll_between_two_recorded_screens():
    read = SnapshotReader()
    before, after = read(recorded("lan-audio-1")), read(recorded("lan-audio-2"))
    for role in ("slider", "switch", "button"):
        was = {one.name: one.instance_id for one in before.elements if one.role == role and one.name}
        now = {one.name: one.instance_id for one in after.elements if one.role == role and one.name}
        assert set(was) & set(now) or role == "slider"
        assert all(was[name] == now[name] for name in set(was) & set(now))
    sliders = [[one.instance_id for one in page.elements if one.role == "slider"] for page in (before, after)]
    assert sliders[0] == sliders[1]  # unnamed, but siblings in one card


def test_changed_text_is_an_update_of_the_same_element():
    read = SnapshotReader()
    before = read(screen(node("TextView", text="0", resource_id="org:id/display"), button("7", 100)))
    after = read(screen(node("TextView", text="7", resource_id="org:id/display"), button("7", 100)))
    delta = diff(before, after)
    assert (
        delta.elements and delta.elements.updated and not delta.elements.added and not delta.elements.removed
    )


def test_removed_row_loses_its_id_and_the_others_keep_theirs():
    read = SnapshotReader()
    before = read(rows("user-0", "user-1", "user-2"))
    after = read(rows("user-1", "user-2"))
    was = {(one.metadata or {})["record"]: one.instance_id for one in before.elements if one.role == "button"}
    now = {(one.metadata or {})["record"]: one.instance_id for one in after.elements if one.role == "button"}
    assert now == {name: was[name] for name in ("user-1", "user-2")}


def test_recycled_row_gets_a_new_id():
    read = SnapshotReader()
    before, after = read(rows("user-0", "user-1", "user-2")), read(rows("user-9", "user-1", "user-2"))
    old = next(
        one
        for one in before.elements
        if (one.metadata or {}).get("record") == "user-0" and one.role == "button"
    )
    assert old.instance_id not in {one.instance_id for one in after.elements}


def test_indistinguishable_nodes_lose_their_ids_rather_than_swap_them():
    apart = [
        node("FrameLayout", button("Delete", top), index=str(place)) for place, top in enumerate((100, 300))
    ]
    read = SnapshotReader()
    before = read(screen(*apart, button("Add", 900)))
    after = read(screen(node("TextView", text="One was removed"), apart[1], button("Add", 900)))
    old = {one.instance_id for one in before.elements if one.name == "Delete"}
    assert len(old) == 2
    # the remaining node has the position of the second, so it may be the second, but never the first
    first = next(one.instance_id for one in before.elements if one.name == "Delete")
    assert only(after, "button", "Delete").instance_id != first


def test_new_screen_gets_new_ids_and_a_known_screen_gets_its_ids_back():
    read = SnapshotReader()
    home = screen(*(button(text, 100 * place, index=str(place)) for place, text in enumerate("ABCDEF")))
    other = screen(*(button(text, 100 * place, index=str(place)) for place, text in enumerate("UVWXYA")))
    first, second, again = read(home), read(other), read(home)
    ids = [{one.instance_id for one in page.elements} for page in (first, second, again)]
    assert not ids[0] & ids[1]
    assert ids[0] == ids[2]


@pytest.mark.parametrize("names", [("nora-ui3", "nora-ui_dump"), ("nora-ui2", "nora-window_dump")])
def test_common_elements_of_two_recorded_screens_keep_their_ids(names: tuple[str, str]):
    read = SnapshotReader()
    before, after = read(recorded(names[0])), read(recorded(names[1]))
    was = {(one.role, one.name): one.instance_id for one in before.elements if one.name}
    same = [one for one in after.elements if one.instance_id == was.get((one.role, one.name or ""))]
    assert same


def test_lost_id_is_never_reused():
    read = SnapshotReader()
    lost: set[str] = set()
    before: set[str] = set()
    for place in range(20):
        page = read(rows(f"user-{place}", "first", "second"))
        ids = {one.instance_id for one in page.elements}
        assert lost.isdisjoint(ids), "an id that was lost names something else now"
        lost |= before - ids
        before = ids
    assert len(lost) >= 19, "each screen loses at least the button of the record that left"
