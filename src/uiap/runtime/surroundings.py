"""The surroundings of a target that policy, people and grants refer to: origin, scope, form, fields, options."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from uiap.graph.index import FORM_AFFORDANCES
from uiap.graph.store import GraphStore
from uiap.graph.view import scopes_of
from uiap.origin import origin_to_act_on
from uiap.policy.addresses import address_order, is_ordinary
from uiap.policy.appraisal import data_classes_of
from uiap.policy.control import ControlPlace, native_of
from uiap.policy.routine import is_guarded_field
from uiap.spec.web import ElementNode, ScopeNode

SURFACES = frozenset({"dialog", "drawer", "popover", "form"})
"""Scopes whose name says what their buttons do."""
MAX_FIELDS, MAX_OPTIONS, MAX_VALUE = 100, 200, 200
_FIELD_AFFORDANCES = FORM_AFFORDANCES - {"submit"}
PRIVATE = "•••"
_LISTS = frozenset(
    {"listbox", "combobox", "tree", "treegrid", "grid", "table", "radiogroup", "group", "menu"}
)
_HIDDEN_CLASSES = frozenset({"credential", "secret", "payment", "sensitive", "health"})

Field = tuple[str, str]


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """The surroundings of an element. The second half is known only after the target was probed."""

    origin: str | None = None
    """The origin of its own document, which may be a frame."""
    route_id: str | None = None
    scope_id: str | None = None
    """The stable id of the scope, or its scope id."""
    scope_kind: str | None = None
    surface: str = ""
    """The name of the innermost dialog or form around it."""
    revision: str = ""

    in_form: bool = False
    in_surface: bool = False
    shows_panel: bool = False
    in_dialog: bool = False
    reading_form: bool = False
    """The form around it only reads: it goes to an address with its fields."""
    moves_options: bool = False
    """The form has two lists between which options are moved."""
    guarded_field: bool = False
    """A field of the form or dialog is private, or decides about rights, money or consent."""
    drop_label: str = ""
    """The label of the element that a drag ends on."""
    orders_by_form: bool = False
    """The form goes to an address with an operation that is no ordinary change."""
    in_list: bool = False
    submit_label: str = ""
    """The labels of the buttons that submit its form."""
    options: tuple[str, ...] = ()
    """The labels of the options of a list."""
    fields: tuple[Field, ...] = ()
    """The fields of the form or dialog around it, with their values. Private values are masked."""

    carried_from: str = ""
    """Another origin on which the text that is typed was read."""
    writes: int = 0
    """The number of gestures that wrote on the tab so far."""

    @property
    def place(self) -> ControlPlace:
        return ControlPlace(
            in_form=self.in_form,
            in_surface=self.in_surface,
            surface=self.surface,
            shows_panel=self.shows_panel,
            in_dialog=self.in_dialog,
            reading_form=self.reading_form,
            moves_options=self.moves_options,
            guarded_field=self.guarded_field,
            in_list=self.in_list,
            orders_by_form=self.orders_by_form,
        )


def surroundings_of(store: GraphStore, element: ElementNode) -> Surroundings:
    """Return the surroundings that every candidate needs."""
    scopes = scopes_of(store, element)
    scope = store.scope(element.scope_id or "")
    document = store.documents.get(element.document_id)
    surfaces = [one.name for one in scopes if one.kind in SURFACES and one.name]
    return Surroundings(
        origin=None if document is None else origin_to_act_on(document.origin, document.url) or None,
        route_id=store.route.route_id or None,
        scope_id=None if scope is None else scope.stable_id or _known_name(store, scope),
        scope_kind=None if scope is None else scope.kind,
        surface=surfaces[-1] if surfaces else "",
        revision=store.revision,
    )


def _known_name(store: GraphStore, scope: ScopeNode) -> str:
    """Return the id that a bundle gives to the scope, so that its rules apply; else the id of the page."""
    known = store.known_names
    return scope.scope_id if known is None else known.scope_name(store, scope.scope_id) or scope.scope_id


def full_surroundings(store: GraphStore, element: ElementNode) -> Surroundings:
    """Return the surroundings of the one target, with everything that its decision and its grant depend on."""
    scopes = scopes_of(store, element)
    kinds = {scope.kind for scope in scopes}
    form, owner = _form_of(store, element, scopes)
    around = _form_parts_around(store, element, scopes, form, owner)
    fields = [one for one in around if _FIELD_AFFORDANCES & set(one.affordances)]
    return msgspec.structs.replace(
        surroundings_of(store, element),
        in_form="form" in kinds or bool(owner),
        in_surface=not kinds.isdisjoint({"dialog", "drawer", "popover"}),
        shows_panel=element.role in ("tab", "tablist") and _shows_panel(store, element),
        in_dialog="dialog" in kinds,
        reading_form=_only_reads(element, form, owner) and not any(map(_sends_otherwise, (element, *around))),
        moves_options=sum(one.role == "listbox" for one in fields) >= 2,
        guarded_field=any(_is_guarded(one) for one in fields),
        orders_by_form=_orders(element) or _orders(form),
        in_list=any(one.role in _LISTS for one in store.ancestors(element.instance_id)),
        submit_label=" ".join(
            one.name or "" for one in around if one.role == "button" and "submit" in one.affordances
        ),
        options=_options(store, element),
        fields=tuple(_field(one) for one in fields[:MAX_FIELDS] if one.role != "option"),
    )


def _form_of(
    store: GraphStore, element: ElementNode, scopes: tuple[ScopeNode, ...]
) -> tuple[ElementNode | None, str]:
    """Return the form of an element, and the id of the form that it belongs to from outside, or ""."""
    owner = str(_facts(element).get("owner", ""))
    if owner:
        forms = (one for one in store.by_role("form") if one.document_id == element.document_id)
        return next((one for one in forms if _facts(one).get("formId") == owner), None), owner
    if element.role == "form":
        return element, ""
    hosts = [one.host_instance_id for one in scopes if one.kind == "form"]
    return (store.element(hosts[-1] or "") if hosts else None), ""


def _form_parts_around(
    store: GraphStore,
    element: ElementNode,
    scopes: tuple[ScopeNode, ...],
    form: ElementNode | None,
    owner: str,
) -> tuple[ElementNode, ...]:
    """Return the fields and senders of the form, else of the innermost dialog, else of the innermost scope.

    Controls outside of a form belong to it if their attribute names it. A form that is hidden has only these.
    """
    if form is not None or owner:
        inside = () if form is None else store.form_parts(form.instance_id)
        id = owner or _facts(form).get("formId")
        return (*inside, *(one for one in store.form_parts() if id and _belongs_to(one, id, element)))
    by_kind = (
        [s for s in scopes if s.kind == "form"] or [s for s in scopes if s.kind in SURFACES] or list(scopes)
    )
    if not by_kind:
        return ()
    host = by_kind[-1].host_instance_id
    if isinstance(host, str) and store.element(host) is not None:
        return store.form_parts(host)
    return store.by_scope(by_kind[-1].scope_id)


def _belongs_to(one: ElementNode, form_id: str, element: ElementNode) -> bool:
    return one.document_id == element.document_id and _facts(one).get("owner") == form_id


def _facts(element: ElementNode | None) -> dict[str, Any]:
    return element.metadata if element is not None and isinstance(element.metadata, dict) else {}


def _only_reads(element: ElementNode, form: ElementNode | None, owner: str) -> bool:
    """Return whether the form goes to an address with its fields, and that address orders nothing."""
    if owner and _facts(element).get("ownerForm") != "get":
        return False
    if form is None:
        return bool(owner)
    facts = _facts(form)
    return facts.get("form") == "get" and address_order(str(facts.get("action", ""))) is None


def _orders(sender: ElementNode | None) -> bool:
    """Return whether a form, or a button with its own address, goes to an operation that is no ordinary change."""
    order = address_order(str(_facts(sender).get("posts", "")))
    return order is not None and not is_ordinary(order)


def _sends_otherwise(element: ElementNode) -> bool:
    """Return whether a button sends its form elsewhere, by another method, or with an operation: `action=delete`."""
    facts = _facts(element)
    by_attribute = facts.get("method") and "submit" in (*element.affordances, native_of(element))
    return bool(by_attribute) or address_order(f"/?{facts.get('sends', '')}") is not None


def _is_guarded(field: ElementNode) -> bool:
    """Return whether a field is private, or decides about rights, money or consent."""
    if field.role == "option":
        return False
    private = field.state.sensitive is True or not _HIDDEN_CLASSES.isdisjoint(data_classes_of(field))
    is_on = field.state.checked is True or field.state.pressed is True
    return private or is_guarded_field(field.name or "", is_on=is_on)


def _shows_panel(store: GraphStore, element: ElementNode) -> bool:
    return any(one.document_id == element.document_id for one in store.by_role("tabpanel"))


def _options(store: GraphStore, element: ElementNode) -> tuple[str, ...]:
    if element.role not in ("combobox", "listbox"):
        return ()
    found = (one for one in store.below(element.instance_id) if one.role == "option")
    return tuple(one.name or one.text or "" for one, _ in zip(found, range(MAX_OPTIONS), strict=False))


def _field(element: ElementNode) -> Field:
    return (element.name or element.stable_id or element.role, _value(element))


def _value(element: ElementNode) -> str:
    state = element.state
    if state.sensitive is True or not _HIDDEN_CLASSES.isdisjoint(data_classes_of(element)):
        return PRIVATE
    for value in (state.text_value, state.numeric_value, state.checked, state.pressed, state.selected):
        if value is not UNSET and value is not None:
            return str(value)[:MAX_VALUE]
    return ""
