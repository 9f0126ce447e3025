"""The element that is proposed for a lost target. `test_recorded_bindings` has the table of drifts."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import CustomRef, SemanticRef, StableIdRef
from uiap.workflow.repair import best_match, wanted_binding

SAVE = ElementBinding(id="form.save", role="button", name="Save video", match=())


def store(*names: str, role: str = "button") -> GraphStore:
    page = Page("/videos", "Videos")
    form = page.scope("form", "Video")
    for name in names:
        page.element(role, name, scope_id=form)
    return GraphStore(page.graph())


@pytest.mark.parametrize(
    ("names", "proposed"),
    [
        (["Save the video"], "Save the video"),
        (["Save videos"], "Save videos"),
        (["Save"], "Save"),
        (["Saves video"], "Saves video"),
        (["Savant video"], None),
        (["Save video now", "Cancel"], "Save video now"),
        (["Cancel"], None),
        (["Unsave video"], None),
        (["Do not save video"], None),
        (["Delete video"], None),
        (["Save video and delete draft"], None),
        (["Save the video", "Save a video"], None),
        (["Save payment method"], None),
        ([], None),
    ],
)
def test_a_name_that_says_the_same_is_proposed(names: list[str], proposed: str | None) -> None:
    found = best_match(store(*names), SAVE, "ui.activate")
    assert (None if found is None else found.element.name) == proposed
    assert found is None or "it was “Save video”" in found.reasons[0]


def test_an_element_of_another_kind_or_of_another_binding_is_not_proposed() -> None:
    page = store("Save the video")
    (button,) = page.by_role("button")
    assert best_match(page, SAVE, "ui.activate", frozenset({button.instance_id})) is None
    assert best_match(page, SAVE, "ui.enterText") is None
    assert best_match(store("Save the video", role="textbox"), SAVE, "ui.activate") is None


def test_a_target_by_role_and_name_has_a_binding_that_says_the_same() -> None:
    known = (SAVE,)
    assert wanted_binding(StableIdRef(value="form.save"), known, "save") is SAVE
    assert wanted_binding(StableIdRef(value="other"), known, "save") is None
    made = wanted_binding(SemanticRef(role="button", name="Save"), known, "save")
    assert made == ElementBinding(id="step.save", role="button", name="Save", match=())
    assert wanted_binding(SemanticRef(role="button", name=UNSET), known, "save") is None
    assert wanted_binding(CustomRef(value="words:{}"), known, "save") is None
