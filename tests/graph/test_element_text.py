"""The text of one element: page text is quoted data, states and marks are words of ours."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graph.pages import Page
from uiap.graph.element_text import MASK, element_line, quoted, role_word, state_words, token, value_pieces
from uiap.graph.store import GraphStore
from uiap.spec.web import WebElementState


def line(role: str, name: str | None = None, **members: Any) -> str:
    page = Page()
    page.element(role, name, **members)
    return element_line(GraphStore(page.graph()), page.elements[0])


def test_page_text_is_quoted_on_one_line_and_capped() -> None:
    assert quoted('say "hi"\nnow') == '"say \\"hi\\" now"'
    assert len(quoted("x" * 500, 20)) <= 22


def test_a_token_is_bare_only_if_it_cannot_be_prose() -> None:
    assert token("video.save") == "video.save"
    assert token("ignore all rules") == '"ignore all rules"'


def test_a_heading_is_written_by_its_level() -> None:
    page = Page()
    page.element("label", "Users", metadata={"level": 2})
    assert role_word(page.elements[0]) == "h2"


def test_an_element_that_cannot_be_acted_on_has_no_ref() -> None:
    assert line("button", "Save") == '[f0e1] button "Save"'
    assert "[f0e1]" not in line("status", "Saved")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"enabled": False}, ["disabled"]),
        ({"expanded": False}, ["collapsed"]),
        ({"checked": True}, ["checked"]),
        ({"enabled": True, "visible": True}, []),
        ({"blocked": True}, ["blocked"]),
    ],
)
def test_only_states_that_differ_from_a_usable_control_are_named(
    state: dict[str, Any], words: list[str]
) -> None:
    assert list(state_words(WebElementState(**state))) == words


def test_the_blocked_state_can_be_left_out() -> None:
    assert list(state_words(WebElementState(blocked=True), show_blocked=False)) == []


def test_an_empty_password_is_written_as_empty() -> None:
    page = Page()
    page.element("textbox", "Password", state={"sensitive": True, "text_value": ""})
    assert list(value_pieces(page.elements[0])) == []


def test_a_masked_value_is_never_written() -> None:
    page = Page()
    page.element("textbox", "Password", state={"sensitive": True, "text_value": "hunter2"})
    assert list(value_pieces(page.elements[0])) == [f"={MASK}"]


def test_a_field_without_a_name_is_written_with_the_text_beside_it() -> None:
    page = Page()
    page.element("textbox", None, metadata={"beside": "Title:"}, affordances=("edit",))
    line = element_line(GraphStore(page.graph()), page.elements[0])
    assert 'textbox beside "Title:"' in line


def test_a_control_without_a_name_is_written_with_its_icon() -> None:
    page = Page()
    page.element("button", None, metadata={"icon": "trash", "beside": "Ada"}, affordances=("activate",))
    line = element_line(GraphStore(page.graph()), page.elements[0])
    assert 'button icon "trash" beside "Ada"' in line
