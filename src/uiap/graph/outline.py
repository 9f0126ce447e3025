"""The compact text a model reads: scopes as indented sections, one line per control, collections folded.

Page text is data: quoted, marked with its origin, never an instruction. The same graph gives the same text. Knows
nothing of sessions or of who reads it; what changed since a revision is worded in `changed`.
"""

from __future__ import annotations

from collections.abc import Iterator

from uiap.graph.changed import changed_lines
from uiap.graph.folding import (
    CLOSE_UP,
    FOLDS,
    ITEM_ROLES,
    Collection,
    Fold,
    collection_of,
    count_inside,
    runs,
    shared_actions,
)
from uiap.graph.query import find, scopes_named
from uiap.graph.store import GraphStore
from uiap.graph.view import Branch, actionable, collections_by_owner, reading_tree, scopes_of, unseen
from uiap.graph.wording import (
    described,
    marks,
    opaque_line,
    quoted,
    reference,
    role_word,
    scope_head,
    states,
    token,
    words,
)
from uiap.spec.web import ElementNode

DEFAULT_BUDGET = 8_000
LEAST_BUDGET = 60
_UNNAMED = frozenset({"app", "route", "region", "group", "custom", "list"})
_SILENT = frozenset(
    {"row", "cell", "listitem", "treeitem", "group", "list", "table", "label", "custom", "app"}
)
_MATCHES = 20
_PIECES = 12


def outline(
    store: GraphStore,
    *,
    scope: str | None = None,
    since: str | None = None,
    budget: int | None = None,
    query: str | None = None,
) -> str:
    """The page, a part of it, what changed since a revision, or what matches a text (MDM-R3d).

    `scope` is a scope id, stable id or name, or the ref of an element. `budget` is in tokens: the text folds deeper
    until it fits and says what it left out.
    """
    limit = max(budget if budget is not None else DEFAULT_BUDGET, LEAST_BUDGET)
    head = [_header(store)]
    if since is not None:
        changes = store.since(since)
        if changes is not None:
            return _cut([_since_header(store, since), *changed_lines(store, changes)], limit)
        head.append(f"revision {token(since)} is too old or of another page; this is the page as it is now")
    if query is not None:
        return _cut([*head, *_found(store, query, scope)], limit)
    return _folded(store, head, scope, limit)


def tokens(text: str) -> int:
    """As the house counts them: four characters each."""
    return -(-len(text) // 4)


def _folded(store: GraphStore, head: list[str], scope: str | None, limit: int) -> str:
    tree = reading_tree(store)
    branches = _chosen(store, tree, scope) if scope is not None else None
    if branches is not None and not branches:
        return _cut([*head, *_unknown_scope(store, scope or "")], limit)
    lines: list[str] = []
    for fold in FOLDS if branches is None else (CLOSE_UP, *FOLDS):
        writing = _Writing(store, fold)
        body = writing.page(tree) if branches is None else writing.parts(branches)
        lines = [*head, *body]
        if tokens("\n".join(lines)) <= limit:
            return "\n".join(lines)
    return _cut(lines, limit)


def _cut(lines: list[str], limit: int) -> str:
    """The first lines that fit, and an honest last one."""
    whole = "\n".join(lines)
    if tokens(whole) <= limit:
        return whole
    kept: list[str] = []
    room = limit * 4
    for line in lines:
        note = f'… {len(lines) - len(kept)} more lines; find("…"), outline(scope="…") or a larger budget shows them'
        if room - len(line) - 1 < len(note):
            return "\n".join([*kept, note])
        kept.append(line)
        room -= len(line) + 1
    return "\n".join(kept)


def _header(store: GraphStore) -> str:
    route = store.route
    parts = ["page", quoted(route.path or route.url, 120)]
    if route.title:
        parts.append(quoted(route.title, 100))
    parts.append(f"· revision {token(store.revision)}")
    if route.status and route.status != "idle":
        parts.append(f"({route.status})")
    if store.frame is not None and store.frame.truncated:
        parts.append(f"(truncated: {store.frame.truncated.omitted_elements:,} elements are not in the graph)")
    return " ".join(parts)


def _since_header(store: GraphStore, since: str) -> str:
    route = quoted(store.route.path or store.route.url, 120)
    return f"page {route} · revision {token(since)} → {token(store.revision)}"


def _chosen(store: GraphStore, tree: Branch, wanted: str) -> list[Branch]:
    ids = {one.scope_id for one in scopes_named(store, wanted)} if store.element(wanted) is None else set()
    return [
        branch
        for branch in tree.below()
        if (branch.scope is not None and branch.scope.scope_id in ids)
        or (branch.element is not None and branch.element.instance_id == wanted)
    ]


def _unknown_scope(store: GraphStore, wanted: str) -> Iterator[str]:
    yield f"there is no scope or element {quoted(wanted, 80)}; scopes are:"
    for scope in store.scopes.values():
        yield f"  {scope_head(store, scope, None, 60)}"


def _found(store: GraphStore, query: str, scope: str | None) -> Iterator[str]:
    matches = find(store, query, scope=scope, limit=_MATCHES)
    if not matches:
        yield f"nothing matches {quoted(query, 80)}"
    for match in matches:
        place = [quoted(one.name, 40) for one in scopes_of(store, match.element) if one.name][-1:]
        where = "".join(
            f" in {part}" for part in ([quoted(match.record, 60)] if match.record else []) + place
        )
        ref = "" if actionable(match.element) else f"{reference(match.element)} "
        yield f"{ref}{described(store, match.element)}{where} ({match.confidence:g}: {match.reason})"


class _Writing:
    """One pass over the page with one fold."""

    def __init__(self, store: GraphStore, fold: Fold) -> None:
        self._store = store
        self._fold = fold
        self._owners = collections_by_owner(store)
        self._on_top: set[int] = set()
        self._behind = False

    def page(self, tree: Branch) -> Iterator[str]:
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

    def parts(self, branches: list[Branch]) -> Iterator[str]:
        for branch in branches:
            item = branch.element is not None and branch.element.role in ITEM_ROLES
            yield from self._item(branch, "", 0) if item else self._branch(branch, 0)

    def _children(self, branch: Branch, indent: int) -> Iterator[str]:
        children = [one for one in branch.children if id(one) not in self._on_top]
        for shown, more in runs(children, self._fold.run):
            for child in shown:
                yield from self._branch(child, indent)
            if more:
                word = role_word(shown[0].element) if shown[0].element is not None else "item"
                yield f'{"  " * indent}… {more:,} more of {word}; find("…") reaches them'

    def _branch(self, branch: Branch, indent: int, lead: str = "") -> Iterator[str]:
        collection = collection_of(branch, self._owners)
        if collection is not None:
            yield from self._collection(collection, indent, lead)
        elif branch.scope is not None:
            yield from self._scope(branch, indent, lead)
        elif branch.element is not None:
            yield from self._element(branch, branch.element, indent)

    def _scope(self, branch: Branch, indent: int, lead: str) -> Iterator[str]:
        scope, host = branch.scope, branch.element
        plain = scope is not None and scope.kind in _UNNAMED and not scope.name and not (host and host.name)
        inner = indent if plain and not lead else indent + 1
        if inner > indent:
            yield "  " * indent + lead + scope_head(self._store, scope, host, self._fold.cap)
        if host is not None and host.text and not unseen(host):
            yield "  " * inner + " ".join([quoted(host.text, self._fold.cap * 2), *marks(self._store, host)])
        if inner > self._fold.depth and branch.children:
            yield "  " * inner + self._summary(branch)
        else:
            yield from self._children(branch, inner)

    def _summary(self, branch: Branch) -> str:
        controls, others = count_inside(self._store, branch)
        ref = branch.element.instance_id if branch.element else branch.scope.scope_id if branch.scope else ""
        return f"… {controls:,} controls and {others:,} other elements; outline(scope={quoted(ref, 64)}) shows them"

    def _element(self, branch: Branch, element: ElementNode, indent: int) -> Iterator[str]:
        options = [one for one in branch.children if one.element is not None and one.element.role == "option"]
        line = self._line(element) + self._options(options)
        rest = [one for one in branch.children if one not in options] if options else branch.children
        if line:
            yield "  " * indent + line
        below = Branch(None, None, None, branch.depth, rest)
        yield from self._children(below, indent + (1 if line else 0))

    def _line(self, element: ElementNode) -> str:
        """Empty for a wrapper that says nothing."""
        if actionable(element) or element.role not in _SILENT:
            said = list(words(self._store, element, cap=self._fold.cap))
            if said or actionable(element) or any(states(element.state)):
                return described(self._store, element, cap=self._fold.cap, blocked=not self._behind)
            return ""
        said = list(words(self._store, element, cap=self._fold.cap))
        if not said:
            return ""
        heading = role_word(element)
        return " ".join([heading, *said] if heading.startswith("h") else said)

    def _options(self, options: list[Branch]) -> str:
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
        yield from self._children(Branch(None, None, None, branch.depth, collection.rest), indent + 1)
        items = collection.items
        shown = len(items) if len(items) <= self._fold.few else self._fold.rows
        for number, item in enumerate(items[:shown], 1):
            lead = f"{number}. " if collection.noun == "row" else "- "
            yield from self._item(item, lead, indent + 1)
        if shown < max(len(items), collection.total):
            yield f"{pad}  {self._rest(collection, shown)}"

    def _collection_head(self, collection: Collection) -> str:
        head = scope_head(self._store, collection.branch.scope, collection.branch.element, self._fold.cap)
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
            names = ", ".join(f"{role} {quoted(name, 30)}" for role, name in shared[:6])
            text += f"; {len(shared)} action{'s' if len(shared) > 1 else ''} each: {names}"
        elif shared is None:
            text += "; their actions differ"
        return text + '; find("…") reaches them'

    def _item(self, item: Branch, lead: str, indent: int) -> Iterator[str]:
        yield "  " * indent + lead + self._inline(item)
        for nested in self._nested(item):
            yield from self._branch(nested, indent + 1)

    def _nested(self, item: Branch) -> Iterator[Branch]:
        """Collections inside a record get lines of their own."""
        for child in item.children:
            if collection_of(child, self._owners) is not None:
                yield child
            else:
                yield from self._nested(child)

    def _inline(self, item: Branch) -> str:
        element = item.element
        cells = [one for one in item.children if one.element is not None and one.element.role == "cell"]
        own = self._own(element) if element is not None else []
        if cells:
            return " ".join([*own, " | ".join(" ".join(self._pieces(one)) or "–" for one in cells)])
        inside = [piece for child in item.children for piece in self._pieces(child)]
        return " ".join([*own, *_some(inside)]) or "–"

    def _own(self, element: ElementNode) -> list[str]:
        if actionable(element):
            return [described(self._store, element, cap=self._fold.cap, blocked=not self._behind)]
        notes = list(states(element.state, blocked=not self._behind))
        said = list(words(self._store, element, cap=self._fold.cap))
        return [*said, f"({', '.join(notes)})"] if notes else said

    def _pieces(self, branch: Branch) -> list[str]:
        """Everything in a cell or item on one line."""
        if collection_of(branch, self._owners) is not None or id(branch) in self._on_top:
            return []
        own = self._own(branch.element) if branch.element is not None else []
        if (
            branch.element is not None
            and branch.element.role not in _SILENT
            and not actionable(branch.element)
        ):
            own = [described(self._store, branch.element, cap=self._fold.cap)] if own else []
        return [*own, *_some([piece for child in branch.children for piece in self._pieces(child)])]


def _some(pieces: list[str]) -> list[str]:
    if len(pieces) <= _PIECES:
        return pieces
    return [*pieces[:_PIECES], f"… {len(pieces) - _PIECES} more"]
