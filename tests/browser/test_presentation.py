"""Presentation in a real browser: it is drawn, it is not part of the graph, and it changes no outcome."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from apps.hazards import HAZARDS, Hazard, Server
from tests.browser.trial import Stage, Trial, attempt, describe_result
from uiap.drivers.chromium import ChromiumBrowser
from uiap.drivers.events import GraphChanged
from uiap.spec.action import PresentationHints

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ALL = PresentationHints(
    ghost_cursor=True, highlight="spotlight", narration="Now I press it.", pace="humanized"
)
SELECTED_IDS = frozenset(
    {"plain", "recycled_row", "two_identical", "late_toast", "error_behind_toast", "custom_select"}
)
SELECTED = [hazard for hazard in HAZARDS if hazard.id in SELECTED_IDS]


def outcome(trial: Trial) -> dict[str, Any]:
    """Return everything except times and generated names."""
    result = trial.result
    notes = {} if result.metadata is UNSET else result.metadata
    return {
        "status": result.status,
        "code": None if result.error is UNSET else result.error.code,
        "effect": result.side_effect_state,
        "mode": result.chosen_execution_mode,
        "passed": result.verification.passed,
        "observed": result.verification.observed,
        "outcome": notes.get("outcome"),
        "truth": trial.truth,
        "hits": trial.hits,
        "messages": [type for type, _ in trial.messages],
    }


@pytest.mark.requirement("ACT-3.6", "ACT-2")
@pytest.mark.parametrize("hazard", SELECTED, ids=lambda hazard: hazard.id)
async def test_presentation_does_not_change_the_outcome(
    chromium: ChromiumBrowser, hazards: Server, hazard: Hazard
) -> None:
    trials = []
    for hints in (None, ALL):
        async with Stage.opened(chromium, hazards) as stage:
            stage.present = hints
            trials.append(await attempt(stage, hazard, None))
    plain, presented = trials
    assert outcome(presented) == outcome(plain), (
        f"{describe_result(plain.result)} / {describe_result(presented.result)}"
    )


@pytest.mark.requirement("ACT-3.6")
async def test_the_presentation_layer_is_not_part_of_the_graph_and_not_reported_as_a_change(
    stage: Stage,
) -> None:
    await stage.goto("controls")
    before = await stage.driver.observe()
    changes: list[Any] = []
    unlisten = stage.page.listen(
        lambda event: changes.append(event) if isinstance(event, GraphChanged) else None
    )
    size = len(await stage.driver.evaluate("document.documentElement.innerHTML"))
    node = stage.button("More")
    await stage.driver.present(ALL, node, seconds=0.05)
    await stage.driver.flush()
    after = await stage.driver.observe()
    unlisten()
    drawn = "document.documentElement.lastElementChild"
    assert len(await stage.driver.evaluate("document.documentElement.innerHTML")) > size
    assert await stage.driver.evaluate(f"{drawn}.matches(':popover-open') && {drawn}.shadowRoot === null")
    assert await stage.driver.evaluate(f"getComputedStyle({drawn}).pointerEvents") == "none"
    assert (after.elements, after.scopes, after.opaque_regions) == (
        before.elements,
        before.scopes,
        before.opaque_regions,
    )
    assert changes == []
    facts = (await stage.driver.probe([node]))[node]
    assert facts.obscured is False
