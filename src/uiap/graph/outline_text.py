"""A page written out with one fold: scopes as indented sections, one line per control, records on one line.

Turns the reading tree into lines; how much is folded and what fits is decided outside.
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

_UNNAMED = frozenset({"app", "route", "region", "group", "custom", "list"})
_SILENT = frozenset(
    {"row", "cell", "listitem", "treeitem", "group", "list", "table", "label", "custom", "app"}
)
_PIECES = 12


class OutlineWriter:
    """One pass over the page with one fold."""

    def __init__(self, store: GraphStore, fold: Fold) -> None:
        self._store = store
        self._fold = fold
        self._owners = collections_by_owner(store)
        self._on_top: set[int] = set()
        self._behind = False

    def page(self, tree: OutlineNode) -> Iterator[str]:
        """What lies on top comes first; the page behind a modal says so once."""
        order = {scope: place for place, scope in enumerate(self._store.modal_stack)}
        on_top = [one for one in tree.below() if one.scope is not None and one.scope.scope_id in order]
        on_top.sort(key=lambda one: -order[one.scope.scope_id] if one.scope else 0)
        self._on_top = set(map(id, on_top))
        for branch in on_top:
            yield from self._branch(branch, 0, "on top: ")
        self._behind = any(one.scope and one.scope.state and one.scope.state.modal for one in on_top)
        if self._behind:
            yield "behind it, not usable now:"
        yield from self._children(tree, 1 if self._behind else 0)
        for region in self._store.opaque_regions.values():
            yield opaque_line(region)

    def part(self, branch: OutlineNode, lead: str = "") -> Iterator[str]:
        """One branch by itself; a record stays on its line."""
        if branch.element is not None and branch.element.role in ITEM_ROLES:
            yield from self._item(branch, lead, 0)
        else:
            yield from self._branch(branch, 0, lead)

    def _children(self, branch: OutlineNode, indent: int) -> Iterator[str]:
        children = [
            one for one in branch.children if id(one) not in self._on_top and not _repeats(one, branch)
        ]
        for shown, more in role_runs(children, self._fold.run):
            for child in shown:
                yield from self._branch(child, indent)
            if more:
                word = role_word(shown[0].element) if shown[0].element is not None else "item"
                yield f'{"  " * indent}… {more:,} more of {word}; find("…") reaches them'

    def _branch(self, branch: OutlineNode, indent: int, lead: str = "") -> Iterator[str]:
        collection = collection_of(branch, self._owners)
        if collection is not None:
            yield from self._collection(collection, indent, lead)
        elif branch.scope is not None:
            yield from self._scope(branch, indent, lead)
        elif branch.element is not None:
            yield from self._element(branch, branch.element, indent)

    def _scope(self, branch: OutlineNode, indent: int, lead: str) -> Iterator[str]:
        scope, host = branch.scope, branch.element
        plain = scope is not None and scope.kind in _UNNAMED and not scope.name and not (host and host.name)
        inner = indent if plain and not lead else indent + 1
        if inner > indent:
            yield "  " * indent + lead + scope_heading(self._store, scope, host, self._fold.cap)
        if host is not None and host.text and not is_visually_hidden(host):
            yield "  " * inner + " ".join(
                [quoted(host.text, self._fold.cap * 2), *source_marks(self._store, host)]
            )
        if inner > self._fold.depth and branch.children:
            yield "  " * inner + self._summary(branch)
        else:
            yield from self._children(branch, inner)

    def _summary(self, branch: OutlineNode) -> str:
        controls, others = count_inside(self._store, branch)
        ref = branch.element.instance_id if branch.element else branch.scope.scope_id if branch.scope else ""
        return f"… {controls:,} controls and {others:,} other elements; outline(scope={quoted(ref, 64)}) shows them"

    def _element(self, branch: OutlineNode, element: ElementNode, indent: int) -> Iterator[str]:
        options = [one for one in branch.children if one.element is not None and one.element.role == "option"]
        line = self._line(element) + self._options(options)
        rest = [one for one in branch.children if one not in options] if options else branch.children
        if line:
            yield "  " * indent + line
        below = OutlineNode(None, None, None, branch.depth, rest)
        yield from self._children(below, indent + (1 if line else 0))

    def _line(self, element: ElementNode) -> str:
        """Empty for a wrapper that says nothing."""
        if is_actionable(element) or element.role not in _SILENT:
            said = list(text_pieces(self._store, element, cap=self._fold.cap))
            if said or is_actionable(element) or any(state_words(element.state)):
                return element_line(self._store, element, cap=self._fold.cap, blocked=not self._behind)
            return ""
        said = list(text_pieces(self._store, element, cap=self._fold.cap))
        if not said:
            return ""
        heading = role_word(element)
        return " ".join([heading, *said] if heading.startswith("h") else said)

    def _options(self, options: list[OutlineNode]) -> str:
        if not options:
            return ""
        shown = options[: max(self._fold.few, 2)]
        names = [quoted(one.element.name or one.element.text or "", 40) for one in shown if one.element]
        more = f" … {len(options):,} in all" if len(options) > len(shown) else ""
        return f" options {' | '.join(names)}{more}"

    # Collections

    def _collection(self, collection: Collection, indent: int, lead: str) -> Iterator[str]:
        branch, pad = collection.branch, "  " * indent
        yield pad + lead + self._collection_head(collection)
        if branch.element is not None and branch.element.text:
            yield f"{pad}  {quoted(branch.element.text, self._fold.cap)}"
        yield from self._children(OutlineNode(None, None, None, branch.depth, collection.rest), indent + 1)
        items = collection.items
        shown = len(items) if len(items) <= self._fold.few else self._fold.rows
        for number, item in enumerate(items[:shown], 1):
            lead = f"{number}. " if collection.noun == "row" else "- "
            yield from self._item(item, lead, indent + 1)
        if shown < max(len(items), collection.total):
            yield f"{pad}  {self._rest(collection, shown)}"

    def _collection_head(self, collection: Collection) -> str:
        head = scope_heading(self._store, collection.branch.scope, collection.branch.element, self._fold.cap)
        noun, total = collection.noun, collection.total
        text = f"{head}: {total:,} {noun}{'' if total == 1 else 's'}"
        if collection.header is not None:
            text += f"; columns {self._inline(collection.header)}"
        return text

    def _rest(self, collection: Collection, shown: int) -> str:
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

    def _item(self, item: OutlineNode, lead: str, indent: int) -> Iterator[str]:
        yield "  " * indent + lead + self._inline(item)
        for nested in self._nested(item):
            yield from self._branch(nested, indent + 1)

    def _nested(self, item: OutlineNode) -> Iterator[OutlineNode]:
        """Collections inside a record get lines of their own."""
        for child in item.children:
            if collection_of(child, self._owners) is not None:
                yield child
            else:
                yield from self._nested(child)

    def _inline(self, item: OutlineNode) -> str:
        element = item.element
        cells = [one for one in item.children if one.element is not None and one.element.role == "cell"]
        own = self._own(element) if element is not None else []
        if cells:
            return " ".join([*own, " | ".join(" ".join(self._pieces(one)) or "–" for one in cells)])
        inside = [piece for child in item.children for piece in self._pieces(child)]
        return " ".join([*own, *_some(inside)]) or "–"

    def _own(self, element: ElementNode) -> list[str]:
        if is_actionable(element):
            return [element_line(self._store, element, cap=self._fold.cap, blocked=not self._behind)]
        notes = list(state_words(element.state, blocked=not self._behind))
        said = list(text_pieces(self._store, element, cap=self._fold.cap))
        return [*said, f"({', '.join(notes)})"] if notes else said

    def _pieces(self, branch: OutlineNode) -> list[str]:
        """Everything in a cell or item on one line."""
        if collection_of(branch, self._owners) is not None or id(branch) in self._on_top:
            return []
        element = branch.element
        own = self._own(element) if element is not None else []
        if element is not None and element.role not in _SILENT and own and not is_actionable(element):
            own = [element_line(self._store, element, cap=self._fold.cap)]
        if any(_repeats(branch, child) for child in branch.children):
            own = []
        return [*own, *_some([piece for child in branch.children for piece in self._pieces(child)])]


def _repeats(branch: OutlineNode, other: OutlineNode) -> bool:
    """A heading with the name of its section, a cell named by the link inside: said once is enough."""
    element, source = branch.element, other.scope or other.element
    if element is None or element.role not in ("label", "cell") or is_actionable(element) or source is None:
        return False
    return bool(element.name) and element.name == source.name and not element.text


def _some(pieces: list[str]) -> list[str]:
    if len(pieces) <= _PIECES:
        return pieces
    return [*pieces[:_PIECES], f"… {len(pieces) - _PIECES} more"]
