"""Texts behind fields: the only trace of a form that was not accepted."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Change, Tab, node
from uiap.signals.field_message import field_text
from uiap.spec.web import CustomSignal, ToastShownSignal

TAKEN = "Someone else has this name"


def form(value: str = "kim", **members: Any) -> Page:
    """f0e1 the field, f0e2 its button, f0e3 the text around them."""
    made = Page(**members)
    made.element("textbox", "Handle", state={"text_value": value})
    made.element("button", "Register", affordances=("read", "focus", "activate", "submit"))
    made.element("region", text="Choose a handle")
    return made


def says(text: str, **payload: bool) -> CustomSignal:
    return CustomSignal(name="message.field", payload={"text": text, **payload})


def row(made: Page) -> None:
    made.element("row", text="kim", instance_id="f0e9")


def text(words: str) -> Change:
    return lambda made: node(made, "f0e3", text=f"Choose a handle {words}")


def test_only_a_signal_of_this_name_has_a_text_behind_a_field() -> None:
    assert field_text(says(TAKEN)) == (TAKEN, False)
    assert field_text(says(TAKEN, loaded=True)) == (TAKEN, True)
    assert field_text(CustomSignal(name="message.loaded", payload={"text": TAKEN})) is None
    assert field_text(CustomSignal(name="message.field", payload={"text": 7})) is None


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (TAKEN, TAKEN),
        ("Thanks, you are registered", None),
        ("12", None),
        ("Register", None),
        ("x" * 200, None),
    ],
)
def test_a_text_behind_a_field_is_the_answer_if_nothing_else_came(words: str, found: str | None) -> None:
    tab = Tab(form()).acts(target="f0e2").shows(text(words), OURS).says(says(words), OURS)
    assert tab.report(wrote=True).beside_field == found
    assert tab.report().beside_field == found, "the target submits the form"


@pytest.mark.parametrize(
    ("words", "wrote", "found"),
    [("12.5 miles", True, None), ("Sunny in Paris", False, None), ("Sunny in Paris", True, "Sunny in Paris")],
)
def test_a_plain_result_is_none(words: str, wrote: bool, found: str | None) -> None:
    tab = Tab(form()).acts(target="f0e2").shows(text(words), OURS).says(says(words), OURS)
    assert tab.report(wrote=wrote).beside_field == found


@pytest.mark.parametrize("other", [row, text("Saved")])
def test_it_is_not_if_our_input_did_something_else(other: Change) -> None:
    tab = Tab(form()).acts(target="f0e2").says(says(TAKEN), OURS).shows(other, OURS)
    assert tab.report(wrote=True).beside_field is None


def test_it_is_not_if_the_page_reports_success_or_the_text_is_not_ours_or_nothing_was_sent() -> None:
    tab = Tab(form()).acts(target="f0e2").says(says(TAKEN), OURS)
    tab.says(ToastShownSignal(text="Welcome"), OURS)
    assert tab.report(wrote=True).beside_field is None
    assert Tab(form()).acts(target="f0e2").says(says(TAKEN)).report(wrote=True).beside_field is None
    assert Tab(form()).acts(target="f0e1").says(says(TAKEN), OURS).report().beside_field is None


@pytest.mark.parametrize(
    ("value", "words", "wrote", "refused"),
    [
        ("kim", TAKEN, True, True),
        ("", TAKEN, True, False),
        ("lee", TAKEN, True, False),
        ("kim", "Choose a handle", True, False),
        ("kim", "Your handle was saved", True, False),
        ("kim", TAKEN, False, False),
    ],
)
def test_a_form_that_comes_back_with_its_values_and_a_new_text_was_refused(
    value: str, words: str, wrote: bool, refused: bool
) -> None:
    tab = Tab(form()).acts(target="f0e2").loads(form(value, path="/teams")).says(says(words, loaded=True))
    found = tab.report(navigating=True, wrote=wrote).contradiction
    assert found == (words if refused else None)
