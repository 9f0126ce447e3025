"""Names that a bundle gives to parts of a page that the page itself does not name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from uiap.spec.web import ElementNode

if TYPE_CHECKING:
    from uiap.graph.store import GraphStore


class KnownNames(Protocol):
    """Finds the elements and scopes that an id of a bundle means on the current page."""

    def elements(self, store: GraphStore, id: str) -> tuple[ElementNode, ...]: ...

    def scopes(self, store: GraphStore, id: str) -> frozenset[str]:
        """Return the ids that the page gives to the scopes of a bundle's scope."""
        ...

    def scope_name(self, store: GraphStore, scope_id: str) -> str | None:
        """Return the bundle's id of a scope of the page."""
        ...
