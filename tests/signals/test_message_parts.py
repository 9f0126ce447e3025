"""Messages and their parts: they prove nothing without words, and may disappear."""

from __future__ import annotations

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab, node


def toast(page: Page, **members: str) -> None:
    page.element("toast", instance_id="toast", **members)
    page.element("image", instance_id="icon", parent_instance_id="toast")


def acted(text: str | None = None) -> Tab:
    page = Page()
    page.element("button", "Add")
    return Tab(page).acts().shows(lambda made: toast(made, **({"text": text} if text else {})), OURS)


def test_a_message_without_words_proves_nothing_until_it_has_them() -> None:
    tab = acted()
    assert tab.report().change is None
    tab.shows(lambda made: node(made, "toast", text="Order 7 added"), OURS)
    assert tab.report().change == 'toast "Order 7 added" added'


def test_the_parts_of_a_message_that_disappears_are_no_lasting_change() -> None:
    tab = acted("Order 7 added")
    assert tab.report().change is not None
    _, changes = tab.watch.close(tab.now)
    assert changes == ()
