"""Messages that an input added to the page, with their parts. They come, get their words, and go again."""

from __future__ import annotations

from collections.abc import Iterable

from uiap.graph.store import GraphStore
from uiap.graph.view import is_visually_hidden
from uiap.signals.change import MESSAGE_ROLES, NodeDifference, TouchedNode
from uiap.spec.web import ElementNode

MAX_KEPT = 200


class MessageParts:
    """The keys of the messages and their parts, oldest first."""

    def __init__(self) -> None:
        self._keys: dict[str, None] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    @property
    def keys(self) -> frozenset[str]:
        return frozenset(self._keys)

    def record(self, touches: Iterable[TouchedNode]) -> None:
        """Keep the nodes that are messages, or parts of one."""
        for touch in touches:
            parent, _, role = touch.position.rpartition(">")
            if role in MESSAGE_ROLES or parent in self._keys:
                self._keys[touch.key] = None
                if len(self._keys) > MAX_KEPT:
                    del self._keys[next(iter(self._keys))]

    def shows_text(self, key: str, store: GraphStore) -> bool:
        """Return whether the message, or its part, is still on the page and shows text."""
        node = store.element(key)
        return node is not None and bool(node.name or node.text) and not is_visually_hidden(node)

    def is_wordless(self, difference: NodeDifference) -> bool:
        """Return whether the difference is a new message without words: they may turn out to be a refusal."""
        node = difference.node
        return (
            difference.about == "added"
            and difference.key in self._keys
            and isinstance(node, ElementNode)
            and not (node.name or node.text)
        )
