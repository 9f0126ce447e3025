"""The lines of an outline under given limits: scopes as indented sections, one line per control or record.

Turns the reading tree into lines. The caller chooses the limits and checks the budget.
"""

from __future__ import annotations

from collections.abc import Iterator

from uiap.graph.element_text import (
    element_line,
    opaque_line,
    quoted,
    role_word,
    scope_heading,
    source_marks,
    state_words,
    text_pieces,
)
from uiap.graph.folding import (
    ITEM_ROLES,
    Collection,
    Fold,
    collection_of,
    count_inside,
    role_runs,
    shared_actions,
)
from uiap.graph.store import GraphStore
from uiap.graph.view import OutlineNode, collections_by_owner, is_actionable, is_visually_hidden
from uiap.spec.web import ElementNode

_PLAIN_SCOPES = frozenset({"app", "route", "region", "group", "custom", "list"})
_PLAIN_ROLES = frozenset(
    {"row", "cell", "listitem", "treeitem", "group", "list", "table", "label", "custom", "app"}
)
_MAX_PIECES = 12
_ALWAYS_SHOWN = 2
"""A collection with at most this many records is never folded: a message after a save is often a list of one."""


class OutlineWriter:
    """One pass over the page with one fold."""

    def __init__(self, store: GraphStore, fold: Fold) -> None:
        self._store = store
        self._fold = fold
        self._owners = collections_by_owner(store)
        self._on_top: set[int] = set()
        self._behind_modal = False
        """The lines are of the page behind a modal, where every element is blocked; the state is not repeated then."""

    def page(self, tree: OutlineNode) -> Iterator[str]:
        """Yield the lines of the whole page. Open dialogs come first, then the page behind them."""
        order = {scope: position for position, scope in enumerate(self._store.modal_stack)}
        on_top = [one for one in tree.below() if one.scope is not None and one.scope.scope_id in order]
        on_top.sort(key=lambda one: -order[one.scope.scope_id] if one.scope else 0)
        self._on_top = set(map(id, on_top))
        for node in on_top:
            yield from self._node_lines(node, 0, "on top: ")
        self._behind_modal = any(one.scope and one.scope.state and one.scope.state.modal for one in on_top)
        if self._behind_modal:
            yield "behind it, not usable now:"
        yield from self._child_lines(tree, 1 if self._behind_modal else 0)
        for region in self._store.opaque_regions.values():
            yield opaque_line(region)

    def part(self, node: OutlineNode, lead: str = "") -> Iterator[str]:
        """Yield the lines of one part of the page. A record takes one line."""
        if node.element is not None and node.element.role in ITEM_ROLES:
            yield from self._item_lines(node, lead, 0)
        else:
            yield from self._node_lines(node, 0, lead)

    def _child_lines(self, node: OutlineNode, indent: int) -> Iterator[str]:
        children = [one for one in node.children if id(one) not in self._on_top and not _repeats(one, node)]
        for shown, more in role_runs(children, self._fold.run):
            for child in shown:
                yield from self._node_lines(child, indent)
            if more:
                word = role_word(shown[0].element) if shown[0].element is not None else "item"
                yield f'{"  " * indent}… {more:,} more of {word}; find("…") reaches them'

    def _node_lines(self, node: OutlineNode, indent: int, lead: str = "") -> Iterator[str]:
        collection = collection_of(node, self._owners)
        if collection is not None:
            yield from self._collection_lines(collection, indent, lead)
        elif node.scope is not None:
            yield from self._scope_lines(node, indent, lead)
        elif node.element is not None:
            yield from self._element_lines(node, node.element, indent)

    def _scope_lines(self, node: OutlineNode, indent: int, lead: str) -> Iterator[str]:
        scope, host = node.scope, node.element
        plain = (
            scope is not None and scope.kind in _PLAIN_SCOPES and not scope.name and not (host and host.name)
        )
        inner = indent if plain and not lead else indent + 1
        if inner > indent:
            yield "  " * indent + lead + scope_heading(self._store, scope, host, self._fold.cap)
        if host is not None and host.text and not is_visually_hidden(host):
            yield "  " * inner + " ".join(
                [quoted(host.text, self._fold.cap * 2), *source_marks(self._store, host)]
            )
        if inner > self._fold.depth and node.children:
            yield "  " * inner + self._summary_text(node)
        else:
            yield from self._child_lines(node, inner)

    def _summary_text(self, node: OutlineNode) -> str:
        controls, others = count_inside(node)
        ref = node.element.instance_id if node.element else node.scope.scope_id if node.scope else ""
        return f"… {controls:,} controls and {others:,} other elements; outline(scope={quoted(ref, 64)}) shows them"

    def _element_lines(self, node: OutlineNode, element: ElementNode, indent: int) -> Iterator[str]:
        options = [one for one in node.children if one.element is not None and one.element.role == "option"]
        line = self._element_text(element) + self._options_text(options)
        rest = [one for one in node.children if one not in options] if options else node.children
        if line:
            yield "  " * indent + line
        below = OutlineNode(None, None, None, node.depth, rest)
        yield from self._child_lines(below, indent + (1 if line else 0))

    def _element_text(self, element: ElementNode) -> str:
        """Return the text of an element, empty for a wrapper without text and states."""
        if is_actionable(element) or element.role not in _PLAIN_ROLES:
            pieces = list(text_pieces(self._store, element, cap=self._fold.cap))
            if pieces or is_actionable(element) or any(state_words(element.state)):
                return element_line(
                    self._store, element, cap=self._fold.cap, show_blocked=not self._behind_modal
                )
            return ""
        pieces = list(text_pieces(self._store, element, cap=self._fold.cap))
        if not pieces:
            return ""
        heading = role_word(element)
        return " ".join([heading, *pieces] if heading.startswith("h") else pieces)

    def _options_text(self, options: list[OutlineNode]) -> str:
        if not options:
            return ""
        shown = options[: max(self._fold.full_up_to, 2)]
        names = [quoted(one.element.name or one.element.text or "", 40) for one in shown if one.element]
        more = f" … {len(options):,} in all" if len(options) > len(shown) else ""
        return f" options {' | '.join(names)}{more}"

    # Collections

    def _collection_lines(self, collection: Collection, indent: int, lead: str) -> Iterator[str]:
        node, pad = collection.owner, "  " * indent
        yield pad + lead + self._collection_heading(collection)
        if node.element is not None and node.element.text:
            yield f"{pad}  {quoted(node.element.text, self._fold.cap)}"
        yield from self._child_lines(OutlineNode(None, None, None, node.depth, collection.rest), indent + 1)
        items = collection.items
        whole = max(self._fold.full_up_to, _ALWAYS_SHOWN)
        shown = len(items) if len(items) <= whole else self._fold.rows
        for number, item in enumerate(items[:shown], 1):
            lead = f"{number}. " if collection.noun == "row" else "- "
            yield from self._item_lines(item, lead, indent + 1)
        if shown < max(len(items), collection.total):
            yield f"{pad}  {self._hidden_items_text(collection, shown)}"

    def _collection_heading(self, collection: Collection) -> str:
        head = scope_heading(self._store, collection.owner.scope, collection.owner.element, self._fold.cap)
        noun, total = collection.noun, collection.total
        text = f"{head}: {total:,} {noun}{'' if total == 1 else 's'}"
        if collection.header is not None:
            text += f"; columns {self._item_text(collection.header)}"
        return text

    def _hidden_items_text(self, collection: Collection, shown: int) -> str:
        noun, total, rendered = collection.noun, collection.total, len(collection.items)
        text = f"… {noun}s {shown + 1:,}–{total:,} of {total:,} not shown"
        if rendered < total:
            text += f" ({rendered:,} are rendered; scroll for the rest)"
        shared = shared_actions(collection.items)
        if shared:
            names = ", ".join(f"{role} {quoted(name, 30)}" if name else role for role, name in shared[:6])
            text += f"; {len(shared)} action{'s' if len(shared) > 1 else ''} each: {names}"
        elif shared is None:
            text += "; their actions differ"
        return text + '; find("…") reaches them'

    def _item_lines(self, item: OutlineNode, lead: str, indent: int) -> Iterator[str]:
        yield "  " * indent + lead + self._item_text(item)
        for nested in self._nested_collections(item):
            yield from self._node_lines(nested, indent + 1)

    def _nested_collections(self, item: OutlineNode) -> Iterator[OutlineNode]:
        """Yield the collections inside a record, which get lines of their own."""
        for child in item.children:
            if collection_of(child, self._owners) is not None:
                yield child
            else:
                yield from self._nested_collections(child)

    def _item_text(self, item: OutlineNode) -> str:
        element = item.element
        cells = [one for one in item.children if one.element is not None and one.element.role == "cell"]
        own = self._own_pieces(element) if element is not None else []
        if cells:
            return " ".join([*own, " | ".join(" ".join(self._pieces(one)) or "–" for one in cells)])
        inside = [piece for child in item.children for piece in self._pieces(child)]
        return " ".join([*own, *_at_most(inside)]) or "–"

    def _own_pieces(self, element: ElementNode) -> list[str]:
        if is_actionable(element):
            return [
                element_line(self._store, element, cap=self._fold.cap, show_blocked=not self._behind_modal)
            ]
        notes = list(state_words(element.state, show_blocked=not self._behind_modal))
        pieces = list(text_pieces(self._store, element, cap=self._fold.cap))
        return [*pieces, f"({', '.join(notes)})"] if notes else pieces

    def _pieces(self, node: OutlineNode) -> list[str]:
        """Return the texts of everything in a cell or item, for one line."""
        if collection_of(node, self._owners) is not None or id(node) in self._on_top:
            return []
        element = node.element
        own = self._own_pieces(element) if element is not None else []
        if element is not None and element.role not in _PLAIN_ROLES and own and not is_actionable(element):
            own = [element_line(self._store, element, cap=self._fold.cap)]
        if any(_repeats(node, child) for child in node.children):
            own = []
        return [*own, *_at_most([piece for child in node.children for piece in self._pieces(child)])]


def _repeats(node: OutlineNode, other: OutlineNode) -> bool:
    """Return whether one node only repeats the name of the other, such as a heading that names its section."""
    element, source = node.element, other.scope or other.element
    if element is None or element.role not in ("label", "cell") or is_actionable(element) or source is None:
        return False
    return bool(element.name) and element.name == source.name and not element.text


def _at_most(pieces: list[str]) -> list[str]:
    if len(pieces) <= _MAX_PIECES:
        return pieces
    return [*pieces[:_MAX_PIECES], f"… {len(pieces) - _MAX_PIECES} more"]
