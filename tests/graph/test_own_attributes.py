"""Attributes of an element that developers gave it."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from uiap.graph.own_attributes import href_pattern, own_attribute, selected_attribute
from uiap.graph.store import GraphStore

FACTS = {"htmlId": "title", "testId": "field", "href": "/videos/17?page=3&b=1"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", "title"),
        ("data-testid", "field"),
        ("data-cy", "field"),
        ("name", None),
        ("class", None),
        ("href", "/videos/:id?b&page"),
    ],
)
def test_an_attribute_is_read_from_the_published_facts(name: str, value: str | None) -> None:
    page = Page()
    page.element("link", "Video", metadata=FACTS)
    store = GraphStore(page.graph())
    assert own_attribute(store, next(iter(store)), name) == value


def test_a_link_to_the_same_page_counts_by_the_parameters_it_changes() -> None:
    here = "http://app.test/videos?sort=1&page=2"
    assert href_pattern(here, "?sort=1&page=3") == "/videos?page"
    assert href_pattern(here, "/users?sort=1&page=3") == "/users?page&sort"


@pytest.mark.parametrize("address", ["#", "#top", "mailto:ann@app.test", "javascript:"])
def test_an_address_that_is_no_page_identifies_nothing(address: str) -> None:
    page = Page()
    page.element("link", "Video", metadata={"href": address})
    store = GraphStore(page.graph())
    assert own_attribute(store, next(iter(store)), "href") is None


@pytest.mark.parametrize(
    ("css", "attribute"),
    [
        ("#title", ("id", "title")),
        ("[name='title']", ("name", "title")),
        ('[data-testid="x"]', ("data-testid", "x")),
        ("form > #title", None),
        (".title", None),
        ("[class=a]", None),
    ],
)
def test_a_selector_of_one_published_attribute_is_understood(
    css: str, attribute: tuple[str, str] | None
) -> None:
    assert selected_attribute(css) == attribute
