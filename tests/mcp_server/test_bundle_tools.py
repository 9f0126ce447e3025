"""Tools made from a bundle: listed with title, arguments and risk, and carried out as its actions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from tests.support.bundled_videos import CREATED, TITLE_ARG, action, videos_bundle, videos_session
from uiap.api.ui import Ui
from uiap.mcp_server.bundle_tools import bundle_tools
from uiap.mcp_server.server import server
from uiap.mcp_server.session import AgentSession
from uiap.mcp_server.tool_calls import ToolCalls

mcp = pytest.importorskip("mcp")
DESCRIBED = action(
    "video.create",
    "externalDriver",
    "video.save",
    args=TITLE_ARG,
    success=[CREATED],
    title="Create a video",
    description="Saves the form",
)


@pytest.mark.requirement("RUN-34")
async def test_the_tools_of_an_agent_are_built_from_the_bundle_and_carry_its_actions_out() -> None:
    bundle = videos_bundle(actions=[DESCRIBED])
    async with videos_session(bundle) as session:

        @asynccontextmanager
        async def existing(_application: str | None) -> AsyncIterator[Ui]:
            yield Ui(session.caller, AsyncExitStack())

        calls = ToolCalls(AgentSession(existing, approve="uiap approve", at_once=True, bundle=bundle))
        async with mcp.Client(server(calls)) as client:
            tools = {one.name: one for one in (await client.list_tools()).tools}
            create = tools["video_create"]
            assert create.description == "Create a video. Saves the form. Risk: safe"
            assert create.input_schema["required"] == ["title"]
            assert "run_video_make" in tools and "act" in tools
            done = await client.call_tool("video_create", {"title": "Blue lamp"})
            assert not done.is_error and session.videos.saved == ["Blue lamp"], done
            wrong = await client.call_tool("video_create", {"name": "x"})
            assert wrong.is_error and session.videos.saved == ["Blue lamp"]


def test_no_tool_of_a_bundle_replaces_a_general_tool() -> None:
    found = bundle_tools(videos_bundle(actions=[action("act", "none")]), {"act": None})
    assert "app_act" in found and "act" not in found
