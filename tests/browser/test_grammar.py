"""A fixed sample of the generated pages: the runtime reports success where there is one, and nowhere else."""

from __future__ import annotations

import pytest

from apps.grammar import cases_by_id
from tests.browser.grammar_soak import try_all

SAMPLE: tuple[str, ...] = (
    "g008-key-scheduler-indexeddb-lasts",
    "g020-form-debounce-xhr-error_clears",
    "g032-switch-scheduler-worker-lasts",
    "g037-button-debounce-indexeddb-inline_error",
    "g050-editable-delegated-frame-lasts",
    "g060-slider-controlled-root-error_clears",
    "g068-form-delegated-task-toast_hides",
    "g075-slider-plain-xhr-response_rollback",
    "g101-select-controlled-microtask-nothing",
    "g145-form-scheduler-fetch-http_refuses",
    "g151-text-debounce-sse-saved_but_error",
    "g167-link-controlled-broadcast-error_alert",
)
"""Cases that the runtime gets right in every run. `make soak CASE=GRAMMAR` runs all of them."""

REPEATED: tuple[str, ...] = (
    "g005-checkbox-delegated-sse-saved_but_error",
    "g241-checkbox-optimistic-websocket-invalid_field",
)
"""Cases whose refusal comes late. A session that has seen it must wait for it again."""

pytestmark = [pytest.mark.browser]


@pytest.mark.timeout(120)
async def test_the_claim_on_a_generated_page_agrees_with_page_and_server() -> None:
    outcomes = await try_all([cases_by_id()[id] for id in SAMPLE], parallel=4)
    assert [outcome.describe() for outcome in outcomes if outcome.verdict != "right"] == []
    assert len(outcomes) == len(SAMPLE)
    assert {outcome.case.truth.succeeds for outcome in outcomes} == {True, False}


@pytest.mark.timeout(120)
async def test_a_late_refusal_is_awaited_each_time_in_one_session() -> None:
    outcomes = await try_all([cases_by_id()[id] for id in REPEATED], parallel=2, repeats=4)
    assert [outcome.describe() for outcome in outcomes if outcome.verdict != "right"] == []
    assert len(outcomes) == 4 * len(REPEATED)
