"""Recognises the scopes of a bundle on a live page, also where the page does not annotate them.

A scope is recognised by its id, by kind, name and outer scope, or by the elements that the bundle knows inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from weakref import WeakKeyDictionary

import msgspec
from msgspec import UNSET

from uiap.graph.query import scopes_named
from uiap.graph.scope_names import name_slug
from uiap.graph.store import GraphStore
from uiap.graph.view import is_hidden, scope_path, scopes_of
from uiap.host.bundles.routes import Routes
from uiap.spec.authoring import ElementBinding, ScopeBinding
from uiap.spec.web import ElementNode, ScopeNode

Belongs = Callable[[GraphStore, ElementBinding, ElementNode], bool]
"""Whether an element fits a binding, apart from its scope."""
_SEPARATE = frozenset({"dialog", "form", "menu", "table"})
"""Scopes that separate their elements from those around them, also without a name."""
_FEWEST = 2
"""A scope with another name is recognised by at least this many known elements."""


class Scopes:
    """The scope bindings of one bundle. Answers are kept for one revision of a page."""

    def __init__(
        self,
        bindings: Iterable[ScopeBinding],
        elements: Iterable[ElementBinding],
        routes: Routes,
        belongs: Belongs,
    ) -> None:
        self.by_id: Mapping[str, ScopeBinding] = {one.id: one for one in bindings}
        self._inside: dict[str, list[ElementBinding]] = {}
        for element in elements:
            if element.scope_id is not UNSET:
                self._inside.setdefault(element.scope_id, []).append(element)
        self._routes, self._belongs = routes, belongs
        self._known: WeakKeyDictionary[GraphStore, tuple[str, dict[str, frozenset[str]]]] = (
            WeakKeyDictionary()
        )

    def live(self, store: GraphStore, id: str) -> frozenset[str]:
        """Return the ids of the live scopes that a binding means."""
        known = self._known.get(store)
        if known is None or known[0] != store.revision:
            known = self._known[store] = (store.revision, {})
        answers = known[1]
        if id not in answers:
            answers[id] = frozenset()  # a scope inside itself ends here
            answers[id] = self._recognise(store, id)
        return answers[id]

    def holds(self, store: GraphStore, element: ElementNode, id: str) -> bool:
        """Return whether the scope is the innermost one around the element that the bundle knows.

        Scopes that the bundle does not know, and layout without a name, may be in between: a form that a redesign
        wrapped is still the same form. A known form or dialog separates its elements, also without a name.
        """
        wanted = self.live(store, id)
        if not wanted:
            return False
        for scope in reversed(scopes_of(store, element)):
            if scope.scope_id in wanted:
                return True
            if (scope.name or scope.kind in _SEPARATE) and self._is_known(store, scope):
                return False
        return False

    def directly_holds(self, store: GraphStore, element: ElementNode, id: str) -> bool:
        """Return whether the element is in the scope, without any scope in between."""
        return isinstance(element.scope_id, str) and element.scope_id in self.live(store, id)

    def _is_known(self, store: GraphStore, scope: ScopeNode) -> bool:
        return any(scope.scope_id in self.live(store, id) for id in self.by_id)

    # -- recognition ----------------------------------------------------------------------------------------

    def _recognise(self, store: GraphStore, id: str) -> frozenset[str]:
        binding = self.by_id.get(id)
        if binding is None:
            return frozenset(one.scope_id for one in scopes_named(store, id))
        if id in store.scopes:
            return frozenset((id,))
        by_stable = {key for one in binding.stable_ids or () for key in store.scope_index.by_stable_id[one]}
        if by_stable:
            return frozenset(by_stable)
        if not self._routes.includes(store, binding.route_ids):
            return frozenset()
        alike = [one for one in store.scopes.values() if one.kind == binding.kind and not is_hidden(one)]
        placed = [one for one in alike if self._is_placed(store, binding, one)]
        named = [one for one in placed if _has_name(binding, one)]
        return frozenset(one.scope_id for one in named or self._by_content(store, binding, placed))

    def _is_placed(self, store: GraphStore, binding: ScopeBinding, scope: ScopeNode) -> bool:
        """Return whether the outer scope of the binding is around the scope. More scopes may be in between."""
        outer = binding.parent_scope_id
        if outer is UNSET or outer == binding.id:
            return True
        around = self.live(store, outer)
        return not around or any(
            one.scope_id in around for one in scope_path(store, scope.scope_id) if one is not scope
        )

    def _by_content(
        self, store: GraphStore, binding: ScopeBinding, scopes: list[ScopeNode]
    ) -> list[ScopeNode]:
        """Return the one scope with another name that contains most of the known elements."""
        inside = self._inside.get(binding.id, [])
        if len(inside) < _FEWEST:
            return []
        counts = [(self._count(store, inside, one), one) for one in scopes if not self._is_named(one)]
        best = max((count for count, _ in counts), default=0)
        if best < max(_FEWEST, (len(inside) + 1) // 2):
            return []
        found = [one for count, one in counts if count == best]
        return found if len(found) == 1 else []

    def _count(self, store: GraphStore, inside: list[ElementBinding], scope: ScopeNode) -> int:
        elements = store.by_scope(scope.scope_id)
        return sum(any(self._belongs(store, one, element) for element in elements) for one in inside)

    def _is_named(self, scope: ScopeNode) -> bool:
        """Return whether the name of the scope is that of a binding: it is then not another one renamed."""
        return bool(scope.name) and any(
            one.kind == scope.kind and one.title is not UNSET and _has_name(one, scope)
            for one in self.by_id.values()
        )


def _has_name(binding: ScopeBinding, scope: ScopeNode) -> bool:
    if binding.metadata is not UNSET and binding.metadata.get("nameIsData") is True:
        return bool(scope.name)
    titles = texts_of(binding.title)
    if not titles:
        return not scope.name
    return bool(scope.name) and name_slug(scope.name) in {name_slug(title) for title in titles}


def texts_of(text: object) -> tuple[str, ...]:
    """Return the one text, or the text of each locale; nothing for an unset text."""
    if text is UNSET:
        return ()
    if isinstance(text, str):
        return (text,)
    texts = msgspec.to_builtins(text)
    given = [texts.get("default") or texts.get("fallback"), *(texts.get("byLocale") or {}).values()]
    return tuple(dict.fromkeys(one for one in given if one))
