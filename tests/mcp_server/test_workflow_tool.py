"""The tool `workflow` on a scripted application: list, run, give inputs, stop."""

from __future__ import annotations

from contextlib import AsyncExitStack

from tests.host.handlers.test_workflows import CREATE, GUIDED, Videos, videos_bundle
from uiap.api.open_session import start_session
from uiap.drivers.scripted import ScriptedDriver
from uiap.mcp_server.workflow_tool import WorkflowTool


async def test_an_agent_lists_runs_and_answers_reviewed_workflows() -> None:
    videos, tool = Videos(), WorkflowTool()
    async with AsyncExitStack() as stack:
        ui = await start_session(
            stack,
            ScriptedDriver(videos.page()),
            rules="trusted",
            principal="ada",
            bundle=videos_bundle(CREATE, GUIDED),
        )
        listed = await tool.call(ui, {"goal": "create a video"})
        assert listed.untrusted["workflows"][0] == {
            "workflow": CREATE.id,
            "title": "Create a video",
            "startable": True,
        }
        done = await tool.call(ui, {"workflow": CREATE.id, "inputs": {"title": "Intro"}})
        assert (done.ok, videos.saved) == (True, ["saved"])

        asked = await tool.call(ui, {"workflow": CREATE.id})
        assert (asked.ok, asked.code) == (False, "input_needed") and "inputs: title" in asked.say
        run = asked.say.split()[4]
        assert (await tool.call(ui, {"run": run, "inputs": {"title": "Other"}})).ok
        assert len(videos.saved) == 2
        assert (await tool.call(ui, {"run": run})).code == "not_found"

        waits = await tool.call(ui, {"workflow": GUIDED.id})
        assert waits.code == "waiting_for_user" and "a person has to answer" in waits.say
        stopped = await tool.call(ui, {"run": waits.say.split()[-1], "stop": True})
        assert (stopped.ok, stopped.code) == (False, "cancelled")
        assert len(videos.saved) == 2
