"""Routine steps: what shows, drafts or changes something ordinary goes; what matters is never routine."""

from __future__ import annotations

from typing import Any

import pytest

from tests.policy.corpus import LANGUAGES, labels
from uiap.policy.control import ControlPlace
from uiap.policy.lexicon import meaning_of
from uiap.policy.routine import (
    has_ordinary_words,
    is_guarded_field,
    is_routine_enter,
    is_routine_press,
    is_routine_submit,
    orders_nothing,
)
from uiap.spec.web import ElementNode, WebElementState

FORM = ControlPlace(in_form=True)
READING = ControlPlace(in_form=True, reading_form=True)
DIALOG = ControlPlace(in_dialog=True, in_surface=True)
SUBMIT = {"affordances": ("activate", "submit")}


def control(name: str, role: str = "button", **members: Any) -> ElementNode:
    given = {"affordances": ("activate",), **members}
    return ElementNode(
        instance_id="e1",
        document_id="d1",
        role=role,  # type: ignore[arg-type]
        name=name,
        state=WebElementState(),
        **given,
    )


@pytest.mark.parametrize(
    ("name", "place", "members"),
    [
        ("Next", ControlPlace(), {}),
        ("Next", FORM, SUBMIT),
        ("Is it open", ControlPlace(), {}),
        ("Search", FORM, SUBMIT),
        ("Go", READING, SUBMIT),
        ("Apply", READING, SUBMIT),
        ("Save and continue editing", FORM, SUBMIT),
        ("Create video", ControlPlace(), {}),
        ("Choose all", FORM, {}),
        ("Remove selected tags", ControlPlace(in_form=True, moves_options=True), {}),
        ("3", FORM, {}),
        ("›", FORM, {}),
        ("×", DIALOG, {}),
        ("Speichern", FORM, SUBMIT),
        ("次へ", FORM, SUBMIT),
        ("Alice", FORM, {"role": "cell"}),
        ("", ControlPlace(), {"role": "cell"}),
        ("Yes", FORM, {"role": "radio"}),
    ],
)
def test_an_ordinary_step_is_routine(name: str, place: ControlPlace, members: dict[str, Any]) -> None:
    assert is_routine_press(control(name, **members), place)


@pytest.mark.parametrize(
    ("name", "place", "members"),
    [
        ("Frobnicate", FORM, SUBMIT),
        ("Frobnicate", FORM, {}),
        ("Frobnicate", DIALOG, {}),
        ("OK", DIALOG, {}),
        ("Yes, I’m sure", FORM, SUBMIT),
        ("Approve", ControlPlace(), {}),
        ("Archive", ControlPlace(), {}),
        ("Add member", ControlPlace(), {}),
        ("Add comment", ControlPlace(), {}),
        ("Log in", FORM, SUBMIT),
        ("Save", ControlPlace(in_form=True, guarded_field=True), SUBMIT),
        ("Go", ControlPlace(in_form=True, reading_form=True, guarded_field=True), SUBMIT),
        ("Remove selected tags", FORM, {}),
        ("Remove", ControlPlace(in_form=True, moves_options=True), SUBMIT),
        ("Frobnicate", ControlPlace(), {"metadata": {"method": "hx-post"}}),
        ("", ControlPlace(), {}),
        ("3", FORM, SUBMIT),
        ("ბმული", ControlPlace(), {}),
        ("Slet", ControlPlace(), {}),
    ],
)
def test_a_step_that_matters_or_is_not_understood_is_not_routine(
    name: str, place: ControlPlace, members: dict[str, Any]
) -> None:
    assert not is_routine_press(control(name, **members), place)


@pytest.mark.parametrize("part", ["tuning", "measuring"])
def test_no_label_that_orders_an_effect_is_ordinary_in_any_language(part: str) -> None:
    ordinary = [one for _, one in labels(part) if has_ordinary_words(one)]
    assert [one for one in ordinary if {hint.kind for hint in meaning_of(one).asks} != {"write"}] == []
    assert len(ordinary) <= len(LANGUAGES), "only the label that saves"


def test_labels_of_sections_are_ordinary_in_every_language() -> None:
    found = [one for _, one in labels("harmless") if not is_routine_press(control(one), ControlPlace())]
    assert found == []


@pytest.mark.parametrize(
    ("name", "is_on", "guarded"),
    [
        ("Password", False, True),
        ("Superuser status", False, True),
        ("User permissions", False, True),
        ("Role", False, True),
        ("Empfänger", False, True),
        ("Publish date", False, False),
        ("Publish now", True, True),
        ("Title", True, False),
    ],
)
def test_a_field_about_rights_money_or_consent_guards_its_form(name: str, is_on: bool, guarded: bool) -> None:
    assert is_guarded_field(name, is_on=is_on) is guarded


def test_a_form_without_a_readable_button_is_sent_only_if_it_reads() -> None:
    assert is_routine_submit("", READING)
    assert not is_routine_submit("", FORM)


@pytest.mark.parametrize(
    ("name", "role", "routine"),
    [
        ("Products", "searchbox", True),
        ("Country", "combobox", True),
        ("Add a tag", "textbox", True),
        ("Your text", "textbox", False),
        ("Type a message", "textbox", False),
    ],
)
def test_enter_outside_of_a_form_is_routine_where_it_searches_or_adds(
    name: str, role: str, routine: bool
) -> None:
    assert is_routine_enter(control(name, role, affordances=("edit",))) is routine


@pytest.mark.parametrize(("label", "nothing"), [
    ("Search", True), ("Title", True), ("", True), ("Delete account", False), ("Konto löschen", False),
])  # fmt: skip
def test_the_label_of_a_field_may_order_something(label: str, nothing: bool) -> None:
    assert orders_nothing(label) is nothing
