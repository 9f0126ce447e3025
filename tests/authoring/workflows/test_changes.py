"""Changes of the meaning of a workflow: texts may change, steps need a new version."""

from __future__ import annotations

from typing import Any

from uiap.authoring.workflows.changes import changed_meaning, meaning_changes


def workflow(version: str = "1.0.0", **members: Any) -> dict[str, Any]:
    steps = [{"id": "ask", "type": "collect", "text": "Your title?"}]
    definition = {"id": "create", "version": version, "steps": steps, "interactionModes": ["guide", "assist"]}
    return {**definition, **members}


def catalog(*definitions: dict[str, Any]) -> dict[str, Any]:
    return {"workflows": [{"definition": one} for one in definitions]}


OTHER_STEPS = [{"id": "ask", "type": "handoff"}]


def test_texts_are_no_meaning_and_steps_are() -> None:
    reworded = [{"id": "ask", "type": "collect", "text": "What is the title?"}]
    assert changed_meaning(workflow(), workflow(steps=reworded, title="New")) == []
    assert changed_meaning(workflow(), workflow(steps=OTHER_STEPS)) == ["steps"]


def test_fewer_interaction_modes_are_a_restriction_and_more_are_a_new_meaning() -> None:
    assert changed_meaning(workflow(), workflow(interactionModes=["guide"])) == []
    assert "interactionModes" in changed_meaning(workflow(), workflow(interactionModes=["guide", "auto"]))


def test_a_new_meaning_under_the_same_version_is_silent() -> None:
    (silent,) = meaning_changes(catalog(workflow()), catalog(workflow(steps=OTHER_STEPS)))
    assert silent.silent and "1.0.0" in silent.hint
    (stated,) = meaning_changes(catalog(workflow()), catalog(workflow("2.0.0", steps=OTHER_STEPS)))
    assert not stated.silent


def test_a_new_workflow_changes_no_meaning() -> None:
    assert list(meaning_changes(catalog(), catalog(workflow()))) == []
