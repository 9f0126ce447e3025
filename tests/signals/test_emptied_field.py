"""Fields that a press emptied."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab, node


@pytest.mark.parametrize(
    ("name", "wrote", "changed"),
    [
        ("Unlock", False, False),
        ("Clear", False, True),
        ("Löschen", False, True),
        ("✕", False, True),
        ("Send", True, True),
    ],
)
def test_an_emptied_field_is_an_effect_only_of_a_control_that_empties_or_sends(
    name: str, wrote: bool, changed: bool
) -> None:
    page = Page()
    page.element("textbox", "PIN", state={"text_value": "1234"})
    page.element("button", name)
    tab = Tab(page).acts(target="f0e2").shows(lambda made: node(made, "f0e1", state={"text_value": ""}), OURS)
    assert (tab.report(wrote=wrote).change is not None) is changed


@pytest.mark.parametrize(
    ("state", "members", "said"),
    [
        ({"required": True}, {}, False),
        ({"required": True}, {"description": "Please enter a name"}, True),
        ({}, {}, True),
        ({"required": True, "text_value": "x"}, {}, True),
    ],
)
def test_a_required_field_that_a_press_only_emptied_is_no_refusal(
    state: dict[str, Any], members: dict[str, Any], said: bool
) -> None:
    page = Page()
    page.element("textbox", "Name", state={"text_value": "Ada", **state, "invalid": False})
    page.element("button", "Add")
    node(page, "f0e1", state={"text_value": "Ada"})
    now = {"text_value": "", **state, "invalid": True}
    tab = Tab(page).acts(target="f0e2").shows(lambda made: node(made, "f0e1", state=now, **members), OURS)
    assert bool(tab.report(wrote=True).invalid_fields) is said
