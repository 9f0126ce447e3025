"""What a person is shown, in a real browser: it is drawn, it is no part of the page, and it changes no outcome."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from apps.hazards import HAZARDS, Hazard, Server
from tests.browser.trial import Stage, Trial, attempt, told
from uiap.drivers.chromium import ChromiumBrowser
from uiap.drivers.events import GraphChanged
from uiap.spec.action import PresentationHints

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ALL = PresentationHints(
    ghost_cursor=True, highlight="spotlight", narration="Now I press it.", pace="humanized"
)
SHOW = frozenset(
    {"plain", "recycled_row", "two_identical", "late_toast", "error_behind_toast", "custom_select"}
)
SHOWN = [hazard for hazard in HAZARDS if hazard.id in SHOW]


def outcome(trial: Trial) -> dict[str, Any]:
    """Everything of it that is not a time or a name of its own."""
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
@pytest.mark.parametrize("hazard", SHOWN, ids=lambda hazard: hazard.id)
async def test_what_is_shown_changes_no_outcome(
    chromium: ChromiumBrowser, hazards: Server, hazard: Hazard
) -> None:
    trials = []
    for how in (None, ALL):
        async with Stage.opened(chromium, hazards) as stage:
            stage.present = how
            trials.append(await attempt(stage, hazard, None))
    plain, shown = trials
    assert outcome(shown) == outcome(plain), f"{told(plain.result)} / {told(shown.result)}"


@pytest.mark.requirement("ACT-3.6")
async def test_the_layer_is_no_part_of_the_page_and_its_coming_is_no_change(stage: Stage) -> None:
    await stage.goto("controls")
    before = await stage.driver.observe()
    told: list[Any] = []
    forget = stage.page.listen(lambda event: told.append(event) if isinstance(event, GraphChanged) else None)
    size = len(await stage.driver.evaluate("document.documentElement.innerHTML"))
    node = stage.button("More")
    await stage.driver.present(ALL, node, seconds=0.05)
    await stage.driver.flush()
    after = await stage.driver.observe()
    forget()
    drawn = "document.documentElement.lastElementChild"
    assert len(await stage.driver.evaluate("document.documentElement.innerHTML")) > size
    assert await stage.driver.evaluate(f"{drawn}.matches(':popover-open') && {drawn}.shadowRoot === null")
    assert await stage.driver.evaluate(f"getComputedStyle({drawn}).pointerEvents") == "none"
    assert (after.elements, after.scopes, after.opaque_regions) == (
        before.elements,
        before.scopes,
        before.opaque_regions,
    )
    assert told == []
    facts = (await stage.driver.probe([node]))[node]
    assert facts.obscured is False
