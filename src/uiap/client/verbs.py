"""The verbs of every interface: one table from which Python, the command line and MCP derive.

A verb is a short word for a primitive action with some arguments set. It becomes an `action.request` here. The standard
library alone is used, because every session command imports this and must start fast.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

ValueKind: TypeAlias = Literal["text", "texts", "number_or_text", "files", "element"]
Presence: TypeAlias = Literal["required", "optional", "none"]

REF = re.compile(r"@?\[?((?:[a-z]\d+)?e\d+)\]?")
WORDS = "words:"
NOTHING: Mapping[str, Any] = MappingProxyType({})


class Verb(NamedTuple):
    """One verb: the action it requests, and what it takes besides the target."""

    action: str
    summary: str
    """One line for help and documentation."""
    target: Presence = "required"
    value: Presence = "none"
    argument: str = ""
    """The argument of the action that gets the value."""
    kind: ValueKind = "text"
    fixed: Mapping[str, Any] = NOTHING
    """Arguments that the verb sets."""
    returns: str = ""
    """The member of the return value that the caller gets, for a verb that reads."""
    word: str = ""
    """The value in help: TEXT, OPTION, URL."""


VERBS: Mapping[str, Verb] = MappingProxyType(
    {
        "click": Verb("ui.activate", "Press a button, follow a link, pick a menu item."),
        "double_click": Verb("x.uiap.doubleActivate", "Press an element twice in a row."),
        "right_click": Verb("x.uiap.secondaryActivate", "Press an element with the secondary button."),
        "fill": Verb(
            "ui.enterText",
            "Replace the text of a field.",
            value="required",
            argument="text",
            word="TEXT",
        ),
        "clear": Verb("ui.clearText", "Empty a field."),
        "select": Verb(
            "ui.choose",
            "Choose options of a list, or the option itself.",
            value="optional",
            argument="multiple",
            kind="texts",
            word="OPTION",
        ),
        "check": Verb(
            "ui.toggle",
            "Switch a checkbox or switch on.",
            fixed=MappingProxyType({"checked": True}),
        ),
        "uncheck": Verb(
            "ui.toggle",
            "Switch a checkbox or switch off.",
            fixed=MappingProxyType({"checked": False}),
        ),
        "set": Verb(
            "ui.setValue",
            "Set a slider, number, date, time or colour.",
            value="required",
            argument="value",
            kind="number_or_text",
            word="VALUE",
        ),
        "press": Verb(
            "x.uiap.press",
            "Press a key, on an element or where the focus is.",
            target="optional",
            value="required",
            argument="key",
            word="KEY",
        ),
        "hover": Verb("ui.hover", "Move the pointer over an element."),
        "drag": Verb(
            "x.uiap.drag",
            "Drag an element onto another.",
            value="required",
            argument="to",
            kind="element",
            word="ELEMENT",
        ),
        "upload": Verb(
            "ui.upload",
            "Give files to a file input or a file chooser.",
            value="required",
            argument="files",
            kind="files",
            word="FILE",
        ),
        "submit": Verb("ui.submit", "Submit a form, by itself, a field of it or its button."),
        "expand": Verb("ui.expand", "Open a section, tree item or accordion."),
        "collapse": Verb("ui.collapse", "Close a section, tree item or accordion."),
        "focus": Verb("ui.focus", "Move the focus to an element."),
        "goto": Verb(
            "nav.navigate",
            "Go to a URL, absolute or from the root.",
            target="none",
            value="required",
            argument="url",
            word="URL",
        ),
        "back": Verb(
            "nav.navigate",
            "Go back to the page before.",
            target="none",
            fixed=MappingProxyType({"url": "history:back"}),
        ),
        "forward": Verb(
            "nav.navigate",
            "Go forward again after `back`.",
            target="none",
            fixed=MappingProxyType({"url": "history:forward"}),
        ),
        "reload": Verb(
            "nav.navigate",
            "Load the page again.",
            target="none",
            fixed=MappingProxyType({"url": "history:reload"}),
        ),
        "read": Verb(
            "ui.read",
            "Read the state of an element.",
            fixed=MappingProxyType({"what": "state"}),
            returns="state",
        ),
        "text": Verb(
            "ui.read",
            "Read the text of an element and of everything in it.",
            fixed=MappingProxyType({"what": "text"}),
            returns="text",
        ),
        "table": Verb(
            "ui.read",
            "Read the rows of a table or list, each by column name.",
            target="optional",
            fixed=MappingProxyType({"what": "rows"}),
            returns="rows",
        ),
        "invoke": Verb(
            "app.invoke",
            "Run an action that the application declared.",
            target="none",
            value="required",
            argument="actionId",
            word="ACTION",
        ),
    }
)


class VerbError(ValueError):
    """The words do not form a request; the message says what to write."""


def action_request(
    verb: str,
    target: str | None = None,
    value: Any = None,
    *,
    role: str | None = None,
    near: str | None = None,
    within: str | None = None,
    args: Mapping[str, Any] = NOTHING,
) -> dict[str, Any]:
    """Return the payload of `action.request` for a verb. Raise VerbError if something is missing."""
    entry = verb_named(verb)
    reference = target_reference(target, role=role, near=near, within=within)
    if verb == "table" and reference is None:
        reference = {"ref": {"by": "semantic", "role": "table"}}
    if entry.target == "required" and reference is None:
        raise VerbError(f"{verb} needs an element: its name in quotes, or its ref")
    if entry.value == "required" and value is None and entry.argument not in args:
        raise VerbError(f"{verb} needs {_what(entry)}")
    arguments = {**entry.fixed, **args}
    if value is not None and entry.argument:
        arguments[entry.argument] = typed_value(entry, value)
    request: dict[str, Any] = {"actionId": entry.action}
    if reference is not None and entry.target != "none":
        request["target"] = reference
    if arguments:
        request["args"] = arguments
    return request


def verb_named(name: str) -> Verb:
    """Return the verb; `double-click` is `double_click`. Raise VerbError with all verbs if there is none."""
    found = VERBS.get(name.replace("-", "_"))
    if found is None:
        raise VerbError(f"`{name}` is not a verb; the verbs are {', '.join(VERBS)}")
    return found


def target_reference(
    target: str | None,
    *,
    role: str | None = None,
    near: str | None = None,
    within: str | None = None,
) -> dict[str, Any] | None:
    """Return the target of a request: by ref if the words are one, else by words; None without any."""
    ref = element_ref(target) if target is not None else None
    if ref is not None:
        return {"ref": {"by": "instanceId", "value": ref}, **({"expectedRole": role} if role else {})}
    value = by_words(target, role=role, near=near, within=within)
    return {"ref": {"by": "custom", "value": value}} if value else None


def by_words(
    text: str | None, *, role: str | None = None, near: str | None = None, within: str | None = None
) -> str:
    """Return the custom reference of an element by its words; "" without any."""
    words = {"text": text, "role": role, "near": near, "within": within}
    given = {name: value for name, value in words.items() if value}
    return WORDS + json.dumps(given, ensure_ascii=False) if given else ""


def element_ref(words: str) -> str | None:
    """Return the ref that the words are, such as `e53`, `[e53]` or `@e53`; None if they are a name."""
    found = REF.fullmatch(words.strip())
    return found.group(1) if found else None


def typed_value(verb: Verb, value: Any) -> Any:
    """Return the value as the action's schema wants it; text stays text even if it looks like a number."""
    match verb.kind:
        case "text" | "element":
            return value if isinstance(value, Mapping) else _text(value)
        case "number_or_text":
            return _number(value)
        case "texts":
            return [_text(one) for one in _several(value)]
        case "files":
            return [_file(one) for one in _several(value)]


def _several(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    return int(number) if number.is_integer() and "." not in value and "e" not in value.lower() else number


def _file(path: Any) -> dict[str, str]:
    text = str(path)
    return {"ref": text, "name": text.replace("\\", "/").rpartition("/")[2]}


def _what(verb: Verb) -> str:
    article = "an" if verb.word[:1] in ("A", "E", "I", "O") else "a"
    return f"{article} {verb.word.lower() or 'value'}"
