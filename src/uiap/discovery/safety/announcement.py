"""The side effect that the surroundings of a button announce: a title, a question, or the settings of its form.

A button that only says "yes" does what they say. `safety` decides whether that is allowed.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from uiap.discovery import risk_words
from uiap.graph.store import GraphStore
from uiap.spec.policy import SideEffectClass
from uiap.spec.web import ScopeNode

AnnouncedSideEffect = tuple[SideEffectClass, str]


def announced_side_effect(
    store: GraphStore, label: str, scopes: tuple[ScopeNode, ...]
) -> AnnouncedSideEffect | None:
    """Return the first announced side effect that is worse than a change of data, and why; else None."""
    title = store.route.title if store.route.title is not UNSET else ""
    for text in (title, *_names(store, scopes)):
        if (kind := risk_words.commanded_side_effect(text)) is not None:
            return kind, f"its surroundings are named for it: `{text}`"
    for text in _questions(store, scopes) if risk_words.says_yes(label) else ():
        if (kind := risk_words.questioned_side_effect(text)) is not None:
            return kind, f"it answers: `{text[:80]}`"
    for text in _settings(store, scopes):
        if (kind := risk_words.commanded_side_effect(text)) is not None:
            return kind, f"the form is set to `{text}`"
    return None


def _names(store: GraphStore, scopes: tuple[ScopeNode, ...]) -> Iterator[str]:
    """Yield the names of the scopes, the headings of the page, and those next to the control."""
    for scope in scopes:
        yield scope.name or ""
        for one in store.by_scope(scope.scope_id):
            level = one.metadata.get("level") if one.metadata is not UNSET else None
            if one.role == "label" and level is not None and (level == 1 or scope is scopes[-1]):
                yield one.name or one.text or ""


def _questions(store: GraphStore, scopes: tuple[ScopeNode, ...]) -> Iterator[str]:
    for scope in scopes:
        host = store.element(scope.host_instance_id) if scope.host_instance_id is not UNSET else None
        if host is not None:
            yield host.text or ""


def _settings(store: GraphStore, scopes: tuple[ScopeNode, ...]) -> Iterator[str]:
    form = next((scope for scope in reversed(scopes) if scope.kind == "form"), None)
    for one in store.by_scope(form.scope_id) if form is not None else ():
        if one.role == "option" and one.state.selected is True:
            yield one.name or ""
