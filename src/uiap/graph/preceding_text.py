"""The text before an element: it tells elements apart that have the same role and name in the same scope."""

from __future__ import annotations

from collections import Counter
from weakref import WeakKeyDictionary

from uiap.graph.scope_names import name_slug
from uiap.graph.store import GraphStore
from uiap.graph.view import beside_text, visible_elements
from uiap.spec.web import ElementNode

_CACHE: WeakKeyDictionary[GraphStore, tuple[str, dict[str, str]]] = WeakKeyDictionary()
_MAX_TEXT = 60


def preceding_text(store: GraphStore, element: ElementNode) -> str:
    """Return the slug of the text that a page publishes beside a twin, else of the nearest text before the element.

    That text occurs once on the page. Without one, the answer is empty.
    """
    beside = beside_text(element)
    return name_slug(beside[:_MAX_TEXT]) if beside else _texts(store).get(element.instance_id, "")


def _texts(store: GraphStore) -> dict[str, str]:
    """Return the text before each element. It is kept for one revision of the page."""
    known = _CACHE.get(store)
    if known is None or known[0] != store.revision:
        known = _CACHE[store] = (store.revision, _read(store))
    return known[1]


def _read(store: GraphStore) -> dict[str, str]:
    texts = {one.instance_id: _text(one) for one in visible_elements(store)}
    counts = Counter(texts.values())
    found: dict[str, str] = {}
    recent = ""
    for id, text in texts.items():
        found[id] = recent
        if text and counts[text] == 1:
            recent = text
    return found


def _text(element: ElementNode) -> str:
    return name_slug((element.name or element.text or "")[:_MAX_TEXT])
