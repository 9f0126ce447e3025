"""Content that comes with a message and goes again is taken back; content that is rendered again is not."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab
from uiap.spec.web import ToastShownSignal


def page() -> Page:
    made = Page()
    made.element("button", "Save")
    return made


def adds(role: str, name: str) -> object:
    return lambda page: page.element(role, name)


def loses_last(page: Page) -> None:
    page.elements.pop()


@pytest.mark.parametrize(
    ("name", "token", "message_after", "taken_back"),
    [
        ("Order 7", OURS, 0.0, True),
        ("Order 7", None, 0.0, False),  # other code added it
        ("Save", OURS, 0.0, False),  # the button is rendered again
        ("Cancel", OURS, 0.5, False),  # a sign of progress that goes before the message comes
    ],
)
def test_only_own_content_that_came_with_a_message_is_taken_back(
    name: str, token: str | None, message_after: float, taken_back: bool
) -> None:
    tab = Tab(page()).acts()
    tab.shows(adds("button", name), token, after=0.1)
    tab.shows(loses_last, token, after=0.01)
    tab.says(ToastShownSignal(text="Saved", level="info"), OURS, after=message_after)
    assert tab.report().taken_back is taken_back
