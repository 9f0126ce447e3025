"""The content that an action added to its page together with a message, and whether the page took it back.

A page may show a row with "Saved" and remove both soon after. Nobody may have looked in between, so the additions are
kept as they arrive. Content without a message is left out: menus and signs of progress come and go.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from uiap.graph.baseline import Baseline
from uiap.graph.store import GraphStore
from uiap.signals.change import CONTENT_ROLES, label_of_node
from uiap.spec.web import ElementNode, PageGraphDelta

MAX_KEPT = 500
WITH_MESSAGE_S = 0.1


class AddedContent:
    """Elements that appeared during one action, with the input that caused them."""

    def __init__(self) -> None:
        self._added: dict[str, tuple[str, float, ElementNode]] = {}

    def record(self, delta: PageGraphDelta, token: str, mono: float, not_caused: frozenset[str]) -> None:
        added = () if delta.elements is UNSET else delta.elements.added or ()
        for node in added:
            if (
                node.role in CONTENT_ROLES
                and node.instance_id not in not_caused
                and len(self._added) < MAX_KEPT
            ):
                self._added[node.instance_id] = token, mono, node

    def is_gone(
        self, tokens: Iterable[str], messages: Sequence[float], store: GraphStore, before: Baseline
    ) -> bool:
        """Return whether content that came with one of the messages is gone, and nothing like it was there before.

        An element that a framework renders again has the label of one that was there before.
        """
        ours = set(tokens)
        gone = [
            node
            for token, mono, node in self._added.values()
            if token in ours
            and node.instance_id not in store.elements
            and any(abs(mono - at) < WITH_MESSAGE_S for at in messages)
        ]
        if not gone:
            return False
        known = {label_of_node(node) for node in before["elements"].recorded()}
        known |= {label_of_node(node) for node in store.elements.values()}
        return any(label_of_node(node) not in known for node in gone)
