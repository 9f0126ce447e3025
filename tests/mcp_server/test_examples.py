"""The examples of these doors run as they stand, with a scripted model, in under 60 lines each."""

from __future__ import annotations

import asyncio
import importlib.util
import io
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from apps.videoland import Server
from tests.mcp_server.conftest import truth
from tests.mcp_server.journey import Person
from uiap.cli.commands import root

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("name", ["mcp_client.py", "pydantic_ai_agent.py", "github-actions.yml"])
def test_it_is_short(name: str):
    assert len((EXAMPLES / name).read_text().splitlines()) < 60


@pytest.mark.browser
async def test_a_plain_mcp_client(videoland: Server, environ: dict[str, str], uiap: Person):
    before = truth(videoland)["videos"]
    words = [sys.executable, str(EXAMPLES / "mcp_client.py"), f"{videoland.url}/videos/new?as=admin&lang=en"]
    process = await asyncio.create_subprocess_exec(*words, env=environ, stdout=-1)
    try:
        async with asyncio.timeout(100):
            while (await asyncio.to_thread(uiap, "approve", "--session", "mcp")).returncode != 0:
                assert process.returncode is None
            told, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, told
    assert b"its effect was seen" in told.splitlines()[-1]
    assert truth(videoland)["videos"] == before + 1


@pytest.mark.browser
async def test_an_agent_of_pydantic_ai(videoland: Server, monkeypatch: pytest.MonkeyPatch):
    messages = pytest.importorskip("pydantic_ai.messages")
    function = pytest.importorskip("pydantic_ai.models.function")
    found = importlib.util.spec_from_file_location("pydantic_ai_agent", EXAMPLES / "pydantic_ai_agent.py")
    assert found is not None and found.loader is not None
    example = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, "pydantic_ai_agent", example)
    found.loader.exec_module(example)

    def scripted(history: list[Any], _info: Any) -> Any:
        said = [part for message in history for part in message.parts if part.part_kind == "tool-return"]
        page = said[0].content if said else ""
        calls = [
            lambda: ("observe", {}),
            lambda: (
                "act",
                {"action": "ui.enterText", "ref": ref(page, "textbox"), "args": {"text": "By an agent"}},
            ),
            lambda: (
                "act",
                {"action": "ui.activate", "ref": ref(page, 'button "Create'), "toast": "created"},
            ),
        ]
        if len(said) == len(calls):
            return messages.ModelResponse(parts=[messages.TextPart(said[-1].content)])
        name, args = calls[len(said)]()
        return messages.ModelResponse(parts=[messages.ToolCallPart(name, args)])

    def ref(page: str, words: str) -> str:
        return re.findall(rf"\[(\w+)\] {words}", page)[0]

    before = truth(videoland)["videos"]
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    async with asyncio.timeout(100):
        url = f"{videoland.url}/videos/new?as=admin&lang=en"
        output = await example.main(url, function.FunctionModel(scripted), "make a video")
    assert output == "done, and seen"
    assert truth(videoland)["videos"] == before + 1


def test_the_workflow_is_yaml_and_its_commands_parse():
    import yaml

    steps = yaml.safe_load((EXAMPLES / "github-actions.yml").read_text())["jobs"]["interface"]["steps"]
    lines = [line for step in steps for line in step.get("run", "").splitlines() if line.startswith("uiap ")]
    assert lines
    for line in lines:
        name, *rest = shlex.split(line.partition(" > ")[0])[1:]
        command = root.get_command(click.Context(root), name)
        assert command is not None
        command.make_context(name, rest)
