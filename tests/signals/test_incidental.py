"""Changes that any press may lead to: a moved focus, and layers that close because the press went elsewhere."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Change, Tab, node
from uiap.signals.incidental import ENTERED, LEFT, is_of_focus
from uiap.spec.web import StatusUpdatedSignal, ToastShownSignal


def form(name: str = "Publish") -> Page:
    """f0e1 the button, f0e2 a field, f0e3 a text, f0e4 an open menu with f0e5, f0e6 its opener."""
    made = Page()
    made.element("button", name)
    made.element("textbox", "Price", state={"text_value": "1500"})
    made.element("region", text="Draft")
    made.element("menu")
    made.element("menuitem", "Van", parent_instance_id="f0e4")
    made.element("button", "Vehicle", state={"expanded": True})
    return made


def formats(made: Page) -> None:
    node(made, "f0e2", state={"text_value": "1,500.00"})


def closes(made: Page) -> None:
    made.elements = [one for one in made.elements if one.instance_id not in ("f0e4", "f0e5")]
    node(made, "f0e6", state={"expanded": False})


def hints(made: Page) -> None:
    made.element("region", text="Publishes the page", instance_id="f0e9")


def opens(made: Page) -> None:
    made.element("menuitem", "Now", instance_id="f0e9")


def expands(made: Page) -> None:
    node(made, "f0e1", state={"expanded": True})


@pytest.mark.requirement("ACT-12.2")
@pytest.mark.parametrize("change", [formats, hints, closes])
def test_a_change_because_a_field_was_left_proves_nothing(change: Change) -> None:
    tab = Tab(form()).acts(target="f0e1").shows(change, OURS + LEFT)
    assert tab.report((0.0, 1000.0)).attribution == "coincident"


@pytest.mark.parametrize(
    ("change", "attribution"), [(hints, "coincident"), (opens, "caused"), (expands, "caused")]
)
def test_a_control_that_got_the_focus_must_open_something(change: Change, attribution: str) -> None:
    tab = Tab(form()).acts(target="f0e1").shows(change, OURS + ENTERED)
    assert tab.report().attribution == attribution


def test_a_message_because_of_the_focus_proves_nothing() -> None:
    tab = Tab(form()).acts(target="f0e1").says(ToastShownSignal(text="Draft saved"), OURS + LEFT)
    tab.says(StatusUpdatedSignal(text="Draft saved"), OURS + LEFT)
    assert tab.report((0.0, 1000.0)).attribution == "coincident"


def test_it_does_not_become_background_of_the_page() -> None:
    tab = Tab(form()).acts(target="f0e1").shows(formats, OURS + LEFT)
    tab.report()
    tab.watch.close(tab.now)
    tab.acts(target="f0e1").shows(lambda made: node(made, "f0e2", state={"text_value": "9"}), OURS)
    assert tab.report().attribution == "caused"


@pytest.mark.requirement("ACT-12.2")
def test_a_menu_that_closes_because_the_press_went_elsewhere_proves_nothing() -> None:
    tab = Tab(form()).acts(target="f0e1")
    tab.watch.incidental.record({"f0e4", "f0e5"})
    tab.shows(closes, OURS)
    assert tab.report().change is None
    assert not tab.report().content
    tab.shows(lambda made: node(made, "f0e3", text="Live"), OURS)
    assert tab.report().attribution == "caused"


@pytest.mark.parametrize("name", ["Close menu", "Schließen", "×", "完成", "Done"])
def test_a_control_that_closes_it_by_its_name_does_so_on_purpose(name: str) -> None:
    tab = Tab(form(name)).acts(target="f0e1")
    tab.watch.incidental.record({"f0e4", "f0e5"})
    assert tab.shows(closes, OURS).report().attribution == "caused"


def test_the_token_of_the_focus_names_its_input() -> None:
    assert is_of_focus("op1~left", {"op1"})
    assert not is_of_focus("op1~left", {"op2"})
    assert not is_of_focus("op1", {"op1"})
    assert not is_of_focus(None, {"op1"})


@pytest.mark.requirement("ACT-12.2")
@pytest.mark.parametrize(
    ("checked", "wrote", "change"), [(None, False, None), (None, True, "removed"), (True, False, "removed")]
)
def test_a_menu_that_its_own_item_closes_proves_nothing_unless_something_was_sent(
    checked: bool | None, wrote: bool, change: str | None
) -> None:
    made = form()
    if checked is not None:
        node(made, "f0e5", state={"checked": checked})
    report = Tab(made).acts(target="f0e5").shows(closes, OURS).report(wrote=wrote)
    assert (report.change is None) is (change is None), report.change
