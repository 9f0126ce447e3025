"""The bundle that a session uses now. It may be loaded, replaced or unloaded while the session runs (RUN-36)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import UNSET

from uiap.graph.store import GraphStore
from uiap.host.bundles.adapters import Adapters
from uiap.host.bundles.authored_actions import AuthoredActions
from uiap.host.bundles.bundle import Bundle
from uiap.host.bundles.names import BundleNames
from uiap.runtime.resolve import Candidates
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import RuntimeHintMatcher
from uiap.spec.capability import StableIdRef


class BundleInUse:
    """Holds one bundle, or none. Everything that reads knowledge of a bundle reads it here each time."""

    def __init__(self, bundle: Bundle | None = None, adapters: Adapters | None = None) -> None:
        self._adapters = adapters or Adapters()
        self._listeners: list[Callable[[], None]] = []
        self.bundle: Bundle | None = None
        self.authored: AuthoredActions | None = None
        self.names: BundleNames | None = None
        self._take(bundle)

    def use(self, bundle: Bundle | None) -> None:
        """Use another bundle, or none, from now on."""
        self._take(bundle)
        for listener in self._listeners:
            listener()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call the listener after each change."""
        self._listeners.append(listener)

    def _take(self, bundle: Bundle | None) -> None:
        self.bundle = bundle
        self.authored = None if bundle is None else AuthoredActions(bundle)
        self.names = None if bundle is None else BundleNames(bundle)
        if bundle is not None:
            self._adapters.report_unknown(bundle.bindings.elements.values())
            bundle.bindings.use_adapters(self._adapters.find)
            provider = self._adapters.route_provider(bundle.route_provider)
            bundle.bindings.known_routes.use_provider(provider)

    # -- targets --------------------------------------------------------------------------------------------

    def bind(self, store: GraphStore, target: ActionTarget, gathered: Candidates) -> Candidates:
        """Return the candidates with those of adapters, and with the knowledge of the bundle about them."""
        found = self._adapters.bind(store, target, gathered)
        return found if self.bundle is None else self.bundle.bind(store, target, found)

    def hints(self, store: GraphStore, target: ActionTarget) -> tuple[tuple[str, str], ...]:
        """Return the css and xpath hints of the binding that a target names, each with its kind (RUN-17)."""
        ref, bundle = target.ref, self.bundle
        if bundle is None or not isinstance(ref, StableIdRef) or not bundle.covers(store.route.url):
            return ()
        binding = bundle.bindings.elements.get(ref.value)
        if binding is None or not bundle.bindings.known_routes.includes(store, binding.route_ids):
            return ()
        return tuple(
            (kind, value)
            for matcher in binding.match
            if isinstance(matcher, RuntimeHintMatcher)
            for kind, value in (("css", matcher.css), ("xpath", matcher.xpath))
            if value is not UNSET
        )

    def bind_hinted(self, store: GraphStore, target: ActionTarget, ids: tuple[str, ...]) -> Candidates:
        """Return the candidates of a binding among elements that the driver found by one of its hints."""
        assert self.bundle is not None
        return self.bundle.bindings.bind_hinted(store, target, ids)
