"""One element or scope as one piece of a line. Everything the page says stands in quotes; the rest is ours.

Knows single nodes and where their words come from (H5); folding, order and budget are `outline`'s business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from msgspec import UNSET

from uiap.graph.names import has_mixed_scripts, neutralised
from uiap.graph.store import GraphStore
from uiap.graph.view import foreign_origin, is_actionable, is_user_generated, is_visually_hidden
from uiap.spec.capability import UIState
from uiap.spec.web import ElementNode, OpaqueRegion, ScopeNode

MASK = "•••"
_TOKEN = re.compile(r"[A-Za-z0-9_.:/#~-]{1,64}")
# Plain when true; the negative of a few matters too, because there is something to do about it.
_TRUE = ("readonly", "required", "busy", "loading", "blocked", "selected", "pressed", "expanded", "open")
_FALSE = {"enabled": "disabled", "expanded": "collapsed"}
_VALUED = frozenset({"textbox", "textarea", "searchbox", "combobox", "spinbutton", "slider", "progress"}) | {
    "datepicker",
    "timepicker",
    "fileinput",
}


def quoted(text: str, cap: int = 200) -> str:
    """Page text as data: one line, no steering characters, quotes escaped, cut at the cap."""
    plain = neutralised(text)
    cut = plain if len(plain) <= cap else plain[: cap - 1].rstrip() + "…"
    return '"' + cut.replace("\\", "\\\\").replace('"', '\\"') + '"'


def token(text: str) -> str:
    """An id or word the page chose: bare while it cannot be mistaken for prose, else quoted."""
    return text if _TOKEN.fullmatch(text) else quoted(text, 64)


def reference(element: ElementNode) -> str:
    return f"[{token(element.instance_id)}]"


def role_word(element: ElementNode) -> str:
    if element.role == "custom" and element.custom_role:
        return token(element.custom_role)
    level = element.metadata.get("level") if element.metadata is not UNSET else None
    return f"h{level}" if element.role == "label" and isinstance(level, int) else element.role


def element_line(store: GraphStore, element: ElementNode, *, cap: int = 200, blocked: bool = True) -> str:
    """`[ref] role "name" =value (states)`; what cannot be acted on needs no ref, `find` gives it."""
    parts = [reference(element)] if is_actionable(element) else []
    parts += [role_word(element), *text_pieces(store, element, cap=cap)]
    parts += value_pieces(element, cap)
    notes = [*state_words(element.state, blocked=blocked), *_notes(element)]
    if store.focus is not None and store.focus.target == element.instance_id:
        notes.append("focused")
    if notes:
        parts.append(f"({', '.join(notes)})")
    return " ".join(parts)


def text_pieces(store: GraphStore, element: ElementNode, *, cap: int = 200) -> Iterator[str]:
    """What the element says, each piece quoted, and where it comes from when that is not the page itself."""
    name, text = element.name or "", element.text or ""
    concealed = is_visually_hidden(element)
    if concealed and not is_actionable(element):
        return  # H5: words nobody sees, on something nobody can use
    if name:
        yield quoted(name, cap)
    elif is_actionable(element) and not text:
        yield f"#{token(element.stable_id)}" if element.stable_id else "(no name)"
    # H6: a name nobody sees may say one thing and the words on the control another; both are told
    if text and text != name and (name or not concealed):
        yield quoted(text, cap) if not name or not is_actionable(element) else f"showing {quoted(text, cap)}"
    if name or text:
        yield from source_marks(store, element, concealed=concealed)


def source_marks(store: GraphStore, element: ElementNode, *, concealed: bool = False) -> Iterator[str]:
    origin = foreign_origin(store, element)
    if origin:
        yield f"⟨{token(urlsplit(origin).netloc or origin)}⟩"
    if is_user_generated(element):
        yield "⟨user⟩"
    if concealed:
        yield "⟨unseen⟩"
    if has_mixed_scripts(element.name or ""):
        yield "⟨mixed scripts⟩"  # H6


def value_pieces(element: ElementNode, cap: int = 200) -> Iterator[str]:
    state = element.state
    if state.sensitive is True:
        # CAP-5, CAP-SEC.2: that there is a secret, never what it is
        yield f"={MASK}"
    elif state.numeric_value is not UNSET and state.text_value in (UNSET, str(state.numeric_value)):
        yield f"={state.numeric_value}"
    elif state.text_value and state.text_value not in (element.name, element.text):
        yield f"={quoted(state.text_value, cap)}"
    elif state.placeholder and element.role in _VALUED and state.placeholder != element.name:
        yield f"placeholder {quoted(state.placeholder, min(cap, 60))}"
    if state.min is not UNSET and state.max is not UNSET:
        yield f"{state.min}–{state.max}"


def state_words(state: UIState, *, blocked: bool = True) -> Iterator[str]:
    """Only what deviates from a plain, usable control."""
    for key, word in _FALSE.items():
        if getattr(state, key) is False:
            yield word
    if state.checked is not UNSET and state.checked is not False:
        yield "checked" if state.checked is True else "partly checked"
    for key in _TRUE:
        if getattr(state, key) is True and (blocked or key != "blocked"):
            yield key
    if state.invalid is not UNSET and state.invalid is not False:
        yield "invalid" if state.invalid is True else f"invalid {state.invalid}"
    if isinstance(state.current, str):
        yield f"current {state.current}"
    if isinstance(state.has_popup, str):
        yield f"opens {state.has_popup}"


def _notes(element: ElementNode) -> Iterator[str]:
    if element.risk is not UNSET and element.risk.level != "safe":
        tags = " ".join(map(token, element.risk.tags or ()))
        yield f"risk {element.risk.level}{' ' + tags if tags else ''}"
    if element.default_action is not UNSET:
        yield f"does {token(element.default_action)}"
    if element.description and is_actionable(element):
        yield f"described {quoted(element.description, 80)}"


def scope_heading(store: GraphStore, scope: ScopeNode | None, host: ElementNode | None, cap: int) -> str:
    """`kind "name" [ref]` with the deviating states; the ref is the host's, which an action can target."""
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
    notes = dict.fromkeys([*state_words(state), *state_words(host_state, blocked=False)])
    return " ".join(parts) + (f" ({', '.join(notes)})" if notes else "")


def opaque_line(region: OpaqueRegion) -> str:
    parts = [region.kind.replace("_", " ")]
    if region.name:
        parts.append(quoted(region.name, 80))
    if region.origin:
        parts.append(f"⟨{token(urlsplit(region.origin).netloc or region.origin)}⟩")
    if region.host_instance_id:
        parts.append(f"[{token(region.host_instance_id)}]")
    return f"opaque {' '.join(parts)}: its contents cannot be read"
