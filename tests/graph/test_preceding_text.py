"""The text before an element."""

from __future__ import annotations

from tests.graph.pages import Page
from uiap.graph.preceding_text import preceding_text
from uiap.graph.store import GraphStore


def test_twins_follow_different_texts() -> None:
    page = Page()
    for name in ("Start", "End"):
        page.element("textbox", name)
        page.element("link", "Today")
        page.element("link", "Now")
    store = GraphStore(page.graph())
    texts = [preceding_text(store, one) for one in store if one.name == "Now"]
    assert texts == ["start", "end"]


def test_the_text_that_a_page_publishes_beside_a_twin_comes_first() -> None:
    page = Page()
    for beside in ("Last login: Date", "Date joined: Date"):
        page.element("link", "Today", metadata={"beside": beside})
    store = GraphStore(page.graph())
    assert [preceding_text(store, one) for one in store] == ["last-login-date", "date-joined-date"]


def test_the_text_of_a_record_is_not_among_the_texts_before_an_element() -> None:
    """A discovered page has no such text, and the page that is acted on has other records."""
    before: list[str] = []
    for cell in ("Keywords", "Other", None):
        page = Page()
        page.element("link", "Keywords")
        page.element("textbox")
        page.element("textbox")
        if cell is not None:
            page.element("cell", text=cell)
        store = GraphStore(page.graph())
        before.append(preceding_text(store, next(one for one in store if one.role == "textbox")))
    assert before == ["keywords"] * 3
