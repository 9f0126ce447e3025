"""Keys of a page: its controls, scopes and template, as sets that can be compared with those of other pages.

Strict keys tell any two controls apart. Folded keys leave out data: numbers, values in brackets, messages, and for a
template also the names of links and sections. `StateIndex` and `Siblings` decide with them which pages are one state.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from msgspec import UNSET

from uiap.digests import text_digest
from uiap.discovery.knowledge.candidates import (
    element_key,
    is_in_column_header,
    is_in_record,
    link_url,
)
from uiap.discovery.knowledge.naming import scope_key, scope_path_key
from uiap.discovery.plan.address import address_from_page, path_pattern, view_address
from uiap.discovery.risk_words import has_words
from uiap.graph.fingerprint import stable_text
from uiap.graph.identity import element_label, route_key
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, is_hidden, is_inside_scope, scope_path, scopes_of, visible_elements
from uiap.spec.web import ElementNode, ScopeNode

_NUMBER = re.compile(r"\d[\d.,:]*")
_VALUE = re.compile(r"(?<=\w)\s*\([^()]*\)(?=( !)?$)")
"""A value in brackets at the end of a name, as in `Theme (dark)`."""
_MESSAGE_ROLES = ("alert", "toast", "status")
_FIELD_ROLES = frozenset(
    {"textbox", "textarea", "searchbox", "combobox", "spinbutton", "datepicker", "timepicker", "fileinput"}
)
_DATA_SCOPES = frozenset({"table", "list", "group", "tree", "grid"})
"""Scopes whose names are data where a page shows other records."""
_TOOLTIP_ROLES = ("popover", "tooltip", "group", "region")
_RECORD_LINK = "|record link"
_OPEN = " !"
"""The mark of a control that is open, pressed or selected."""


class PageOffer(NamedTuple):
    """The controls a page offers whatever its parameters are; options, records and messages are data."""

    controls: frozenset[str]
    self_links: frozenset[str]
    """Links to the same page with other parameters."""


def state_shape(store: GraphStore, route: str | None = None) -> str:
    """Return a digest of the scopes and controls of a page, and of which controls are open or selected."""
    key = route_key(store.route) if route is None else route
    modal = [scope_key(store.scopes[id]) for id in store.modal_stack]
    controls = {_control_key(store, one, key) for one in visible_elements(store) if is_actionable(one)}
    regions = _opaque_regions(store)
    parts = (key, *modal, "|", *sorted(_scopes(store)), "|", *sorted(controls), "|", *sorted(regions))
    return text_digest(parts)


def scope_digests(store: GraphStore) -> frozenset[str]:
    """Return a digest of each scope with its own controls, and of each opaque region."""
    controls: dict[str, set[str]] = {
        one.scope_id: set() for one in store.scopes.values() if not is_hidden(one)
    }
    for one in visible_elements(store):
        if is_actionable(one) and one.scope_id in controls:
            controls[one.scope_id].add(_control_key(store, one, ""))
    regions = _opaque_regions(store)
    scopes = [
        "\x1f".join((scope_path_key(scope_path(store, id)), *sorted(found))) for id, found in controls.items()
    ]
    return frozenset(text_digest([text], size_bytes=8) for text in (*scopes, *regions))


def shown_by_press(before: GraphStore, after: GraphStore, pressed: ElementNode) -> frozenset[str]:
    """Return the scopes and named controls that are new on the page, and the controls that are open now.

    A control that closed shows nothing. If the pressed control only has another name now, as a switch between two
    themes, it shows nothing either.
    """
    old, new = panel_keys(before), panel_keys(after)
    shown, gone = new - old, old - new
    replaced = {_without_record(one) for one in gone}
    shown = frozenset(
        one for one in shown if one + _OPEN not in gone and _without_record(one) not in replaced
    )
    if all(_repeats(one, pressed) for one in shown):
        return frozenset()  # a tooltip
    if (
        len(shown) == 1
        and gone == {_folded_key(before, pressed)}
        and _without_name(*shown) == _without_name(*gone)
    ):
        return frozenset()
    return shown


def pressed_key(store: GraphStore, pressed: ElementNode) -> str:
    """Return the key of a control for its presses on all pages."""
    return _folded_key(store, pressed)


def hidden_by_press(before: GraphStore, after: GraphStore) -> frozenset[str]:
    """Return the scopes and named controls that the page does not show any more."""
    return panel_keys(before) - panel_keys(after)


def visible_texts(store: GraphStore) -> frozenset[str]:
    """Return role and words of everything that the page shows, also of what cannot be pressed."""
    return frozenset(
        f"{one.role}|{stable_text(one.name or one.text or '')}" for one in visible_elements(store)
    )


def panel_keys(store: GraphStore) -> frozenset[str]:
    """Return the scopes and the named controls of a page, without data."""
    controls = {_folded_key(store, one) for one in _controls(store) if one.name or one.text or one.stable_id}
    return frozenset(_scopes(store) | controls | _opaque_regions(store))


def shows_other_data(before: GraphStore, after: GraphStore) -> bool:
    """Whether a press left the controls and changed the names of lists and groups only, as a calendar does."""
    return _keys_in_kinds(after) <= _keys_in_kinds(before)


def shows_only_variants(before: GraphStore, after: GraphStore) -> bool:
    """Whether a press showed only links to the same page with other parameters, such as page sizes and orders."""
    old, page = panel_keys(before), after.route.url
    known = {without_mark(one) for one in old}
    shown = {one for one in panel_keys(after) - old if "|" in one and without_mark(one) not in known}
    links = ((one, link_url(after, one)) for one in _controls(after))
    variants = {
        _folded_key(after, one)
        for one, url in links
        if url is not None and "?" in url and view_address(url) == view_address(page)
    }
    return bool(shown) and shown <= variants and after.modal_stack == before.modal_stack


def _keys_in_kinds(store: GraphStore) -> frozenset[str]:
    """Return the named controls and the scopes of a page, with the kinds of lists and groups instead of names."""
    keys = {_place(scope_path(store, id)) for id in _visible_scopes(store)}
    for one in _controls(store):
        if is_in_record(store, one):
            keys.add(f"record {one.role}")
        elif one.name or one.text or one.stable_id:
            name = element_label(one) if one.role == "tab" else folded(element_label(one))
            keys.add(f"{_place(scopes_of(store, one))}|{one.role}|{one.stable_id or ''}|{name}{_mark(one)}")
    return frozenset(keys | _opaque_regions(store))


def _place(scopes: tuple[ScopeNode, ...]) -> str:
    return ">".join(one.kind if one.kind in _DATA_SCOPES else scope_key(one) for one in scopes)


def page_offer(store: GraphStore) -> PageOffer:
    """Return the controls and self links of a page, apart from its options, records and links to records."""
    path = path_pattern(store.route.url)
    controls, self_links = set(), set()
    for one in _controls(store):
        if one.role == "option" or is_in_record(store, one):
            continue
        url = link_url(store, one)
        if url is None:
            label = one.name or one.text or ""
            if has_words(label) or one.stable_id or one.role in _FIELD_ROLES:
                controls.add(_folded_key(store, one))
        elif path_pattern(url) == path:
            self_links.add(_folded_key(store, one))
        elif ":id" not in path_pattern(url):
            controls.add(_folded_key(store, one))
    return PageOffer(frozenset(controls | _opaque_regions(store)), frozenset(self_links))


def control_kinds(store: GraphStore, *, with_dialogs: bool = True) -> frozenset[str]:
    """Return the kinds of controls of a page: scopes and role, for fields also the name, and which are open."""
    kinds = set()
    left_out = () if with_dialogs else store.modal_stack
    for one in _controls(store):
        if any(is_inside_scope(store, one, dialog) for dialog in left_out):
            continue
        if one.role != "option" and not is_in_record(store, one):
            name = folded(element_label(one)) if one.role in _FIELD_ROLES else ""
            kinds.add(f"{_scope_kinds(store, one)}|{one.role}|{name}{_mark(one)}")
    return frozenset(kinds)


def template_keys(store: GraphStore) -> frozenset[str]:
    """Return the template of a page: its columns, fields and buttons by name, its links and sections by kind.

    Two records of one kind have the same template. Their links, headings and charts have other names.
    """
    keys = {f"{one.kind}" for one in store.opaque_regions.values()} | page_columns(store)
    for one in _controls(store):
        if one.role != "option" and not is_in_column_header(store, one):
            keys.add(_template_key(store, one))
    return frozenset(keys)


def page_columns(store: GraphStore) -> frozenset[str]:
    """Return the names of the columns of all tables."""
    headers = (one for one in visible_elements(store) if is_in_column_header(store, one))
    return frozenset(
        f"column {folded(one.name or one.text or '')}" for one in headers if one.name or one.text
    )


def template_names(store: GraphStore) -> frozenset[str]:
    """Return the named columns, fields, buttons and sections of a page; links name other pages."""
    columns = page_columns(store)
    controls = (one for one in _controls(store) if one.role not in ("link", "option") and element_label(one))
    return frozenset(columns | {_folded_key(store, one) for one in controls if not is_in_record(store, one)})


def link_key(store: GraphStore, link: ElementNode) -> str:
    """Return a key that is equal for links with the same words, and for the links of the records of one list."""
    place = f"{route_key(store.route)}|{scope_path_key(scopes_of(store, link))}"
    return f"{place}{_RECORD_LINK if is_in_record(store, link) else f'|{element_label(link)}'}"


def is_record_link(key: str) -> bool:
    """Whether this is the key of the links of the records of a list."""
    return key.endswith(_RECORD_LINK)


def _repeats(key: str, pressed: ElementNode) -> bool:
    """Return whether a scope or a box that is shown only has the name of the pressed control, as a tooltip has."""
    name, (place, _, text) = folded(element_label(pressed)), without_mark(key).rpartition("|")
    is_control = place.rpartition("|")[2] not in _TOOLTIP_ROLES
    return bool(name) and (text.rpartition(":")[2] == name if not place else not is_control and text == name)


def link_paths(store: GraphStore) -> frozenset[str]:
    """Return the path patterns of all links of a page."""
    urls = (link_url(store, one) for one in store.by_role("link"))
    return frozenset(path_pattern(url) for url in urls if url is not None)


def _without_record(key: str) -> str:
    """Return the key of a control, equal whether a chart or a list beside it makes it part of a record or not."""
    return key.replace("|record ", "|").removeprefix("|")


def without_mark(key: str) -> str:
    """Return the key of a control whether it is open or not."""
    return key.removesuffix(_OPEN)


def is_page(store: GraphStore) -> bool:
    """Whether the document is a page of an application, and no file that a browser can show, such as a feed.

    A file has no title and no control with a name.
    """
    if store.route.title or store.route.route_id or store.opaque_regions:
        return True
    return any(one.name or one.stable_id or link_url(store, one) for one in _controls(store))


@lru_cache(8192)
def folded(text: str) -> str:
    """Return a name without numbers and without a value in brackets: `Theme (dark)` becomes `Theme`."""
    return _NUMBER.sub("#", _VALUE.sub("", stable_text(text)))


def _folded_key(store: GraphStore, one: ElementNode) -> str:
    """Return the key of a control without data. The number of a tab is its name.

    The address of a link in a record counts from the page, so that the same menu of another page has the same links.
    """
    if one.role == "link" and is_in_record(store, one) and (url := link_url(store, one)) is not None:
        place = scope_path_key(scopes_of(store, one))
        return folded(f"{place}|record link|{address_from_page(url, store.route.url)}{_mark(one)}")
    key = _control_key(store, one, "")
    return key if one.role == "tab" else folded(key)


def _template_key(store: GraphStore, one: ElementNode) -> str:
    if is_in_record(store, one):
        return f"record {one.role}|"
    is_named_by_data = one.role in ("link", "custom") or isinstance(one.state.expanded, bool)
    name = "" if is_named_by_data else folded(element_label(one))
    return f"{_scope_kinds(store, one)}|{one.role}|{name}{_mark(one)}"


def _controls(store: GraphStore) -> Iterator[ElementNode]:
    """Yield the controls of a page; the buttons of messages belong to the messages."""
    messages = (one for role in _MESSAGE_ROLES for one in store.by_role(role))
    inside = {one.instance_id for message in messages for one in store.below(message.instance_id)}
    for one in visible_elements(store):
        if is_actionable(one) and one.instance_id not in inside:
            yield one


def _scopes(store: GraphStore) -> set[str]:
    return {scope_path_key(scope_path(store, id)) for id in _visible_scopes(store)}


def _visible_scopes(store: GraphStore) -> Iterator[str]:
    return (one.scope_id for one in store.scopes.values() if not is_hidden(one))


def _scope_kinds(store: GraphStore, one: ElementNode) -> str:
    """Return the kinds of the scopes around a control; an application inside itself counts once."""
    kinds = [scope.kind for scope in scopes_of(store, one)]
    return ">".join(kind for n, kind in enumerate(kinds) if kind != "app" or kinds[n - 1 : n] != ["app"])


def _without_name(key: str) -> str:
    """Return the scopes and the role of a control; a scope stays as it is."""
    place, separator, _ = key.rpartition("|")
    return place if separator else key


def _control_key(store: GraphStore, one: ElementNode, route: str) -> str:
    """Return the key of a control, with a mark if it is open or selected."""
    return element_key(store, one, route) + _mark(one)


def _mark(one: ElementNode) -> str:
    state = one.state
    is_open = state.expanded is True or state.open is True or state.pressed is True
    return _OPEN if is_open or (one.role == "tab" and state.selected is True) else ""


def _opaque_regions(store: GraphStore) -> set[str]:
    return {f"{one.kind} {one.name or ''}" for one in store.opaque_regions.values()}


def declared_route(store: GraphStore) -> str | None:
    """Return the id that the application gives this route, or None."""
    if store.route.route_id is not UNSET and store.route.route_id:
        return store.route.route_id
    return None
