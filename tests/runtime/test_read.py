"""The result of `ui.read`: a cell is read with its text, whatever is asked for."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.runtime.read import read_element


def stored(page: Page) -> GraphStore:
    store = GraphStore()
    store.load(page.graph())
    return store


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("state", {"role": "cell", "name": "", "state": {"visible": True}, "text": "Ada"}),
        ("text", {"text": "Ada"}),
        ("value", {"value": "Ada"}),
    ],
)
def test_a_cell_is_read_with_its_text(what: str, expected: dict[str, Any]) -> None:
    page = Page()
    cell = page.element("cell", text="Ada", state={"visible": True})
    assert read_element(stored(page), cell, what) == expected


def test_the_state_of_a_cell_has_the_text_of_the_elements_inside_it() -> None:
    page = Page()
    cell = page.element("cell")
    page.element("link", "Ada", parent_instance_id=cell)
    assert read_element(stored(page), cell, "state")["text"] == "Ada"


def test_a_field_has_its_own_value_and_no_text_beside_its_state() -> None:
    page = Page()
    field = page.element("textbox", "City", state={"text_value": "Bern"})
    store = stored(page)
    assert read_element(store, field, "value") == {"value": "Bern"}
    assert "text" not in read_element(store, field, "state")
