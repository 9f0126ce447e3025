"""The outline for a model: compared word for word with `outlines/`, within its budget, page text as data."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.pages import Page, delta, grid, patch
from tests.graph.scenes import SCENES, form, hostile
from uiap.graph.outline import MIN_BUDGET_TOKENS, outline, token_count
from uiap.graph.query import find
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable

KEPT = Path(__file__).parent / "outlines"


@pytest.mark.requirement("MDM-R3d")
@pytest.mark.parametrize("scene", SCENES)
def test_the_outline_equals_the_stored_text(scene: str) -> None:
    assert outline(GraphStore(SCENES[scene]().graph())) == (KEPT / f"{scene}.txt").read_text().rstrip("\n")


@pytest.mark.parametrize("scene", SCENES)
def test_the_same_graph_gives_the_same_text(scene: str) -> None:
    assert outline(GraphStore(SCENES[scene]().graph())) == outline(GraphStore(SCENES[scene]().graph()))


@pytest.mark.requirement("MDM-R3d")
def test_a_thousand_rows_cost_few_tokens_and_an_edit_fewer() -> None:
    store = GraphStore(grid(1_000).graph())
    assert token_count(outline(store)) <= 2_000
    store.apply(delta("r1", "r2", 2, elements=patch("f0e10", text="Ada Lovelace")))
    changed = outline(store, since="r1")
    assert changed == (
        'page "/users" · revision r1 → r2\n~ [f0e10] cell in row "user-0": text "user-0" → "Ada Lovelace"'
    )
    assert token_count(changed) <= 150


def test_every_control_of_a_folded_collection_is_reached_by_find() -> None:
    store = GraphStore(grid(1_000).graph())
    text = outline(store)
    folded = [one for one in store if is_actionable(one) and f"[{one.instance_id}]" not in text]
    assert len(folded) == 1_990
    for element in folded[::199]:
        record = str(element.metadata["record"]).removeprefix("text:")  # type: ignore[index]
        (match,) = find(store, str(element.name), near=record)
        assert match.instance_id == element.instance_id


@pytest.mark.parametrize("budget", [MIN_BUDGET_TOKENS, 100, 200, 400, 1_000])
@pytest.mark.parametrize("scene", SCENES)
def test_an_outline_stays_within_its_budget_and_names_missing_lines(scene: str, budget: int) -> None:
    store = GraphStore(SCENES[scene]().graph())
    whole, short = outline(store), outline(store, budget=budget)
    assert token_count(short) <= budget
    if token_count(whole) > budget:
        assert "find(" in short or "outline(" in short


def test_a_page_of_many_controls_stays_within_the_default_budget() -> None:
    page = Page()
    for number in range(5_000):
        page.element("button" if number % 2 else "link", f"Control number {number} with a long name")
    assert token_count(outline(GraphStore(page.graph()))) <= 8_000


@pytest.mark.requirement("CAP-SEC.2", "CAP-5")
def test_a_sensitive_value_is_never_written() -> None:
    store = GraphStore(form().graph())
    assert "hunter2" not in outline(store)
    store.apply(delta("r1", "r2", 2, elements=patch("f0e7", state={"textValue": "hunter3"})))
    changed = outline(store, since="r1")
    assert "hunter" not in changed
    assert "value •••" in changed


def test_page_text_cannot_leave_its_quotes() -> None:
    text = outline(GraphStore(hostile().graph()))
    for line in text.splitlines():
        outside = "".join(line.replace("\\\\", "").replace('\\"', "").split('"')[::2])
        for said in ("Ignore", "Transfer", "SYSTEM", "Pay", "won", "then press"):
            assert said not in outside
    assert "hidden order" not in text
    assert "screen readers" not in text


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.text(max_size=60), st.text(max_size=60), st.text(max_size=40))
def test_any_page_text_takes_one_line_per_element(name: str, text: str, value: str) -> None:
    page = Page("/", title=name)
    page.element("button", name, text=text, description=value)
    page.element("textbox", text, state={"text_value": value, "placeholder": name})
    shown = outline(GraphStore(page.graph()))
    assert len(shown.splitlines()) == 3
    for line in shown.splitlines():
        assert line.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 0


@pytest.mark.requirement("DISC-2.5", "DISC-12.2", "DISC-12.5")
def test_opaque_regions_are_named_and_nothing_of_them_is_read() -> None:
    lines = outline(GraphStore(hostile().graph())).splitlines()
    assert 'opaque cross origin frame "Pay" ⟨pay.test⟩: its contents cannot be read' in lines


@pytest.mark.requirement("MDM-R3d")
@pytest.mark.parametrize("wanted", ["f0s3", "Details", "f0e4"])
def test_a_part_of_the_page_is_selected_by_scope_name_or_ref(wanted: str) -> None:
    text = outline(GraphStore(form().graph()), scope=wanted)
    assert '[f0e5] textbox "Title"' in text
    assert "Signed in" not in text


def test_a_selected_row_is_shown_and_a_selected_table_shows_more_rows() -> None:
    store = GraphStore(grid(1_000).graph())
    assert outline(store, scope="f0e9").endswith('[f0e16] button "Edit" [f0e17] button "Delete"')
    assert '25. "user-24"' in outline(store, scope="f0e1")


def test_an_unknown_part_lists_the_existing_scopes() -> None:
    text = outline(GraphStore(form().graph()), scope="nope")
    assert 'there is no scope or element "nope"' in text
    assert 'form "Details"' in text


@pytest.mark.requirement("MDM-R3c")
def test_a_revision_that_is_too_old_is_reported_and_the_page_is_shown() -> None:
    text = outline(GraphStore(form().graph()), since="r0")
    assert "another page than at r0, or too long ago" in text
    assert '[f0e5] textbox "Title"' in text


def test_a_search_shows_place_and_confidence_of_each_match() -> None:
    text = outline(GraphStore(grid(3).graph()), query="delete")
    assert '[f0e17] button "Delete" in "text:user-0" in "Users" (0.333: name equal; one of 3 alike)' in text
    assert 'nothing matches "zzz"' in outline(GraphStore(grid(3).graph()), query="zzz")


def deep() -> Page:
    page = Page()
    above: dict[str, str] = {}
    for _ in range(5_000):
        above = {"parent_instance_id": page.element("group", **above)}
    page.element("button", "Bottom", **above)
    return page


def deep_scopes() -> Page:
    page = Page()
    scope: str | None = None
    for number in range(1_000):
        scope = page.scope("region", f"level {number}", parent=scope)
    page.element("button", "Bottom", scope_id=scope)
    return page


@pytest.mark.parametrize("made", [deep, deep_scopes])
def test_a_page_thousands_of_levels_deep_is_still_read(made: Callable[[], Page]) -> None:
    store = GraphStore(made().graph())
    assert token_count(outline(store)) <= 8_000
    assert find(store, "Bottom")[0].confidence == 1.0
