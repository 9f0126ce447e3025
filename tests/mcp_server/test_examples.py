"""The examples run unchanged with a scripted model, and each has less than 60 lines."""

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


@pytest.mark.parametrize(
    "name", ["mcp_client.py", "pydantic_ai_agent.py", "langgraph_agent.py", "github-actions.yml"]
)
def test_an_example_has_less_than_60_lines(name: str):
    assert len((EXAMPLES / name).read_text().splitlines()) < 60


@pytest.mark.browser
async def test_the_plain_mcp_client_creates_a_video(videoland: Server, environ: dict[str, str], uiap: Person):
    before = truth(videoland)["videos"]
    words = [sys.executable, str(EXAMPLES / "mcp_client.py"), f"{videoland.url}/videos/new?as=admin&lang=en"]
    process = await asyncio.create_subprocess_exec(*words, env=environ, stdout=-1)
    try:
        async with asyncio.timeout(100):
            while (await asyncio.to_thread(uiap, "approve", "--yes", "--session", "mcp")).returncode != 0:
                assert process.returncode is None
            printed, _ = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, printed
    assert b"the effect was observed" in printed.splitlines()[-1]
    assert truth(videoland)["videos"] == before + 1


def load_example(name: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    found = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert found is not None and found.loader is not None
    example = importlib.util.module_from_spec(found)
    monkeypatch.setitem(sys.modules, name, example)
    found.loader.exec_module(example)
    return example


def next_call(replies: list[str]) -> tuple[str, dict[str, Any]] | None:
    """Return the next call of a scripted model after these replies, or None when it is done."""

    def ref(words: str) -> str:
        return str(re.findall(rf"\[(\w+)\] {words}", replies[0])[0])

    if len(replies) == 0:
        return "observe", {}
    if len(replies) == 1:
        return "act", {"action": "ui.enterText", "ref": ref("textbox"), "args": {"text": "By an agent"}}
    if len(replies) == 2:
        return "act", {"action": "ui.activate", "ref": ref('button "Create'), "toast": "created"}
    return None


@pytest.mark.browser
async def test_the_pydantic_ai_agent_creates_a_video(videoland: Server, monkeypatch: pytest.MonkeyPatch):
    messages = pytest.importorskip("pydantic_ai.messages")
    function = pytest.importorskip("pydantic_ai.models.function")
    example = load_example("pydantic_ai_agent", monkeypatch)

    def scripted(history: list[Any], _info: Any) -> Any:
        replies = [part for message in history for part in message.parts if part.part_kind == "tool-return"]
        call = next_call([part.content for part in replies])
        if call is None:
            return messages.ModelResponse(parts=[messages.TextPart(replies[-1].content)])
        return messages.ModelResponse(parts=[messages.ToolCallPart(*call)])

    before = truth(videoland)["videos"]
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    async with asyncio.timeout(100):
        url = f"{videoland.url}/videos/new?as=admin&lang=en"
        output = await example.main(url, function.FunctionModel(scripted), "make a video")
    assert output == "done, and observed"
    assert truth(videoland)["videos"] == before + 1


@pytest.mark.browser
async def test_the_langgraph_agent_creates_a_video(videoland: Server, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("langgraph.graph")
    from langchain_core.language_models.chat_models import BaseChatModel
    from langchain_core.messages import AIMessage, ToolMessage
    from langchain_core.outputs import ChatGeneration, ChatResult

    class Scripted(BaseChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            assert [tool.name for tool in tools] == ["observe", "act"]
            return self

        def _generate(self, messages: list[Any], *_: Any, **__: Any) -> ChatResult:
            replies = [str(message.content) for message in messages if isinstance(message, ToolMessage)]
            call = next_call(replies)
            # LangChain keeps `args` for itself
            given = {"values" if name == "args" else name: v for name, v in call[1].items()} if call else {}
            calls = [{"name": call[0], "args": given, "id": f"call{len(replies)}"}] if call else []
            reply = AIMessage(content="" if calls else replies[-1], tool_calls=calls)
            return ChatResult(generations=[ChatGeneration(message=reply)])

        @property
        def _llm_type(self) -> str:
            return "scripted"

    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    before = truth(videoland)["videos"]
    async with asyncio.timeout(100):
        url = f"{videoland.url}/videos/new?as=admin&lang=en"
        output = await load_example("langgraph_agent", monkeypatch).main(url, Scripted(), "make a video")
    assert output == "done, and observed"
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
