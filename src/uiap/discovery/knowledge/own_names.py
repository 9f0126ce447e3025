"""Facts that tell an element from its twins and survive a renamed label: its own attributes and its position.

Attributes that a framework makes up, or that name a record, are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from msgspec import UNSET

from uiap.discovery.knowledge.candidates import is_in_column_header, is_in_record, semantic_key
from uiap.graph.identity import RECORD_ROLES
from uiap.graph.own_attributes import HREF, own_attribute
from uiap.graph.preceding_text import preceding_text
from uiap.graph.store import GraphStore
from uiap.graph.view import record_of, visible_elements
from uiap.spec.web import ElementNode

ATTRIBUTES = ("data-testid", "id", "name", "href")
"""Attributes that identify an element, the most certain first."""
MAX_TWINS = 4
"""More elements of equal meaning in one scope are a list, and none of them has an identity of its own."""
_MADE_UP = re.compile(
    r"\d{3,}|[:«»]|^_r_\w+_$|^(ember|ext-|react|mui|radix|headlessui|yui|gwt|dijit|cdk|mat|el-id|rc|ng|v|uid?|gen)[-_]?\d"
    r"|(?=[0-9a-f]*\d)[0-9a-f]{6,}|^[\W\d_]*$",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+")
_NUMBER_PART = re.compile(r"(?:[?&][\w.-]+=|/)(\d+)(?=[/?&#]|$)")
_TWINS: WeakKeyDictionary[GraphStore, dict[str, Twin]] = WeakKeyDictionary()
_SERIES: WeakKeyDictionary[GraphStore, dict[str, str]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Twin:
    """One of several elements with the same role and text in the same scope."""

    suffix: str
    """It makes the key of this twin different from the others; empty in a list."""
    count: int
    after: str
    """The text before this twin, if it differs from that before the others."""

    @property
    def is_repeated(self) -> bool:
        """Whether the twins are one control, repeated for each item of a list."""
        return not self.suffix


def own_attributes(store: GraphStore, element: ElementNode) -> dict[str, str]:
    """Return the attributes that identify the element, the most certain first."""
    given = {name: own_attribute(store, element, name) for name in ATTRIBUTES}
    return {
        name: value
        for name, value in given.items()
        if value
        and (
            _is_only_address(store, element, value)
            if name == HREF
            else not _MADE_UP.search(value) and not _is_one_of_a_series(store, element, name, value)
        )
    }


def _is_one_of_a_series(store: GraphStore, element: ElementNode, name: str, value: str) -> bool:
    """Return whether another element of the scope has the same value with another number: a position or a record."""
    series = _DIGITS.sub("#", value)
    if series == value:
        return False
    others = (own_attribute(store, one, name) for one in store.by_scope(element.scope_id or ""))
    return any(other and other != value and _DIGITS.sub("#", other) == series for other in others)


def _is_only_address(store: GraphStore, element: ElementNode, pattern: str) -> bool:
    """Return whether no other link of the scope leads to the same page. In a list, its records may.

    A parameter often chooses data, so an address with one does not identify a link outside of a list.
    """
    if is_data_item(store, element):
        return True
    if "?" in pattern:
        return False
    others = (one for one in store.by_scope(element.scope_id or "") if one is not element)
    return all(own_attribute(store, one, HREF) != pattern for one in others)


def derived_name(store: GraphStore, element: ElementNode) -> str:
    """Return a name for an element without one: an attribute of its own, marked with `#`; else nothing."""
    return next((f"#{value}" for value in own_attributes(store, element).values()), "")


def is_data_item(store: GraphStore, element: ElementNode) -> bool:
    """Return whether the element belongs to a record, or is one of several links that differ in a number."""
    return is_in_record(store, element) or is_numbered_link(store, element)


def is_numbered_link(store: GraphStore, element: ElementNode) -> bool:
    """Return whether several links of the scope differ only in a number, as pages, filters and records do."""
    if element.stable_id is not UNSET or not _has_number(element) or is_in_column_header(store, element):
        return False
    pattern = own_attribute(store, element, HREF)
    others = (one for one in store.by_scope(element.scope_id or "") if one is not element)
    return any(
        _has_number(one)
        and own_attribute(store, one, HREF) == pattern
        and _numbers(_address(one)) != _numbers(_address(element))
        for one in others
    )


def _has_number(element: ElementNode) -> bool:
    """Return whether a parameter of the address, or a part of its path, is a number."""
    return bool(_numbers(_address(element)))


def _numbers(address: str) -> list[str]:
    return _NUMBER_PART.findall(address)


def _address(element: ElementNode) -> str:
    address = element.metadata.get("href") if element.metadata is not UNSET else None
    return address if isinstance(address, str) else ""


def has_data_label(store: GraphStore, element: ElementNode) -> bool:
    """Return whether the label of a control in a record names that record: every record has another one."""
    if not is_in_record(store, element) or not element.name:
        return False
    alike = [
        one
        for one in store.by_scope(element.scope_id or "")
        if one.role == element.role and is_in_record(store, one)
    ]
    records = {record.instance_id for one in alike if (record := record_of(store, one)) is not None}
    return len(alike) > 1 and len({one.name for one in alike}) == len(alike) == len(records)


def series_of(store: GraphStore, element: ElementNode) -> str | None:
    """Return the common key of a control that is one of many in its scope, if only numbers tell their names apart.

    Such a name is data: `Ticket 01`, `Ticket 02`. Controls with an attribute of their own are no series.
    """
    if store not in _SERIES:
        _SERIES[store] = _read_series(store)
    return _SERIES[store].get(element.instance_id)


def _read_series(store: GraphStore) -> dict[str, str]:
    groups: dict[str, list[ElementNode]] = {}
    for one in visible_elements(store):
        if one.stable_id is UNSET and one.name and _DIGITS.search(one.name) and not is_data_item(store, one):
            groups.setdefault(_DIGITS.sub("#", semantic_key(store, one)), []).append(one)
    return {
        one.instance_id: key
        for key, group in groups.items()
        if len({one.name for one in group}) > MAX_TWINS
        and not any(own_attributes(store, one) for one in group)
        for one in group
    }


def twin_of(store: GraphStore, element: ElementNode) -> Twin | None:
    """Return which of its twins an element is, or None if it has no twins."""
    if store not in _TWINS:
        _TWINS[store] = _read_twins(store)
    return _TWINS[store].get(element.instance_id)


def _read_twins(store: GraphStore) -> dict[str, Twin]:
    groups: dict[str, list[ElementNode]] = {}
    for one in visible_elements(store):
        if one.stable_id is UNSET and not is_data_item(store, one):
            groups.setdefault(semantic_key(store, one), []).append(one)
    return {
        one.instance_id: Twin(suffix, len(group), after)
        for group in groups.values()
        if len(group) > 1
        for one, suffix, after in zip(group, _suffixes(store, group), _preceding(store, group), strict=True)
    }


def _suffixes(store: GraphStore, group: list[ElementNode]) -> Iterable[str]:
    """Return what distinguishes the twins: an attribute of their own, else their position; nothing in a list."""
    items = {_item_of(store, one) for one in group}
    if len(group) > MAX_TWINS or (None not in items and len(items) == len(group)):
        return [""] * len(group)
    own = [own_attributes(store, one) for one in group]
    for name in ATTRIBUTES:
        values = [one.get(name) for one in own]
        if None not in values and len(set(values)) == len(group):
            return [f"#{value}" for value in values]
    return [f"~{index + 1}" for index in range(len(group))]


def _preceding(store: GraphStore, group: list[ElementNode]) -> Iterable[str]:
    texts = [preceding_text(store, one) for one in group]
    return [text if texts.count(text) == 1 else "" for text in texts]


def _item_of(store: GraphStore, element: ElementNode) -> str | None:
    """Return the list item or row around an element."""
    around = (one.instance_id for one in store.ancestors(element.instance_id) if one.role in RECORD_ROLES)
    return next(around, None)
