"""The changes since a revision as lines of text: `+` added, `-` removed, `~` changed from old → new.

Geometry, hover and scrolling are left out, because no reader acts on them. Takes one `Changes` and the store that
it leads to.
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

_IGNORED_MEMBERS = frozenset(
    {
        "bbox", "hints", "source", "metadata", "affordances", "supported_actions", "success", "data_classes",
        "redaction", "parent_instance_id", "scope_id", "shadow_host_instance_id", "document_id",
        "state.in_viewport", "state.stable", "state.attached", "state.hovered", "state.focusable", "state.focused",
        "state.obscured", "state.visible",
    }
)  # fmt: skip
_VALUE_MEMBERS = frozenset({"state.text_value", "state.numeric_value"})
_MAX_CHARS = 80
_MAX_LINES = 25
_MAX_PARTS = 4


def change_lines(store: GraphStore, changes: Changes) -> list[str]:
    """Return one line per change: page, added, changed and removed elements, collections, focus."""
    lines = [
        *_page_lines(store, changes),
        *_added_lines(store, changes),
        *_updated_lines(store, changes),
        *_removed_lines(changes),
        *_collection_lines(store, changes),
        *_focus_lines(store, changes),
    ]
    return lines or ["nothing changed that can be read or acted on"]


def _page_lines(store: GraphStore, changes: Changes) -> Iterator[str]:
    if changes.route is not None:
        old, new = changes.route
        if (old.path or old.url) != (new.path or new.url):
            yield f"~ route {quoted(old.path or old.url, _MAX_CHARS)} → {quoted(new.path or new.url, _MAX_CHARS)}"
        if old.title != new.title:
            yield f"~ title {quoted(old.title or '', _MAX_CHARS)} → {quoted(new.title or '', _MAX_CHARS)}"
        if old.status != new.status:
            yield f"~ page {old.status or 'idle'} → {new.status or 'idle'}"
    if changes.modal_stack is not None:
        yield from _modal_lines(store, changes, *changes.modal_stack)


def _modal_lines(
    store: GraphStore, changes: Changes, old: tuple[str, ...], new: tuple[str, ...]
) -> Iterator[str]:
    """Report dialogs that opened or closed. A dialog whose host is new is reported with its elements."""
    fresh = {element.instance_id for element in _appeared_elements(changes)}
    for scope in (store.scopes[key] for key in new if key not in old and key in store.scopes):
        if scope.host_instance_id not in fresh:
            yield f"+ on top: {scope_heading(store, scope, host_element_of(store, scope), _MAX_CHARS)}"
    removed = {one.scope_id: replace(one, state=UNSET) for one in changes.scopes.removed}
    for key in (key for key in old if key not in new):
        what = scope_heading(store, removed[key], None, _MAX_CHARS) if key in removed else token(key)
        yield f"- no longer on top: {what}"


def _appeared_elements(changes: Changes) -> list[ElementNode]:
    """Return the visible elements that are new, or were hidden before."""
    appeared = (one.after for one in changes.elements.updated if is_hidden(one.before))
    return [one for one in (*changes.elements.added, *appeared) if not is_hidden(one)]


def _added_lines(store: GraphStore, changes: Changes) -> Iterator[str]:
    """Write each new part once, as in an outline, with its contents."""
    new = {element.instance_id for element in _appeared_elements(changes)}
    if not new:
        return
    writer = OutlineWriter(store, FOLDS[2])
    for node in _topmost_new(reading_tree(store), new):
        on_top = node.scope is not None and node.scope.scope_id in store.modal_stack
        lines = list(writer.part(node, "on top: " if on_top else ""))
        for number, line in enumerate(lines[:_MAX_LINES]):
            suffix = _record_suffix(store, node.element) if number == 0 and node.element is not None else ""
            yield f"{'  ' if line.startswith(' ') else '+ '}{line}{suffix}"
        if len(lines) > _MAX_LINES and node.element is not None:
            ref = quoted(node.element.instance_id, 64)
            yield f"  … {len(lines) - _MAX_LINES} more lines; outline(scope={ref}) shows them"


def _topmost_new(node: OutlineNode, new: set[str]) -> Iterator[OutlineNode]:
    for child in node.children:
        if child.element is not None and child.element.instance_id in new:
            yield child
        else:
            yield from _topmost_new(child, new)


def _record_suffix(store: GraphStore, element: ElementNode) -> str:
    """Return ` in ROLE "KEY"` for an element inside a record, and nothing for the record itself."""
    record = record_of(store, element)
    key = record_key_of(store, element) if record is not None else None
    return (
        f" in {record.role} {quoted(display_key(key), 40)}"
        if key and record is not None and record is not element
        else ""
    )


def _updated_lines(store: GraphStore, changes: Changes) -> Iterator[str]:
    for one in changes.elements.updated:
        if is_hidden(one.before) or is_hidden(one.after):
            continue
        parts = [
            *_move_words(one),
            *(_member_text(one, name) for name in one.members if name not in _IGNORED_MEMBERS),
        ]
        if parts:
            name = f" {quoted(one.after.name, 40)}" if one.after.name else ""
            who = f"{reference(one.after)} {role_word(one.after)}{name}{_record_suffix(store, one.after)}"
            yield f"~ {who}: {', '.join(parts)}"


def _move_words(one: NodeUpdate[ElementNode]) -> Iterator[str]:
    if "parent_instance_id" in one.members or "scope_id" in one.members:
        yield "moved"


def _member_text(one: NodeUpdate[ElementNode], name: str) -> str:
    old, new = one.members[name]
    if name in _VALUE_MEMBERS:
        secret = one.before.state.sensitive is True or one.after.state.sensitive is True
        return f"value {MASK}" if secret else f"value {_value_text(old)} → {_value_text(new)}"
    if name == "state.enabled":
        return "disabled" if new is False else "enabled"
    return f"{name.removeprefix('state.')} {_value_text(old)} → {_value_text(new)}"


def _value_text(value: Any) -> str:
    if value is UNSET:
        return "none"
    if isinstance(value, str):
        return quoted(value, _MAX_CHARS)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int | float) else "changed"


def _removed_lines(changes: Changes) -> Iterator[str]:
    removed = {one.instance_id: one for one in changes.elements.removed if not is_hidden(one)}
    removed |= {
        one.key: one.before
        for one in changes.elements.updated
        if is_hidden(one.after) and not is_hidden(one.before)
    }
    inside: dict[str, int] = {}
    for element in removed.values():
        inside[_topmost_removed(element, removed)] = inside.get(_topmost_removed(element, removed), 0) + 1
    parts = [_removed_text(removed[key], count) for key, count in inside.items()]
    if len(parts) > _MAX_PARTS:
        names = ", ".join(part for part in parts[:_MAX_PARTS])
        yield f"- {len(removed):,} elements: {names}, … {len(parts) - _MAX_PARTS} more"
    else:
        yield from (f"- {part}" for part in parts)


def _removed_text(element: ElementNode, count: int) -> str:
    name = element.name or element.text or ""
    label = f" {quoted(name, _MAX_CHARS // 2)}" if name else ""
    return (
        f"{reference(element)} {role_word(element)}{label}{f' with {count - 1} inside' if count > 1 else ''}"
    )


def _topmost_removed(element: ElementNode, removed: dict[str, ElementNode]) -> str:
    visited = {element.instance_id}
    while element.parent_instance_id in removed and element.parent_instance_id not in visited:
        element = removed[element.parent_instance_id]
        visited.add(element.instance_id)
    return element.instance_id


def _collection_lines(store: GraphStore, changes: Changes) -> Iterator[str]:
    for one in changes.collections.updated:
        old = one.before.total_count if one.before.total_count is not UNSET else one.before.count
        new = one.after.total_count if one.after.total_count is not UNSET else one.after.count
        owner = store.element(one.after.owner_instance_id)
        if old != new and owner is not None:
            name = f" {quoted(owner.name, 40)}" if owner.name else ""
            yield f"~ {reference(owner)} {owner.role}{name}: {old:,} → {new:,} items"


def _focus_lines(store: GraphStore, changes: Changes) -> Iterator[str]:
    if changes.focus is not None:
        yield f"~ focus {_focus_text(store, changes.focus[0])} → {_focus_text(store, changes.focus[1])}"


def _focus_text(store: GraphStore, focus: FocusInfo | None) -> str:
    if focus is None or not focus.target:
        return "nowhere"
    element = store.element(focus.target)
    return reference(element) if element is not None else "a removed element"
