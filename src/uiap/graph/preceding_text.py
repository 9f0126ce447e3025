"""The text before an element: it tells elements apart that have the same role and name in the same scope."""

from __future__ import annotations

from collections import Counter
from weakref import WeakKeyDictionary

from uiap.graph.scope_names import name_slug
from uiap.graph.store import GraphStore
from uiap.graph.view import beside_text, is_user_generated, visible_elements
from uiap.spec.web import ElementNode

_CACHE: WeakKeyDictionary[GraphStore, tuple[str, dict[str, str]]] = WeakKeyDictionary()
_MAX_TEXT = 60
DATA_ROLES = frozenset({"cell", "row", "listitem", "treeitem"})
"""Elements whose text is that of a record. Discovery stores none of it."""


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
    """Return the name of an element, else its text. The text of a record is data: discovery does not store it."""
    is_data = element.role in DATA_ROLES or is_user_generated(element)
    text = element.name or ("" if is_data else element.text)
    return name_slug((text or "")[:_MAX_TEXT])
