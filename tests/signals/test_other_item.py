"""A removal that hit another item than the pressed one."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Tab


def removes(page: Page, id: str) -> None:
    page.elements = [one for one in page.elements if one.instance_id != id]


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(
    ("target", "gone", "fails"),
    [("f0e1", "f0e2", True), ("f0e1", "f0e1", False), ("f0e3", "f0e1", False), ("f0e4", "f0e2", False)],
)
def test_a_removal_of_another_item_than_the_pressed_one_is_no_success(
    target: str, gone: str, fails: bool
) -> None:
    page = Page()
    for name in ("Delete Letter to Ann", "Delete Letter to Ben", "Clear", "Edit Letter to Ann"):
        page.element("button", name)
    tab = Tab(page).acts(target=target)
    tab.shows(lambda made: removes(made, gone), OURS)
    report = tab.report()
    assert (report.contradiction is not None) is fails
    if fails:
        assert "Letter to Ben" in str(report.contradiction)


@pytest.mark.requirement("ACT-12.1")
@pytest.mark.parametrize(("left", "fails"), [(2, True), (0, False)])
def test_selected_items_that_are_left_are_no_success(left: int, fails: bool) -> None:
    page = Page()
    page.element("button", "Archive selected")
    for number in range(4):
        page.element("checkbox", f"Project {number}", state={"checked": True})
    page.element("checkbox", "Project 4")
    tab = Tab(page).acts(target="f0e1")
    for number in range(left, 4):
        tab.shows(lambda made, number=number: removes(made, f"f0e{number + 2}"), OURS)
    assert (tab.report().contradiction is not None) is fails
