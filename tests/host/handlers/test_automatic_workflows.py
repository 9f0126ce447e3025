"""Automatic workflows start for a session that follows them; others wait for somebody."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.host.handlers.test_workflows import DONE, SAVE, session
from tests.workflow.simulated import definition
from uiap.api.workflows import SessionWorkflows
from uiap.client.caller import Caller
from uiap.spec.workflow import WorkflowDefinition


def workflow(start_mode: str, risk: str = "safe") -> WorkflowDefinition:
    return definition(
        SAVE, DONE, id=start_mode, startMode=start_mode, interactionModes=["auto"], risk={"level": risk}
    )


async def states(caller: Caller, *until: str) -> list[tuple[str, str]]:
    """List the workflows, and return the reported states until one is in `until`, or until nothing is under way."""
    seen: list[tuple[str, str]] = []
    reached = asyncio.Event()

    def note(report: Any) -> None:
        seen.append((report.step_id, report.status))
        if report.status in until:
            reached.set()

    caller.listen("uiap.workflow.progress", note)
    workflows = SessionWorkflows(caller)
    await workflows.list()
    if until:
        await asyncio.wait_for(reached.wait(), 10)
    await workflows.list()  # its answer comes after everything that the first one started
    return seen


@pytest.mark.requirement("WF-8")
@pytest.mark.parametrize("start_mode", ["manual", "suggested"])
async def test_nothing_else_starts_unasked(start_mode: str) -> None:
    async with session(workflow(start_mode)) as (caller, videos, _):
        assert await states(caller) == []
        assert videos.saved == []


@pytest.mark.requirement("WF-8")
async def test_an_automatic_workflow_starts_once_for_a_person() -> None:
    async with session(workflow("automatic")) as (caller, videos, _):
        assert (await states(caller, "succeeded"))[-1] == ("done", "succeeded")
        assert videos.saved == ["saved"]


@pytest.mark.requirement("WF-8")
async def test_an_automatic_workflow_that_policy_wants_confirmed_does_not_start() -> None:
    async with session(workflow("automatic", "confirm"), user=False) as (caller, videos, _):
        assert await states(caller) == []
        assert videos.saved == []


async def test_it_starts_when_the_page_comes_to_its_route() -> None:
    here = {"kind": "element", "target": {"by": "semantic", "role": "button", "name": "Send"}}
    tour = definition(
        SAVE, DONE, id="tour", startMode="automatic", interactionModes=["guide"], entryConditions=[here]
    )
    async with session(tour) as (caller, videos, driver):
        assert await states(caller) == []
        videos.label = "Send"
        driver.pages["http://videos.test/sent"] = videos.page("http://videos.test/sent")
        await driver.navigate("http://videos.test/sent")
        assert ("save", "waiting_for_user") in await states(caller, "waiting_for_user")
