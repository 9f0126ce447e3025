"""Fingerprints that tell whether two graphs show the same state of the app (DISC-11.3a, DISC-11.3b).

Equal digests are equal states. The overlap of their scope digests says how similar two different states are. Data and
temporary content, such as records, times and toasts, do not count.
"""

from __future__ import annotations

import re
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
# Their presence counts, their text does not: it is data or changes by itself.
_ROLES_WITHOUT_TEXT = frozenset(
    {"cell", "row", "status", "progress", "label", "image", "listitem", "treeitem"}
)
_TOASTS, _SPINNERS = frozenset({"toast", "alert", "status"}), frozenset({"spinner", "progress"})
_EDITABLE = frozenset({"textbox", "textarea", "searchbox", "combobox", "spinbutton"})
_STATE_KEYS = ("pressed", "expanded", "current", "open")  # typed and ticked values are data

_TIME_OR_COUNT = re.compile(
    r"\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b|\b\d{1,2}:\d{2}(:\d{2})?( ?[ap]m)?\b"
    r"|\b(\d+|an?|ein(e[rnm]?)?) (second|minute|hour|day|week|month|year)s?( ago)?\b"
    r"|\b(\d+|ein(e[rnm]?)?) (sekunde|minute|stunde|tag|woche|monat|jahr)e?[sn]?\b"
    r"|\(\d[\d.,]*\+?\)",
    re.IGNORECASE,
)
_RANDOM_ID = re.compile(
    r":r[0-9a-z]*:|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{9,}|\b(?=[0-9a-f]*\d)[0-9a-f]{10,}\b|\d{6,}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The identity of a state, and the parts that it was made of."""

    digest: str
    route: str
    scopes: tuple[str, ...]
    """One digest per visible scope, sorted. Equal scopes repeat."""
    modal_stack: tuple[str, ...]
    focus: str


def fingerprint(store: GraphStore, policy: StateFingerprintPolicy = DEFAULT_POLICY) -> Fingerprint:
    """Return the fingerprint of route, scopes, stable ids, roles, names, modal stack, collections and focus."""
    builder = _FingerprintBuilder(store, policy)
    route = route_key(store.route)
    scopes = tuple(sorted(builder.scopes()))
    modal = tuple(stable_text(scope_label(store.scopes[key])) for key in store.modal_stack)
    focus = builder.focus()
    return Fingerprint(text_digest((route, *modal, focus, *scopes)), route, scopes, modal, focus)


def stable_text(text: str) -> str:
    """Return a name without times, counters and random ids (DISC-11.3b)."""
    return _RANDOM_ID.sub("#", _TIME_OR_COUNT.sub("#", text))


class _FingerprintBuilder:
    def __init__(self, store: GraphStore, policy: StateFingerprintPolicy) -> None:
        self._store = store
        self._with_values = policy.include_text_values is True
        self._with_signatures = policy.include_collections is True
        ignored = frozenset() if policy.ignore_transient_toasts is False else _TOASTS
        self._ignored_roles = ignored if policy.ignore_spinners is False else ignored | _SPINNERS
        self._owners = collections_by_owner(store)

    def scopes(self) -> Iterable[str]:
        parts: dict[str | None, list[str]] = {
            scope.scope_id: [] for scope in self._store.scopes.values() if not is_hidden(scope)
        }
        for element in visible_elements(self._store):
            key = self._scope_of(element)
            if element.role not in self._ignored_roles and (key in parts or key not in self._store.scopes):
                parts.setdefault(key if key in parts else None, []).append(self._element(element))
        for key, elements in parts.items():
            path = (scope_label(scope) for scope in scope_path(self._store, key))
            yield text_digest(
                (stable_text(">".join(path)), *sorted(self._without_repeated_records(elements)))
            )

    def _scope_of(self, element: ElementNode) -> str | None:
        """Return the scope of an element. The host of a scope belongs to that scope, not to the one around it."""
        hosted = next(iter(self._store.scope_index.by_host[element.instance_id]), None)
        return hosted or element.scope_id or None

    def focus(self) -> str:
        """Return the focused field. Other elements do not count: a button keeps the focus after any click."""
        target = self._store.focus.target if self._store.focus is not None else UNSET
        element = self._store.element(target) if target else None
        return self._element(element) if element is not None and element.role in _EDITABLE else ""

    def _without_repeated_records(self, elements: list[str]) -> Iterable[str]:
        """Return the elements with each element of a record only once, for any number of records."""
        plain = [one for one in elements if not one.startswith("record ")]
        return (*plain, *{one for one in elements if one.startswith("record ")})

    def _element(self, element: ElementNode) -> str:
        label = element.stable_id or "" if element.role in _ROLES_WITHOUT_TEXT else element_label(element)
        parts = [element.role, stable_text(element.stable_id or ""), stable_text(normalised(label))]
        parts += (
            f"{key}={getattr(element.state, key)}" for key in _STATE_KEYS if getattr(element.state, key)
        )
        if element.role == "tab" and element.state.selected is True:
            parts.append("selected")
        if self._with_values and element.state.text_value and not element.state.sensitive:
            parts.append(element.state.text_value)
        if element.instance_id in self._owners or element.role in COLLECTION_ROLES:
            parts.append(self._collection(self._owners.get(element.instance_id)))
        if self._in_record(element):
            return f"record {element.role}|{self._label_in_record(element)}"
        return "|".join(parts)

    def _in_record(self, element: ElementNode) -> bool:
        """Return whether the element is part of a row, or of an item with a key. Items without a key are layout."""
        record = record_of(self._store, element)
        return record is not None and (record.role == "row" or published_record_key(record) is not None)

    def _label_in_record(self, element: ElementNode) -> str:
        """Return the name if every record has it: the names of actions, not those of links, options or text."""
        wordless = element.role in _ROLES_WITHOUT_TEXT or element.role in ("link", "option")
        return "" if wordless else stable_text(element_label(element))

    def _collection(self, node: CollectionNode | None) -> str:
        if node is None:
            return "collection"
        empty = (node.total_count or 0) == 0 if node.total_count is not UNSET else node.count == 0
        signature = node.signature if self._with_signatures and node.signature is not UNSET else ""
        return f"{node.role} {node.entity_type or ''} {'empty' if empty else 'filled'} {signature}"
