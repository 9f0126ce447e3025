"""The kind of a question: two presses of one button are one kind, anything else is another."""

from __future__ import annotations

from typing import Any

import pytest

from uiap.policy.appraisal import Appraisal
from uiap.runtime.grant_kind import grant_kind
from uiap.runtime.surroundings import Surroundings
from uiap.spec.web import ElementNode, WebElementState

FORM = Surroundings(origin="https://a.example", scope_kind="form", surface="Team")
SENDS = Appraisal(level="confirm", side_effect="external_effect", tags=frozenset({"external_effect"}))


def button(name: str = "Invite") -> ElementNode:
    return ElementNode(
        instance_id="e1", document_id="d1", role="button", name=name, state=WebElementState(), affordances=()
    )


def digest(**changed: Any) -> str:
    given = {"action": "ui.activate", "args": {}, "element": button(), "around": FORM, "appraisal": SENDS}
    kind = grant_kind(**{**given, **changed})
    assert kind is not None
    return kind.digest


@pytest.mark.parametrize(
    "changed",
    [
        {"action": "ui.submit"},
        {"args": {"label": "All"}},
        {"element": button("Share")},
        {"around": Surroundings(origin="https://b.example", scope_kind="form", surface="Team")},
        {"around": Surroundings(origin="https://a.example", scope_kind="form", surface="Everyone")},
        {"appraisal": Appraisal(level="confirm", side_effect="data_write")},
    ],
    ids=["verb", "arguments", "target", "origin", "scope", "risk"],
)
def test_a_kind_is_bounded_by_verb_arguments_target_origin_scope_and_risk(changed: dict[str, Any]) -> None:
    assert digest(**changed) != digest()


def test_typed_text_is_no_part_of_the_kind() -> None:
    assert digest(args={"text": "a"}) == digest(args={"text": "b"})


@pytest.mark.parametrize(
    "changed",
    [
        {"element": None},
        {"element": button("")},
        {"around": Surroundings()},
        {"around": Surroundings(origin="https://a.example", carried_from="https://b.example")},
        {"appraisal": Appraisal(data_classes=frozenset({"credential"}))},
    ],
    ids=["no element", "no name", "no origin", "carried text", "private data"],
)
def test_a_question_without_firm_bounds_has_no_kind(changed: dict[str, Any]) -> None:
    given = {"action": "ui.activate", "args": {}, "element": button(), "around": FORM, "appraisal": SENDS}
    assert grant_kind(**{**given, **changed}) is None
