"""Handles outlive what moves, and never come to mean something else."""

from __future__ import annotations

import pytest

from tests.drivers.android.stage import recorded
from tests.drivers.touchscreen.screens import Reader, node, only, row, rows, screen
from uiap.graph.diff import diff

pytestmark = pytest.mark.requirement("MDM-R2")


def button(text: str, top: int, **more: str) -> str:
    return node("Button", text=text, clickable="true", bounds=(0, top, 400, top + 100), **more)


def test_handles_survive_a_layout_shift():
    read = Reader()
    before = read(screen(button("Save", 100, index="0"), button("Cancel", 250, index="1")))
    banner = node("TextView", text="New version", bounds=(0, 0, 1080, 90))
    after = read(screen(banner, button("Save", 400, index="1"), button("Cancel", 550, index="2")))
    for name in ("Save", "Cancel"):
        assert only(before, "button", name).instance_id == only(after, "button", name).instance_id


def test_handles_survive_the_scroll_between_two_recorded_screens():
    read = Reader()
    before, after = read(recorded("lan-audio-1")), read(recorded("lan-audio-2"))
    for role in ("slider", "switch", "button"):
        was = {one.name: one.instance_id for one in before.elements if one.role == role and one.name}
        now = {one.name: one.instance_id for one in after.elements if one.role == role and one.name}
        assert set(was) & set(now) or role == "slider"
        assert all(was[name] == now[name] for name in set(was) & set(now))
    sliders = [[one.instance_id for one in made.elements if one.role == "slider"] for made in (before, after)]
    assert sliders[0] == sliders[1]  # nameless, but side by side in one card


def test_a_text_that_changes_stays_the_same_element_and_is_told_as_an_update():
    read = Reader()
    before = read(screen(node("TextView", text="0", resource_id="org:id/display"), button("7", 100)))
    after = read(screen(node("TextView", text="7", resource_id="org:id/display"), button("7", 100)))
    delta = diff(before, after)
    assert (
        delta.elements and delta.elements.updated and not delta.elements.added and not delta.elements.removed
    )


def test_a_row_that_goes_takes_its_handle_along_and_the_others_keep_theirs():
    read = Reader()
    before = read(rows("user-0", "user-1", "user-2"))
    after = read(rows("user-1", "user-2"))
    was = {(one.metadata or {})["record"]: one.instance_id for one in before.elements if one.role == "button"}
    now = {(one.metadata or {})["record"]: one.instance_id for one in after.elements if one.role == "button"}
    assert now == {name: was[name] for name in ("user-1", "user-2")}


def test_a_recycled_row_does_not_inherit_the_handle_of_the_row_that_was_there():
    read = Reader()
    before, after = read(rows("user-0", "user-1", "user-2")), read(rows("user-9", "user-1", "user-2"))
    old = next(
        one
        for one in before.elements
        if (one.metadata or {}).get("record") == "user-0" and one.role == "button"
    )
    assert old.instance_id not in {one.instance_id for one in after.elements}


def test_twins_that_cannot_be_told_apart_lose_their_handles_rather_than_swap_them():
    apart = [
        node("FrameLayout", button("Delete", top), index=str(place)) for place, top in enumerate((100, 300))
    ]
    read = Reader()
    before = read(screen(*apart, button("Add", 900)))
    after = read(screen(node("TextView", text="One was removed"), apart[1], button("Add", 900)))
    old = {one.instance_id for one in before.elements if one.name == "Delete"}
    assert len(old) == 2
    # the one that is left has the place of the second, so it may be the second, but never the first
    first = next(one.instance_id for one in before.elements if one.name == "Delete")
    assert only(after, "button", "Delete").instance_id != first


def test_another_screen_has_new_handles_and_the_first_has_its_own_again_when_it_comes_back():
    read = Reader()
    home = screen(*(button(text, 100 * place, index=str(place)) for place, text in enumerate("ABCDEF")))
    other = screen(*(button(text, 100 * place, index=str(place)) for place, text in enumerate("UVWXYA")))
    first, second, again = read(home), read(other), read(home)
    ids = [{one.instance_id for one in made.elements} for made in (first, second, again)]
    assert not ids[0] & ids[1]
    assert ids[0] == ids[2]


@pytest.mark.parametrize("names", [("nora-ui3", "nora-ui_dump"), ("nora-ui2", "nora-window_dump")])
def test_recorded_screens_of_one_application_keep_what_they_have_in_common(names: tuple[str, str]):
    read = Reader()
    before, after = read(recorded(names[0])), read(recorded(names[1]))
    was = {(one.role, one.name): one.instance_id for one in before.elements if one.name}
    same = [one for one in after.elements if one.instance_id == was.get((one.role, one.name or ""))]
    assert same


def test_a_dead_handle_is_never_given_out_again():
    read, seen = Reader(), set()
    for place in range(20):
        made = read(screen(row(f"record {place}", 100), button(f"only {place}", 400)))
        fresh = {one.instance_id for one in made.elements if one.name == f"only {place}"}
        seen |= fresh
    numbers = sorted(int(id.removeprefix("d1e")) for id in seen)
    assert len(numbers) == len(set(numbers))
