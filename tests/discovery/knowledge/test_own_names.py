"""Attributes and twins of discovered elements."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page, grid
from uiap.discovery.knowledge.findings import element_finding_key
from uiap.discovery.knowledge.own_names import (
    derived_name,
    has_data_label,
    is_numbered_link,
    own_attributes,
    series_of,
    twin_of,
)
from uiap.graph.store import GraphStore


def store_of(page: Page) -> GraphStore:
    return GraphStore(page.graph())


@pytest.mark.parametrize(
    "made_up", [":r3:", "ember512", "mui-12", "a3f9c2d1", "row-10442", "«r1»", "_r_q_", "12"]
)
def test_made_up_ids_do_not_identify(made_up: str) -> None:
    page = Page()
    page.element("button", "Save", metadata={"htmlId": made_up, "testId": "save"})
    store = store_of(page)
    assert own_attributes(store, next(iter(store))) == {"data-testid": "save"}
    assert derived_name(store, next(iter(store))) == "#save"


def test_twins_are_told_apart_by_an_attribute_or_by_the_text_before_them() -> None:
    page = Page()
    for name in ("Profile", "Mail"):
        page.element("label", name)
        page.element("button", "Save", metadata={"htmlName": f"save_{name}"})
        page.element("button", "Reset")
    store = store_of(page)
    twins = [twin_of(store, one) for one in store if one.role == "button"]
    assert [twin.suffix for twin in twins if twin] == ["#save_Profile", "~1", "#save_Mail", "~2"]
    assert [twin.after for twin in twins if twin] == ["profile", "profile", "mail", "mail"]


def test_many_equal_controls_are_one_repeated_control() -> None:
    page = Page()
    for _ in range(9):
        page.element("button", "Like")
    store = store_of(page)
    twin = twin_of(store, next(iter(store)))
    assert twin is not None and twin.is_repeated


@pytest.mark.parametrize(
    ("count", "metadata", "is_series"),
    [(6, {}, True), (4, {}, False), (6, {"htmlName": "own"}, False)],
    ids=["many", "few", "with a name of its own"],
)
def test_many_controls_whose_names_differ_only_in_a_number_are_one_control(
    count: int, metadata: dict[str, str], is_series: bool
) -> None:
    page = Page()
    box = page.scope("region", "History")
    for number in range(count):
        page.element("button", f"Ticket {number:02} - a comment", scope_id=box, metadata=metadata)
    page.element("button", "Next", scope_id=box)
    store = store_of(page)
    found = {series_of(store, one) for one in store.by_role("button")}
    assert len(found - {None}) == int(is_series) and (None in found)
    keys = {element_finding_key(store, one) for one in store.by_role("button")}
    assert len(keys) == (2 if is_series else count + 1)


def test_links_that_differ_in_a_number_are_data() -> None:
    page = Page()
    pages = page.scope("region", "Pages")
    for number in (1, 2):
        page.element("link", f"Page {number}", scope_id=pages, metadata={"href": f"/videos?p={number}"})
    page.element("link", "All", scope_id=pages, metadata={"href": "/videos?all=1"})
    store = store_of(page)
    assert [is_numbered_link(store, one) for one in store.by_role("link")] == [True, True, False]


def test_a_label_that_differs_in_each_record_is_data() -> None:
    page = grid(3)
    rows = [one for one in page.elements if one.role == "row" and one.metadata]
    for number, row in enumerate(rows):
        page.element(
            "checkbox",
            f"Select user-{number}",
            scope_id=row.scope_id,
            parent_instance_id=row.instance_id,
            metadata={"record": f"text:user-{number}"},
        )
    store = store_of(page)
    labels = {one.role: has_data_label(store, one) for one in store if one.role in ("checkbox", "button")}
    assert labels == {"checkbox": True, "button": False}


def test_links_to_records_that_differ_in_a_part_of_the_path_are_data() -> None:
    page = Page()
    groups = page.scope("region", "Groups")
    for number, name in enumerate(("Friends", "Work"), 1):
        page.element("link", name, scope_id=groups, metadata={"href": f"/groups/{number}"})
    for name in ("Edit", "History"):  # two links to one record are two controls
        page.element("link", name, scope_id=groups, metadata={"href": f"/groups/7/{name.lower()}"})
    store = store_of(page)
    assert [is_numbered_link(store, one) for one in store.by_role("link")] == [True, True, False, False]


def test_an_id_that_differs_from_others_only_in_a_number_does_not_identify() -> None:
    page = Page()
    form = page.scope("form", "Bill")
    for number, name in enumerate(("Ada", "Bela")):
        page.element("checkbox", name, scope_id=form, metadata={"htmlId": f"paid-{number}"})
    page.element("textbox", "Line", scope_id=form, metadata={"htmlId": "line-2"})
    store = store_of(page)
    assert [own_attributes(store, one) for one in store if one.role != "form"] == [{}, {}, {"id": "line-2"}]
