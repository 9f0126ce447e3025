"""The tools by name: what a model is told about each, written by hand and weighed by the token.

Nothing here comes from a page (robustness P12). The names of the members are the same wherever they mean the same.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

Profile: TypeAlias = Literal["default", "full"]
Schema: TypeAlias = dict[str, Any]


class Tool(NamedTuple):
    name: str
    description: str
    members: dict[str, Schema]
    required: tuple[str, ...] = ()
    reads: bool = True
    """Changes nothing outside the browser."""
    profile: Profile = "default"

    @property
    def input_schema(self) -> Schema:
        schema: Schema = {"type": "object", "properties": self.members, "additionalProperties": False}
        return {**schema, "required": list(self.required)} if self.required else schema


def _text(description: str = "", **more: Any) -> Schema:
    return {"type": "string", **({"description": description} if description else {}), **more}


def _number(description: str = "", **more: Any) -> Schema:
    return {"type": "number", **({"description": description} if description else {}), **more}


def _target(note: str = "") -> dict[str, Schema]:
    return {"ref": _text(note), "role": _text(), "name": _text(), "scope": _text(), "near": _text()}


SIGNALS: Schema = {"type": "array", "items": {"type": "object", "required": ["kind"]}}
SIGNALS_DESCRIPTION = (
    "Signals as {kind, …}: route.changed {pattern}, toast.contains | status.contains {text}, element.appeared | "
    "element.disappeared | element.state {state} | value.equals {value} | collection.count {op: eq|gte|lte, value} "
    "each with {ref} or {role, name}, dialog.opened, dialog.closed, validation.none, "
    "network.response {urlPattern, status}"
)

PATH: Schema = {"type": "string", "format": "path", "minLength": 1}
"""Marks every member that names a file; the driver confines them to declared folders (robustness P13)."""

TOOLS: tuple[Tool, ...] = (
    Tool(
        "open",
        "Go to a page, starting the browser if none is open; shows its outline.",
        {"url": _text("http or https; or an application that is allowed here: desktop:…, android:…")},
        ("url",),
        reads=False,
    ),
    Tool(
        "observe",
        "The page as text: one line per control, its ref in [brackets].",
        {
            "since": _text("A revision: show only what changed after it"),
            "scope": _text("Only this part: a name, or a ref"),
            "budget": {"type": "integer", "minimum": 60, "description": "Tokens at most (2000)"},
        },
    ),
    Tool(
        "find",
        "Search all of the page for elements, best first, with refs.",
        {
            "text": _text("What it says, is called or holds"),
            "role": _text("button, link, textbox, …"),
            "near": _text("In the row, card or section that says this"),
            "scope": _text(),
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
            "scroll": {"type": "boolean", "description": "Scroll lists for what they have not drawn yet"},
        },
        ("text",),
    ),
    Tool(
        "read",
        "What one element says or holds; a table gives its rows.",
        {**_target(), "what": {"enum": ["state", "text", "value", "description"]}},
    ),
    Tool(
        "act",
        "Do something to one element. ok is true only if its effect was seen; the answer shows what changed. What may "
        "write needs a person's yes, which you cannot give: if `action` comes back, call wait with it.",
        {
            "do": _text(
                "ui.activate (press, follow), ui.enterText {text}, ui.choose {label|value}, ui.toggle {checked}, "
                "ui.setValue {value}, ui.clearText, ui.expand, ui.collapse, ui.focus, ui.scrollIntoView, …"
            ),
            **_target("Best: from observe or find. Else role and name"),
            "args": {"type": "object", "description": "Of the action, e.g. {text}"},
            "expect": {**SIGNALS, "description": f"What must be seen for ok. {SIGNALS_DESCRIPTION}"},
            "policy": {"enum": ["all", "any"], "description": "How many of expect (all)"},
            "mode": _text("appAction, semanticUi, externalDriver, inputSynthesis or visionAssist alone"),
            "timeout": _number("Seconds"),
            "key": _text("Idempotency key"),
        },
        ("do",),
        reads=False,
    ),
    Tool(
        "expect",
        "Check that all this is so now, or becomes so in time; signals as in act.",
        {"signals": SIGNALS, "since": _text(), "timeout": _number()},
        ("signals",),
    ),
    Tool(
        "wait",
        "Wait for the result of an action, for signals, for a change since a revision, or until nothing loads.",
        {
            "action": _text("From act"),
            "cancel": {"type": "boolean", "description": "Give the action up instead"},
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
        "A picture of what is on the screen.",
        {"refs": {"type": "boolean", "description": "Draw refs on the controls"}},
    ),
    Tool("pending", "What waits for a person's confirmation. You can see it, never answer it.", {}),
    Tool(
        "trace",
        "What one of your actions caused: requests, console lines, signals; without it, the latest actions.",
        {"action": _text()},
        profile="full",
    ),
    Tool(
        "dialog",
        "The page's own alert, confirm or prompt. Dismiss it with accept false; only a person may accept a question.",
        {"accept": {"type": "boolean"}, "text": _text()},
        reads=False,
        profile="full",
    ),
    Tool(
        "upload",
        "Give files to a file input, or to the chooser a button opens; only from folders the user declared.",
        {**_target(), "files": {"type": "array", "minItems": 1, "items": PATH}},
        ("files",),
        reads=False,
        profile="full",
    ),
    Tool(
        "downloads",
        "What was downloaded into the folder the user declared; with after, once there are more than so many.",
        {"after": {"type": "integer", "minimum": 0}, "timeout": _number()},
        profile="full",
    ),
    Tool(
        "log",
        "What the application wrote and requested of late, without noise; each with its origin, cause and relevance.",
        {
            "what": {"enum": ["lines", "network", "all"]},
            "level": {"enum": ["error", "warning", "info"]},
            "origin": {"enum": ["app", "system"]},
            "contains": _text(),
            "age": _number("In seconds, at most"),
            "relevance": _number("At least; 0 shows all", minimum=0, maximum=1),
            "limit": {"type": "integer", "minimum": 1, "maximum": 200},
        },
        profile="full",
    ),
    Tool(
        "storage",
        "Keep who is logged in under a name, or be logged in so again; you never see what is kept.",
        {"do": {"enum": ["list", "save", "load"]}, "state": _text(pattern="^[A-Za-z0-9_-]{1,64}$")},
        reads=False,
        profile="full",
    ),
    Tool(
        "preview",
        "What the rules would say to an action, without doing it.",
        {"do": _text(), **_target(), "args": {"type": "object"}},
        ("do",),
        profile="full",
    ),
    Tool(
        "discover",
        "Explore the open application safely, writing nothing: its routes, controls and actions. Call it with run to "
        "go on waiting, to hold it, or to stop it.",
        {
            "seconds": _number("At most so long (60)", minimum=1, maximum=600),
            "states": {
                "type": "integer",
                "minimum": 1,
                "maximum": 1000,
                "description": "At most so many (30)",
            },
            "run": _text(),
            "hold": {"type": "boolean", "description": "true holds it, false lets it go on"},
            "stop": {"type": "boolean"},
        },
        reads=False,
        profile="full",
    ),
)


def tools(profile: Profile) -> tuple[Tool, ...]:
    return tuple(tool for tool in TOOLS if tool.profile == "default" or profile == "full")
