"""The outline of a page for a model: scopes as indented sections, one line per control, collections folded.

Text of the page is data: it is quoted and marked with its source. The same graph gives the same outline. The text of
changes since a revision comes from `changes_text`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import chain

from uiap.graph.changes_text import change_lines
from uiap.graph.element_text import element_line, quoted, reference, scope_heading, token
from uiap.graph.folding import FOLDS, SCOPE_FOLD
from uiap.graph.outline_text import OutlineWriter
from uiap.graph.query import find, scopes_named
from uiap.graph.repeated_lines import fold_repeated
from uiap.graph.store import GraphStore
from uiap.graph.view import OutlineNode, is_actionable, reading_tree, scopes_of

DEFAULT_BUDGET_TOKENS = 2_000
MIN_BUDGET_TOKENS = 60
_MAX_MATCHES = 20


def outline(
    store: GraphStore,
    *,
    scope: str | None = None,
    since: str | None = None,
    budget: int | None = None,
    query: str | None = None,
    before: Collection[str] = (),
) -> str:
    """Return the outline of the page, of a part of it, of its changes since a revision, or of matches (MDM-R3d).

    `scope` is a scope id, stable id or name, or the ref of an element. `budget` is in tokens: the text folds deeper
    until it fits and says what it left out. `before` has the lines of the page that `since` belongs to
    (`repeated_lines.line_keys`): if this is another page, its repeated lines are folded.
    """
    limit = max(budget if budget is not None else DEFAULT_BUDGET_TOKENS, MIN_BUDGET_TOKENS)
    head = [_header(store)]
    if since is not None:
        changes = store.since(since)
        if changes is not None:
            return _cut_to_budget([_since_header(store, since), *change_lines(store, changes)], limit)
        if before and scope is None and query is None:
            return _page_text(store, head, None, limit, before)
        head.append(f"another page than at {token(since)}, or too long ago; this is the page as it is now")
    if query is not None:
        return _cut_to_budget([*head, *_match_lines(store, query, scope)], limit)
    return _page_text(store, head, scope, limit)


def token_count(text: str) -> int:
    """Return an estimate of the tokens of a text: four characters each."""
    return -(-len(text) // 4)


def _page_text(
    store: GraphStore, head: list[str], scope: str | None, limit: int, before: Collection[str] = ()
) -> str:
    tree = reading_tree(store)
    nodes = _nodes_of_scope(store, tree, scope) if scope is not None else None
    if nodes is not None and not nodes:
        return _cut_to_budget([*head, *_unknown_scope_lines(store, scope or "")], limit)
    shown: list[str] = []
    for fold in FOLDS if nodes is None else (SCOPE_FOLD, *FOLDS):
        writer = OutlineWriter(store, fold)
        page = chain.from_iterable(
            [writer.page(tree)] if nodes is None else (writer.part(one) for one in nodes)
        )
        lines = chain(head, fold_repeated(page, before) if before else page)
        shown = _first_lines(lines, limit)
        if next(lines, None) is None and token_count("\n".join(shown)) <= limit:
            return "\n".join(shown)
    note = f'… more of {len(store.elements):,} elements; find("…"), outline(scope="…") or a larger budget shows them'
    return _with_note(shown, note, limit)


def _first_lines(lines: Iterator[str], limit: int) -> list[str]:
    """Return lines until they exceed the budget: the rest of a large page is not written to be thrown away."""
    shown, chars = list[str](), 0
    for line in lines:
        shown.append(line)
        chars += len(line) + 1
        if chars - 1 > limit * 4:
            break
    return shown


def _with_note(lines: list[str], note: str, limit: int) -> str:
    """Return as many of the lines as fit together with a last line."""
    chars = len("\n".join([*lines, note]))
    while lines and chars > limit * 4:
        chars -= len(lines.pop()) + 1
    return "\n".join([*lines, note])


def _cut_to_budget(lines: list[str], limit: int) -> str:
    """Return the first lines that fit, and a last line that says how many are missing."""
    whole = "\n".join(lines)
    if token_count(whole) <= limit:
        return whole
    shown: list[str] = []
    chars_left = limit * 4
    for line in lines:
        note = f'… {len(lines) - len(shown)} more lines; find("…"), outline(scope="…") or a larger budget shows them'
        if chars_left - len(line) - 1 < len(note):
            return "\n".join([*shown, note])
        shown.append(line)
        chars_left -= len(line) + 1
    return "\n".join(shown)


def _header(store: GraphStore) -> str:
    route = store.route
    parts = ["page", quoted(route.path or route.url, 120)]
    if route.title:
        parts.append(quoted(route.title, 100))
    parts.append(f"· revision {token(store.revision)}")
    if route.status and route.status != "idle":
        parts.append(f"({route.status})")
    if store.snapshot_members is not None and store.snapshot_members.truncated:
        parts.append(
            f"(truncated: {store.snapshot_members.truncated.omitted_elements:,} elements are not in the graph)"
        )
    return " ".join(parts)


def _since_header(store: GraphStore, since: str) -> str:
    route = quoted(store.route.path or store.route.url, 120)
    return f"page {route} · revision {token(since)} → {token(store.revision)}"


def _nodes_of_scope(store: GraphStore, tree: OutlineNode, wanted: str) -> list[OutlineNode]:
    ids = {one.scope_id for one in scopes_named(store, wanted)} if store.element(wanted) is None else set()
    return [
        node
        for node in tree.below()
        if (node.scope is not None and node.scope.scope_id in ids)
        or (node.element is not None and node.element.instance_id == wanted)
    ]


def _unknown_scope_lines(store: GraphStore, wanted: str) -> Iterator[str]:
    named = [scope for scope in store.scopes.values() if scope.name]
    yield f"there is no scope or element {quoted(wanted, 80)}; " + (
        "scopes with a name are:"
        if named
        else "no scope has a name: take the ref of an element, or find its text"
    )
    for scope in named:
        yield f"  {scope_heading(store, scope, None, 60)}"


def _match_lines(store: GraphStore, query: str, scope: str | None) -> Iterator[str]:
    matches = find(store, query, scope=scope, limit=_MAX_MATCHES)
    if not matches:
        yield f"nothing matches {quoted(query, 80)}"
    for match in matches:
        scope_name = [quoted(one.name, 40) for one in scopes_of(store, match.element) if one.name][-1:]
        where = "".join(
            f" in {part}" for part in ([quoted(match.record, 60)] if match.record else []) + scope_name
        )
        ref = "" if is_actionable(match.element) else f"{reference(match.element)} "
        yield f"{ref}{element_line(store, match.element)}{where} ({match.confidence:g}: {match.reason})"
