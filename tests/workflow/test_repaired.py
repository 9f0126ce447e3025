"""A repaired definition is the next version, with the new bindings in place of the old ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workflow.simulated import definition
from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import StableIdRef
from uiap.spec.workflow import ActionStep
from uiap.workflow.recording import ELEMENTS
from uiap.workflow.repaired import overlay_patches, repaired

OLD: dict[str, Any] = {"id": "form.save", "role": "button", "name": "Save", "match": []}
SAVE = {
    "id": "save",
    "type": "action",
    "actionId": "ui.activate",
    "target": {"by": "stableId", "value": "form.save"},
}
BY_NAME = {**SAVE, "id": "send", "target": {"by": "semantic", "role": "button", "name": "Send"}}
WORKFLOW = definition(
    SAVE, BY_NAME, {"id": "done", "type": "complete"}, metadata={ELEMENTS: [OLD], "startUrl": "u"}
)


def test_a_repaired_binding_replaces_the_old_one_and_a_new_one_is_used_by_its_step() -> None:
    repairs = {
        "save": ElementBinding(id="form.save", role="button", name="Save now", match=()),
        "send": ElementBinding(id="step.send", role="button", name="Submit", match=()),
    }
    made = repaired(WORKFLOW, repairs)
    assert made.version == "1.0.1"
    assert made.metadata["startUrl"] == "u"  # type: ignore[index]
    assert [(one["id"], one["name"]) for one in made.metadata[ELEMENTS]] == [  # type: ignore[index]
        ("form.save", "Save now"),
        ("step.send", "Submit"),
    ]
    assert [one.target for one in made.steps if isinstance(one, ActionStep)] == [
        StableIdRef(value="form.save"),
        StableIdRef(value="step.send"),
    ]
    assert [(one["op"], one["matchKey"], one["value"]["id"]) for one in overlay_patches(repairs)] == [
        ("upsert", "id", "form.save"),
        ("upsert", "id", "step.send"),
    ]


def test_a_definition_without_repairs_stays_the_same() -> None:
    assert repaired(WORKFLOW, {}) is WORKFLOW


@pytest.mark.parametrize(("before", "after"), [("1.2.9", "1.2.10"), ("2", "2.1"), ("1.0-beta", "1.0-beta.1")])
def test_any_version_has_a_next_one(before: str, after: str) -> None:
    old = definition({"id": "save", "type": "complete"}, version=before)
    assert repaired(old, {"save": ElementBinding(id="x", match=())}).version == after
