"""A control that has its old value again was taken back, unless more than messages is left."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Change, Tab, node


def page() -> Page:
    """f0e1 the pressed option, f0e2 the control that shows the choice, f0e3 a text, f0e4 a switch."""
    made = Page()
    made.element("option", "Weekly")
    made.element("button", "Frequency", text="Monthly")
    made.element("region", text="Reports")
    made.element("switch", "Mail", state={"checked": False})
    return made


def shows(words: str) -> Change:
    return lambda made: node(made, "f0e2", text=words)


def says(words: str) -> Change:
    return lambda made: node(made, "f0e3", text=f"Reports {words}")


def without_option(made: Page) -> None:
    made.elements = [one for one in made.elements if one.instance_id != "f0e1"]


def row(made: Page) -> None:
    made.element("row", text="Report 7", instance_id="f0e9")


@pytest.mark.parametrize(
    ("left", "taken_back"),
    [
        ((), True),
        ((without_option, says("Only for teams")), True),
        ((says("Saved"),), False),
        ((row,), False),
    ],
)
def test_a_choice_that_is_shown_and_changed_back_was_taken_back(
    left: tuple[Change, ...], taken_back: bool
) -> None:
    tab = (
        Tab(page()).acts(target="f0e1").shows(shows("Weekly"), OURS).shows(shows("Monthly"), OURS, after=0.3)
    )
    for change in left:
        tab.shows(change, OURS)
    assert tab.report().taken_back is taken_back


def test_a_choice_that_stays_and_a_sign_of_progress_are_not_taken_back() -> None:
    assert not Tab(page()).acts(target="f0e1").shows(shows("Weekly"), OURS).report().taken_back
    tab = Tab(page()).acts(target="f0e1").shows(shows("Loading…"), OURS).shows(shows("Monthly"), OURS)
    assert not tab.report().taken_back


def test_the_pressed_control_may_change_its_text_for_a_moment_but_not_its_value() -> None:
    tab = Tab(page()).acts(target="f0e2").shows(shows("Working"), OURS).shows(shows("Monthly"), OURS)
    assert not tab.report().taken_back
    tab = Tab(page()).acts(target="f0e4")
    for checked in (True, False):
        tab.shows(lambda made, on=checked: node(made, "f0e4", state={"checked": on}), OURS)  # type: ignore[misc]
    assert tab.report().taken_back


@pytest.mark.parametrize(
    ("texts", "taken_back"),
    [
        (("13", "12 Votes count from 15 points"), True),
        (("13", "13 Thanks"), False),
        (("13", "12 Saved"), False),
        (("12 Wait", "12 Done"), False),
    ],
)
def test_a_number_in_a_text_that_is_counted_back_was_taken_back(
    texts: tuple[str, str], taken_back: bool
) -> None:
    made = page()
    node(made, "f0e3", text="12")
    tab = Tab(made).acts(target="f0e4")
    for text in texts:
        tab.shows(lambda made, shown=text: node(made, "f0e3", text=shown), OURS)  # type: ignore[misc]
    assert tab.report().taken_back is taken_back


@pytest.mark.parametrize(
    ("names", "taken_back"),
    [
        (("Stop recording", "Record"), True),
        (("Stop recording",), False),
        (("Recorded", "Record"), False),
    ],
)
def test_a_control_that_offered_the_opposite_and_has_its_name_again_was_taken_back(
    names: tuple[str, ...], taken_back: bool
) -> None:
    made = Page()
    made.element("button", "Record")
    made.element("region")
    tab = Tab(made).acts(target="f0e1")
    for name in names:
        tab.shows(lambda made, shown=name: node(made, "f0e1", name=shown), OURS)  # type: ignore[misc]
    tab.shows(lambda made: node(made, "f0e2", text="🎤"), OURS)
    assert tab.report().taken_back is taken_back
