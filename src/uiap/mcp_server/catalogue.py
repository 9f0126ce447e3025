"""The tools with their descriptions and input schemas, as a model reads them.

A test limits their size in tokens. No text here comes from a page. A member has the same name in every tool where it
means the same.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from uiap.client.verbs import VERBS

Profile: TypeAlias = Literal["default", "full"]
Schema: TypeAlias = dict[str, Any]


class Tool(NamedTuple):
    name: str
    description: str
    members: dict[str, Schema]
    required: tuple[str, ...] = ()
    reads: bool = True
    """Whether it changes nothing outside the browser."""
    profile: Profile = "default"

    @property
    def input_schema(self) -> Schema:
        schema: Schema = {"type": "object", "properties": self.members, "additionalProperties": False}
        return {**schema, "required": list(self.required)} if self.required else schema


def _text(description: str = "", **more: Any) -> Schema:
    return {"type": "string", **({"description": description} if description else {}), **more}


def _number(description: str = "", **more: Any) -> Schema:
    return {"type": "number", **({"description": description} if description else {}), **more}


def _target(description: str = "", **narrowing: str) -> dict[str, Schema]:
    """Return the members that name an element; `ref`, `name` and `scope` are older words for two of them."""
    members = ("role", "near", "within", "ref", "name", "scope")
    return {"target": _text(description), **{name: _text(narrowing.get(name, "")) for name in members}}


SIGNALS: Schema = {"type": "array", "items": {"type": "object", "required": ["kind"]}}
SIGNALS_DESCRIPTION = (
    "Signals are {kind, …}: route.changed {pattern}, toast.contains | status.contains {text}, element.appeared | "
    "element.disappeared | element.state {state} | value.equals {value} | collection.count {op: eq|gte|lte, value} "
    "each with {ref} or {role, name}, dialog.opened, dialog.closed, validation.none, "
    "network.response {urlPattern, status}, text.appeared | text.disappeared {text}, tab.opened {url}, "
    "download.completed {name}, clipboard.written, print.requested, page.restyled"
)

_READING = ("read", "text", "table")


def _verbs_text() -> str:
    """Return the verbs that act, each with a mark if it takes a value."""
    acting = {name: verb for name, verb in VERBS.items() if name not in _READING}
    return ", ".join(f"{name} (value)" if verb.value == "required" else name for name, verb in acting.items())


PATH: Schema = {"type": "string", "format": "path", "minLength": 1}
"""Marks every member that names a file; the driver allows only files in the declared folders."""

TOOLS: tuple[Tool, ...] = (
    Tool(
        "open",
        "Open a page, starting the browser if needed; returns its outline.",
        {"url": _text("http or https; or an allowed application: desktop:…, android:…")},
        ("url",),
        reads=False,
    ),
    Tool(
        "observe",
        "Return the page as text: one line per control, its ref in [brackets].",
        {
            "since": _text("A revision: return only changes after it"),
            "scope": _text("Only this part: a name or a ref"),
            "budget": {"type": "integer", "minimum": 60, "description": "Maximum tokens (1950)"},
        },
    ),
    Tool(
        "find",
        "Find elements in the whole page, best match first, with refs.",
        {
            "text": _text("Its text, name or value"),
            "role": _text("button, link, textbox, …"),
            "near": _text("In the row, card or section with this text"),
            "scope": _text(),
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "scroll": {"type": "boolean", "description": "Scroll lists that draw rows on demand"},
        },
        ("text",),
    ),
    Tool(
        "read",
        "Read the text, value or state of one element, or the rows of a table.",
        {**_target(), "what": {"enum": ["state", "text", "value", "description", "rows"]}},
    ),
    Tool(
        "act",
        "Act on elements. ok is true only if the effect was observed; the reply shows the changes. Fill in a form with "
        "steps in one call. An action that may write needs a person's confirmation, which you cannot give: if the "
        "reply has `action`, call wait with it.",
        {
            "do": _text(f"A verb: {_verbs_text()}; or an action id with args"),
            **_target(
                "The element's name as the page shows it, or its ref",
                near="In the row, card or section with this text",
                within="In this form, dialog or region",
            ),
            "value": {"description": "Text, option, key, URL, element to drop on"},
            "steps": {
                "type": "array",
                "items": {"type": "object", "required": ["do"]},
                "description": "Instead of do: several {do, target, value, …}, also goto, text, table, find, wait; "
                "ends at the first that is not verified",
            },
            "args": {"type": "object", "description": "Arguments of an action id"},
            "expect": {**SIGNALS, "description": f"Effects required for ok. {SIGNALS_DESCRIPTION}"},
            "policy": {"enum": ["all", "any"], "description": "How many of expect must hold (all)"},
            "mode": _text("Only appAction, semanticUi, externalDriver, inputSynthesis or visionAssist"),
            "timeout": _number("Seconds"),
            "key": _text("Idempotency key"),
        },
        reads=False,
    ),
    Tool(
        "expect",
        "Check that all signals hold now or before the timeout; signals as in act.",
        {"signals": SIGNALS, "since": _text(), "timeout": _number()},
        ("signals",),
    ),
    Tool(
        "wait",
        "Wait for an action's result, for signals, for a change since a revision, or until nothing is loading.",
        {
            "action": _text("From act"),
            "cancel": {"type": "boolean", "description": "Cancel the action instead"},
            "signals": SIGNALS,
            "since": _text(),
            "timeout": _number(),
        },
    ),
    Tool(
        "tabs",
        "List the tabs, or open, show or close one.",
        {"do": {"enum": ["list", "open", "show", "close"]}, "tab": _text(), "url": _text()},
        reads=False,
    ),
    Tool(
        "screenshot",
        "Return a screenshot of the visible page.",
        {"refs": {"type": "boolean", "description": "Draw refs on the controls"}},
    ),
    Tool("pending", "List the actions that wait for a person's confirmation. You cannot answer them.", {}),
    Tool(
        "trace",
        "Return the requests, console lines and signals of one action; without action, list the latest actions.",
        {"action": _text()},
        profile="full",
    ),
    Tool(
        "dialog",
        "Show the page's alert, confirm or prompt. Dismiss it with accept false; only a person may accept a question.",
        {"accept": {"type": "boolean"}, "text": _text()},
        reads=False,
        profile="full",
    ),
    Tool(
        "upload",
        "Upload files to a file input or to the chooser that a button opens; only from folders the user declared.",
        {**_target(), "files": {"type": "array", "minItems": 1, "items": PATH}},
        ("files",),
        reads=False,
        profile="full",
    ),
    Tool(
        "downloads",
        "List the downloads in the folder the user declared; with after, wait until there are more than that many.",
        {"after": {"type": "integer", "minimum": 0}, "timeout": _number()},
        profile="full",
    ),
    Tool(
        "log",
        "Return recent console lines and requests of the application, without noise.",
        {
            "what": {"enum": ["lines", "network", "all"]},
            "level": {"enum": ["error", "warning", "info"]},
            "origin": {"enum": ["app", "system"]},
            "contains": _text(),
            "age": _number("Maximum age in seconds"),
            "relevance": _number("Minimum; 0 returns all", minimum=0, maximum=1),
            "limit": {"type": "integer", "minimum": 1, "maximum": 200},
        },
        profile="full",
    ),
    Tool(
        "storage",
        "Save the login under a name, or restore it; you never see its content.",
        {"do": {"enum": ["list", "save", "load"]}, "state": _text(pattern="^[A-Za-z0-9_-]{1,64}$")},
        reads=False,
        profile="full",
    ),
    Tool(
        "preview",
        "Return what the policy decides about an action, without acting.",
        {"do": _text(), **_target(), "args": {"type": "object"}},
        ("do",),
        profile="full",
    ),
    Tool(
        "discover",
        "Explore the open application safely, without writing: its routes, controls and actions. Call it with run to "
        "keep waiting, to pause or to stop it.",
        {
            "seconds": _number("Maximum (60)", minimum=1, maximum=600),
            "states": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "description": "Maximum number of states (30)",
            },
            "run": _text(),
            "hold": {"type": "boolean", "description": "true pauses it, false resumes it"},
            "stop": {"type": "boolean"},
        },
        reads=False,
        profile="full",
    ),
    Tool(
        "workflow",
        "Run a reviewed workflow of the application, each step verified. Without workflow, list those that fit the "
        "goal. Call it with run to give inputs, to keep waiting or to stop it.",
        {
            "goal": _text(),
            "workflow": _text("Its id"),
            "inputs": {"type": "object", "description": "Values by parameter name"},
            "run": _text(),
            "stop": {"type": "boolean"},
            "seconds": _number("Maximum (60)", minimum=1, maximum=600),
        },
        reads=False,
        profile="full",
    ),
)


def tools(profile: Profile) -> tuple[Tool, ...]:
    """Return the tools of a profile."""
    return tuple(tool for tool in TOOLS if tool.profile == "default" or profile == "full")
