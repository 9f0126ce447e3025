"""`ui.run` and `ui.workflows`, asynchronous and synchronous, on a scripted application."""

from __future__ import annotations

from contextlib import AsyncExitStack

import pytest

from tests.host.handlers.test_workflows import CREATE, Videos, videos_bundle
from uiap.api.loop_thread import thread
from uiap.api.open_session import start_session
from uiap.api.sync import SyncUi
from uiap.drivers.scripted import ScriptedDriver


@pytest.mark.requirement("WF-1")
async def test_a_program_runs_a_workflow_and_follows_it() -> None:
    videos = Videos()
    async with AsyncExitStack() as stack:
        ui = await start_session(
            stack,
            ScriptedDriver(videos.page()),
            rules="trusted",
            principal="ada",
            bundle=videos_bundle(CREATE),
        )
        (best, *_) = await ui.workflows.list("create a video")
        result = await ui.run(best.id, title="Intro")
        assert (result.status, result.error) == ("succeeded", None)
        reports = [report.step_id async for report in ui.run(best.id, title="Other")]
        assert reports[-1] == "done"
        assert len(videos.saved) == 2


def test_a_synchronous_program_runs_a_workflow() -> None:
    videos = Videos()
    stack = AsyncExitStack()
    session = start_session(
        stack, ScriptedDriver(videos.page()), rules="trusted", principal="ada", bundle=videos_bundle(CREATE)
    )
    ui = SyncUi(thread.run(session))
    try:
        assert [one.id for one in ui.workflows.list()] == [CREATE.id]
        assert ui.workflows.get(CREATE.id) == CREATE
        assert ui.run(CREATE.id, title="Intro").status == "succeeded"
        assert ui.run(CREATE.id, timeout_s=0.05).status == "cancelled"  # it waits for the title
        assert len(videos.saved) == 1
        recording = ui.workflows.record()
        assert ui.act("ui.activate", role="button", name="Save")
        assert [one.id for one in recording.stop("save", "Save").steps] == ["save", "done"]
    finally:
        thread.run(stack.aclose())
