"""A fixture for MCP's conformance tool: every feature that its active suite needs, on the transport of `uiap mcp`.

Agents are not offered any of it. It proves that the transport carries every part of the protocol.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.streamable_http import EventCallback, EventId, EventMessage, EventStore, StreamId

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
IMAGE = types.ImageContent(data=PNG, mime_type="image/png")
NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
DRAFT = "https://json-schema.org/draft/2020-12/schema"
ADDRESS = {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}
SCHEMAS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        (
            "test_simple_text",
            "test_image_content",
            "test_audio_content",
            "test_embedded_resource",
            "test_multiple_content_types",
            "test_tool_with_logging",
            "test_tool_with_progress",
            "test_error_handling",
            "test_elicitation_sep1034_defaults",
            "test_elicitation_sep1330_enums",
            "test_reconnection",
        ),
        NOTHING,
    ),
    "test_sampling": {"type": "object", "properties": {"prompt": {"type": "string"}}, "required": ["prompt"]},
    "test_elicitation": {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
    },
    "json_schema_2020_12_tool": {
        "$schema": DRAFT,
        "type": "object",
        "$defs": {"address": ADDRESS},
        "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
        "additionalProperties": False,
    },
}
USER_SCHEMA = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}
DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
}


def _titled(kind: str) -> list[dict[str, str]]:
    return [
        {"const": f"value{n}", "title": f"{word} {kind}"}
        for n, word in enumerate(("First", "Second", "Third"), 1)
    ]


PLAIN = ["option1", "option2", "option3"]
NAMES = ["Option One", "Option Two", "Option Three"]
ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": PLAIN},
        "titledSingle": {"type": "string", "oneOf": _titled("Option")},
        "legacyEnum": {"type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": NAMES},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": PLAIN}},
        "titledMulti": {"type": "array", "items": {"anyOf": _titled("Choice")}},
    },
}


class MemoryEventStore(EventStore):
    """Keep the events in memory, so that a closed stream can be resumed."""

    def __init__(self) -> None:
        self._events: list[tuple[StreamId, Any]] = []

    async def store_event(self, stream_id: StreamId, message: Any) -> EventId:
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(
        self, last_event_id: EventId, send_callback: EventCallback
    ) -> StreamId | None:
        after = int(last_event_id)
        stream = self._events[after - 1][0]
        for number, (of, message) in enumerate(self._events[after:], after + 1):
            if of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


def _text(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)])


def _embedded(uri: str, media: str, text: str) -> types.EmbeddedResource:
    return types.EmbeddedResource(resource=types.TextResourceContents(uri=uri, mime_type=media, text=text))


async def list_tools(_ctx: Any, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(
        tools=[types.Tool(name=name, description=f"{name}.", input_schema=s) for name, s in SCHEMAS.items()]
    )


async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    given = params.arguments or {}
    match params.name:
        case "test_simple_text":
            return _text("This is a simple text response for testing.")
        case "test_image_content":
            return types.CallToolResult(content=[IMAGE])
        case "test_audio_content":
            return types.CallToolResult(content=[types.AudioContent(data=WAV, mime_type="audio/wav")])
        case "test_embedded_resource":
            words = "This is an embedded resource content."
            return types.CallToolResult(content=[_embedded("test://embedded-resource", "text/plain", words)])
        case "test_multiple_content_types":
            intro = types.TextContent(text="Multiple content types test:")
            data = json.dumps({"test": "data", "value": 123})
            mixed = _embedded("test://mixed-content-resource", "application/json", data)
            return types.CallToolResult(content=[intro, IMAGE, mixed])
        case "test_error_handling":
            error = _text("This tool intentionally returns an error for testing")
            return error.model_copy(update={"is_error": True})
        case "test_reconnection":
            if ctx.close_sse_stream is not None:
                await ctx.close_sse_stream()
            await anyio.sleep(0.1)
            return _text("Reconnection test completed")
        case _:
            return await _call_client(ctx, params.name, given)


async def _call_client(ctx: Any, name: str, given: dict[str, Any]) -> types.CallToolResult:
    """Answer the tools that send messages to the client first."""
    if name == "test_tool_with_logging":
        for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.session.send_log_message(level="info", data=words, related_request_id=ctx.request_id)
            await anyio.sleep(0.05)
        return _text("Logged.")
    if name == "test_tool_with_progress":
        for progress in (0, 50, 100):
            await ctx.session.report_progress(progress, 100)
            await anyio.sleep(0.05)
        return _text("Reported.")
    if name == "test_sampling":
        message = types.SamplingMessage(role="user", content=types.TextContent(text=given["prompt"]))
        answer = await ctx.session.create_message(
            messages=[message], max_tokens=100, related_request_id=ctx.request_id
        )
        return _text(f"LLM response: {getattr(answer.content, 'text', '')}")
    schema = {"test_elicitation": USER_SCHEMA, "test_elicitation_sep1034_defaults": DEFAULTS}.get(name, ENUMS)
    message = given.get("message", "Please answer")
    answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return _text(f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}")


async def list_resources(_ctx: Any, _params: Any) -> types.ListResourcesResult:
    names = {"static-text": "text/plain", "static-binary": "image/png", "watched-resource": "text/plain"}
    return types.ListResourcesResult(
        resources=[types.Resource(uri=f"test://{n}", name=n, mime_type=m) for n, m in names.items()]
    )


async def list_templates(_ctx: Any, _params: Any) -> types.ListResourceTemplatesResult:
    one = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
    return types.ListResourceTemplatesResult(resource_templates=[one])


async def read_resource(_ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri == "test://static-binary":
        blob = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        return types.ReadResourceResult(contents=[blob])
    text, media = "This is the content of the static text resource.", "text/plain"
    if uri.startswith("test://template/"):
        id = uri.split("/")[3]
        text, media = (
            json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"}),
            "application/json",
        )
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type=media, text=text)]
    )


async def list_prompts(_ctx: Any, _params: Any) -> types.ListPromptsResult:
    takes = {
        "test_simple_prompt": (),
        "test_prompt_with_arguments": ("arg1", "arg2"),
        "test_prompt_with_embedded_resource": ("resourceUri",),
        "test_prompt_with_image": (),
    }
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                description=f"{name}.",
                arguments=[types.PromptArgument(name=a, required=True) for a in arguments],
            )
            for name, arguments in takes.items()
        ]
    )


async def get_prompt(_ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    contents: dict[str, list[Any]] = {
        "test_simple_prompt": ["This is a simple prompt for testing."],
        "test_prompt_with_arguments": [
            f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'"
        ],
        "test_prompt_with_embedded_resource": [
            _embedded(given.get("resourceUri", ""), "text/plain", "Embedded resource content for testing."),
            "Please process the embedded resource above.",
        ],
        "test_prompt_with_image": [IMAGE, "Please analyze the image above."],
    }
    blocks = [types.TextContent(text=c) if isinstance(c, str) else c for c in contents[params.name]]
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=b) for b in blocks])


async def complete(_ctx: Any, _params: Any) -> types.CompleteResult:
    return types.CompleteResult(
        completion=types.Completion(values=["paris", "park"], total=2, has_more=False)
    )


async def accept(_ctx: Any, _params: Any) -> types.EmptyResult:
    return types.EmptyResult()


def everything() -> Server[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the suite still uses logging, which is deprecated
        return Server(
            "everything",
            version="1",
            on_list_tools=list_tools,
            on_call_tool=call_tool,
            on_list_resources=list_resources,
            on_list_resource_templates=list_templates,
            on_read_resource=read_resource,
            on_subscribe_resource=accept,
            on_unsubscribe_resource=accept,
            on_list_prompts=list_prompts,
            on_get_prompt=get_prompt,
            on_completion=complete,
            on_set_logging_level=accept,
        )
