"""Proposals for a target that a changed application no longer shows as it was recorded. Pure; a person decides.

An element is proposed only if something of its identity agrees: its name, with at most other small words or endings, or
an attribute of its own. A name alone counts only in the scope of the old element, if that scope is still there. An
element that merely stands where the old one stood is never proposed. A second element that fits almost as well, or a
new name with another risk, means that there is no proposal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from uiap.actions.registry import ACTIONS
from uiap.graph.names import DECORATED, match_level, normalised
from uiap.graph.own_attributes import own_attribute
from uiap.graph.scope_names import derived_scope_id
from uiap.graph.store import GraphStore
from uiap.graph.view import scopes_of, visible_elements
from uiap.policy.lexicon import meaning_of
from uiap.spec.authoring import AnnotationMatcher, ElementBinding
from uiap.spec.capability import SemanticRef, StableIdRef, TargetRef
from uiap.spec.web import ElementNode

ENOUGH, LEAD = 0.5, 0.15
"""The score that a proposal needs, and its lead over the next one."""
SIMILAR = 0.6
"""The similarity of two words that are the same apart from an ending or a typing error."""
MIN_STEM = 4
"""A word of this length with another ending is the same word: video, videos."""
STRONG = frozenset({"data-testid", "id"})
_PRESSED = frozenset({"button", "link", "menuitem", "tab", "custom"})
_SMALL = frozenset(
    {"a", "an", "the", "new", "now", "my", "this", "to", "of", "in", "ein", "eine", "neue", "neues", "der"}
)
_NEGATIONS = frozenset({"not", "no", "dont", "don", "without", "un", "nicht", "kein", "ohne"})
_WORD = re.compile(r"\w+")


class ScoredElement(msgspec.Struct, frozen=True):
    """An element that may be the lost target, with the evidence."""

    element: ElementNode
    score: float
    reasons: tuple[str, ...]


class RepairProposal(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A binding that would find the target again, with the evidence for a person."""

    binding: ElementBinding
    score: float
    reasons: tuple[str, ...]
    picture_before: str = ""
    """The element as an earlier run found it: a PNG in Base64, or empty if no run took a picture."""
    picture_now: str = ""
    """The proposed element, in the same form. It is empty if the element shows private values."""


def wanted_binding(target: TargetRef, known: Iterable[ElementBinding], step_id: str) -> ElementBinding | None:
    """Return the known binding of a target, or one made from its role and name; None for a target in data."""
    match target:
        case StableIdRef(value=id):
            return next((one for one in known if one.id == id), None)
        case SemanticRef(role=role, name=name, scope=scope) if isinstance(name, str):
            return ElementBinding(id=f"step.{step_id}", role=role, name=name, scope_id=scope, match=())
    return None


def best_match(
    store: GraphStore, wanted: ElementBinding, action_id: str, taken: frozenset[str] = frozenset()
) -> ScoredElement | None:
    """Return the element that the binding means now, or None if nothing or more than one thing fits.

    Args:
        taken: Elements that other bindings mean.
    """
    primitive = ACTIONS.get(action_id)
    needed = frozenset() if primitive is None else frozenset(primitive.affordances)
    usable = (one for one in visible_elements(store) if one.instance_id not in taken)
    scored = sorted(
        (
            _scored(store, wanted, one)
            for one in usable
            if (not needed or needed & set(one.affordances)) and _is_possible(store, wanted, one)
        ),
        key=lambda one: -one.score,
    )
    if not scored or scored[0].score < ENOUGH:
        return None
    if len(scored) > 1 and scored[0].score - scored[1].score < LEAD:
        return None
    return scored[0]


def _is_possible(store: GraphStore, wanted: ElementBinding, element: ElementNode) -> bool:
    """Return whether the role may be that of the target, and something of its identity agrees."""
    related = element.role == wanted.role or {element.role, wanted.role} <= _PRESSED
    if not related or not _same_risk(_name(wanted), element.name or ""):
        return False
    agreeing, contradicting = _attribute_names(store, wanted, element)
    if STRONG & agreeing and not STRONG & contradicting:
        return True
    known = _same_words(_name(wanted), element.name or "") or (bool(agreeing) and not contradicting)
    return known and _may_be_there(store, wanted, element)


def _may_be_there(store: GraphStore, wanted: ElementBinding, element: ElementNode) -> bool:
    """Return whether the element is in the scope of the target, or that scope is gone.

    A button of the same name in another form is another button.
    """
    if not isinstance(wanted.scope_id, str):
        return True
    live = {one.scope_id for one in store.scopes.values() if derived_scope_id(store, one) == wanted.scope_id}
    return not live or any(one.scope_id in live for one in scopes_of(store, element))


def _scored(store: GraphStore, wanted: ElementBinding, element: ElementNode) -> ScoredElement:
    parts = list(_evidence(store, wanted, element))
    score = max(0.0, min(1.0, sum(weight for weight, _ in parts)))
    return ScoredElement(element, round(score, 2), tuple(reason for _, reason in parts))


def _evidence(store: GraphStore, wanted: ElementBinding, element: ElementNode) -> Iterator[tuple[float, str]]:
    name, now = _name(wanted), element.name or ""
    if name and match_level(now, name) >= DECORATED:
        yield 0.45, f"it has the name “{name}”"
    elif name and _same_words(name, now):
        yield 0.35, f"its name is “{now}”, it was “{name}”"
    elif name:
        yield 0.0, f"its name is “{now}”, it was “{name}”"
    for attribute, value in _attributes(wanted):
        have = own_attribute(store, element, attribute)
        weight = 0.35 if attribute in STRONG else 0.2
        if have == value:
            yield weight, f"`{attribute}` is `{value}` as before"
        elif have is not None:
            yield -0.1, f"`{attribute}` is `{have}`, it was `{value}`"
    yield from _surroundings(store, wanted, element)


def _surroundings(
    store: GraphStore, wanted: ElementBinding, element: ElementNode
) -> Iterator[tuple[float, str]]:
    if element.role == wanted.role:
        yield 0.15, f"it is a {element.role} as before"
    else:
        yield 0.0, f"it is a {element.role}, it was a {wanted.role}"
    scopes = scopes_of(store, element)
    place = derived_scope_id(store, scopes[-1]) if scopes else ""
    if isinstance(wanted.scope_id, str) and place == wanted.scope_id:
        yield 0.15, f"it is in `{place}` as before"
    elif place:
        yield 0.0, f"it is in `{place}`"


def _name(binding: ElementBinding) -> str:
    return binding.name if isinstance(binding.name, str) else ""


def _attributes(binding: ElementBinding) -> list[tuple[str, str]]:
    return [(one.attr, one.value) for one in binding.match if isinstance(one, AnnotationMatcher)]


def _attribute_names(
    store: GraphStore, wanted: ElementBinding, element: ElementNode
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the attributes that agree, and of those that contradict."""
    have = {name: (own_attribute(store, element, name), value) for name, value in _attributes(wanted)}
    agreeing = frozenset(name for name, (now, before) in have.items() if now == before)
    return agreeing, frozenset(name for name, (now, _) in have.items() if now is not None) - agreeing


def _same_words(before: str, now: str) -> bool:
    """Return whether two names say the same, apart from small words, endings and typing errors."""
    old, new = _words(before), _words(now)
    if not old or not new or (old | new) & _NEGATIONS:
        return bool(old) and old == new
    fewer, more = sorted((old - _SMALL or old, new - _SMALL or new), key=len)
    return all(any(_alike(one, other) for other in more) for one in fewer) and len(more) - len(fewer) <= 1


def _words(name: str) -> set[str]:
    return set(_WORD.findall(normalised(name)))


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if one == other or (len(short) >= MIN_STEM and long.startswith(short) and len(long) - len(short) <= 2):
        return True
    parts, others = _trigrams(one), _trigrams(other)
    return one[0] == other[0] and len(parts & others) / len(parts | others) >= SIMILAR


def _trigrams(word: str) -> set[str]:
    padded = f"  {word} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


def _same_risk(before: str, now: str) -> bool:
    """Return whether the new name orders nothing that the old one did not."""
    old, new = meaning_of(before), meaning_of(now)
    known = {one.kind for one in (*old.orders, *old.asks)}
    return {one.kind for one in (*new.orders, *new.asks)} <= known and not new.disguise
