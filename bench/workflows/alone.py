"""The actions of a definition without a workflow: the same requests, one after the other, in one session."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import UNSET

import uiap
from uiap.errors import UiapError
from uiap.host.bundles.bundle import Bundle
from uiap.host.workflows.recorded_bindings import bundle_of_run
from uiap.spec.capability import CustomRef, SemanticRef, StableIdRef
from uiap.spec.workflow import ActionStep, WorkflowDefinition
from uiap.workflow.recording import START_URL
from uiap.workflow.values import WORDS, filled_step, step_args

Times: TypeAlias = dict[str, list[float]]
"""Milliseconds of each step, by its id."""


async def add_times_alone(
    definition: WorkflowDefinition, values: dict[str, Any], state: Path, times: Times
) -> None:
    """Do the actions once, and add their times in milliseconds. Opening the page does not count."""
    url = str((definition.metadata or {})[START_URL])
    bundle: Bundle = bundle_of_run(definition, None, url)
    steps = [filled_step(one, values) for one in definition.steps if isinstance(one, ActionStep)]
    async with uiap.open(url, bundle=bundle, state=state, rules="trusted") as ui:
        await ui.observe()
        for step in steps:
            begun = time.monotonic()
            await _act(ui, step, values)
            times[step.id].append((time.monotonic() - begun) * 1000)


async def _act(ui: uiap.Ui, step: Any, values: dict[str, Any]) -> None:
    verification = step.verification
    expect = () if verification is UNSET else verification.signals or ()
    result = await ui.act(
        step.action_id, **_target(step), args=step_args(step, values, {}) or None, expect=expect
    )
    if not result:
        raise UiapError(f"`{step.id}` alone failed: {result.error and result.error.message}")


def _target(step: ActionStep) -> dict[str, Any]:
    match step.target:
        case StableIdRef(value=id):
            return {"stable_id": id}
        case SemanticRef(role=role, name=name):
            return {"role": role, "name": name}
        case CustomRef(value=text):
            words: dict[str, Any] = json.loads(text.removeprefix(WORDS))
            return words
    return {}
