"""What changed since a revision, in lines: `+` came, `-` went, `~` is different, old → new.

Leaves out what no reader acts on: geometry, hover, scrolling. Knows one `Changes` and the store it ends in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from uiap.graph.changes import Changes, NodeUpdate
from uiap.graph.element_text import MASK, quoted, reference, role_word, scope_heading, token
from uiap.graph.folding import FOLDS
from uiap.graph.identity import display_key
from uiap.graph.outline_text import OutlineWriter
from uiap.graph.store import GraphStore
from uiap.graph.view import OutlineNode, host_element_of, is_hidden, reading_tree, record_key_of, record_of
from uiap.spec.web import ElementNode, FocusInfo

_QUIET = frozenset(
    {
        "bbox", "hints", "source", "metadata", "affordances", "supported_actions", "success", "data_classes",
        "redaction", "parent_instance_id", "scope_id", "shadow_host_instance_id", "document_id",
        "state.in_viewport", "state.stable", "state.attached", "state.hovered", "state.focusable", "state.focused",
        "state.obscured", "state.visible",
    }
)  # fmt: skip
_VALUES = frozenset({"state.text_value", "state.numeric_value"})
_CAP = 80
_LINES = 25
_PARTS = 4


def change_lines(store: GraphStore, changes: Changes) -> list[str]:
    lines = [
        *_page(store, changes),
        *_added(store, changes),
        *_updated(store, changes),
        *_removed(changes),
        *_collections(store, changes),
        *_focus(store, changes),
    ]
    return lines or ["nothing changed that can be read or acted on"]


def _page(store: GraphStore, changes: Changes) -> Iterator[str]:
    if changes.route is not None:
        old, new = changes.route
        if (old.path or old.url) != (new.path or new.url):
            yield f"~ route {quoted(old.path or old.url, _CAP)} → {quoted(new.path or new.url, _CAP)}"
        if old.title != new.title:
            yield f"~ title {quoted(old.title or '', _CAP)} → {quoted(new.title or '', _CAP)}"
        if old.status != new.status:
            yield f"~ page {old.status or 'idle'} → {new.status or 'idle'}"
    if changes.modal_stack is not None:
        yield from _modals(store, changes, *changes.modal_stack)


def _modals(store: GraphStore, changes: Changes, old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[str]:
    """Those that came with their elements are told with them."""
    fresh = {element.instance_id for element in _shown(changes)}
    for scope in (store.scopes[key] for key in new if key not in old and key in store.scopes):
        if scope.host_instance_id not in fresh:
            yield f"+ on top: {scope_heading(store, scope, host_element_of(store, scope), _CAP)}"
    gone = {one.scope_id: replace(one, state=UNSET) for one in changes.scopes.removed}
    for key in (key for key in old if key not in new):
        what = scope_heading(store, gone[key], None, _CAP) if key in gone else token(key)
        yield f"- no longer on top: {what}"


def _shown(changes: Changes) -> list[ElementNode]:
    """What came into sight: new elements, and those that were hidden before."""
    appeared = (one.after for one in changes.elements.updated if is_hidden(one.before))
    return [one for one in (*changes.elements.added, *appeared) if not is_hidden(one)]


def _added(store: GraphStore, changes: Changes) -> Iterator[str]:
    """Written as in an outline, each new part once, with what is inside it."""
    new = {element.instance_id for element in _shown(changes)}
    if not new:
        return
    writing = OutlineWriter(store, FOLDS[2])
    for branch in _topmost_new(reading_tree(store), new):
        on_top = branch.scope is not None and branch.scope.scope_id in store.modal_stack
        lines = list(writing.part(branch, "on top: " if on_top else ""))
        for number, line in enumerate(lines[:_LINES]):
            place = _where(store, branch.element) if number == 0 and branch.element is not None else ""
            yield f"{'  ' if line.startswith(' ') else '+ '}{line}{place}"
        if len(lines) > _LINES and branch.element is not None:
            ref = quoted(branch.element.instance_id, 64)
            yield f"  … {len(lines) - _LINES} more lines; outline(scope={ref}) shows them"


def _topmost_new(branch: OutlineNode, new: set[str]) -> Iterator[OutlineNode]:
    for child in branch.children:
        if child.element is not None and child.element.instance_id in new:
            yield child
        else:
            yield from _topmost_new(child, new)


def _where(store: GraphStore, element: ElementNode) -> str:
    """The record it belongs to, unless it is the record itself."""
    record = record_of(store, element)
    key = record_key_of(store, element) if record is not None else None
    return (
        f" in {record.role} {quoted(display_key(key), 40)}"
        if key and record is not None and record is not element
        else ""
    )


def _updated(store: GraphStore, changes: Changes) -> Iterator[str]:
    for one in changes.elements.updated:
        if is_hidden(one.before) or is_hidden(one.after):
            continue
        parts = [*_moved(one), *(_member(one, name) for name in one.members if name not in _QUIET)]
        if parts:
            name = f" {quoted(one.after.name, 40)}" if one.after.name else ""
            who = f"{reference(one.after)} {role_word(one.after)}{name}{_where(store, one.after)}"
            yield f"~ {who}: {', '.join(parts)}"


def _moved(one: NodeUpdate[ElementNode]) -> Iterator[str]:
    if "parent_instance_id" in one.members or "scope_id" in one.members:
        yield "moved"


def _member(one: NodeUpdate[ElementNode], name: str) -> str:
    old, new = one.members[name]
    if name in _VALUES:
        secret = one.before.state.sensitive is True or one.after.state.sensitive is True
        return f"value {MASK}" if secret else f"value {_worded(old)} → {_worded(new)}"
    if name == "state.enabled":
        return "disabled" if new is False else "enabled"
    return f"{name.removeprefix('state.')} {_worded(old)} → {_worded(new)}"


def _worded(value: Any) -> str:
    if value is UNSET:
        return "none"
    if isinstance(value, str):
        return quoted(value, _CAP)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else "changed"


def _removed(changes: Changes) -> Iterator[str]:
    gone = {one.instance_id: one for one in changes.elements.removed if not is_hidden(one)}
    gone |= {
        one.key: one.before
        for one in changes.elements.updated
        if is_hidden(one.after) and not is_hidden(one.before)
    }
    inside: dict[str, int] = {}
    for element in gone.values():
        inside[_topmost(element, gone)] = inside.get(_topmost(element, gone), 0) + 1
    parts = [_gone(gone[key], count) for key, count in inside.items()]
    if len(parts) > _PARTS:
        names = ", ".join(part for part in parts[:_PARTS])
        yield f"- {len(gone):,} elements: {names}, … {len(parts) - _PARTS} more"
    else:
        yield from (f"- {part}" for part in parts)


def _gone(element: ElementNode, count: int) -> str:
    name = element.name or element.text or ""
    said = f" {quoted(name, _CAP // 2)}" if name else ""
    return (
        f"{reference(element)} {role_word(element)}{said}{f' with {count - 1} inside' if count > 1 else ''}"
    )


def _topmost(element: ElementNode, gone: dict[str, ElementNode]) -> str:
    seen = {element.instance_id}
    while element.parent_instance_id in gone and element.parent_instance_id not in seen:
        element = gone[element.parent_instance_id]
        seen.add(element.instance_id)
    return element.instance_id


def _collections(store: GraphStore, changes: Changes) -> Iterator[str]:
    for one in changes.collections.updated:
        old = one.before.total_count if one.before.total_count is not UNSET else one.before.count
        new = one.after.total_count if one.after.total_count is not UNSET else one.after.count
        owner = store.element(one.after.owner_instance_id)
        if old != new and owner is not None:
            name = f" {quoted(owner.name, 40)}" if owner.name else ""
            yield f"~ {reference(owner)} {owner.role}{name}: {old:,} → {new:,} items"


def _focus(store: GraphStore, changes: Changes) -> Iterator[str]:
    if changes.focus is not None:
        yield f"~ focus {_focused(store, changes.focus[0])} → {_focused(store, changes.focus[1])}"


def _focused(store: GraphStore, focus: FocusInfo | None) -> str:
    if focus is None or not focus.target:
        return "nowhere"
    element = store.element(focus.target)
    return reference(element) if element is not None else "what is gone"
