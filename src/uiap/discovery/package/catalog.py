"""The catalogs of a package: findings in the terms of the specification, with provenance and confidence (DISC-6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args

import msgspec
from msgspec import UNSET

from uiap.discovery.knowledge.findings import ElementFinding, Findings, RouteFinding, ScopeFinding
from uiap.discovery.knowledge.naming import slug
from uiap.discovery.knowledge.states import State
from uiap.discovery.knowledge.transitions import RunLog, Transition
from uiap.discovery.package.provenance import (
    element_confidence,
    element_refs,
    graph_refs,
    is_repeated,
    metadata_or_unset,
    principal_names,
    ref,
    tuple_or_unset,
)
from uiap.discovery.package.routes import merged_routes
from uiap.discovery.package.scopes import RECORD, scopes_without_data
from uiap.discovery.plan.address import address_pattern
from uiap.discovery.plan.seeds import document_labels
from uiap.policy.strictest_risk import strictest_risk
from uiap.spec.capability import ActionArgDescriptor, SemanticRef, TargetRef, UIStateKey
from uiap.spec.discovery import Confidence, DiscoveredElement, DiscoveredRoute, DiscoveredScope

_STATE_KEYS = frozenset(get_args(UIStateKey))
# DISC-15.4: the actions that each affordance allows
_PRIMITIVES: dict[str, tuple[str, ...]] = {
    "activate": ("ui.activate",),
    "edit": ("ui.enterText", "ui.clearText"),
    "toggle": ("ui.toggle",),
    "choose": ("ui.choose",),
    "submit": ("ui.submit",),
    "navigate": ("nav.navigate",),
    "expand": ("ui.expand",),
    "collapse": ("ui.collapse",),
    "upload": ("ui.upload",),
    "open": ("ui.open",),
    "close": ("ui.close",),
    "dismiss": ("ui.close",),
    "scroll": ("ui.scroll",),
}


class Catalog:
    """Builds every catalog from the same findings, so that they agree with each other."""

    def __init__(
        self,
        findings: Findings,
        states: Iterable[State],
        log: RunLog,
        registered: Iterable[str] = (),
        documents: Mapping[str, str] | None = None,
        manifest_routes: Mapping[str, str] | None = None,
    ) -> None:
        self._findings, self._registered = findings, frozenset(registered)
        self._manifest_routes = dict(manifest_routes or {})
        """The routes that a bundle names, by the pattern of their address."""
        self._document_labels = {name: document_labels(text) for name, text in (documents or {}).items()}
        self._states = {state.id: state for state in states}
        self._renamed = merged_routes(findings.routes.values())
        self._scope_ids = scopes_without_data(findings)
        self._by_id = {one.id: one for one in log.transitions}

    def route(self, id: str) -> str:
        """Return the id of a route, or of the pattern it was merged into."""
        return self._renamed.get(id, id)

    def scope(self, id: str) -> str:
        """Return the id of a scope, without a name that is data of a record."""
        return self._scope_ids.get(id, id)

    def target(self, target: TargetRef) -> TargetRef:
        """Return the target with the id of its scope as the catalog has it."""
        if isinstance(target, SemanticRef) and target.scope is not UNSET:
            return msgspec.structs.replace(target, scope=self.scope(target.scope))
        return target

    def routes(self) -> list[DiscoveredRoute]:
        groups: dict[str, list[RouteFinding]] = {}
        for one in self._findings.routes.values():
            groups.setdefault(self.route(one.id), []).append(one)
        routes = [self._route(id, members) for id, members in sorted(groups.items())]
        return [*routes, *self._views()]

    def _views(self) -> Iterator[DiscoveredRoute]:
        """Yield a route for each view that navigation leads to without another address (DISC-15.1)."""
        titles = {(one.route, one.title) for one in self._states.values() if not one.depth}
        for state in self._states.values():
            arrivals = [t for t in self._by_id.values() if t.target == state.id != t.source]
            if not arrivals or state.modal or not state.title or (state.route, state.title) in titles:
                continue
            titles.add((state.route, state.title))
            is_certain = len(arrivals) > 1 or any(map(is_repeated, arrivals))
            yield DiscoveredRoute(
                route_id=f"{self.route(state.route)}#{slug(state.title)}",
                urls=(state.url,),
                titles=(state.title,),
                scopes=tuple_or_unset(dict.fromkeys(map(self.scope, state.scopes))),
                discovered_by=(*graph_refs([state.id]), *(ref("transition", t.id) for t in arrivals[:3])),
                confidence="high" if is_certain else "medium",
                entry_actions=tuple(dict.fromkeys(t.action for t in arrivals)),
                metadata={"view": True, "states": 1},
            )

    def _names_of_bundle(self, members: Iterable[RouteFinding]) -> Iterable[str]:
        """Return the ids that a bundle gives to the addresses of a route."""
        patterns = (address_pattern(url) for one in members for url in one.urls)
        return dict.fromkeys(self._manifest_routes[one] for one in patterns if one in self._manifest_routes)

    def _route(self, id: str, members: list[RouteFinding]) -> DiscoveredRoute:
        first = members[0]
        states = [state for one in members for state in one.states]
        transitions = [id for one in members for id in one.transitions][:3]
        evidence = [ref("annotation", f"route:{id}")] if first.declared else []
        evidence += [ref("app_registry", f"route:{one}") for one in self._names_of_bundle(members)]
        evidence += [ref("documentation", f"document:{name}") for one in members for name in one.documents]
        evidence += [*graph_refs(states[:3]), *(ref("transition", id) for id in transitions)]
        patterns = list(dict.fromkeys(pattern for one in members for pattern in one.patterns))
        pattern = id if len(members) > 1 else patterns[0]
        principals = principal_names(one.principals for one in members)
        # DISC-7: high if declared or reached twice, medium if reached once, low if only its address was loaded
        confidence: Confidence = "medium" if transitions or len(states) > 1 else "low"
        if first.declared or len(transitions) > 1:
            confidence = "high"
        return DiscoveredRoute(
            route_id=id,
            urls=tuple_or_unset(dict.fromkeys(url for one in members for url in one.urls)),
            titles=tuple_or_unset(dict.fromkeys(title for one in members for title in one.titles)),
            scopes=tuple_or_unset(
                dict.fromkeys(self.scope(scope) for one in members for scope in one.scopes)
            ),
            discovered_by=tuple(evidence) or (ref("inferred", f"route:{id}"),),
            confidence=confidence,
            entry_actions=tuple_or_unset(
                dict.fromkeys(action for one in members for action in one.entered_by)
            ),
            exit_signals=tuple_or_unset(
                {key: signal for one in members for key, signal in one.exit_signals.items()}.values()
            ),
            metadata=metadata_or_unset(
                pattern=pattern,
                patterns=patterns if len(patterns) > 1 else None,
                parameters=_parameters(pattern),
                states=len(states),
                principals=principals,
                why="only its address was loaded; no control led there" if confidence == "low" else None,
            ),
        )

    def scopes(self) -> list[DiscoveredScope]:
        by_id: dict[str, DiscoveredScope] = {}
        for _, one in sorted(self._findings.scopes.items()):
            found = self._scope(one)
            by_id.setdefault(found.scope_id, found)
        return [by_id[id] for id in sorted(by_id)]

    def _scope(self, one: ScopeFinding) -> DiscoveredScope:
        has_own_name = self.scope(one.id) == one.id or not self.scope(one.id).endswith(RECORD)
        annotated = one.source == "annotation" or bool(one.stable_ids)
        return DiscoveredScope(
            scope_id=self.scope(one.id),
            kind=one.kind,
            route_ids=tuple_or_unset(dict.fromkeys(self.route(route) for route in one.routes)),
            parent_scope_id=self.scope(one.parent) if one.parent else UNSET,
            names=tuple_or_unset(one.names) if has_own_name else UNSET,
            stable_ids=tuple_or_unset(one.stable_ids),
            discovered_by=(
                *([ref("annotation", f"scope:{one.id}")] if annotated else []),
                *([ref("inferred", f"scope:{one.id}")] if one.source == "heuristic" else []),
                *graph_refs(list(one.states)[:2]),
            ),
            confidence="high" if annotated else "medium" if one.names else "low",
            metadata=metadata_or_unset(
                principals=principal_names([one.principals]),
                nameIsData=None if has_own_name else True,
                why=None if annotated or one.names else "neither an id nor a name tells it from other scopes",
            ),
        )

    def elements(self) -> list[DiscoveredElement]:
        by_key: dict[str, DiscoveredElement] = {}
        for one in self._findings.elements:
            if one.node.role == "option" and not one.transitions:
                continue  # the options of a choice are data, and members of the choice itself
            found = self._element(one)
            by_key.setdefault(found.semantic_key, found)
        return [by_key[key] for key in sorted(by_key)]

    def semantic_key(self, one: ElementFinding) -> str:
        """Return route, scope path, role and meaning (DISC-6.4); the route is `*` for an element on several routes."""
        if one.node.stable_id is not UNSET:
            return one.node.stable_id
        routes = {self.route(route) for route in one.routes}
        route = next(iter(routes)) if len(routes) == 1 else "*"
        return f"{route}|{self.scope(one.scope or '')}|{one.key.partition('|')[2]}"

    def _element(self, one: ElementFinding) -> DiscoveredElement:
        node = one.node
        evidence = element_refs(one, self._registered, self._document_labels)
        confidence = element_confidence(one, evidence, self.performed(one))
        return DiscoveredElement(
            stable_id=node.stable_id,
            semantic_key=self.semantic_key(one),
            routes=tuple_or_unset(dict.fromkeys(self.route(route) for route in one.routes)),
            scopes=tuple_or_unset(dict.fromkeys(map(self.scope, one.scopes))),
            role=node.role,
            names=tuple_or_unset(one.names),
            meanings=tuple_or_unset(one.meanings),
            state_keys=tuple_or_unset(key for key in map(_camel, one.state_keys) if key in _STATE_KEYS),
            affordances=tuple(one.affordances),
            supported_actions=tuple_or_unset(primitives(node.role, one.affordances)),
            risk=strictest_risk(one.risks),
            data_classes=tuple_or_unset(one.data_classes),
            discovered_by=tuple(evidence),
            confidence=confidence,
            review_state="needs_review" if confidence == "low" else "candidate",
            metadata=metadata_or_unset(
                record=True if one.record else None,
                customRole=node.custom_role or None,
                descriptions=list(one.descriptions) or None,
                options=list(one.options) or None,
                attributes=one.attributes or None,
                twin=_twin(one),
                sideEffectClass=one.judgement.side_effect if one.judgement is not None else None,
                decision=one.decision._asdict() if one.decision is not None else None,
                principals=principal_names([one.principals]),
                why=_reason_low(one) if confidence == "low" else None,
            ),
        )

    def performed(self, one: ElementFinding) -> list[Transition]:
        """Return the transitions that a press of the element made."""
        return [self._by_id[id] for id in one.transitions if id in self._by_id]

    def fields(self, submit: ElementFinding) -> list[ElementFinding]:
        """Return the inputs of the form that a control submits."""
        return [
            one
            for one in self._findings.elements
            if submit.scope in one.scopes
            and _in_one_form(submit, one)
            and ({"edit", "toggle", "upload"} & set(one.node.affordances) or _is_choice(one))
        ]


def primitives(role: str, affordances: Iterable[str]) -> tuple[str, ...]:
    """Return the primitive actions of an element, in the order of its affordances (DISC-15.4)."""
    found = [action for affordance in affordances for action in _PRIMITIVES.get(affordance, ())]
    if role == "link" and "ui.activate" in found and "nav.navigate" in found:
        found.remove("ui.activate")
        found.insert(0, "ui.activate")
    return tuple(dict.fromkeys(found))


def _argument(one: ElementFinding) -> ActionArgDescriptor:
    name = slug(one.node.meaning or _first(one.names) or one.node.name or one.node.role).replace("-", "_")
    kind: Any = {"checkbox": "boolean", "switch": "boolean", "spinbutton": "number", "slider": "number"}.get(
        one.node.role, "enum" if one.options else "string"
    )
    required = one.node.state.required
    return ActionArgDescriptor(
        name=name,
        type=kind,
        required=required if isinstance(required, bool) else UNSET,
        enum=one.options or UNSET,
        description=one.node.name or UNSET,
    )


def arguments(fields: Iterable[ElementFinding]) -> list[ActionArgDescriptor]:
    """Return the arguments of fields, each with a name of its own: two fields may have the same label."""
    taken: Counter[str] = Counter()
    found = []
    for one in map(_argument, fields):
        taken[one.name] += 1
        number = taken[one.name]
        found.append(one if number == 1 else msgspec.structs.replace(one, name=f"{one.name}_{number}"))
    return found


def _in_one_form(submit: ElementFinding, field: ElementFinding) -> bool:
    """Return whether both are shown together. Forms without a name share one id, on one page and on many."""
    if submit.states.keys().isdisjoint(field.states):
        return False
    first = [next(iter(one.states)) for one in (submit, field)]
    return first[0] != first[1] or submit.node.scope_id == field.node.scope_id


def _is_choice(one: ElementFinding) -> bool:
    return one.node.role in ("combobox", "listbox")


def _first(values: Iterable[str]) -> str:
    return next(iter(values), "")


def _reason_low(one: ElementFinding) -> str:
    if one.node.source == "heuristic":
        return "only its behaviour or its looks say what it is"
    return "it has no name" if not one.node.name else "no semantic sign supports it"


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def _twin(one: ElementFinding) -> dict[str, Any] | None:
    """Return how many equal elements the scope has, and the text before this one."""
    return {"of": one.twin.count, "after": one.twin.after} if one.twin is not None else None


def _parameters(pattern: str) -> list[str] | None:
    return [part[1:] for part in pattern.split("/") if part.startswith(":")] or None
