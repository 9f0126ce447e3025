"""The ids of a bundle on a live page, for targets, signals, policy rules and workflows that use them."""

from __future__ import annotations

from uiap.graph.store import GraphStore
from uiap.host.bundles.bundle import Bundle
from uiap.spec.web import ElementNode


class BundleNames:
    """Finds what the ids of one bundle mean, on the pages of its origins."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle

    def elements(self, store: GraphStore, id: str) -> tuple[ElementNode, ...]:
        binding = self._bundle.bindings.elements.get(id)
        if binding is None or not self._bundle.covers(store.route.url):
            return ()
        return self._bundle.bindings.find(store, binding)

    def scopes(self, store: GraphStore, id: str) -> frozenset[str]:
        known = self._bundle.bindings.scopes
        if id not in known.by_id or not self._bundle.covers(store.route.url):
            return frozenset()
        return known.live(store, id)

    def scope_name(self, store: GraphStore, scope_id: str) -> str | None:
        known = self._bundle.bindings.scopes
        if not self._bundle.covers(store.route.url):
            return None
        return next((id for id in known.by_id if scope_id in known.live(store, id)), None)
