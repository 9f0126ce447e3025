"""A definition with the repairs that a person accepted in a run, as its next version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import StableIdRef
from uiap.spec.workflow import ActionStep, WorkflowDefinition, WorkflowStep
from uiap.workflow.recording import ELEMENTS


def repaired(definition: WorkflowDefinition, repairs: Mapping[str, ElementBinding]) -> WorkflowDefinition:
    """Return the definition with each repaired binding in place of the old one; the same if there is none."""
    if not repairs:
        return definition
    metadata = dict(definition.metadata or {})
    known = {one["id"]: one for one in metadata.get(ELEMENTS, ())}
    known |= {one.id: msgspec.to_builtins(one) for one in repairs.values()}
    metadata[ELEMENTS] = list(known.values())
    steps = tuple(_with_target(one, repairs) for one in definition.steps)
    version = _next_patch(definition.version)
    return msgspec.structs.replace(definition, version=version, steps=steps, metadata=metadata)


def overlay_patches(repairs: Mapping[str, ElementBinding]) -> list[dict[str, Any]]:
    """Return the repairs as patches of an overlay, for review."""
    return [
        {"path": f"/metadata/{ELEMENTS}", "op": "upsert", "matchKey": "id", "value": msgspec.to_builtins(one)}
        for one in repairs.values()
    ]


def _with_target(step: WorkflowStep, repairs: Mapping[str, ElementBinding]) -> WorkflowStep:
    if step.id not in repairs or not isinstance(step, ActionStep):
        return step
    return msgspec.structs.replace(step, target=StableIdRef(value=repairs[step.id].id))


def _next_patch(version: str) -> str:
    head, _, last = version.rpartition(".")
    return f"{head}.{int(last) + 1}" if head and last.isdigit() else f"{version}.1"
