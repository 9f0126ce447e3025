"""The text of one element or scope in an outline. Text of the page is quoted, so that it cannot pass for ours.

Writes single nodes and marks where their text comes from. Folding, order and budget are left to `outline`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from msgspec import UNSET

from uiap.graph.names import has_mixed_scripts, neutralised
from uiap.graph.store import GraphStore
from uiap.graph.view import (
    beside_text,
    foreign_origin,
    icon_word,
    is_actionable,
    is_user_generated,
    is_visually_hidden,
)
from uiap.spec.capability import UIState
from uiap.spec.web import ElementNode, OpaqueRegion, ScopeNode

MASK = "•••"
MAX_ICON_LABEL = 60
_TOKEN = re.compile(r"[A-Za-z0-9_.:/#~-]{1,64}")
# States written if true, and states written if false, because a caller can do something about them.
_TRUE_STATES = (
    "readonly",
    "required",
    "busy",
    "loading",
    "blocked",
    "selected",
    "pressed",
    "expanded",
    "open",
)
_FALSE_STATES = {"enabled": "disabled", "expanded": "collapsed"}
_VALUE_ROLES = frozenset(
    {"textbox", "textarea", "searchbox", "combobox", "spinbutton", "slider", "progress"}
) | {
    "datepicker",
    "timepicker",
    "fileinput",
}


def quoted(text: str, cap: int = 200) -> str:
    """Return page text as data: in quotes, on one line, without control characters, at most `cap` characters."""
    plain = neutralised(text)
    cut = plain if len(plain) <= cap else plain[: cap - 1].rstrip() + "…"
    return '"' + cut.replace("\\", "\\\\").replace('"', '\\"') + '"'


def token(text: str) -> str:
    """Return an id or word of the page: bare if it cannot be mistaken for prose, else quoted."""
    return text if _TOKEN.fullmatch(text) else quoted(text, 64)


def reference(element: ElementNode) -> str:
    """Return the ref of an element in brackets, as in `[e7]`."""
    return f"[{token(element.instance_id)}]"


def role_word(element: ElementNode) -> str:
    """Return the role as an outline writes it: `h2` for a heading, the page's own word for a custom role."""
    if element.role == "custom" and element.custom_role:
        return token(element.custom_role)
    level = element.metadata.get("level") if element.metadata is not UNSET else None
    return f"h{level}" if element.role == "label" and isinstance(level, int) else element.role


def element_line(
    store: GraphStore, element: ElementNode, *, cap: int = 200, show_blocked: bool = True
) -> str:
    """Return `[ref] role "name" =value (states)`. An element that cannot be acted on is written without its ref."""
    parts = [reference(element)] if is_actionable(element) else []
    parts += [role_word(element), *text_pieces(store, element, cap=cap)]
    parts += value_pieces(element, cap)
    notes = [*state_words(element.state, show_blocked=show_blocked), *_note_words(element)]
    if store.focus is not None and store.focus.target == element.instance_id:
        notes.append("focused")
    if notes:
        parts.append(f"({', '.join(notes)})")
    return " ".join(parts)


def text_pieces(store: GraphStore, element: ElementNode, *, cap: int = 200) -> Iterator[str]:
    """Yield name and text of the element in quotes, and marks if they do not come from the page itself."""
    name, text = element.name or "", element.text or ""
    concealed = is_visually_hidden(element)
    if concealed and not is_actionable(element):
        return  # text that is not painted, on an element that nobody can use
    if name:
        yield quoted(name, cap)
    elif is_actionable(element) and not text:
        yield _without_name(element, cap)
    # the accessible name may differ from the painted text; a reader must see both
    if text and text != name and (name or not concealed):
        yield quoted(text, cap) if not name or not is_actionable(element) else f"showing {quoted(text, cap)}"
    if name and is_actionable(element) and (beside := beside_text(element)):
        yield f"beside {quoted(beside, cap)}"
    if name or text:
        yield from source_marks(store, element, concealed=concealed and _needs_mark(name, text))


def _needs_mark(name: str, text: str) -> bool:
    """Return whether a label that is not painted deserves distrust. The short label of an icon is an ordinary name."""
    return len(name) > MAX_ICON_LABEL or (text != name and any(map(str.isalpha, text)))


def _without_name(element: ElementNode, cap: int) -> str:
    if element.stable_id:
        return f"#{token(element.stable_id)}"
    icon, beside = icon_word(element), beside_text(element)
    hints = [f"icon {quoted(icon, cap)}"] if icon else []
    hints += [f"beside {quoted(beside, cap)}"] if beside else []
    return " ".join(hints) or "(no name)"


def source_marks(store: GraphStore, element: ElementNode, *, concealed: bool = False) -> Iterator[str]:
    """Yield marks for text that deserves distrust: of another origin, of users, not painted, of mixed scripts."""
    origin = foreign_origin(store, element)
    if origin:
        yield f"⟨{token(urlsplit(origin).netloc or origin)}⟩"
    if is_user_generated(element):
        yield "⟨user⟩"
    if concealed:
        yield "⟨label not painted⟩"
    if has_mixed_scripts(element.name or ""):
        yield "⟨mixed scripts⟩"


def value_pieces(element: ElementNode, cap: int = 200) -> Iterator[str]:
    """Yield the value of a control, or its placeholder, and its range."""
    state = element.state
    if state.sensitive is True and state.text_value != "":
        # CAP-5, CAP-SEC.2: only that there is a value
        yield f"={MASK}"
    elif state.numeric_value is not UNSET and state.text_value in (UNSET, str(state.numeric_value)):
        yield f"={state.numeric_value}"
    elif state.text_value and state.text_value not in (element.name, element.text):
        yield f"={quoted(state.text_value, cap)}"
    elif state.placeholder and element.role in _VALUE_ROLES and state.placeholder != element.name:
        yield f"placeholder {quoted(state.placeholder, min(cap, 60))}"
    if state.min is not UNSET and state.max is not UNSET:
        yield f"{state.min}–{state.max}"


def state_words(state: UIState, *, show_blocked: bool = True) -> Iterator[str]:
    """Yield the states in which the element differs from a plain, usable control."""
    for key, word in _FALSE_STATES.items():
        if getattr(state, key) is False:
            yield word
    if state.checked is not UNSET and state.checked is not False:
        yield "checked" if state.checked is True else "partly checked"
    for key in _TRUE_STATES:
        if getattr(state, key) is True and (show_blocked or key != "blocked"):
            yield key
    if state.invalid is not UNSET and state.invalid is not False:
        yield "invalid" if state.invalid is True else f"invalid {state.invalid}"
    if isinstance(state.current, str):
        yield f"current {state.current}"
    if isinstance(state.has_popup, str):
        yield f"opens {state.has_popup}"


def _note_words(element: ElementNode) -> Iterator[str]:
    if element.risk is not UNSET and element.risk.level != "safe":
        tags = " ".join(map(token, element.risk.tags or ()))
        yield f"risk {element.risk.level}{' ' + tags if tags else ''}"
    if element.default_action is not UNSET:
        yield f"does {token(element.default_action)}"
    if element.description and is_actionable(element):
        yield f"described {quoted(element.description, 80)}"


def scope_heading(store: GraphStore, scope: ScopeNode | None, host: ElementNode | None, cap: int) -> str:
    """Return `kind "name" [ref] (states)`. The ref is that of the host element, which an action can target."""
    kind = scope.kind if scope is not None else role_word(host) if host is not None else ""
    parts = [kind]
    name = (scope.name if scope is not None else UNSET) or (host.name if host is not None else "")
    if name:
        parts.append(quoted(name, cap))
    if host is not None:
        parts += source_marks(store, host)
        parts.append(reference(host))
    elif scope is not None:
        parts.append(f"[{token(scope.scope_id)}]")
    state = scope.state if scope is not None and scope.state is not UNSET else UIState()
    host_state = host.state if host is not None else UIState()
    notes = dict.fromkeys([*state_words(state), *state_words(host_state, show_blocked=False)])
    return " ".join(parts) + (f" ({', '.join(notes)})" if notes else "")


def opaque_line(region: OpaqueRegion) -> str:
    """Return the line of a region that cannot be read, such as a frame of another origin."""
    parts = [region.kind.replace("_", " ")]
    if region.name:
        parts.append(quoted(region.name, 80))
    if region.origin:
        parts.append(f"⟨{token(urlsplit(region.origin).netloc or region.origin)}⟩")
    if region.host_instance_id:
        parts.append(f"[{token(region.host_instance_id)}]")
    return f"opaque {' '.join(parts)}: its contents cannot be read"
