"""Every hazard page in a real browser: no false success, no wrong target, and the right words for what happened."""

from __future__ import annotations

import os

import pytest

from apps.hazards import HAZARDS, Hazard
from tests.browser.trial import Stage, attempt, honest, told
from uiap.spec.capability import ExecutionMode

SOAK = int(os.environ.get("UIAP_SOAK_N", "1"))
MODES: dict[str, tuple[ExecutionMode, ...] | None] = {"default": None, "semanticUi": ("semanticUi",)}

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


def _id(hazard: Hazard) -> str:
    named = f"-{hazard.expect[0]['kind']}" if hazard.expect else ""
    return f"{hazard.id}{named}{'-scoped' if hazard.scope else ''}"


@pytest.mark.requirement("ACT-3.4", "ACT-8.3", "ACT-9.2", "ACT-9.5", "ACT-15", "ACT-SEC.3")
@pytest.mark.timeout(60 + 10 * SOAK)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("hazard", HAZARDS, ids=_id)
async def test_the_answer_on_a_hazard_is_honest(stage: Stage, hazard: Hazard, mode: str) -> None:
    for turn in range(SOAK if hazard.racy else 1):
        trial = await attempt(stage, hazard, MODES[mode])
        assert any(honest(answer, trial.result) for answer in hazard.answers(MODES[mode])), (
            f"turn {turn}: {told(trial.result)}; truth {trial.truth}"
        )
        for key, value in hazard.truth_of(MODES[mode]).items():
            assert trial.truth.get(key) == value, f"turn {turn}: truth {trial.truth}; {told(trial.result)}"
        for path, count in hazard.hits.items():
            assert trial.hits[path] == count, f"turn {turn}: the server saw {trial.hits}"
        assert [type for type, _ in trial.messages].count("action.result") == 1
