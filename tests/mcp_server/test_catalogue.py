"""The size of the tool catalogue in tokens, and the promises of the tools."""

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
    """Return calls that never open a session."""
    return ToolCalls(AgentSession(existing_session("unix:/nowhere"), approve="uiap approve"))


async def test_the_default_profile_has_ten_tools_in_at_most_2500_tokens():
    async with Client(server(idle())) as client:
        listed = await client.list_tools()
    sent = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert len(listed.tools) <= 10
    assert token_count(sent) <= 2_500
    assert token_count(INSTRUCTIONS) <= 150


@pytest.mark.parametrize("profile", ["default", "full"])
async def test_every_tool_has_a_description_the_output_schema_and_the_right_hint(profile):
    async with Client(server(idle(), profile)) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == [tool.name for tool in tools(profile)]
    for tool in listed:
        assert tool.description and tool.description.endswith((".", "it."))
        assert tool.output_schema == OUTPUT_SCHEMA
        assert bool(tool.annotations.read_only_hint) is (tool.name in READING)
        jsonschema_rs.meta.validate(tool.input_schema)
        assert tool.input_schema["additionalProperties"] is False


def test_a_member_name_has_one_description_in_all_tools():
    descriptions: dict[str, set[str]] = {}
    for tool in TOOLS:
        for name, schema in tool.members.items():
            if "description" in schema:
                descriptions.setdefault(name, set()).add(schema["description"])
    assert {name for name, texts in descriptions.items() if len(texts) > 1} <= {
        "scope",
        "url",
        "ref",
        "text",
        "tab",
    }


def test_no_tool_grants_denies_evaluates_or_returns_stored_state():
    words = json.dumps([tool.name for tool in TOOLS])
    assert not any(word in words for word in ("approve", "grant", "deny", "confirm", "evaluate", "cookie"))
    (storage,) = (tool for tool in TOOLS if tool.name == "storage")
    assert set(storage.members) == {"do", "state"}  # it takes a name, never content


def paths(schema: dict[str, object]) -> bool:
    items = schema.get("items")
    return schema.get("format") == "path" or (isinstance(items, dict) and paths(items))


def test_every_member_that_may_name_a_file_is_marked():
    """`test_tool_calls` tries every marked member with every hostile path."""
    names = {
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
            assert paths(schema) is (name in names), (tool.name, name)


def test_every_tool_is_served():
    assert {tool.name for tool in TOOLS} == {*ToolCalls.TOOLS, *FullProfileTools.TOOLS}
    assert not set(ToolCalls.TOOLS) & set(FullProfileTools.TOOLS)


def test_replies_are_valid_under_the_output_schema():
    check = jsonschema_rs.validator_for({**OUTPUT_SCHEMA, "additionalProperties": False})
    full = ToolReply(say="x", code="c", side_effect="none", action="a", revision="r", untrusted={"page": "p"})
    for reply in (
        ToolReply(say="x"),
        full,
        failure("target_ambiguous", candidates=[{"ref": "e1"}]),
        failure("unknown_code"),
    ):
        check.validate(reply.structure())
        assert reply.say in reply.text().splitlines()[0]
