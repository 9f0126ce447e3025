"""What the tools cost a model before it has done anything, and what they promise."""

from __future__ import annotations

import json

import jsonschema_rs
import pytest
from mcp.client.client import Client

from uiap.graph.outline import token_count
from uiap.mcp_server.catalogue import TOOLS, tools
from uiap.mcp_server.full_profile import FullProfileTools
from uiap.mcp_server.reply import OUTPUT_SCHEMA, ToolReply, failure
from uiap.mcp_server.server import INSTRUCTIONS, server
from uiap.mcp_server.session import AgentSession, existing_session
from uiap.mcp_server.tool_calls import ToolCalls

READING = {
    "observe",
    "find",
    "read",
    "expect",
    "wait",
    "screenshot",
    "pending",
    "trace",
    "downloads",
    "log",
    "preview",
}


def idle() -> ToolCalls:
    """Calls that never open anything."""
    return ToolCalls(AgentSession(existing_session("unix:/nowhere"), approve="uiap approve"))


async def test_the_default_profile_is_ten_tools_in_two_thousand_five_hundred_tokens():
    async with Client(server(idle())) as client:
        listed = await client.list_tools()
    sent = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert len(listed.tools) <= 10
    assert token_count(sent) <= 2_500
    assert token_count(INSTRUCTIONS) <= 150


@pytest.mark.parametrize("profile", ["default", "full"])
async def test_every_tool_has_a_sentence_one_shape_and_an_honest_hint(profile):
    async with Client(server(idle(), profile)) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == [tool.name for tool in tools(profile)]
    for tool in listed:
        assert tool.description and tool.description.endswith((".", "it."))
        assert tool.output_schema == OUTPUT_SCHEMA
        assert bool(tool.annotations.read_only_hint) is (tool.name in READING)
        jsonschema_rs.meta.validate(tool.input_schema)
        assert tool.input_schema["additionalProperties"] is False


def test_a_member_that_means_the_same_is_described_once_and_called_the_same():
    told: dict[str, set[str]] = {}
    for tool in TOOLS:
        for name, schema in tool.members.items():
            if "description" in schema:
                told.setdefault(name, set()).add(schema["description"])
    assert {name for name, texts in told.items() if len(texts) > 1} <= {"scope", "url", "ref", "text", "tab"}


def test_no_tool_grants_denies_evaluates_or_shows_what_is_stored():
    words = json.dumps([tool.name for tool in TOOLS])
    assert not any(word in words for word in ("approve", "grant", "deny", "confirm", "evaluate", "cookie"))
    (storage,) = (tool for tool in TOOLS if tool.name == "storage")
    assert set(storage.members) == {"do", "state"}  # a name goes in, and no content ever


def paths(schema: dict[str, object]) -> bool:
    items = schema.get("items")
    return schema.get("format") == "path" or (isinstance(items, dict) and paths(items))


def test_every_member_that_may_name_a_file_is_marked():
    """The marked ones are tried with every hostile path in test_calls (robustness P13)."""
    known = {
        *(
            "path",
            "file",
            "files",
            "filename",
            "folder",
            "dir",
            "directory",
            "out",
            "output",
            "save",
            "to",
            "from",
        ),
    }
    for tool in TOOLS:
        for name, schema in tool.members.items():
            assert paths(schema) is (name in known), (tool.name, name)


def test_every_tool_is_served():
    assert {tool.name for tool in TOOLS} == {*ToolCalls.TOOLS, *FullProfileTools.TOOLS}
    assert not set(ToolCalls.TOOLS) & set(FullProfileTools.TOOLS)


def test_replies_fit_the_shape_they_promise():
    check = jsonschema_rs.validator_for({**OUTPUT_SCHEMA, "additionalProperties": False})
    full = ToolReply(say="x", code="c", side_effect="none", action="a", revision="r", untrusted={"page": "p"})
    for reply in (
        ToolReply(say="x"),
        full,
        failure("target_ambiguous", candidates=[{"ref": "e1"}]),
        failure("unheard_of"),
    ):
        check.validate(reply.structure())
        assert reply.text().startswith(reply.say)
