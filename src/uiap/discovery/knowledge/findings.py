"""The findings of a run, collected state by state: routes, scopes, elements, and the decision about each action.

Facts are kept with their evidence; `catalog` puts them into the words of a package. The size grows with the number of
distinct findings, not with how often they were observed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from msgspec import UNSET

from uiap.discovery.knowledge import naming
from uiap.discovery.knowledge.candidates import (
    ActionCandidate,
    element_key,
    is_in_record,
    scope_shape,
    semantic_key,
)
from uiap.discovery.knowledge.meaning import is_field, meaning_of
from uiap.discovery.knowledge.naming import scope_path_key
from uiap.discovery.knowledge.own_names import (
    Twin,
    derived_name,
    has_data_label,
    is_data_item,
    is_numbered_link,
    own_attributes,
    series_of,
    twin_of,
)
from uiap.discovery.knowledge.page_keys import declared_route
from uiap.discovery.safety.safety import Judgement, SafetyDecision
from uiap.graph.identity import route_pattern
from uiap.graph.names import has_mixed_scripts, is_lookalike
from uiap.graph.own_attributes import HREF, own_attribute
from uiap.graph.store import GraphStore
from uiap.graph.view import is_actionable, is_hidden, scopes_of, visible_elements
from uiap.spec.capability import RiskDescriptor, SuccessSignal, UIAffordance, UIState
from uiap.spec.policy import SIDE_EFFECT_RULES
from uiap.spec.web import ElementNode, OpaqueRegion, ScopeNode

_SIGNAL_ROLES = frozenset({"alert", "toast", "status", "progress", "spinner"})
_ROLES_WITHOUT_NAME = frozenset(
    {"form", "group", "region", "row", "listitem", "treeitem", "list", "table", "dialog", "menu"}
)
_DATA_ROLES = frozenset({"link", "option", "row", "cell", "listitem", "treeitem", "image"})
"""Roles whose names are data inside a record, because other records have other names."""
_MAX_VALUES = 8
_PASSIVE = frozenset({"read", "focus"})
"""Affordances that change nothing."""
_AX_ROLES = {"textarea": "textbox"}
"""Roles that the accessibility tree calls differently."""

CHANGES_DATA = 3
"""Side effects from this severity on change stored data."""


@dataclass(slots=True)
class RouteFinding:
    id: str
    declared: bool
    patterns: dict[str, None] = field(default_factory=dict)
    urls: dict[str, None] = field(default_factory=dict)
    titles: dict[str, None] = field(default_factory=dict)
    scopes: dict[str, None] = field(default_factory=dict)
    states: dict[str, None] = field(default_factory=dict)
    entered_by: dict[str, None] = field(default_factory=dict)
    transitions: dict[str, None] = field(default_factory=dict)
    principals: dict[str, None] = field(default_factory=dict)
    shapes: dict[str, None] = field(default_factory=dict)
    exit_signals: dict[bytes, SuccessSignal] = field(default_factory=dict)
    """The signals of actions that left the route."""
    documents: dict[str, None] = field(default_factory=dict)
    """The documents that name the route."""


@dataclass(slots=True)
class ScopeFinding:
    id: str
    kind: str
    source: str
    parent: str | None = None
    names: dict[str, None] = field(default_factory=dict)
    stable_ids: dict[str, None] = field(default_factory=dict)
    routes: dict[str, None] = field(default_factory=dict)
    states: dict[str, None] = field(default_factory=dict)
    principals: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class ElementFinding:
    key: str
    """Scope path, role and text, without the route."""
    node: ElementNode
    record: bool
    scope: str | None
    routes: dict[str, None] = field(default_factory=dict)
    scopes: dict[str, None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    descriptions: dict[str, None] = field(default_factory=dict)
    meanings: dict[str, None] = field(default_factory=dict)
    affordances: dict[UIAffordance, None] = field(default_factory=dict)
    data_classes: dict[str, None] = field(default_factory=dict)
    risks: list[RiskDescriptor] = field(default_factory=list)
    """Every risk that the page declared for it or that was judged."""
    accessible_in: dict[str, None] = field(default_factory=dict)
    """The states whose accessibility tree has its role and name."""
    state_keys: dict[str, None] = field(default_factory=dict)
    states: dict[str, None] = field(default_factory=dict)
    principals: dict[str, None] = field(default_factory=dict)
    judgement: Judgement | None = None
    decision: SafetyDecision | None = None
    action: str | None = None
    transitions: dict[str, None] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    attributes: dict[str, str] | None = None
    """Attributes of its own that were equal in every state."""
    twin: Twin | None = None

    def add_risk(self, risk: RiskDescriptor) -> None:
        if risk not in self.risks:
            self.risks.append(risk)

    @property
    def changes_data(self) -> bool:
        """Return whether a press may change stored data."""
        return self.judgement is not None and changes_data(self.judgement)


def changes_data(judgement: Judgement) -> bool:
    return SIDE_EFFECT_RULES[judgement.side_effect].severity >= CHANGES_DATA


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a person should review, found while reading a state."""

    kind: str
    severity: str
    text: str
    state: str
    route: str | None = None
    scope: str | None = None
    stable_id: str | None = None
    remedy: str | None = None


class Findings:
    def __init__(self) -> None:
        self.routes: dict[str, RouteFinding] = {}
        self.scopes: dict[str, ScopeFinding] = {}
        self.elements: list[ElementFinding] = []
        self._by_key: dict[tuple[str, str], ElementFinding] = {}
        self._offered: set[tuple[str, str]] = set()
        self._submitting: set[str] = set()
        self.opaque: dict[tuple[str, str, str], tuple[OpaqueRegion, str, str]] = {}
        self.remarks: dict[tuple[str, str], Remark] = {}
        self.truncated: dict[str, int] = {}

    @property
    def action_count(self) -> int:
        """The number of actions that elements offer so far."""
        return len(self._offered)

    @property
    def workflow_count(self) -> int:
        """The number of forms so far that submit a change."""
        return len(self._submitting)

    # -- one state ------------------------------------------------------------------------------------------

    def add_state(self, store: GraphStore, state: str, principal: str, shape: str) -> None:
        """Add everything a state shows. `shape` is its shape without the route."""
        route = self.add_route(store, principal)
        route.states[state] = None
        if any(map(is_actionable, visible_elements(store))):  # pages without controls are equal in that alone
            route.shapes[shape] = None
        for scope in store.scopes.values():
            if not is_hidden(scope):
                id = self._add_scope(store, scope, route.id, state, principal)
                route.scopes[id] = None
        shapes: dict[str, str] = {}
        for element in visible_elements(store):
            if is_actionable(element) or element.role in _SIGNAL_ROLES:
                id = element.scope_id or ""
                if id not in shapes:
                    shapes[id] = scope_shape(store, id)
                self._add_element(store, element, route.id, shapes[id], state, principal)
        for region in store.opaque_regions.values():
            scope_node = store.scope(region.scope_id or "")
            scope_name = naming.scope_id(store, scope_node) if scope_node is not None else ""
            key = (region.kind, region.name or "", region.origin or "")
            self.opaque.setdefault(key, (region, state, scope_name))
        self._add_ambiguity_remarks(store, route.id, state)
        members = store.snapshot_members
        if members is not None and members.truncated is not UNSET:
            self.truncated[state] = members.truncated.omitted_elements

    def add_route(self, store: GraphStore, principal: str) -> RouteFinding:
        id, declared = naming.route_id(store), declared_route(store)
        found = self.routes.setdefault(id, RouteFinding(id, declared is not None))
        path = store.route.path if store.route.path is not UNSET else store.route.url
        found.patterns[route_pattern(path)] = None
        _add(found.urls, store.route.url)
        if store.route.title is not UNSET and store.route.title:
            _add(found.titles, store.route.title)
        found.principals[principal] = None
        return found

    def _add_scope(self, store: GraphStore, scope: ScopeNode, route: str, state: str, principal: str) -> str:
        id = naming.scope_id(store, scope)
        source = scope.source if scope.source is not UNSET else "native"
        found = self.scopes.setdefault(id, ScopeFinding(id, scope.kind, source))
        if scope.parent_scope_id is not UNSET and scope.parent_scope_id in store.scopes:
            found.parent = naming.scope_id(store, store.scopes[scope.parent_scope_id])
        if scope.name:
            _add(found.names, scope.name)
        if scope.stable_id is not UNSET:
            found.stable_ids[scope.stable_id] = None
        found.routes[route] = None
        found.principals[principal] = None
        _add(found.states, state)
        return id

    def _add_element(
        self, store: GraphStore, one: ElementNode, route: str, shape: str, state: str, principal: str
    ) -> None:
        """Add an element. Equal keys are one element on one route, and in scopes of equal shape on any route."""
        key = element_finding_key(store, one)
        scope = naming.scope_of(store, one)
        on_route = "" if one.stable_id is not UNSET else route  # a stable id means one element on all routes
        keys = ((on_route, key), (f"#{shape}", key))
        found = next((self._by_key[one_key] for one_key in keys if one_key in self._by_key), None)
        if found is None:
            found = ElementFinding(key, one, _is_repeated(store, one), scope)
            self.elements.append(found)
        for one_key in keys:
            self._by_key.setdefault(one_key, found)
        found.routes[route] = None
        if scope is not None:
            found.scopes[scope] = None
        if one.name and not _is_named_by_data(store, one):
            _add(found.names, one.name)
        if one.description:
            _add(found.descriptions, one.description)
        for name in UIState.__struct_fields__:
            if getattr(one.state, name) is not UNSET:
                found.state_keys[name] = None
        meaning = meaning_of(one) if is_field(one) or one.meaning is not UNSET else None
        if meaning is not None and not _is_named_by_data(store, one):
            _add(found.meanings, meaning)
        found.affordances.update(dict.fromkeys(one.affordances))
        self._offered.update((found.key, one) for one in one.affordances if one not in _PASSIVE)
        found.data_classes.update(dict.fromkeys(one.data_classes or ()))
        if one.risk is not UNSET:
            found.add_risk(one.risk)
        found.principals[principal] = None
        _add(found.states, state)
        _add_own_names(store, one, found)
        if one.role in ("combobox", "listbox") and not found.options:
            names = (o.name for o in store.below(one.instance_id) if o.role == "option" and o.name)
            found.options = tuple(name for name in names if name)[:50]
        self._add_name_remarks(one, route, scope, state)

    # -- decisions and transitions --------------------------------------------------------------------------

    def add_decision(
        self, store: GraphStore, candidate: ActionCandidate, decision: SafetyDecision, route: str
    ) -> None:
        element = store.element(candidate.node)
        found = self._find(store, element, route) if element is not None else None
        if found is not None:
            found.add_risk(candidate.judgement.risk)
            if "submit" in found.affordances and changes_data(candidate.judgement):
                self._submitting.add(found.key)
        if found is not None and (found.decision is None or found.decision.effect != "allow"):
            found.judgement, found.decision, found.action = (
                candidate.judgement,
                decision,
                candidate.step.action,
            )

    def add_transition(self, store: GraphStore, node: str, route: str, transition: str) -> None:
        element = store.element(node)
        found = self._find(store, element, route) if element is not None else None
        if found is not None:
            _add(found.transitions, transition)

    def add_accessible(self, state: str, nodes: Collection[str]) -> None:
        """Record which elements of a state its accessibility tree has, by role and name."""
        for one in self.elements:
            role = _AX_ROLES.get(one.node.role, one.node.role)
            if state in one.states and one.node.name and f"{role}|{one.node.name}" in nodes:
                _add(one.accessible_in, state)

    def _find(self, store: GraphStore, element: ElementNode, route: str) -> ElementFinding | None:
        key = element_finding_key(store, element)
        return self._by_key.get(("", key) if element.stable_id is not UNSET else (route, key))

    # -- remarks --------------------------------------------------------------------------------------------

    def add_remark(self, remark: Remark) -> None:
        """Add a remark, once for each kind and text."""
        self.remarks.setdefault((remark.kind, remark.text), remark)

    def _add_name_remarks(self, one: ElementNode, route: str, scope: str | None, state: str) -> None:
        """Add remarks about missing names and roles, and about names that imitate others by look-alike letters."""
        if is_actionable(one) and not one.name and one.role not in _ROLES_WITHOUT_NAME:
            where = f"in `{scope}` " if scope else ""
            text = f"accessibility: a {one.role} {where}on `{route}` has no name"
            fix = "give it a text, a label or an aria-label"
            self.add_remark(Remark("custom", "medium", text, state, route, scope, one.stable_id or None, fix))
        if one.role == "custom" and is_actionable(one):
            text = f"accessibility: `{one.name or one.custom_role or 'an element'}` on `{route}` acts but has no role"
            fix = "use a native control or an ARIA role"
            self.add_remark(Remark("custom", "medium", text, state, route, scope, one.stable_id or None, fix))
        if one.name and (has_mixed_scripts(one.name) or (one.text and is_lookalike(one.text, one.name))):
            text = f"`{one.name}` mixes letters of scripts that look alike; its name may be forged"
            self.add_remark(Remark("custom", "high", text, state, route, scope, one.stable_id or None))

    def _add_ambiguity_remarks(self, store: GraphStore, route: str, state: str) -> None:
        """Add a remark for each group of targets that cannot be told apart (DISC-16)."""
        counts: dict[tuple[str, str, str], int] = {}
        for one in visible_elements(store):
            if is_actionable(one) and one.name and one.stable_id is UNSET and not is_in_record(store, one):
                target = (naming.scope_of(store, one) or "", one.role, one.name)
                counts[target] = counts.get(target, 0) + 1
        for (scope, role, name), count in counts.items():
            if count > 1:
                text = f"{count} elements are {role} `{name}` in `{scope}` on `{route}`; none has an id of its own"
                fix = "give each a data-uiap-id or a name of its own"
                self.add_remark(
                    Remark("ambiguous_target", "medium", text, state, route, scope or None, None, fix)
                )
        self._add_duplicate_names(list(counts), route, state)

    def _add_duplicate_names(self, targets: Iterable[tuple[str, str, str]], route: str, state: str) -> None:
        """Add a remark for each name that controls in different scopes of a route share."""
        scopes: dict[tuple[str, str], list[str]] = {}
        for scope, role, name in targets:
            scopes.setdefault((role, name), []).append(scope)
        for (role, name), where in scopes.items():
            if len(where) > 1 and role != "link":  # links with one name usually lead to one page
                text = f"{role} `{name}` is in {len(where)} scopes of `{route}`: {', '.join(sorted(where))}"
                fix = "give each a name of its own, or name its scope in every target"
                self.add_remark(Remark("duplicate_name", "low", text, state, route, None, None, fix))


def element_finding_key(store: GraphStore, element: ElementNode) -> str:
    """Return the key of an element without its route: stable id or record key, else its meaning (MDM-R2)."""
    if has_data_label(store, element) and element.stable_id is UNSET and element.role != "link":
        return element_key(store, element).rpartition("|")[0] + "|"
    if element.stable_id is not UNSET or is_in_record(store, element):
        return element_key(store, element)
    if is_numbered_link(store, element):
        path = scope_path_key(scopes_of(store, element))
        return f"{path}|record link|{own_attribute(store, element, HREF)}"
    if (series := series_of(store, element)) is not None:
        return series
    twin = twin_of(store, element)
    suffix = twin.suffix if twin is not None else "" if element.name else derived_name(store, element)
    return semantic_key(store, element) + suffix


def _is_named_by_data(store: GraphStore, one: ElementNode) -> bool:
    return (is_data_item(store, one) and one.role in _DATA_ROLES) or has_data_label(store, one)


def _is_repeated(store: GraphStore, element: ElementNode) -> bool:
    """Whether the element belongs to a record, or is one of many that are equal or differ only in numbers."""
    twin = twin_of(store, element)
    is_equal = twin is not None and twin.is_repeated
    return is_data_item(store, element) or is_equal or series_of(store, element) is not None


def _add_own_names(store: GraphStore, one: ElementNode, found: ElementFinding) -> None:
    """Keep the attributes that the element has in every state, and the largest number of its twins."""
    have = own_attributes(store, one)
    known = have if found.attributes is None else found.attributes
    found.attributes = {name: value for name, value in known.items() if have.get(name) == value}
    twin = twin_of(store, one)
    if twin is not None and not twin.is_repeated and (found.twin is None or twin.count > found.twin.count):
        found.twin = twin


def _add(into: dict[str, None], value: str) -> None:
    """Add a value, up to the limit."""
    if len(into) < _MAX_VALUES:
        into[value] = None
