"""The OpenAPI and AsyncAPI documents of the server, generated from the message types.

Every message is an envelope with its own payload. Over HTTP, requests are POSTs and events are a stream. Over
WebSocket, both are frames.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import version
from typing import Any, TypeAlias

import msgspec

from uiap.spec.core import Envelope
from uiap.spec.http import (
    EVENT_STREAM_PATH_TEMPLATE,
    HTTP_STATUS,
    MESSAGE_PATH_TEMPLATE,
    SESSION_PATH,
    SSE_EVENT_NAME,
    UIAP_HTTP_MEDIA_TYPE,
    WS_SUBPROTOCOL,
)
from uiap.spec.messages import MESSAGES, MessageSpec
from uiap.spec.versions import DISCOVERY_EXTENSION, POLICY_EXTENSION, TOOLS_EXTENSION, WORKFLOW_EXTENSION

Json: TypeAlias = dict[str, Any]
OWNERS = (
    "core",
    "web",
    "action",
    POLICY_EXTENSION,
    TOOLS_EXTENSION,
    DISCOVERY_EXTENSION,
    WORKFLOW_EXTENSION,
)
"""The owners of the messages that the server serves; a test compares this with the dispatch table."""
REQUESTS_TO_CLIENTS = frozenset({"action.confirmation.request", "uiap.workflow.input.request"})
"""Requests that the server sends to clients."""
INFO = {
    "title": "UIAP protocol server",
    "version": version("uiap"),
    "description": "UIAP 0.1 sessions: an action reports success only when its effect was observed.",
    "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
}
REF = "#/components/schemas/"
BEARER = {"type": "http", "scheme": "bearer", "description": "A token of this server; see docs/server.md"}


def served_messages() -> list[MessageSpec]:
    """Return every message type that the server receives or sends."""
    return [row for row in MESSAGES.values() if row.owner in OWNERS]


def from_clients(row: MessageSpec) -> bool:
    """Return whether clients send this message."""
    answers = row.type.startswith("action.confirmation.") and row.type not in REQUESTS_TO_CLIENTS
    return answers or ("request" in row.kinds and row.type not in REQUESTS_TO_CLIENTS)


def from_server(row: MessageSpec) -> bool:
    """Return whether the server sends this message."""
    return row.type in REQUESTS_TO_CLIENTS or not from_clients(row)


# -- OpenAPI ----------------------------------------------------------------------------------------------------


def openapi() -> Json:
    """Return the OpenAPI 3.1 document of the HTTP binding, health and metrics."""
    requests = _any_of(row for row in served_messages() if from_clients(row))
    answers = _any_of(row for row in served_messages() if from_server(row))
    session = {"name": "sessionId", "in": "path", "required": True, "schema": {"type": "string"}}
    resumed = {"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}}
    stream = {"description": f"Events named `{SSE_EVENT_NAME}`, one envelope in the data of each."}
    return {
        "openapi": "3.1.0",
        "info": INFO,
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "security": [{"bearer": []}],
        "paths": {
            SESSION_PATH: {
                "post": _operation(
                    "createSession",
                    "Open a session: `session.initialize` in, `session.initialized` out.",
                    body=_message("session.initialize"),
                    answer=_message("session.initialized"),
                )
            },
            MESSAGE_PATH_TEMPLATE: {
                "parameters": [session],
                "post": _operation(
                    "sendMessage",
                    "Send one message; a request is answered with its response, anything else with 202.",
                    body=requests,
                    answer=answers,
                    more={"202": {"description": "Accepted; there is no answer."}},
                ),
            },
            EVENT_STREAM_PATH_TEMPLATE: {
                "parameters": [session, resumed],
                "get": {
                    "operationId": "listen",
                    "summary": "The events of the session as Server-Sent Events, after Last-Event-ID.",
                    "responses": {
                        "200": {**stream, "content": {"text/event-stream": {"schema": answers}}},
                        "410": _failure(
                            "The events after that id are no longer available; read the state again."
                        ),
                        **_failures(),
                    },
                },
            },
            f"{SESSION_PATH}/{{sessionId}}": {
                "parameters": [session],
                "delete": _operation("endSession", "End the session.", answer=_message("session.terminated")),
            },
            "/health": {
                "get": {
                    "operationId": "health",
                    "summary": "Whether the server accepts sessions; the only path without a token.",
                    "security": [],
                    "responses": {status: _plain_response("application/json") for status in ("200", "503")},
                }
            },
            "/metrics": {
                "get": {
                    "operationId": "metrics",
                    "summary": "Metrics in the Prometheus text format.",
                    "responses": {"200": _plain_response("text/plain"), **_failures()},
                }
            },
        },
        "components": {"schemas": _schemas(), "securitySchemes": {"bearer": BEARER}},
    }


def _operation(
    name: str, summary: str, *, answer: Json, body: Json | None = None, more: Json | None = None
) -> Json:
    content = {UIAP_HTTP_MEDIA_TYPE: {"schema": answer}}
    operation: Json = {
        "operationId": name,
        "summary": summary,
        "responses": {
            "200": {"description": "One envelope.", "content": content},
            **(more or {}),
            **_failures(),
        },
    }
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {UIAP_HTTP_MEDIA_TYPE: {"schema": body}}}
    return operation


def _failures() -> Json:
    """Return one response per HTTP status, with the error codes that have it."""
    codes: dict[int, list[str]] = {}
    for code, status in HTTP_STATUS.items():
        codes.setdefault(status, []).append(code)
    return {str(status): _failure(", ".join(names)) for status, names in sorted(codes.items())}


def _failure(summary: str) -> Json:
    return {"description": summary, "content": {UIAP_HTTP_MEDIA_TYPE: {"schema": _message("error")}}}


def _plain_response(media: str) -> Json:
    return {"description": "Plain content.", "content": {media: {"schema": {"type": ["object", "string"]}}}}


# -- AsyncAPI ---------------------------------------------------------------------------------------------------


def asyncapi() -> Json:
    """Return the AsyncAPI 3.0 document of the WebSocket binding: one channel with both directions."""
    rows = served_messages()
    return {
        "asyncapi": "3.0.0",
        "info": INFO,
        "defaultContentType": UIAP_HTTP_MEDIA_TYPE,
        "servers": {
            "local": {
                "host": "127.0.0.1:8930",
                "protocol": "ws",
                "security": [{"$ref": "#/components/securitySchemes/bearer"}],
            }
        },
        "channels": {
            "session": {
                "address": "/uiap/ws",
                "description": f"One session; subprotocol `{WS_SUBPROTOCOL}`, one envelope per text frame.",
                "messages": {_id(row): {"$ref": f"#/components/messages/{_id(row)}"} for row in rows},
                "bindings": {"ws": {"method": "GET", "bindingVersion": "0.1.0"}},
            }
        },
        "operations": {
            "receive": _channel_operation(
                "receive", "Messages that clients send.", (r for r in rows if from_clients(r))
            ),
            "send": _channel_operation(
                "send", "Messages that the server sends.", (r for r in rows if from_server(r))
            ),
        },
        "components": {
            "messages": {
                _id(row): {
                    "name": row.type,
                    "title": row.type,
                    "contentType": UIAP_HTTP_MEDIA_TYPE,
                    "tags": [{"name": row.owner}],
                    "payload": _message(row.type),
                }
                for row in rows
            },
            "schemas": _plain_discriminators(_schemas()),
            "securitySchemes": {"bearer": BEARER},
        },
    }


def _plain_discriminators(value: Any) -> Any:
    """Return the schema with AsyncAPI discriminators: a member name, where OpenAPI also maps its values."""
    if isinstance(value, list):
        return [_plain_discriminators(one) for one in value]
    if not isinstance(value, dict):
        return value
    plain = {name: _plain_discriminators(one) for name, one in value.items()}
    mapped = plain.get("discriminator")
    if isinstance(mapped, dict) and "mapping" in mapped:
        plain["discriminator"] = mapped["propertyName"]
    return plain


def _channel_operation(action: str, summary: str, rows: Iterable[MessageSpec]) -> Json:
    return {
        "action": action,
        "summary": summary,
        "channel": {"$ref": "#/channels/session"},
        "messages": [{"$ref": f"#/channels/session/messages/{_id(row)}"} for row in rows],
    }


# -- schemas ----------------------------------------------------------------------------------------------------


def _schemas() -> Json:
    """Return the schemas of every payload and its parts, and an envelope for each message."""
    rows = served_messages()
    _, defs = msgspec.json.schema_components(
        [Envelope, *(row.payload for row in rows)], ref_template=REF + "{name}"
    )
    shared = defs.pop("Envelope")
    return dict(sorted({**defs, **{f"Message_{_id(row)}": _envelope(row, shared) for row in rows}}.items()))


def _envelope(row: MessageSpec, shared: Json) -> Json:
    by_principal: Json = {
        "kind": {"enum": list(row.kinds)},
        "type": {"const": row.type},
        "payload": {"$ref": f"{REF}{row.payload.__name__}"},
    }
    return {
        "title": row.type,
        "type": "object",
        "properties": {**shared["properties"], **by_principal},
        "required": shared["required"],
    }


def _message(type: str) -> Json:
    return {"$ref": f"{REF}Message_{_id(MESSAGES[type])}"}


def _any_of(rows: Iterable[MessageSpec]) -> Json:
    return {"oneOf": [_message(row.type) for row in rows]}


def _id(row: MessageSpec) -> str:
    return re.sub(r"\W", "_", row.type)
