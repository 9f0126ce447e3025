"""Signs of progress that our input showed: the result comes where they end."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab, node
from uiap.spec.web import ToastShownSignal


def gone(made: Page) -> None:
    made.elements = [one for one in made.elements if one.instance_id != "f0e9"]


def counting(token: str | None) -> Tab:
    """Return a tab in which a spinner goes, and at once a text comes over a socket that no input is known for."""
    page = Page()
    page.element("button", "Count plates")
    page.element("region", text="Plates")
    tab = Tab(page).acts(target="f0e1")
    tab.shows(lambda made: made.element("spinner", instance_id="f0e9"), token)
    tab.shows(gone)
    return tab.shows(lambda made: node(made, "f0e2", text="31 plates"))


@pytest.mark.parametrize(("token", "attribution"), [(OURS, "caused"), (None, "coincident")])
def test_a_change_where_our_spinner_ends_is_caused(token: str | None, attribution: str) -> None:
    assert counting(token).report().attribution == attribution


def test_a_message_of_progress_is_no_evidence() -> None:
    page = Page()
    page.element("button", "Send")
    tab = Tab(page).acts(target="f0e1").says(ToastShownSignal(text="Loading..."), OURS)
    assert tab.report().change is None
