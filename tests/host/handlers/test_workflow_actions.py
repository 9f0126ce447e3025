"""Actions that a bundle implements by a workflow."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.bundled_videos import SECTIONS, videos_bundle, videos_session
from uiap.spec.action import ActionCancelledPayload, ActionCancelPayload, ActionRequestPayload


@pytest.mark.requirement("RUN-23", "RUN-29", "RUN-39")
async def test_an_action_runs_its_workflow_with_its_arguments_as_parameters() -> None:
    async with videos_session(videos_bundle()) as session:
        result = await session.act("video.make", {"title": "Blue lamp"})
        assert result.status == "succeeded", result
        assert session.videos.saved == ["Blue lamp"]
        assert (
            result.return_value["workflow"] == "video.make" and result.return_value["status"] == "succeeded"
        )
        again = await session.act("ui.activate", target={"by": "stableId", "value": "video.save"})
        assert again.status == "succeeded", "the lane and the watch of the tab are free again"


async def test_a_workflow_that_cannot_start_is_a_refusal_without_an_effect() -> None:
    async with videos_session(videos_bundle()) as session:
        result = await session.act("video.make", {"title": "x"})
        assert result.status == "failed" and result.side_effect_state == "none", result
        assert "title" in result.error.message and session.videos.saved == []


NEVER = [{"kind": "toast.contains", "text": "celebrated"}]
CELEBRATED = [{**one, "success": NEVER} if one["id"] == "video.make" else one for one in SECTIONS["actions"]]


async def test_the_signals_of_the_action_must_hold_at_the_end_of_the_run() -> None:
    async with videos_session(videos_bundle(actions=CELEBRATED)) as session:
        result = await session.act("video.make", {"title": "Blue lamp"}, timeout_ms=800)
        assert result.status == "failed" and result.side_effect_state == "unknown", result
        assert session.videos.saved == ["Blue lamp"]


async def test_a_cancelled_action_ends_its_run() -> None:
    async with videos_session(videos_bundle(actions=CELEBRATED)) as session:
        request = ActionRequestPayload(action_id="video.make", args={"title": "Blue lamp"})
        handle = await session.calls.begin(request)
        async with asyncio.timeout(10):
            await session.videos.pressed.wait()
            cancel = ActionCancelPayload(action_handle=handle)
            await session.caller.call("action.cancel", cancel, ActionCancelledPayload)
            assert (await session.calls.result(handle, request)).status == "cancelled"
            runs = [run.task for run in session.services.workflows._runs.values()]
            await asyncio.wait(runs)
        assert len(runs) == 1 and runs[0].cancelled()
