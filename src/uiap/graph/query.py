"""Search for elements by visible text: ranked matches with a confidence and a reason (MDM-R2).

Searches the whole store, also what an outline folds. The runtime chooses the target of an action and refuses if there
are two; it uses the lookups here and in the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from uiap.graph.identity import display_key, published_record_key
from uiap.graph.names import (
    CONTAINED,
    DECORATED,
    EXACT,
    contains_words,
    is_lookalike,
    match_level,
    normalised,
    undecorated,
)
from uiap.graph.scope_names import derived_scope_id
from uiap.graph.store import GraphStore
from uiap.graph.view import (
    beside_text,
    icon_word,
    is_actionable,
    is_hidden,
    record_key_of,
    record_of,
    scope_text,
    scopes_of,
    visible_elements,
)
from uiap.spec.web import ElementNode, ScopeNode

# Weights of a match in each member, best first.
NAME, TEXT, RECORD, VALUE, STABLE_ID, DESCRIPTION = 1.0, 0.9, 0.8, 0.8, 0.8, 0.6
READ_ONLY_FACTOR = 0.95  # of two equal matches the actionable one comes first
SPREAD_WORDS = 0.5  # all words found, but over several members
SCOPE_TEXT, SAME_SCOPE = 0.8, 0.5  # near: the text is the scope's own, or that of another element in it
LOOKALIKE = 0.2  # low enough that a look-alike name is listed but never chosen
NARROWER_ROLES: Mapping[str, tuple[str, ...]] = MappingProxyType({"textbox": ("textarea", "searchbox")})
"""Roles that a wider role includes, as in ARIA: a text area is a text box with several lines."""
NEVER_BY_TEXT = ("app", "status", "alert", "toast")
"""Roles whose text says nothing about them: the page itself, and messages."""


@dataclass(frozen=True, slots=True)
class Match:
    """An element that fits a search."""

    element: ElementNode
    confidence: float
    """How likely this element is meant: the level of the match, divided by the number of equal matches."""
    reason: str
    record: str | None = None
    """The key of the row, item or card it belongs to."""

    @property
    def instance_id(self) -> str:
        return self.element.instance_id

    @property
    def role(self) -> str:
        return self.element.role

    @property
    def name(self) -> str:
        return self.element.name or ""


@dataclass(frozen=True, slots=True)
class Hit:
    """How well a text fits, from 0 to 1, and why."""

    level: float
    reason: str


_MISS = Hit(0.0, "")


def fits_role(wanted: str, role: str) -> bool:
    """Return whether an element of this role is meant by the wanted one."""
    return role == wanted or role in NARROWER_ROLES.get(wanted, ())


def find(
    store: GraphStore,
    text: str,
    *,
    role: str | None = None,
    scope: str | None = None,
    near: str | None = None,
    limit: int = 10,
) -> list[Match]:
    """Return the best matches, best first, equal ones in document order.

    `scope` is a scope id, stable id or name. `near` keeps elements whose record or scope matches it. If nothing
    matches `near`, the result is empty: a wrong row is worse than no row.
    """
    candidates = [one for one in visible_elements(store) if role is None or fits_role(role, one.role)]
    if scope is not None:
        candidates = _inside_scope(store, candidates, scope)
    hits = (
        [(one, _best_hit(one, text)) for one in candidates]
        if text
        else [(one, Hit(EXACT, "")) for one in candidates]
    )
    found = [(one, hit) for one, hit in hits if hit.level > 0]
    if not found:
        word_search = _WordSearch(store, text)
        found = [(one, hit) for one in candidates if (hit := word_search.hit(one)).level > 0]
    if near:
        found = _matches_near(store, found, near)
    return _ranked(store, found, limit)


def by_role_name(
    store: GraphStore,
    role: str,
    name: str | None = None,
    *,
    scope: str | None = None,
    document: str | None = None,
) -> list[tuple[ElementNode, float]]:
    """Return the candidates of a semantic reference with their match level, in document order (CAP-3).

    `scope` is as in `find`. If two scopes have the name, the candidates of both are returned. Narrower roles count only
    if the role itself has no match, and the text of elements without a name only if no name matches.
    """
    roles = (role, *NARROWER_ROLES.get(role, ()))
    if exact := _of_role(store, role, name, scope, document):
        return exact
    narrower = [one for other in roles[1:] for one in _of_role(store, other, name, scope, document)]
    return (
        narrower
        or _with_text(store, role, name, scope, document)
        or _with_text_beside(store, role, name, scope, document)
    )


def _of_role(
    store: GraphStore, role: str, name: str | None, scope: str | None, document: str | None
) -> list[tuple[ElementNode, float]]:
    named = store.by_role(role) if name is None else _with_name(store, role, name)
    candidates = [one for one in named if not is_hidden(one) and document in (None, one.document_id)]
    if scope is not None:
        candidates = _inside_scope(store, candidates, scope)
    levels = [(one, EXACT if name is None else match_level(one.name or "", name)) for one in candidates]
    found = {one.instance_id: (one, level) for one, level in levels if level > 0}
    if len(found) < 2:
        return list(found.values())
    return [found[key] for key in store.tree.walk() if key in found]


def _with_text(
    store: GraphStore, role: str, name: str | None, scope: str | None, document: str | None
) -> list[tuple[ElementNode, float]]:
    """Return the elements without a name whose whole text is the wanted one, such as items of a list and cells."""
    if name is None or role in NEVER_BY_TEXT:
        return []
    candidates = [
        one
        for one in store.by_role(role)
        if not one.name and one.text and not is_hidden(one) and document in (None, one.document_id)
    ]
    if scope is not None:
        candidates = _inside_scope(store, candidates, scope)
    found = [one for one in candidates if match_level(one.text or "", name) >= DECORATED]
    return [(one, DECORATED) for one in found]


def _with_text_beside(
    store: GraphStore, role: str, name: str | None, scope: str | None, document: str | None
) -> list[tuple[ElementNode, float]]:
    """Return the fields without a name beside the wanted text."""
    if name is None:
        return []
    candidates = [
        one
        for one in store.by_role(role)
        if not one.name and not is_hidden(one) and document in (None, one.document_id)
    ]
    if scope is not None:
        candidates = _inside_scope(store, candidates, scope)
    found = [one for one in candidates if match_level(beside_text(one), name) >= DECORATED]
    return [(one, CONTAINED) for one in found]


def _with_name(store: GraphStore, role: str, name: str) -> list[ElementNode]:
    """Return the elements whose name can match. The index of names avoids reading every element of a large page."""
    bare = undecorated(name)
    return [store.elements[key] for key, have in store.names(role).items() if bare in have]


def scopes_named(store: GraphStore, wanted: str) -> list[ScopeNode]:
    """Return the scopes that an id means, else those with this derived id, or with the best matching name."""
    called = [store.scopes[key] for key in store.scopes_called(wanted)]
    if called:
        return called
    derived = [one for one in store.scopes.values() if derived_scope_id(store, one) == wanted]
    if derived:
        return derived
    levels = [(match_level(one.name or "", wanted), one) for one in store.scopes.values()]
    best = max((level for level, _ in levels), default=0.0)
    return [one for level, one in levels if level == best] if best > 0 else []


def _inside_scope(store: GraphStore, candidates: list[ElementNode], scope: str) -> list[ElementNode]:
    ids = {one.scope_id for one in scopes_named(store, scope)}
    return [one for one in candidates if any(part.scope_id in ids for part in scopes_of(store, one))]


def _best_hit(element: ElementNode, text: str) -> Hit:
    """Return the hit in the best member: match level times weight."""
    best = _MISS
    for words, worth, what in _searchable_members(element):
        level = match_level(words, text)
        if level * worth > best.level:
            best = Hit(level * worth, f"{what} {_level_words(level)}")
    if not best.level:
        return _lookalike(element, text)
    return best if is_actionable(element) else Hit(best.level * READ_ONLY_FACTOR, best.reason)


def _lookalike(element: ElementNode, text: str) -> Hit:
    if element.name and is_lookalike(element.name, text):
        return Hit(LOOKALIKE, "name looks the same but uses letters of another script")
    return _MISS


def _searchable_members(element: ElementNode) -> Iterator[tuple[str, float, str]]:
    if element.name:
        yield element.name, NAME, "name"
    if element.text:
        yield element.text, TEXT, "text"
    state = element.state
    if state.text_value and not state.sensitive:
        yield state.text_value, VALUE, "value"
    if state.placeholder:
        yield state.placeholder, DESCRIPTION, "placeholder"
    if element.description:
        yield element.description, DESCRIPTION, "description"
    if icon := icon_word(element):
        yield icon, DESCRIPTION, "icon"
    if beside := beside_text(element):
        yield beside, DESCRIPTION, "text beside it"
    if element.stable_id:
        yield element.stable_id, STABLE_ID, "stable id"
    key = published_record_key(element)
    if key:
        yield key, RECORD, "record key"


def _level_words(level: float) -> str:
    return {EXACT: "equal", DECORATED: "equal but for trailing marks", CONTAINED: "contains it"}[level]


class _WordSearch:
    """Finds the words of a text in an element and its record. A match inside a longer word counts half."""

    def __init__(self, store: GraphStore, text: str) -> None:
        self._store = store
        self._words = normalised(text).split()
        self._records: dict[str, str] = {}

    def hit(self, element: ElementNode) -> Hit:
        own = _own_text(element)
        if not any(word in own for word in self._words):
            return _MISS
        have = f"{own} {self._record_text(element)}"
        parts = [1.0 if contains_words(have, word) else 0.5 * (word in have) for word in self._words]
        share = sum(parts) / len(parts)
        if share < 0.5:
            return _MISS
        # for "delete user-7" the element of that record with the first word is meant
        first = contains_words(own, self._words[0])
        worth = (1.0 if is_actionable(element) else READ_ONLY_FACTOR) * (1.0 if first else 0.9)
        reason = "all words are here or in its record" if share == 1 else "some of the words are here"
        return Hit(SPREAD_WORDS * share * worth, reason)

    def _record_text(self, element: ElementNode) -> str:
        record = record_of(self._store, element)
        if record is None:
            return ""
        known = self._records.get(record.instance_id)
        if known is None:
            inside = [record, *self._store.below(record.instance_id)]
            key = normalised(record_key_of(self._store, record) or "")
            known = " ".join([key, *map(_own_text, inside)])
            self._records[record.instance_id] = known
        return known


def _own_text(element: ElementNode) -> str:
    return normalised(" ".join(part for part, _, _ in _searchable_members(element)))


def _matches_near(
    store: GraphStore, found: list[tuple[ElementNode, Hit]], near: str
) -> list[tuple[ElementNode, Hit]]:
    """Return the hits whose record matches `near`; else those with that text beside them; else in their scope."""
    nearness = _Nearness(store, near)
    for near_hit_of in (nearness.record, nearness.beside, nearness.around):
        hits_near = [(element, hit, near_hit_of(element)) for element, hit in found]
        matching = [
            (element, _combined(hit, near_hit)) for element, hit, near_hit in hits_near if near_hit.level > 0
        ]
        if matching:
            return matching
    return []


def _combined(hit: Hit, near_hit: Hit) -> Hit:
    return Hit(hit.level * near_hit.level, "; ".join(part for part in (hit.reason, near_hit.reason) if part))


class _Nearness:
    """How well the surroundings of an element match a text. Each record and scope is read once."""

    def __init__(self, store: GraphStore, near: str) -> None:
        self._store = store
        self._near_text = near
        self._records: dict[str, Hit] = {}
        self._scopes: dict[str, Hit] = {}

    def record(self, element: ElementNode) -> Hit:
        record = record_of(self._store, element)
        return self._record_hit(record) if record is not None else _MISS

    def beside(self, element: ElementNode) -> Hit:
        return Hit(match_level(beside_text(element), self._near_text), "beside that text")

    def around(self, element: ElementNode) -> Hit:
        hits_near = [self._own_hit(one) for one in self._store.ancestors(element.instance_id)]
        scopes = scopes_of(self._store, element)
        hits_near += [self._scope_hit(one) for one in scopes]
        hits_near += [self._sibling_hit(one) for one in scopes[-1:]]
        return max(hits_near, key=_level, default=_MISS)

    def _record_hit(self, record: ElementNode) -> Hit:
        known = self._records.get(record.instance_id)
        if known is None:
            parts = [
                self._own_hit(record),
                *(self._own_hit(one) for one in self._store.below(record.instance_id)),
            ]
            key = record_key_of(self._store, record)
            level = (
                max(match_level(key, self._near_text), match_level(display_key(key), self._near_text))
                if key
                else 0.0
            )
            parts.append(Hit(level, f"record `{key}`"))
            known = max(reversed(parts), key=_level)
            self._records[record.instance_id] = known
        return known

    def _own_hit(self, element: ElementNode) -> Hit:
        levels = (match_level(words, self._near_text) for words, _, _ in _searchable_members(element))
        # the text of a whole cell counts nearly as much as the key, a word in the row does not
        return Hit(max(levels, default=0.0) * READ_ONLY_FACTOR, f"in {element.role} with that text")

    def _scope_hit(self, scope: ScopeNode) -> Hit:
        texts = (scope.name or "", scope.stable_id or "", scope.scope_id, scope_text(self._store, scope))
        level = max(match_level(words, self._near_text) for words in texts)
        return Hit(level * SCOPE_TEXT, f"in {scope.kind} with that text")

    def _sibling_hit(self, scope: ScopeNode) -> Hit:
        """Return the hit of another element in the same scope. Elements in records count for their record alone."""
        known = self._scopes.get(scope.scope_id)
        if known is None:
            members = (
                one for one in self._store.by_scope(scope.scope_id) if record_of(self._store, one) is None
            )
            levels = (match_level(one.name or one.text or "", self._near_text) for one in members)
            known = Hit(max(levels, default=0.0) * SAME_SCOPE, f"beside that text in the same {scope.kind}")
            self._scopes[scope.scope_id] = known
        return known


def _level(hit: Hit) -> float:
    return hit.level


def _ranked(store: GraphStore, found: list[tuple[ElementNode, Hit]], limit: int) -> list[Match]:
    """Return the matches, best first. `found` is in document order and the sort is stable."""
    best = sorted(found, key=lambda pair: -pair[1].level)
    equals = Counter(hit.level for _, hit in found)
    return [_match(store, element, hit, equals[hit.level]) for element, hit in best[:limit]]


def _match(store: GraphStore, element: ElementNode, hit: Hit, equals: int) -> Match:
    reason = hit.reason if equals == 1 else f"{hit.reason}; one of {equals:,} alike".removeprefix("; ")
    return Match(element, round(hit.level / equals, 3), reason, record_key_of(store, element))
