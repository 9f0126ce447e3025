"""Values that were entered, and that the page put back without a word."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Change, Tab, node
from uiap.spec.web import ToastShownSignal

WORDS = "the page shows `Tea taster` again instead of `Head of Tea`"


def profile(button: str = "Save") -> Page:
    """f0e1 the field, f0e2 the button, f0e3 a text."""
    made = Page()
    made.element("textbox", "Job title", state={"text_value": "Tea taster"})
    made.element("button", button)
    made.element("region", text="Profile")
    return made


def value(text: str) -> Change:
    return lambda made: node(made, "f0e1", state={"text_value": text})


def says(text: str) -> Change:
    return lambda made: node(made, "f0e3", text=text)


def replaced_by(text: str) -> Change:
    def change(made: Page) -> None:
        del made.elements[0]
        made.element("label", text, instance_id="f0e9")

    return change


def entered(button: str = "Save") -> Tab:
    tab = Tab(profile(button)).acts(target="f0e1").shows(value("Head of Tea"), OURS)
    tab.watch.close(tab.now)
    return tab.acts(target="f0e2")


def test_the_old_value_that_the_page_puts_back_is_a_refusal_in_the_words_of_the_page() -> None:
    assert entered().shows(value("Tea taster"), OURS).report(wrote=True).limiting == WORDS


def test_so_is_the_old_value_in_place_of_an_editor() -> None:
    assert entered().shows(replaced_by("Tea taster"), OURS).report(wrote=True).limiting == WORDS
    assert entered().shows(replaced_by("Head of Tea"), OURS).report(wrote=True).limiting is None


@pytest.mark.parametrize("button", ["Reset", "Undo", "Restore defaults", "Abbrechen"])
def test_a_control_that_is_there_to_put_it_back_does_so(button: str) -> None:
    assert entered(button).shows(value("Tea taster"), OURS).report().limiting is None


@pytest.mark.parametrize("change", [value("head of tea"), value("")])
def test_a_formatted_and_an_emptied_value_are_not_put_back(change: Change) -> None:
    assert entered().shows(change, OURS).report(wrote=True).limiting is None


def test_a_field_may_return_to_its_default_once_something_was_done() -> None:
    added = entered("Add").shows(value("Tea taster"), OURS).shows(says("Profile of Head of Tea"), OURS)
    assert added.report(wrote=True).limiting is None
    counted = entered("Add").shows(value("Tea taster"), OURS).shows(says("Profiles 1"), OURS)
    assert counted.report(wrote=True).limiting is None
    told = entered("Add").shows(value("Tea taster"), OURS).says(ToastShownSignal(text="Added"), OURS)
    assert told.report(wrote=True).limiting is None


def test_a_new_document_forgets_the_values() -> None:
    tab = entered().loads(profile())
    tab.watch.close(tab.now)
    tab.acts(target="f0e2").shows(value("other"), OURS).shows(value("Tea taster"), OURS)
    assert tab.report(wrote=True).limiting is None
