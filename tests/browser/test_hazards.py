"""Every hazard page in a real browser: no false success, no wrong target, and the right error code."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from apps.hazards import HAZARDS, Hazard, Server, serving
from tests.browser.trial import Stage, attempt, describe_result, is_expected
from uiap.drivers.chromium import ChromiumBrowser
from uiap.spec.capability import ExecutionMode

SOAK = int(os.environ.get("UIAP_SOAK_N", "1"))
MODES: dict[str, tuple[ExecutionMode, ...] | None] = {"default": None, "semanticUi": ("semanticUi",)}

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


def _id(hazard: Hazard) -> str:
    named = f"-{hazard.expect[0]['kind']}" if hazard.expect else ""
    return f"{hazard.id}{named}{'-scoped' if hazard.scope else ''}"


@pytest.fixture(scope="module")
def other_hazards() -> Iterator[Server]:
    """A second server, because each counts the requests of one mode."""
    with serving() as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def other_stage(chromium: ChromiumBrowser, other_hazards: Server) -> AsyncIterator[Stage]:
    async with Stage.opened(chromium, other_hazards) as opened:
        yield opened


@pytest.mark.requirement("ACT-3.4", "ACT-8.3", "ACT-9.2", "ACT-9.5", "ACT-15", "ACT-SEC.3")
@pytest.mark.timeout(60 + 10 * SOAK)
@pytest.mark.parametrize("hazard", HAZARDS, ids=_id)
async def test_the_result_on_a_hazard_page_is_correct_in_every_mode(
    stage: Stage, other_stage: Stage, hazard: Hazard
) -> None:
    async with asyncio.TaskGroup() as beside:  # most of a trial is waiting for the page
        for mode, place in zip(MODES, (stage, other_stage), strict=True):
            beside.create_task(_tried(place, hazard, mode))


async def _tried(stage: Stage, hazard: Hazard, mode: str) -> None:
    for turn in range(SOAK if hazard.racy else 1):
        trial = await attempt(stage, hazard, MODES[mode])
        where = f"{mode}, turn {turn}"
        assert any(is_expected(answer, trial.result) for answer in hazard.answers(MODES[mode])), (
            f"{where}: {describe_result(trial.result)}; truth {trial.truth}"
        )
        for key, value in hazard.truth_of(MODES[mode]).items():
            assert trial.truth.get(key) == value, (
                f"{where}: truth {trial.truth}; {describe_result(trial.result)}"
            )
        for path, count in hazard.hits.items():
            assert trial.hits[path] == count, f"{where}: the server saw {trial.hits}"
        assert [type for type, _ in trial.messages].count("action.result") == 1
