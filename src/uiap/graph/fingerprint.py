"""Is this the same state of the app? A digest per scope, folded over what is data or passing (DISC-11.3a, b).

Equal digests are equal states; how alike two different ones are is the overlap of their scope digests. Knows
nothing of runs, budgets or what a state is used for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec import UNSET

from uiap.digests import text_digest
from uiap.graph.identity import element_label, published_record_key, route_key, scope_label
from uiap.graph.names import normalised
from uiap.graph.store import GraphStore
from uiap.graph.view import (
    COLLECTION_ROLES,
    collections_by_owner,
    is_hidden,
    record_of,
    scope_path,
    visible_elements,
)
from uiap.spec.discovery import StateFingerprintPolicy
from uiap.spec.web import CollectionNode, ElementNode

DEFAULT_POLICY = StateFingerprintPolicy(
    include_text_values=False, include_collections=False, ignore_transient_toasts=True, ignore_spinners=True
)
# Texts of these are data or passing; their presence can matter, their words do not.
_WORDLESS = frozenset({"cell", "row", "status", "progress", "label", "image", "listitem", "treeitem"})
_TOASTS, _SPINNERS = frozenset({"toast", "alert", "status"}), frozenset({"spinner", "progress"})
_EDITABLE = frozenset({"textbox", "textarea", "searchbox", "combobox", "spinbutton"})
_CHOSEN = ("pressed", "expanded", "current", "open")  # what is typed or ticked is data

_MOMENT = re.compile(
    r"\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\b\d{1,2}:\d{2}(:\d{2})?( ?[ap]m)?\b"
    r"|\b(\d+|an?|ein(e[rnm]?)?) (second|minute|hour|day|week|month|year)s?( ago)?\b"
    r"|\b(\d+|ein(e[rnm]?)?) (sekunde|minute|stunde|tag|woche|monat|jahr)e?[sn]?\b"
    r"|\(\d[\d.,]*\+?\)",
    re.IGNORECASE,
)
_RANDOM = re.compile(
    r":r[0-9a-z]*:|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{9,}|\b(?=[0-9a-f]*\d)[0-9a-f]{10,}\b|\d{6,}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    digest: str
    route: str
    scopes: tuple[str, ...]
    """One digest per visible scope, sorted; equal scopes repeat."""
    modal_stack: tuple[str, ...]
    focus: str


def fingerprint(store: GraphStore, policy: StateFingerprintPolicy = DEFAULT_POLICY) -> Fingerprint:
    """DISC-11.3a: route, scopes, stable ids, roles and names, modal stack, collection signatures, focus."""
    reading = _FingerprintBuilder(store, policy)
    route = route_key(store.route)
    scopes = tuple(sorted(reading.scopes()))
    modal = tuple(stable_text(scope_label(store.scopes[key])) for key in store.modal_stack)
    focus = reading.focus()
    return Fingerprint(text_digest((route, *modal, focus, *scopes)), route, scopes, modal, focus)


def similarity(one: Fingerprint, other: Fingerprint) -> float:
    """1 for the same scopes, 0 for none in common: multiset overlap over union."""
    a, b = Counter(one.scopes), Counter(other.scopes)
    union = (a | b).total()
    return (a & b).total() / union if union else 1.0


def stable_text(text: str) -> str:
    """DISC-11.3b: a name without moments, counters and ids made by chance."""
    return _RANDOM.sub("#", _MOMENT.sub("#", text))


class _FingerprintBuilder:
    def __init__(self, store: GraphStore, policy: StateFingerprintPolicy) -> None:
        self._store = store
        self._values = policy.include_text_values is True
        self._signatures = policy.include_collections is True
        passing = frozenset() if policy.ignore_transient_toasts is False else _TOASTS
        self._passing = passing if policy.ignore_spinners is False else passing | _SPINNERS
        self._owners = collections_by_owner(store)

    def scopes(self) -> Iterable[str]:
        parts: dict[str | None, list[str]] = {
            scope.scope_id: [] for scope in self._store.scopes.values() if not is_hidden(scope)
        }
        for element in visible_elements(self._store):
            key = self._scope_of(element)
            if element.role not in self._passing and (key in parts or key not in self._store.scopes):
                parts.setdefault(key if key in parts else None, []).append(self._element(element))
        for key, elements in parts.items():
            path = (scope_label(scope) for scope in scope_path(self._store, key))
            yield text_digest((stable_text(">".join(path)), *sorted(self._folded(elements))))

    def _scope_of(self, element: ElementNode) -> str | None:
        """The element that opens a scope is part of it, not of the scope around."""
        hosted = next(iter(self._store.scope_index.by_host[element.instance_id]), None)
        return hosted or element.scope_id or None

    def focus(self) -> str:
        """The focused field; a button keeps the focus after any click, which says nothing about the state."""
        target = self._store.focus.target if self._store.focus is not None else UNSET
        element = self._store.element(target) if target else None
        return self._element(element) if element is not None and element.role in _EDITABLE else ""

    def _folded(self, elements: list[str]) -> Iterable[str]:
        """What stands in records counts once, however many records there are."""
        plain = [one for one in elements if not one.startswith("record ")]
        return (*plain, *{one for one in elements if one.startswith("record ")})

    def _element(self, element: ElementNode) -> str:
        label = element.stable_id or "" if element.role in _WORDLESS else element_label(element)
        parts = [element.role, stable_text(element.stable_id or ""), stable_text(normalised(label))]
        parts += (f"{key}={getattr(element.state, key)}" for key in _CHOSEN if getattr(element.state, key))
        if element.role == "tab" and element.state.selected is True:
            parts.append("selected")
        if self._values and element.state.text_value and not element.state.sensitive:
            parts.append(element.state.text_value)
        if element.instance_id in self._owners or element.role in COLLECTION_ROLES:
            parts.append(self._collection(self._owners.get(element.instance_id)))
        if self._in_record(element):
            return f"record {element.role}|{self._shape(element)}"
        return "|".join(parts)

    def _in_record(self, element: ElementNode) -> bool:
        """Part of a row or of an item with a key; an item without one is layout, as in most navigation."""
        record = record_of(self._store, element)
        return record is not None and (record.role == "row" or published_record_key(record) is not None)

    def _shape(self, element: ElementNode) -> str:
        """Inside a record only what every record has: roles and the names of what can be done."""
        wordless = element.role in _WORDLESS or element.role in ("link", "option")
        return "" if wordless else stable_text(element_label(element))

    def _collection(self, node: CollectionNode | None) -> str:
        if node is None:
            return "collection"
        empty = (node.total_count or 0) == 0 if node.total_count is not UNSET else node.count == 0
        signature = node.signature if self._signatures and node.signature is not UNSET else ""
        return f"{node.role} {node.entity_type or ''} {'empty' if empty else 'filled'} {signature}"
