"""Tools for the actions and workflows of a bundle, each with its title, arguments and risk.

A tool of this kind only names its action or workflow. `act` and `workflow` carry it out, so nothing is decided here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from uiap.host.bundles.bundle import Bundle
from uiap.lookalikes import neutralised
from uiap.mcp_server.catalogue import Schema, Tool
from uiap.policy.texts import plain_text
from uiap.spec.authoring import AuthoredAction
from uiap.spec.workflow import WorkflowDefinition

_NOT_A_NAME = re.compile(r"[^A-Za-z0-9_-]+")
_ARGUMENT = re.compile(r"[\w.-]{1,60}")
MAX_NAME, MAX_TEXT, MAX_TOOLS = 60, 300, 100
MAX_ARGUMENTS, MAX_CHOICES, MAX_CHOICE = 40, 100, 100


class BundleTool(NamedTuple):
    """A tool, and the call of a general tool that it stands for."""

    tool: Tool
    via: str
    """`act` or `workflow`."""
    id: str

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of the general tool."""
        if self.via == "workflow":
            return {"workflow": self.id, "inputs": dict(given)}
        return {"do": self.id, **({"args": dict(given)} if given else {})}


def bundle_tools(bundle: Bundle | None, taken: Mapping[str, Any]) -> dict[str, BundleTool]:
    """Return the tools of a bundle by name. None has the name of a general tool."""
    found: dict[str, BundleTool] = {}
    for one in () if bundle is None else _made(bundle):
        name = one.tool.name if one.tool.name not in taken else f"app_{one.tool.name}"
        if name not in found and len(found) < MAX_TOOLS and _is_readable(one.tool):
            found[name] = one._replace(tool=one.tool._replace(name=name))
    return found


def _is_readable(tool: Tool) -> bool:
    """Return whether a tool has few arguments, each with a short name. A name is no place for a text."""
    return len(tool.members) <= MAX_ARGUMENTS and all(map(_ARGUMENT.fullmatch, tool.members))


def _made(bundle: Bundle) -> Iterator[BundleTool]:
    for action in bundle.actions.values():
        yield BundleTool(_action_tool(action), "act", action.id)
    for workflow in bundle.workflows:
        yield BundleTool(_workflow_tool(workflow), "workflow", workflow.id)


def _action_tool(action: AuthoredAction) -> Tool:
    texts = [plain_text(one) for one in (action.title, action.description) if one]
    text = f"{'. '.join(texts) or action.id}. Risk: {action.risk.level}"
    args = action.args or ()
    members = {one.name: _schema(one.type, one.enum, one.description) for one in args}
    return Tool(_name(action.id), _short(text), members, _required(args), reads=False)


def _workflow_tool(workflow: WorkflowDefinition) -> Tool:
    text = f"{plain_text(workflow.title)}. A workflow of several steps. Risk: each step is decided on its own"
    inputs = workflow.parameters or ()
    members: dict[str, Schema] = {one.name: {} for one in inputs}
    return Tool(f"run_{_name(workflow.id)}", _short(text), members, _required(inputs), reads=False)


def _required(args: Any) -> tuple[str, ...]:
    return tuple(one.name for one in args if one.required is True)


def _schema(type: str, enum: Any, description: Any) -> Schema:
    schema: Schema = {"type": type}
    if type == "enum":
        schema = {"type": "string"}
    if type == "enum" and enum and len(enum) <= MAX_CHOICES and all(map(_is_choice, enum)):
        schema["enum"] = list(enum)
    return {**schema, "description": _short(plain_text(description))} if description else schema


def _is_choice(value: str) -> bool:
    return len(value) <= MAX_CHOICE and value == neutralised(value)


def _short(text: str) -> str:
    """Return a text on one line, without characters that hide text, and not longer than a description."""
    return neutralised(text)[:MAX_TEXT]


def _name(id: str) -> str:
    return _NOT_A_NAME.sub("_", id)[:MAX_NAME]
