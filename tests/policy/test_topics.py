"""Labels of texts and views order nothing; a label that joins them with an order does."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from uiap.policy.control import ControlPlace, press_effect
from uiap.policy.routine import is_routine_press, is_routine_submit
from uiap.policy.topics import clears_view, is_topic, shows_only
from uiap.spec.web import ElementNode, WebElementState

TOPICS = ("How to delete a file", "Deleting files", "Payments explained", "Share of total", "Wie man kündigt")
TOPICS += ("Что такое оплата", "返金について", "如何付款", "결제 안내", "About sharing")
ORDERS = (
    "Delete",
    "Ping server",
    "Dispose of account",
    "Delete files",
    "How to and delete",
    "Über\u0435deleting",
)
ORDERS += ("Pay how much", "Comment", "gnieteleD")


@pytest.mark.parametrize("label", TOPICS)
def test_a_label_that_names_a_text_is_a_topic(label: str) -> None:
    assert is_topic(label)


@pytest.mark.parametrize("label", ORDERS)
def test_an_order_is_no_topic(label: str) -> None:
    assert not is_topic(label)


@pytest.mark.parametrize("label", ("Show deleted", "Hide archived", "Gelöschte anzeigen", "完了を表示"))
def test_a_label_that_says_what_is_shown_shows_only(label: str) -> None:
    assert shows_only(label)


@pytest.mark.parametrize(
    "label", ("Show and delete", "Delete shown", "View, then remove", "Anzeigen und löschen")
)
def test_a_view_joined_with_an_order_does_not(label: str) -> None:
    assert not shows_only(label)


def test_a_filter_is_emptied_by_words_of_views_alone() -> None:
    for label in (
        "Clear filters",
        "Remove sort",
        "Filter löschen",
        "Effacer la recherche",
        "Delete filter text",
    ):
        assert clears_view(label), label
    for label in ("Delete filter", "Clear account", "Remove user filter", "Clear all", "Reset password"):
        assert not clears_view(label), label


def control(role: str, name: str, *, state: dict[str, Any] | None = None, **metadata: Any) -> ElementNode:
    return ElementNode(
        instance_id="e1",
        document_id="d1",
        role=role,  # type: ignore[arg-type]
        name=name,
        state=WebElementState(**(state or {})),
        affordances=("read", "activate"),
        metadata=metadata or {},
    )


@pytest.mark.parametrize(
    ("element", "effect"),
    [
        (control("link", "Deleting files", href="/docs/files"), "navigation"),
        (control("link", "Deleting files", href="#deleting", anchor=True), "navigation"),
        (control("link", "Deleting files", href="/files/3/delete"), "data_write"),
        (control("link", "Deleting files", href="/files/3", handled="shared"), "data_write"),
        (control("link", "Deleting files", href="/docs/files", method="onclick"), "unknown"),
        (control("button", "Sharing explained", state={"expanded": False}), "ui_state"),
        (control("button", "Sharing explained", opens="popover"), "ui_state"),
        (control("button", "Sharing explained"), "unknown"),
        (control("button", "Sharing explained", state={"expanded": False}, writes=True), "unknown"),
        (control("tab", "Overview", controls="tabpanel"), "ui_state"),
        (control("checkbox", "Show deleted items"), "draft"),
        (control("checkbox", "Show deleted items", writes=True), "unknown"),
        (control("button", "Remove sort"), "unknown"),
    ],
)
def test_a_press_that_only_shows_is_judged_by_what_it_shows(element: ElementNode, effect: str) -> None:
    assert press_effect(element, ControlPlace()) == effect


def test_a_shown_text_counts_beside_the_name() -> None:
    both = msgspec.structs.replace(control("link", "Deleting files", href="/docs"), text="Delete account")
    assert press_effect(both, ControlPlace()) == "data_write"


def test_only_an_exit_word_closes_a_form_of_a_dialog_freely() -> None:
    place = ControlPlace(in_form=True, in_surface=True, in_dialog=True, surface="Delete 3 files?")
    assert press_effect(control("button", "Cancel", closes=True), place) == "ui_state"
    assert press_effect(control("button", "Yes", closes=True), place) == "unknown"


def test_a_script_that_writes_needs_a_label_that_says_so() -> None:
    for name, routine in (("Row 4", False), ("Save", True)):
        assert is_routine_press(control("button", name, writes=True), ControlPlace()) is routine
    assert is_routine_press(control("button", "Clear filters"), ControlPlace())
    assert not is_routine_press(control("button", "Clear filters", writes=True), ControlPlace())


def test_the_address_of_a_form_counts_as_much_as_its_button() -> None:
    assert is_routine_submit("Save", ControlPlace(in_form=True))
    assert not is_routine_submit("Save", ControlPlace(in_form=True, orders_by_form=True))
