"""The messages of uiap.workflow, on a scripted application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from tests.workflow.simulated import definition
from uiap.api.workflows import SessionWorkflows, StartedWorkflow, WorkflowCall
from uiap.client.caller import Caller
from uiap.drivers.scripted import ScriptedDriver
from uiap.drivers.scripted.app import App, ScriptedPage, Widget
from uiap.errors import UiapError
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle
from uiap.host.loop.loop import HostLoop
from uiap.host.sessions.session_services import SessionServices
from uiap.spec.authoring import UIAPCompiledBundle
from uiap.spec.core import ExtensionOffer, ParticipantInfo
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.versions import TOOLS_EXTENSION, WORKFLOW_EXTENSION
from uiap.spec.workflow import WorkflowDefinition
from uiap.transports.memory import pair

SAVED = {"kind": "element.appeared", "target": {"by": "semantic", "role": "status", "name": "Saved"}}


def button(name: str) -> dict[str, Any]:
    return {"by": "semantic", "role": "button", "name": name}


TITLE = {
    "id": "title",
    "type": "action",
    "actionId": "ui.enterText",
    "target": {"by": "semantic", "role": "textbox", "name": "Title"},
    "args": {"text": {"$param": "title"}},
}
SAVE = {"id": "save", "type": "action", "actionId": "ui.activate", "target": button("Save")}
COLLECT = {"id": "ask", "type": "collect", "parameterNames": ["title"]}
DONE = {"id": "done", "type": "complete"}
CREATE = definition(
    COLLECT,
    TITLE,
    SAVE,
    DONE,
    parameters=[{"name": "title", "type": "string", "required": True, "min": 2}],
    goals=["create a video"],
)
DRIFTED = definition({**SAVE, "target": button("Publish everything"), "timeoutMs": 300}, DONE, id="drifted")
GUIDED = definition(SAVE, DONE, id="guided", title="Save by hand", interactionModes=["guide"])


class Videos:
    """An application that counts how often Save was pressed."""

    def __init__(self) -> None:
        self.saved: list[str] = []
        self.label = "Save"

    def page(self) -> ScriptedPage:
        return ScriptedPage(
            "http://videos.test/new",
            [
                Widget("title", "textbox", "Title"),
                Widget("save", "button", self.label, on={"click": self.save}),
                Widget("said", "status"),
            ],
        )

    def save(self, app: App) -> None:
        self.saved.append("saved")
        app.set("said", text=f"Saved {len(self.saved)}")


def videos_bundle(*definitions: WorkflowDefinition) -> Bundle:
    content = msgspec.convert(
        {
            "packageId": "videos",
            "version": "1.0.0",
            "profile": "web@0.1",
            "buildContext": {},
            "compatibility": {"uiapCore": ">=0.1"},
            "app": {"appId": "videos", "displayName": "Videos"},
            "workflows": msgspec.to_builtins(definitions),
        },
        UIAPCompiledBundle,
    )
    return Bundle(content, Bindings(content))


@asynccontextmanager
async def session(
    *definitions: WorkflowDefinition, user: bool = True
) -> AsyncIterator[tuple[Caller, Videos, ScriptedDriver]]:
    videos = Videos()
    driver = ScriptedDriver(videos.page())
    services = SessionServices(
        driver, rules="trusted" if user else "standard", bundle=videos_bundle(*definitions)
    )
    await services.start()
    principal = PolicyPrincipal(type="user" if user else "agent", id="tester")
    host_loop = HostLoop(
        services.handlers,
        support=services.support,
        me=ParticipantInfo(role="bridge", id="host"),
        admit=lambda *_: principal,
        limits={"heartbeat_s": 0},
    )
    host_loop.session_end_hooks.append(services.end_session)
    ours, theirs = pair()
    serving = asyncio.create_task(host_loop.accept(theirs))
    offers = tuple(ExtensionOffer(id=id, versions=("0.1",)) for id in (WORKFLOW_EXTENSION, TOOLS_EXTENSION))
    caller = await Caller.open(
        ours, participant=ParticipantInfo(role="agent", id="tester"), profiles=("web@0.1",), extensions=offers
    )
    try:
        yield caller, videos, driver
    finally:
        await caller.terminate()
        await host_loop.close()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
        await services.close()


async def until(run: StartedWorkflow, status: str) -> None:
    """Follow the run until it reports this status."""
    async with asyncio.timeout(10):
        async for report in run:
            if report.status == status:
                return
    raise AssertionError(f"the run never was {status}")


@pytest.mark.requirement("WF-1", "WF-4")
async def test_a_run_acts_through_the_action_runtime_and_reports_its_progress() -> None:
    async with session(CREATE) as (caller, videos, _):
        call = WorkflowCall(SessionWorkflows(caller), "video.create-first", None, {"title": "Intro"})
        reports = [(one.step_id, one.status) async for one in call]
        assert reports[-1] == ("done", "succeeded")
        assert {id for id, _ in reports} == {"ask", "title", "save", "done"}
        assert videos.saved == ["saved"]


@pytest.mark.requirement("WF-9", "WF-2")
async def test_workflows_are_listed_by_goal_and_can_be_read() -> None:
    async with session(CREATE, GUIDED) as (caller, _, _):
        workflows = SessionWorkflows(caller)
        (best, *_) = await workflows.list("create a video")
        assert (best.id, best.startable) == ("video.create-first", True)
        assert await workflows.get("video.create-first") == CREATE
        with pytest.raises(UiapError) as refused:
            await workflows.get("nothing")
        assert refused.value.code == "uiap.workflow/unknown_workflow"


@pytest.mark.requirement("WF-9b")
async def test_a_start_that_cannot_be_is_refused_with_its_code() -> None:
    async with session(CREATE) as (caller, videos, _):
        with pytest.raises(UiapError) as refused:
            await SessionWorkflows(caller).start("video.create-first", title="x")
        assert refused.value.code == "uiap.workflow/invalid_parameter"
        assert videos.saved == []


@pytest.mark.requirement("WF-3b")
async def test_a_run_asks_for_its_values_and_goes_on_with_them() -> None:
    async with session(CREATE) as (caller, videos, _):
        run = await SessionWorkflows(caller).start("video.create-first")
        await until(run, "waiting_for_input")
        await run.status()  # its answer comes after the question
        assert [one.name for one in run.asked] == ["title"]
        await run.resume(title="Intro")
        assert (await asyncio.wait_for(run, 10)).status == "succeeded"
        assert videos.saved == ["saved"]


@pytest.mark.requirement("WF-6", "WF-6c")
async def test_a_run_is_paused_resumed_and_cancelled_by_messages() -> None:
    async with session(CREATE) as (caller, videos, _):
        run = await SessionWorkflows(caller).start("video.create-first")
        await until(run, "waiting_for_input")
        await run.pause("lunch")
        await until(run, "paused")
        assert (await run.status()).status == "paused"
        with pytest.raises(UiapError) as refused:
            await run.pause()
        assert refused.value.code == "uiap.workflow/invalid_transition"
        await run.resume()
        await until(run, "waiting_for_input")
        await run.cancel()
        assert (await asyncio.wait_for(run, 10)).status == "cancelled"
        assert videos.saved == []


@pytest.mark.requirement("WF-7")
async def test_a_target_that_is_gone_stops_the_run_and_nothing_else_is_pressed() -> None:
    async with session(DRIFTED) as (caller, videos, _):
        result = await WorkflowCall(SessionWorkflows(caller), "drifted", None, {})
        assert (result.status, result.error.code) == ("failed", "step_failed")  # type: ignore[union-attr]
        assert videos.saved == []


@pytest.mark.requirement("WF-11")
async def test_guide_mode_waits_for_the_person_and_an_agent_cannot_answer_for_them() -> None:
    async with session(GUIDED, user=False) as (caller, videos, _):
        run = await SessionWorkflows(caller).start("guided")
        await until(run, "waiting_for_user")
        with pytest.raises(UiapError) as refused:
            await run.resume()
        assert refused.value.code == "forbidden"
    async with session(GUIDED) as (caller, videos, _):
        run = await SessionWorkflows(caller).start("guided")
        await until(run, "waiting_for_user")
        await run.resume()
        assert (await asyncio.wait_for(run, 10)).status == "succeeded"
        assert videos.saved == []


async def test_a_run_of_another_session_is_unknown() -> None:
    async with session(CREATE) as (caller, _, _):
        run = StartedWorkflow(caller)
        run.id = "wf_other"
        with pytest.raises(UiapError) as refused:
            await run.status()
        assert refused.value.code == "uiap.workflow/unknown_instance"
