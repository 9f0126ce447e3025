"""The messages of uiap.workflow, on a scripted application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from tests.workflow.simulated import definition
from uiap.actions.ops import Click, SetText, TypeText
from uiap.api.workflows import SessionWorkflows, StartedWorkflow, WorkflowCall
from uiap.client.caller import Caller
from uiap.drivers.scripted import ScriptedDriver
from uiap.drivers.scripted.app import App, ScriptedPage, Widget
from uiap.errors import UiapError
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle
from uiap.host.loop.loop import HostLoop
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.builtin import STANDARD, Rules
from uiap.spec.authoring import UIAPCompiledBundle
from uiap.spec.core import ExtensionOffer, ParticipantInfo
from uiap.spec.messages import MESSAGES
from uiap.spec.policy import PolicyMatch, PolicyPrincipal, PolicyRule
from uiap.spec.versions import TOOLS_EXTENSION, WORKFLOW_EXTENSION
from uiap.spec.workflow import WorkflowDefinition, WorkflowInputProvidedPayload, WorkflowListPayload
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

    services: SessionServices

    def __init__(self) -> None:
        self.saved: list[str] = []
        self.label = "Save"

    def page(self, url: str = "http://videos.test/new") -> ScriptedPage:
        return ScriptedPage(
            url,
            [
                Widget("title", "textbox", "Title"),
                Widget("save", "button", self.label, on={"click": self.save}),
                Widget("said", "status"),
            ],
        )

    def save(self, app: App) -> None:
        self.saved.append("saved")
        app.set("said", text=f"Saved {len(self.saved)}")


class PicturingDriver(ScriptedDriver):
    """Its picture of an element is the element's name."""

    async def element_picture(self, node: str) -> bytes | None:
        (tab,) = self._tabs.values()
        assert tab.last_graph is not None
        found = [one.name for one in tab.last_graph.elements if one.instance_id == node]
        return (found[0] or "").encode() if found else None


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
    *definitions: WorkflowDefinition, user: bool = True, rules: Rules | None = None, offer: bool = True
) -> AsyncIterator[tuple[Caller, Videos, ScriptedDriver]]:
    videos = Videos()
    driver = ScriptedDriver(videos.page())
    rules = rules or ("trusted" if user else "standard")
    services = SessionServices(driver, rules=rules, bundle=videos_bundle(*definitions))
    videos.services = services
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
    ids = (WORKFLOW_EXTENSION, TOOLS_EXTENSION) if offer else (TOOLS_EXTENSION,)
    offers = tuple(ExtensionOffer(id=id, versions=("0.1",)) for id in ids)
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


def typed(driver: ScriptedDriver) -> list[Any]:
    return [one.text for one in driver.performed if isinstance(one, SetText | TypeText)]


async def until(run: StartedWorkflow, status: str) -> None:
    """Follow the run until it reports this status."""
    async with asyncio.timeout(10):
        async for report in run:
            if report.status == status:
                return
    raise AssertionError(f"the run never was {status}")


@pytest.mark.requirement("WF-1")
async def test_the_extension_is_offered_where_every_message_of_it_is_served() -> None:
    async with session(CREATE) as (caller, videos, _):
        assert WORKFLOW_EXTENSION in {one.id for one in videos.services.support.extensions}
        rows = [
            one for one in MESSAGES.values() if one.owner == WORKFLOW_EXTENSION and "request" in one.kinds
        ]
        to_clients = {"uiap.workflow.input.request"}
        assert {one.type for one in rows} - to_clients == set(videos.services.workflows.rows)
        assert await SessionWorkflows(caller).list()
    async with session(CREATE, offer=False) as (caller, _, _):
        with pytest.raises(UiapError) as refused:
            await caller.call("uiap.workflow.list", WorkflowListPayload(), object)
        assert refused.value.code == "unsupported_type"


@pytest.mark.requirement("WF-4")
async def test_every_action_step_has_a_handle_and_the_decision_of_the_policy() -> None:
    async with session(CREATE) as (caller, videos, _):
        run = await SessionWorkflows(caller).start("video.create-first", title="Intro")
        await asyncio.wait_for(run, 10)
        handles = {id: one.action_handle for id, one in (await run.status()).results.items()}
        assert handles["title"] and handles["save"] and handles["title"] != handles["save"]
    rule = PolicyRule(id="no-press", match=PolicyMatch(action_ids=("ui.activate",)), effect="deny")
    denying = msgspec.structs.replace(STANDARD, rules=(rule,))
    async with session(CREATE, rules=(denying,)) as (caller, videos, driver):
        result = await WorkflowCall(SessionWorkflows(caller), "video.create-first", None, {"title": "Intro"})
        assert result.status == "failed"
        assert videos.saved == [] and not any(isinstance(one, Click) for one in driver.performed)


@pytest.mark.requirement("WF-2")
async def test_a_run_stays_on_the_definition_it_started_with() -> None:
    renamed = {**TITLE, "args": {"text": "another text"}}
    newer = definition(
        COLLECT, renamed, DONE, version="2.0.0", parameters=[msgspec.to_builtins(CREATE)["parameters"][0]]
    )
    async with session(CREATE) as (caller, videos, driver):
        workflows = SessionWorkflows(caller)
        run = await workflows.start("video.create-first")
        await until(run, "waiting_for_input")
        videos.services.workflows.use((newer,))
        assert (await workflows.get("video.create-first")).version == "2.0.0"
        await run.resume(title="Intro")
        assert (await asyncio.wait_for(run, 10)).status == "succeeded"
        assert ((await run.status()).version, videos.saved) == ("1.0.0", ["saved"])
        assert typed(driver) == ["Intro"]


@pytest.mark.requirement("WF-3a")
async def test_an_instruction_reaches_the_person_as_text_and_highlight() -> None:
    step = {"id": "hint", "type": "instruction", "text": "Press this", "target": button("Save")}
    async with session(definition(step, DONE, id="hint")) as (caller, videos, driver):
        call = WorkflowCall(SessionWorkflows(caller), "hint", None, {})
        assert "Press this" in [one.note async for one in call if one.step_id == "hint"]
        assert [type(one).__name__ for one in driver.performed] == ["Highlight"]
        assert videos.saved == []


@pytest.mark.requirement("WF-3b")
async def test_values_can_be_provided_as_the_answer_to_the_request() -> None:
    async with session(CREATE) as (caller, videos, driver):
        run = await SessionWorkflows(caller).start("video.create-first")
        await until(run, "waiting_for_input")
        bad = WorkflowInputProvidedPayload(instance_id=run.id, values={"title": "x"})
        await caller.send("uiap.workflow.input.provided", bad)
        good = WorkflowInputProvidedPayload(instance_id=run.id, values={"title": "Intro"})
        await caller.send("uiap.workflow.input.provided", good)
        assert (await asyncio.wait_for(run, 10)).status == "succeeded"
        assert videos.saved == ["saved"] and typed(driver) == ["Intro"]


@pytest.mark.requirement("WF-5", "WF-12")
async def test_a_value_that_breaks_its_rules_is_never_typed() -> None:
    async with session(CREATE) as (caller, videos, driver):
        with pytest.raises(UiapError):
            await SessionWorkflows(caller).start("video.create-first", title="x")
        run = await SessionWorkflows(caller).start("video.create-first")
        await until(run, "waiting_for_input")
        await run.resume(title=7)
        assert (await run.status()).status == "waiting_for_input"
        assert driver.performed == [] and videos.saved == []


@pytest.mark.requirement("WF-13")
async def test_a_broken_definition_is_refused_at_load_and_the_others_are_served() -> None:
    broken = definition({**SAVE, "next": "nowhere"}, DONE, id="broken")
    async with session(CREATE, broken) as (caller, videos, _):
        workflows = SessionWorkflows(caller)
        assert [one.id for one in await workflows.list()] == ["video.create-first"]
        with pytest.raises(UiapError, match="there is no step `nowhere`") as refused:
            await workflows.start("broken")
        assert refused.value.code == "uiap.workflow/unknown_workflow"
        assert videos.saved == []


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
