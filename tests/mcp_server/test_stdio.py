"""The MCP server as a process, with the official client, over standard input and output."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from apps.videoland import Server
from tests.mcp_server.conftest import ENTRY, truth
from tests.mcp_server.journey import Person, ask, create_a_video

pytestmark = pytest.mark.browser


def start_client(environ: dict[str, str], *words: str) -> Client:
    parameters = StdioServerParameters(command=sys.executable, args=[*ENTRY, "mcp", *words], env=environ)
    return Client(stdio_client(parameters))


@pytest.mark.requirement("ACT-SEC.2")
async def test_the_default_profile_creates_a_video_after_a_person_confirms(
    videoland: Server, environ: dict[str, str], uiap: Person, home: Path
):
    before = truth(videoland)["videos"]
    async with start_client(environ) as client:
        tools = (await client.list_tools()).tools
        assert len(tools) <= 10
        done = await create_a_video(client, videoland.url, "Made over MCP", uiap)
        assert done["ok"], done
        assert "observed" in done["say"]
        assert truth(videoland)["videos"] == before + 1
        seen = await ask(client, "observe", since=done["revision"])
        assert seen["ok"]
        picture = await client.call_tool("screenshot", {"refs": True})
        assert picture.content[1].type == "image"
        tabs = await ask(client, "tabs")
        assert [tab["active"] for tab in tabs["untrusted"]["tabs"]] == [True]
        read = await client.read_resource("uiap://outline")
        assert "Made over MCP" in read.contents[0].text
    assert list((home / "run").glob("*.sock")) == []  # the browser and its session ended with the client
