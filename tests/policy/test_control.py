"""The effect of a press: a role never makes it milder than the native element."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from uiap.policy.control import ControlPlace, option_effect, press_effect
from uiap.spec.web import ElementNode, WebElementState

PLACE = ControlPlace()
PANEL = ControlPlace(shows_panel=True)
DIALOG = ControlPlace(in_surface=True, surface="Invite people")


def control(
    role: str, name: str = "Overview", *, state: dict[str, Any] | None = None, **metadata: Any
) -> ElementNode:
    return ElementNode(
        instance_id="e1",
        document_id="d1",
        role=role,  # type: ignore[arg-type]
        name=name,
        state=WebElementState(**(state or {})),
        affordances=("read", "activate"),
        metadata=metadata or {},
    )


def claimed(role: str) -> ElementNode:
    """Return a box whose role is only a claim of the page."""
    return msgspec.structs.replace(control(role), source="aria")


@pytest.mark.parametrize(
    ("element", "place", "effect"),
    [
        (control("link", href="/videos"), PLACE, "navigation"),
        (control("link", href="https://app.example/videos"), PLACE, "navigation"),
        (control("link", href="#"), PLACE, "unknown"),
        (control("link", href="#part", anchor=True), PLACE, "navigation"),
        (control("link", href="#part"), PLACE, "unknown"),
        (control("link", href="javascript:"), PLACE, "unknown"),
        (control("link", href="data:"), PLACE, "unknown"),
        (control("link"), PLACE, "unknown"),
        (control("link", href="/videos", method="data-method"), PLACE, "unknown"),
        (control("link", href="/videos", method="onclick"), PLACE, "unknown"),
        (control("link", href="/videos", method="request"), PLACE, "unknown"),
        (control("link", href="/videos", handled="shared"), PLACE, "navigation"),
        (control("link", "Take over", href="/videos", handled="shared"), PLACE, "navigation"),
        (control("link", "Assign to me", href="/videos", handled="shared"), PLACE, "data_write"),
        (control("link", href="/videos", native="button"), PLACE, "unknown"),
        (control("button", href="/videos", native="link"), PLACE, "unknown"),
        (control("menuitem", href="/videos", native="link"), PLACE, "navigation"),
        (control("tab"), PANEL, "ui_state"),
        (control("tab"), PLACE, "unknown"),
        (control("tab", native="submit"), PANEL, "unknown"),
        (control("menuitem"), PLACE, "unknown"),
        (control("menuitem", state={"has_popup": "menu"}), PLACE, "ui_state"),
        (control("button"), PLACE, "unknown"),
        (control("button", state={"expanded": False}), PLACE, "ui_state"),
        (control("button", state={"expanded": False}, native="submit"), PLACE, "unknown"),
        (control("button", "Radera kontot å", state={"expanded": False}), PLACE, "unknown"),
        (control("button", "ภาพรวม", state={"expanded": False}), PLACE, "unknown"),
        (control("button", "", state={"expanded": False}), PLACE, "unknown"),
        (control("button", "Save", state={"expanded": False}), PLACE, "data_write"),
        (control("button", "", state={"has_popup": "listbox"}, beside="Course"), PLACE, "ui_state"),
        (control("button", "", state={"has_popup": "listbox"}, beside="Delete all"), PLACE, "data_write"),
        (control("button", "", state={"has_popup": "menu"}, beside="Course"), PLACE, "unknown"),
        (control("button", "", beside="Course"), PLACE, "unknown"),
        (control("checkbox"), PLACE, "draft"),
        (claimed("checkbox"), PLACE, "unknown"),
        (claimed("radio"), PLACE, "unknown"),
        (claimed("option"), PLACE, "unknown"),
        (claimed("option"), ControlPlace(in_list=True), "draft"),
        (claimed("checkbox"), ControlPlace(in_form=True), "draft"),
        (claimed("checkbox"), DIALOG, "draft"),
        (control("link", "Drop", href="/table/users/drop"), PLACE, "data_write"),
        (control("link", "Mitglied entfernen", href="/m/7"), PLACE, "data_write"),
        (control("link", "New video", href="/videos/new"), PLACE, "navigation"),
        (control("checkbox", native="button"), PLACE, "unknown"),
        (control("checkbox", "Speichern"), PLACE, "data_write"),
        (control("switch"), PLACE, "data_write"),
        (control("switch"), ControlPlace(in_form=True), "draft"),
        (control("switch", native="submit"), ControlPlace(in_form=True), "unknown"),
        (control("textbox"), PLACE, "ui_state"),
        (control("textbox", native="button"), PLACE, "unknown"),
        (control("button", "Cancel"), DIALOG, "ui_state"),
        (control("button", "Cancel"), PLACE, "unknown"),
        (control("button", "Cancel subscription"), DIALOG, "unknown"),
        (control("button", "Cancel"), ControlPlace(in_surface=True, surface="Cancel order?"), "unknown"),
    ],
)  # fmt: skip
def test_a_press_is_what_the_page_shows_it_to_be(
    element: ElementNode, place: ControlPlace, effect: str
) -> None:
    assert press_effect(element, place) == effect


@pytest.mark.parametrize(
    ("element", "effect"),
    [
        (control("combobox"), "draft"),
        (control("combobox", native="button"), "unknown"),
        (control("menu"), "unknown"),
        (control("button", state={"has_popup": "menu"}), "unknown"),
        (control("button", state={"has_popup": "listbox"}), "draft"),
        (control("tablist"), "unknown"),
    ],
)
def test_an_option_is_a_value_only_in_a_list_of_values(element: ElementNode, effect: str) -> None:
    assert option_effect(element, PLACE) == effect
