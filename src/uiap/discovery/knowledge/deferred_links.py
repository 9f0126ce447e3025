"""Links that are not pressed: behind a dialog, handled by a script, or after a change of storage.

Their addresses are loaded instead. A page that is reached this way is still the page of its link.
"""

from __future__ import annotations

from uiap.discovery.knowledge.candidates import ActionCandidate
from uiap.discovery.knowledge.page_keys import link_key
from uiap.graph.store import GraphStore


class DeferredLinks:
    def __init__(self) -> None:
        self._waiting: list[ActionCandidate] = []
        self._keys: dict[str, str] = {}
        """Address to the key of the link that led to it."""

    def add(self, store: GraphStore, candidate: ActionCandidate) -> None:
        self._waiting.append(candidate)
        element = store.element(candidate.node)
        if candidate.url is not None and element is not None:
            self._keys.setdefault(candidate.url, link_key(store, element))

    def key_of(self, url: str) -> str | None:
        """Return the key of the link whose address is loaded instead of a press; None for other addresses."""
        return self._keys.get(url)

    def take(self) -> list[ActionCandidate]:
        """Return the links that wait, and forget them."""
        taken, self._waiting = self._waiting, []
        return taken
