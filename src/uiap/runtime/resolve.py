"""Target resolution: candidates from the graph, a score for each, and one winner or a refusal.

`gather` reads the graph. `resolve` decides on its candidates alone, so a journal of them replays the decision.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from math import hypot
from types import MappingProxyType

import msgspec
from msgspec import UNSET

from uiap.graph.folding import is_unseen
from uiap.graph.identity import enclosing_record_key
from uiap.graph.names import DECORATED, match_level
from uiap.graph.query import by_role_name, fits_role
from uiap.graph.store import GraphStore
from uiap.graph.view import is_inside_scope
from uiap.runtime.surroundings import Surroundings, surroundings_of
from uiap.runtime.word_target import WordTarget, elements_by_words, parse_word_target, similar_names
from uiap.signals.lookup import target_elements
from uiap.spec.action import ActionTarget, ResolvedBy, ResolvedTarget
from uiap.spec.capability import (
    CustomRef,
    InstanceIdRef,
    RiskLevel,
    ScopeRef,
    SemanticRef,
    StableIdRef,
    UIAffordance,
)
from uiap.spec.web import DOMRectLike, ElementNode

LEAD = 10.0  # the winner must be ahead by this score
GONE = 0.9  # the share of the name match that counts where the id that was given is gone
NEAR = 12.0  # the score of being the focused element; it decides alone if the other is almost a viewport away
CLEAR = 25.0  # with this lead the other candidates no longer lower the confidence
SURE: Mapping[RiskLevel, float] = MappingProxyType({"safe": 0.55, "confirm": 0.75, "blocked": 0.95})
"""The confidence a target needs, by its risk level (MDM-R4b)."""
SHOWN = 5
FIELD_ROLES = frozenset({"combobox", "textbox", "searchbox", "spinbutton"})
CHECK_ROLES = frozenset({"checkbox", "radio", "switch"})
ITEM_ROLES = frozenset({"option", "listitem", "treeitem", "menuitem"})
WIDE_ROLES = ("x.focusable", "x.scrollable")
"""Roles of containers that take the focus or scroll: a whole table may be one."""
_NOTHING: Mapping[str, str] = MappingProxyType({})
FOCUSED = ActionTarget(ref=CustomRef(value="focus"))
"""The focused element, for a key without a target."""


class PaintedText(msgspec.Struct, frozen=True):
    """A word that was read on a picture of an element (ACT-10.5)."""

    host: ElementNode
    text: str
    score: float
    """The confidence of the text recognition, 0 to 1."""
    spot: tuple[float, float]
    """The centre of the word, from the upper left corner of the element."""


class Candidate(msgspec.Struct, frozen=True):
    """An element that may be the target, with the features that are scored."""

    element: ElementNode
    by: ResolvedBy
    name_level: float = 0.0
    in_scope: bool = False
    record: str | None = None
    opaque: str | None = None
    """The kind of opaque region this element hosts."""
    proximity: float = 0.0
    """The distance to the focus: 1 on it, 0 a viewport diagonal away."""
    leaf: str | None = None
    """The passive element that was named, if this is its container that can be acted on (MDM-R4a)."""
    vouched: bool = False
    """Its risk is declared in a bundle that a trusted key signed."""
    binding: str | None = None
    """How the bundle recognised it: `matcher N`, or `name` if no matcher did."""
    surroundings: Surroundings | None = None
    painted: PaintedText | None = None
    """The painted text, if vision found it. The element then has its name and box."""

    @property
    def terms(self) -> tuple[str, str | None, str | None]:
        """Return the role, name and record that the input event itself must confirm."""
        shown = self.element if self.painted is None else self.painted.host
        return shown.role, shown.name if isinstance(shown.name, str) else None, self.record


class Candidates(msgspec.Struct, frozen=True):
    candidates: tuple[Candidate, ...] = ()
    opaque: str | None = None
    """The kind of opaque region that hides the target, if nothing was found because of it."""
    painted: bool = False
    """They were read on a picture of the page."""
    similar: tuple[str, ...] = ()
    """Elements with a similar name, if the words of the target match none."""


class ScoredCandidate(msgspec.Struct, frozen=True):
    candidate: Candidate
    score: float
    reasons: tuple[str, ...]


class Resolved(msgspec.Struct, frozen=True):
    winner: ScoredCandidate
    others: tuple[ScoredCandidate, ...] = ()

    def in_surroundings(self, around: Surroundings) -> Resolved:
        """Return the same match with the surroundings of the winner as they are now."""
        candidate = msgspec.structs.replace(self.winner.candidate, surroundings=around)
        return Resolved(msgspec.structs.replace(self.winner, candidate=candidate), self.others)

    @property
    def confidence(self) -> float:
        """Return 1.0 for a match by id; otherwise by name match and lead."""
        by, level = self.winner.candidate.by, self.winner.candidate.name_level
        if by in ("stableId", "instanceId"):
            return 1.0
        fit = 0.6 if by == "runtimeHint" else 0.7 + 0.3 * level
        if (painted := self.winner.candidate.painted) is not None:
            fit *= level * painted.score
        lead = self.winner.score - self.others[0].score if self.others else CLEAR
        return round(fit * min(1.0, 0.9 + 0.1 * (lead - LEAD) / (CLEAR - LEAD)), 2)


class UncertainMatch(msgspec.Struct, frozen=True):
    """One candidate leads, but its confidence is too low for its risk (MDM-R4b)."""

    best: Resolved
    wanted: float


class AmbiguousMatch(msgspec.Struct, frozen=True):
    candidates: tuple[ScoredCandidate, ...]


class NoMatch(msgspec.Struct, frozen=True):
    reason: str
    opaque: str | None = None


def gather(
    store: GraphStore,
    target: ActionTarget,
    recycled: Mapping[str, str] = _NOTHING,
    affordances: tuple[UIAffordance, ...] = (),
    hinted: tuple[str, ...] = (),
) -> Candidates:
    """Return the candidates of a target, by the first kind of reference that finds any (ACT-8.1).

    `recycled` maps a reference to the record it stood for when it was reported, if the element shows another one now.
    `hinted` are the elements that the driver found by the css or xpath hint of the target.
    """
    references = _by_reference(store, target, affordances, hinted)
    found = [_with_reported_record(target, one, recycled) for one in references]
    kept = [c for c in found if _expected(store, target, c.element)]
    words = _words_of(target)
    if words is not None and "edit" in affordances:
        kept = [c for c in kept if _is_field_named(c)]
    if kept:
        return Candidates(tuple(_executable(store, target, kept, affordances)))
    similar = similar_names(store, words, affordances) if words is not None else ()
    return Candidates((), _opaque(store, target), similar=similar)


def _is_field_named(candidate: Candidate) -> bool:
    """Return whether words may mean it as a field. The text of a form has the labels of its fields, and is no name."""
    return "edit" in candidate.element.affordances or candidate.name_level >= DECORATED


def _words_of(target: ActionTarget) -> WordTarget | None:
    """Return the words that name the target, or None if an id names it."""
    ref = target.ref
    if isinstance(ref, CustomRef):
        return parse_word_target(ref.value)
    if isinstance(ref, SemanticRef) and isinstance(ref.name, str):
        return WordTarget(text=ref.name)
    return None


def _executable(
    store: GraphStore, target: ActionTarget, found: list[Candidate], affordances: tuple[UIAffordance, ...]
) -> list[Candidate]:
    """Replace passive leaves by the nearest ancestor that can be acted on, each once (MDM-R4a)."""
    chosen: dict[str, Candidate] = {}
    for candidate in found:
        element = candidate.element
        if "activate" in affordances and not set(affordances) & set(element.affordances):
            around = (
                e for e in store.ancestors(element.instance_id) if set(affordances) & set(e.affordances)
            )
            if (box := next(around, None)) is not None and _is_one_target(store, box):
                made = _candidate(store, target, box, candidate.by, candidate.name_level)
                candidate = msgspec.structs.replace(made, leaf=element.instance_id)
        kept = chosen.get(candidate.element.instance_id)
        if kept is None or kept.leaf is not None:
            chosen[candidate.element.instance_id] = candidate
    return [
        candidate
        for candidate in chosen.values()
        if not _wraps_its_field(store, candidate, chosen) and not _is_unseen_copy(candidate, chosen)
    ]


def _is_unseen_copy(copy: Candidate, chosen: dict[str, Candidate]) -> bool:
    """Return whether a cell is a copy that nobody sees of another one: grids measure the width of columns with it."""
    element = copy.element
    if element.role != "cell" or not is_unseen(element):
        return False
    cells = (other.element for other in chosen.values() if other.element.role == "cell")
    return any(cell.name == element.name and not is_unseen(cell) for cell in cells)


def _wraps_its_field(store: GraphStore, box: Candidate, chosen: dict[str, Candidate]) -> bool:
    """Return whether a candidate is only the box around another one: libraries give both the role and the name.

    An option or item around a check box or a radio button of the same name is such a box too.
    """
    element = box.element
    if not element.name:
        return False
    return any(
        other.element.name == element.name
        and (_is_same_field(element, other.element) or _is_check_of(element, other.element))
        and any(outer.instance_id == element.instance_id for outer in store.ancestors(id))
        for id, other in chosen.items()
        if other is not box
    )


def _is_same_field(box: ElementNode, inner: ElementNode) -> bool:
    return box.role in FIELD_ROLES and box.role == inner.role


def _is_check_of(box: ElementNode, inner: ElementNode) -> bool:
    """Return whether an item has no check of its own, and the element inside is its check."""
    return inner.role in CHECK_ROLES and box.role in ITEM_ROLES and box.state.checked is UNSET


def _is_one_target(store: GraphStore, box: ElementNode) -> bool:
    """Return whether a container is one thing to press. A focusable part of a page with several texts is not.

    A press in its middle would reach another text than the one that was named.
    """
    if box.role != "custom" or box.custom_role not in WIDE_ROLES:
        return True
    texts = (e for e in store.below(box.instance_id) if e.name or e.text)
    return sum(1 for _ in islice(texts, 2)) < 2


def _with_reported_record(
    target: ActionTarget, candidate: Candidate, recycled: Mapping[str, str]
) -> Candidate:
    """Return the candidate with the record its reference stood for, so that the checks see the change."""
    record = recycled.get(candidate.element.instance_id)
    if record is None or not isinstance(target.ref, InstanceIdRef):
        return candidate
    return msgspec.structs.replace(candidate, record=record)


def _by_reference(
    store: GraphStore, target: ActionTarget, affordances: tuple[UIAffordance, ...], hinted: tuple[str, ...]
) -> list[Candidate]:
    if hint_of(target) is not None:
        return _by_hint(store, target, hinted)
    match target.ref:
        case InstanceIdRef(value=id):
            element = store.element(id)
            if element is not None:
                return [_candidate(store, target, element, "instanceId", 1.0)]
            return _successors_of(store, target, id)
        case StableIdRef(value=id):
            return _by_stable_id(store, target, id)
        case SemanticRef():
            return _by_semantics(store, target, target.ref)
        case ScopeRef():
            hosts = target_elements(store, target.ref)
            return [_candidate(store, target, one, "semantic", 1.0) for one in hosts]
        case CustomRef(value=value) if (words := parse_word_target(value)) is not None:
            found = elements_by_words(store, words, affordances)
            return [_candidate(store, target, element, "semantic", level) for element, level in found]
        case CustomRef(value=value):
            return _by_entity(store, target, value)
    if target.expected_role is not UNSET:
        name = target.expected_name if target.expected_name is not UNSET else UNSET
        return _by_semantics(store, target, SemanticRef(role=target.expected_role, name=name))
    return []


def _by_stable_id(store: GraphStore, target: ActionTarget, id: str) -> list[Candidate]:
    # a page may use one id twice, and their order does not say which is meant
    elements = [
        *store.by_stable_id(id),
        *(e for e in store.elements.values() if (e.metadata or {}).get("duplicateStableId") == id),
    ]
    found = [_candidate(store, target, e, "stableId", 1.0) for e in elements]
    if found:
        return found
    if target.expected_role is not UNSET and target.expected_name is not UNSET:  # ACT-8.1b: the id is gone
        expected = SemanticRef(role=target.expected_role, name=target.expected_name)
        if semantic := _by_semantics(store, target, expected):
            return [msgspec.structs.replace(one, name_level=one.name_level * GONE) for one in semantic]
    annotated = [e for e in store.elements.values() if e.meaning == id or e.default_action == id]
    return [_candidate(store, target, e, "annotation", 0.0) for e in annotated]


def _successors_of(store: GraphStore, target: ActionTarget, id: str) -> list[Candidate]:
    """Return the one element that replaced a removed node, as the page script reported it (ACT-8.3)."""
    found = store.current(id)
    return [] if found is None else [_candidate(store, target, found, "runtimeHint", 1.0)]


def hint_of(target: ActionTarget) -> tuple[str, str] | None:
    """Return the kind and the value of the hint that names the target: `css:…` or `xpath:…`."""
    if not isinstance(target.ref, CustomRef):
        return None
    kind, _, value = target.ref.value.partition(":")
    return (kind, value) if kind in ("css", "xpath") and value else None


def _by_hint(store: GraphStore, target: ActionTarget, hinted: tuple[str, ...]) -> list[Candidate]:
    """Return the elements of a hint: the last resort, only where the expected role and name find none (ACT-8.1)."""
    if target.expected_role is not UNSET and target.expected_name is not UNSET:
        expected = SemanticRef(role=target.expected_role, name=target.expected_name)
        semantic = [c for c in _by_semantics(store, target, expected) if _expected(store, target, c.element)]
        if semantic:
            return semantic
    found = (store.element(id) for id in hinted)
    return [_candidate(store, target, e, "runtimeHint", 0.0) for e in found if e is not None]


def _by_semantics(store: GraphStore, target: ActionTarget, ref: SemanticRef) -> list[Candidate]:
    name = ref.name if isinstance(ref.name, str) else None
    scope = ref.scope if isinstance(ref.scope, str) else None
    found = by_role_name(store, ref.role, name, scope=scope)
    # without a wanted name, a match says nothing about the name
    return [_candidate(store, target, e, "semantic", level if name else 0.0) for e, level in found]


def _by_entity(store: GraphStore, target: ActionTarget, value: str) -> list[Candidate]:
    """Return the elements of `entity:<type>:<id>`, or the focused one."""
    kind, _, _ = value.partition(":")
    if value == "focus":
        focused = store.element(store.focus.target or "") if store.focus is not None else None
        return [] if focused is None else [_candidate(store, target, focused, "instanceId", 1.0)]
    if kind != "entity":
        return []
    found = store.by_record(value.removeprefix("entity:"))
    return [_candidate(store, target, e, "annotation", 1.0) for e in found]


def _candidate(
    store: GraphStore, target: ActionTarget, element: ElementNode, by: ResolvedBy, level: float
) -> Candidate:
    wanted = target.expected_scope_id
    in_scope = isinstance(wanted, str) and is_inside_scope(store, element, wanted)
    hosted = (r.kind for r in store.opaque_regions.values() if r.host_instance_id == element.instance_id)
    return Candidate(
        element,
        by,
        level,
        in_scope,
        enclosing_record_key(element),
        next(hosted, None),
        _proximity(store, element),
        surroundings=surroundings_of(store, element),
    )


def _proximity(store: GraphStore, element: ElementNode) -> float:
    """Return how near the element is to the focus, 0 to 1; 0 if a box is unknown (ACT-8.2a)."""
    focus = store.element(store.focus.target or "") if store.focus is not None else None
    if focus is None or focus.bbox is UNSET or element.bbox is UNSET or store.viewport is UNSET:
        return 0.0
    diagonal = hypot(store.viewport.width, store.viewport.height)
    a, b = focus.bbox, element.bbox
    away = hypot(a.x + a.width / 2 - b.x - b.width / 2, a.y + a.height / 2 - b.y - b.height / 2)
    return max(0.0, 1 - away / diagonal) if diagonal else 0.0


def _expected(store: GraphStore, target: ActionTarget, element: ElementNode) -> bool:
    """Return whether the element agrees with every expectation of the target."""
    if target.expected_role is not UNSET and not fits_role(target.expected_role, element.role):
        return False
    if target.expected_document_id is not UNSET and element.document_id != target.expected_document_id:
        return False
    if target.expected_scope_id is not UNSET and not is_inside_scope(
        store, element, target.expected_scope_id
    ):
        return False
    return target.expected_name is UNSET or match_level(element.name or "", target.expected_name) >= 0.6


def _opaque(store: GraphStore, target: ActionTarget) -> str | None:
    """Return the kind of opaque region that the target names, if any."""
    named = {target.expected_document_id, target.expected_scope_id} - {UNSET}
    if isinstance(target.ref, SemanticRef) and isinstance(target.ref.scope, str):
        named.add(target.ref.scope)
    if isinstance(target.ref, InstanceIdRef | StableIdRef):
        named.add(target.ref.value)
    for region in store.opaque_regions.values():
        if named & {region.region_id, region.scope_id, region.host_instance_id, region.name}:
            return region.kind
    return None


def resolve(
    target: ActionTarget, candidates: Candidates, action_id: str
) -> Resolved | AmbiguousMatch | UncertainMatch | NoMatch:
    """Return the candidate that leads clearly and is certain enough for its risk, or why there is none (ACT-8.2a)."""
    if not candidates.candidates:
        return NoMatch(_nothing_fits(target, candidates.similar), candidates.opaque)
    scored = sorted((_score(target, c, action_id) for c in candidates.candidates), key=lambda s: -s.score)
    winner, *others = scored
    if any(_lead(winner, other) < LEAD for other in others):
        return AmbiguousMatch(tuple(scored[:SHOWN]))
    best = Resolved(winner, tuple(others[:SHOWN]))
    risk = winner.candidate.element.risk
    wanted = SURE["safe" if risk is UNSET else risk.level]
    return best if best.confidence >= wanted else UncertainMatch(best, wanted)


def _nothing_fits(target: ActionTarget, similar: tuple[str, ...]) -> str:
    words = _words_of(target)
    named = f"no element matches `{words.text[:80]}`" if words and words.text else "nothing on the page fits"
    if words is not None:
        bounds = (("near", words.near), ("within", words.within))
        named += "".join(f" {how} `{text[:80]}`" for how, text in bounds if text)
    return f"{named}; similar: {', '.join(similar)}" if similar else named


def _lead(winner: ScoredCandidate, other: ScoredCandidate) -> float:
    """Return the winner's lead. Nearness to the focus decides only between candidates with equally good names."""
    better = winner.candidate.name_level > other.candidate.name_level
    nearer = max(0.0, other.candidate.proximity - winner.candidate.proximity) if better else 0.0
    return winner.score - other.score + NEAR * nearer


def _score(target: ActionTarget, candidate: Candidate, action_id: str) -> ScoredCandidate:
    element = candidate.element
    name = target.expected_name if isinstance(target.expected_name, str) else None
    level = max(candidate.name_level, match_level(element.name or "", name) if name is not None else 0.0)
    parts = [
        (100.0, candidate.by == "stableId", "its stable id"),
        (100.0, candidate.by == "instanceId", "its reference on this page"),
        (30.0, candidate.in_scope, "the expected scope"),
        (20.0, fits_role(_role_wanted(target) or "", element.role), f"role {element.role}"),
        (10.0, element.default_action == action_id, "its declared default action"),
    ]
    score = sum(weight for weight, holds, _ in parts if holds) + 25.0 * level + NEAR * candidate.proximity
    reasons = [why for _, holds, why in parts if holds]
    if level > 0:
        reasons.append(f"name at {level:g}")
    if candidate.proximity > 0.5:
        reasons.append("near the focus")
    if candidate.painted is not None:
        reasons.append(
            f"read on the picture of {candidate.painted.host.instance_id} at {candidate.painted.score:.2f}"
        )
    if candidate.leaf is not None:
        reasons.append(f"the container of {candidate.leaf} that can be acted on")
    return ScoredCandidate(candidate, score, tuple(reasons))


def _role_wanted(target: ActionTarget) -> str | None:
    if isinstance(target.expected_role, str):
        return target.expected_role
    return target.ref.role if isinstance(target.ref, SemanticRef) else None


def resolved_target(candidate: Candidate, box: DOMRectLike | None = None) -> ResolvedTarget:
    """Return the wire form of a candidate. `box` is the one a probe measured."""
    element = candidate.element
    return ResolvedTarget(
        by=candidate.by,
        instance_id=element.instance_id,
        stable_id=element.stable_id,
        document_id=element.document_id,
        scope_id=element.scope_id,
        role=element.role,
        name=element.name,
        bbox=box if box is not None and candidate.painted is None else element.bbox,
    )
