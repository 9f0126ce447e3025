"""Success signals from two observed pages: route, dialog, toast, status, opened part, count (DISC-15.5)."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from uiap.discovery.events import Effects
from uiap.discovery.knowledge.naming import modal_names, route_id, scope_id, scope_of
from uiap.graph.fingerprint import stable_text
from uiap.graph.identity import route_pattern
from uiap.graph.store import GraphStore
from uiap.graph.view import is_hidden
from uiap.spec.capability import (
    CollectionCount,
    DialogClosed,
    DialogOpened,
    ElementAppeared,
    ElementState,
    EntityCreated,
    EntityDeleted,
    RouteChanged,
    ScopeRef,
    StatusContains,
    SuccessSignal,
    TargetRef,
    ToastContains,
    UIState,
    ValidationNone,
    ValueEquals,
)

_PART_KINDS = frozenset({"dialog", "drawer", "popover", "menu", "tabpanel", "form"})
_MAX_TEXT_LENGTH = 80


@dataclass(frozen=True, slots=True)
class StateFacts:
    """The facts of a page that success signals compare."""

    route: str
    pattern: str
    modal: tuple[str, ...]
    parts: frozenset[str]
    counts: tuple[tuple[str, int], ...]
    invalid: frozenset[str] = frozenset()
    """The scopes with a field that is not valid."""
    entities: tuple[tuple[str, int], ...] = ()
    """Type of entity to the number of records that are listed."""

    @classmethod
    def of(cls, store: GraphStore) -> StateFacts:
        path = store.route.path if store.route.path is not UNSET else store.route.url
        parts = (one for one in store.scopes.values() if one.kind in _PART_KINDS and not is_hidden(one))
        counts = sorted(
            (one.collection_id, one.total_count or one.count)
            for one in store.collections.values()
            if one.stable_id is not UNSET
        )
        return cls(
            route_id(store),
            route_pattern(path),
            modal_names(store),
            frozenset(scope_id(store, one) for one in parts),
            tuple(counts),
            frozenset(
                scope_of(store, one) or "" for one in store.elements.values() if one.state.invalid is True
            ),
            tuple(
                sorted(
                    (one.entity_type, one.total_count or one.count)
                    for one in store.collections.values()
                    if one.entity_type is not UNSET
                )
            ),
        )


def observed_signals(
    before: StateFacts,
    after: StateFacts,
    effects: Effects,
    *,
    target: TargetRef | None = None,
    entered: str | float | None = None,
    opened: UIState | None = None,
) -> tuple[SuccessSignal, ...]:
    """Return the signals in the order a person would name them."""
    found: list[SuccessSignal] = []
    if (after.route, after.pattern) != (before.route, before.pattern):
        found.append(RouteChanged(pattern=after.pattern))
    found += [DialogOpened(target=ScopeRef(value=one)) for one in after.modal if one not in before.modal]
    if after.route == before.route:
        found += [DialogClosed(target=ScopeRef(value=one)) for one in before.modal if one not in after.modal]
        new = sorted(after.parts - before.parts - set(after.modal))
        found += [ElementAppeared(target=ScopeRef(value=one)) for one in new]
        known = dict(before.counts)
        found += [
            CollectionCount(target=ScopeRef(value=id), op="eq", value=count)
            for id, count in after.counts
            if id in known and known[id] != count
        ]
        found += [ValidationNone(scope=one or UNSET) for one in sorted(before.invalid - after.invalid)]
        listed = dict(before.entities)
        for kind, count in after.entities:
            if kind in listed and count != listed[kind]:
                change = EntityCreated if count > listed[kind] else EntityDeleted
                found.append(change(entity_type=kind))
    if target is not None and opened is not None:
        found.append(ElementState(target=target, state=opened))
    if target is not None and entered is not None:
        found.append(ValueEquals(target=target, value=entered))
    toasts = dict.fromkeys(map(_stable_prefix, effects.toasts))
    found += [ToastContains(text=text) for text in toasts]
    found += [
        StatusContains(text=text)
        for text in dict.fromkeys(map(_stable_prefix, effects.statuses))
        if text not in toasts
    ]
    return tuple(found)


def _stable_prefix(text: str) -> str:
    """Return the beginning of a message up to the first number or name, which differ the next time."""
    return stable_text(text).partition("#")[0].strip()[:_MAX_TEXT_LENGTH] or text[:_MAX_TEXT_LENGTH]
