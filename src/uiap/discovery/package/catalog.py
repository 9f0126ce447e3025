"""The catalogs of a package: findings in the terms of the specification, with provenance and confidence (DISC-6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, get_args

import msgspec
from msgspec import UNSET

from uiap.actions.registry import ACTIONS
from uiap.discovery.knowledge.findings import ElementFinding, Findings, RouteFinding, ScopeFinding
from uiap.discovery.knowledge.naming import slug
from uiap.discovery.knowledge.states import State
from uiap.discovery.knowledge.transitions import RunLog, Transition
from uiap.discovery.package.provenance import (
    graph_refs,
    metadata_or_unset,
    principal_names,
    ref,
    tuple_or_unset,
)
from uiap.discovery.package.routes import merged_routes
from uiap.discovery.package.scopes import RECORD, scopes_without_data
from uiap.spec.capability import (
    ActionArgDescriptor,
    RouteChanged,
    SuccessSignal,
    UIStateKey,
)
from uiap.spec.discovery import (
    ActionReviewState,
    ActionTargetPattern,
    DiscoveredAction,
    DiscoveredElement,
    DiscoveredRoute,
    DiscoveredScope,
    EvidenceSource,
)
from uiap.spec.policy import SIDE_EFFECT_RULES

_STATE_KEYS = frozenset(get_args(UIStateKey))
_SOURCES: dict[str, EvidenceSource] = {
    "annotation": "annotation",
    "app_registry": "app_registry",
    "native": "dom",
    "aria": "accessibility",
    "text": "visible_text",
    "heuristic": "inferred",
    "vision": "vision",
}
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
_PRESSABLE_ROLES = frozenset({"button", "menuitem", "switch"})


class Catalog:
    """Builds every catalog from the same findings, so that they agree with each other."""

    def __init__(self, findings: Findings, states: Iterable[State], log: RunLog) -> None:
        self._findings, self._trail = findings, log
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

    def routes(self) -> list[DiscoveredRoute]:
        groups: dict[str, list[RouteFinding]] = {}
        for one in self._findings.routes.values():
            groups.setdefault(self.route(one.id), []).append(one)
        return [self._route(id, members) for id, members in sorted(groups.items())]

    def _route(self, id: str, members: list[RouteFinding]) -> DiscoveredRoute:
        first = members[0]
        states = [state for one in members for state in one.states]
        transitions = [id for one in members for id in one.transitions][:3]
        declared = [ref("annotation", f"route:{id}")] if first.declared else []
        evidence = [*declared, *graph_refs(states[:3]), *(ref("transition", id) for id in transitions)]
        patterns = list(dict.fromkeys(pattern for one in members for pattern in one.patterns))
        pattern = id if len(members) > 1 else patterns[0]
        principals = principal_names(one.principals for one in members)
        return DiscoveredRoute(
            route_id=id,
            urls=tuple_or_unset(dict.fromkeys(url for one in members for url in one.urls)),
            titles=tuple_or_unset(dict.fromkeys(title for one in members for title in one.titles)),
            scopes=tuple_or_unset(
                dict.fromkeys(self.scope(scope) for one in members for scope in one.scopes)
            ),
            discovered_by=tuple(evidence) or (ref("inferred", f"route:{id}"),),
            # DISC-7: high if declared or reached twice, medium if reached once, low if only its address was loaded
            confidence="high"
            if first.declared or len(transitions) > 1
            else "medium"
            if transitions or len(states) > 1
            else "low",
            entry_actions=tuple_or_unset(
                dict.fromkeys(action for one in members for action in one.entered_by)
            ),
            exit_signals=(RouteChanged(pattern=pattern),),
            metadata=metadata_or_unset(
                pattern=pattern,
                patterns=patterns if len(patterns) > 1 else None,
                parameters=_parameters(pattern),
                states=len(states),
                principals=principals,
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
        source = "annotation" if annotated else _SOURCES.get(one.source, "dom")
        return DiscoveredScope(
            scope_id=self.scope(one.id),
            kind=one.kind,
            route_ids=tuple_or_unset(dict.fromkeys(self.route(route) for route in one.routes)),
            parent_scope_id=self.scope(one.parent) if one.parent else UNSET,
            names=tuple_or_unset(one.names) if has_own_name else UNSET,
            stable_ids=tuple_or_unset(one.stable_ids),
            discovered_by=(ref(source, f"scope:{one.id}"), *graph_refs(list(one.states)[:2])),
            confidence="high" if annotated else "medium" if one.names else "low",
            metadata=metadata_or_unset(
                principals=principal_names([one.principals]), nameIsData=None if has_own_name else True
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
        source = _SOURCES.get(node.source if node.source is not UNSET else "native", "dom")
        has_stable_id = node.stable_id is not UNSET
        evidence = [ref("annotation", f"element:{node.stable_id}")] if has_stable_id else []
        evidence += [
            ref(source, _first(one.states)),
            *(ref("transition", t) for t in list(one.transitions)[:2]),
        ]
        has_name = bool(node.name) and source in ("dom", "accessibility")
        return DiscoveredElement(
            stable_id=node.stable_id,
            semantic_key=self.semantic_key(one),
            routes=tuple_or_unset(dict.fromkeys(self.route(route) for route in one.routes)),
            scopes=tuple_or_unset(dict.fromkeys(map(self.scope, one.scopes))),
            role=node.role,
            names=tuple_or_unset(one.names),
            meanings=(node.meaning,) if node.meaning is not UNSET else UNSET,
            state_keys=tuple_or_unset(key for key in map(_camel, one.state_keys) if key in _STATE_KEYS),
            affordances=node.affordances,
            supported_actions=tuple_or_unset(primitives(node)),
            risk=one.judgement.risk if one.judgement is not None else node.risk,
            data_classes=node.data_classes,
            discovered_by=tuple(evidence),
            confidence="high" if has_stable_id else "medium" if has_name or one.transitions else "low",
            review_state="candidate" if has_stable_id or has_name else "needs_review",
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
            ),
        )

    # -- actions --------------------------------------------------------------------------------------------

    def actions(self) -> list[DiscoveredAction]:
        found = [*self._primitive_actions(), *self._own_actions()]
        by_id: dict[str, DiscoveredAction] = {}
        for one in found:
            by_id.setdefault(one.id, one)
        return [by_id[id] for id in sorted(by_id)]

    def _primitive_actions(self) -> Iterable[DiscoveredAction]:
        """Yield one action for each primitive that an element affords."""
        uses: dict[str, list[ElementFinding]] = {}
        for one in self._findings.elements:
            for action in primitives(one.node):
                uses.setdefault(action, []).append(one)
        for action, elements in uses.items():
            performed = [t for t in self._trail.transitions if t.action == action]
            roles = dict.fromkeys(one.node.role for one in elements)
            registered = ACTIONS.get(action)
            yield DiscoveredAction(
                id=action,
                kind="primitive",
                target_patterns=tuple(ActionTargetPattern(role=role) for role in roles),
                routes=tuple_or_unset(
                    sorted({self.route(route) for one in elements for route in one.routes})
                ),
                args=registered.args or UNSET if registered is not None else UNSET,
                risk=registered.descriptor.risk if registered is not None else UNSET,
                success_signals=_signals(performed),
                discovered_by=(
                    *(ref("transition", t.id) for t in performed[:3]),
                    ref("dom", _first(elements[0].states)),
                ),
                confidence="high" if len(performed) > 1 else "medium",
                review_state="candidate",
            )

    def _own_actions(self) -> Iterable[DiscoveredAction]:
        """Yield the actions of the application: declared ones, and controls that change data."""
        for one in self._findings.elements:
            declared = one.node.default_action
            if declared is not UNSET:
                yield self._action(one, declared, "domain")
            elif one.judgement is not None and one.node.role in _PRESSABLE_ROLES and _changes_data(one):
                yield self._action(one, self.candidate_id(one), "candidate")

    def candidate_id(self, one: ElementFinding) -> str:
        routes = sorted(self.route(route) for route in one.routes)
        route = slug(routes[0]) if len(routes) == 1 else "app"
        name = slug(one.node.stable_id or _first(one.names) or one.node.name or one.node.role)
        return f"candidate.{route or 'root'}.{name or one.node.role}"

    def _action(self, one: ElementFinding, id: str, kind: Any) -> DiscoveredAction:
        node, judgement = one.node, one.judgement
        performed = [self._by_id[t] for t in one.transitions if t in self._by_id]
        signals = node.success if node.success is not UNSET else _signals(performed)
        source: EvidenceSource = "annotation" if kind == "domain" else "inferred"
        return DiscoveredAction(
            id=id,
            kind=kind,
            target_patterns=(
                ActionTargetPattern(
                    role=node.role,
                    stable_id=node.stable_id,
                    meaning=node.meaning,
                    scope_id=self.scope(one.scope) if one.scope else UNSET,
                ),
            ),
            routes=tuple_or_unset(sorted({self.route(route) for route in one.routes})),
            scopes=tuple_or_unset(dict.fromkeys(map(self.scope, one.scopes))),
            args=self._args(one),
            risk=judgement.risk if judgement is not None else node.risk,
            side_effect_class=judgement.side_effect if judgement is not None else UNSET,
            success_signals=signals,
            discovered_by=(
                ref(source, f"action:{id}"),
                *(ref("transition", t.id) for t in performed),
                *graph_refs(list(one.states)[:1]),
            ),
            confidence="high" if kind == "domain" else "medium" if performed else "low",
            review_state=_review_state(one),
            metadata=metadata_or_unset(
                title=_first(one.names),
                decision=one.decision._asdict() if one.decision is not None else None,
                principals=principal_names([one.principals]),
            ),
        )

    def _args(self, one: ElementFinding) -> Any:
        """Return the fields of the form that the element submits as arguments."""
        if "submit" not in one.node.affordances or one.scope is None:
            return UNSET
        return tuple(argument(field) for field in self.fields(one.scope)) or UNSET

    def fields(self, scope: str) -> list[ElementFinding]:
        """Return the inputs directly in a scope."""
        return [
            one
            for one in self._findings.elements
            if scope in one.scopes
            and ({"edit", "toggle", "upload"} & set(one.node.affordances) or _is_choice(one))
        ]


def primitives(node: Any) -> tuple[str, ...]:
    """Return the primitive actions of an element, in the order of its affordances (DISC-15.4)."""
    found = [action for affordance in node.affordances for action in _PRIMITIVES.get(affordance, ())]
    if node.role == "link" and "ui.activate" in found and "nav.navigate" in found:
        found.remove("ui.activate")
        found.insert(0, "ui.activate")
    return tuple(dict.fromkeys(found))


def argument(one: ElementFinding) -> ActionArgDescriptor:
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


def _is_choice(one: ElementFinding) -> bool:
    return one.node.role in ("combobox", "listbox")


def _changes_data(one: ElementFinding) -> bool:
    assert one.judgement is not None
    return SIDE_EFFECT_RULES[one.judgement.side_effect].severity >= 3


def _review_state(one: ElementFinding) -> ActionReviewState:
    if one.decision is None:
        return "candidate"
    return {"deny": "unsafe", "review": "needs_review"}.get(one.decision.effect, "candidate")  # type: ignore[return-value]


def _signals(transitions: Iterable[Transition]) -> Any:
    """Return up to five signals, the most frequent first."""
    counts: dict[bytes, tuple[int, SuccessSignal]] = {}
    for transition in transitions:
        for signal in transition.signals:
            key = msgspec.json.encode(signal)
            counts[key] = (counts.get(key, (0, signal))[0] + 1, signal)
    ranked = sorted(counts.values(), key=lambda pair: -pair[0])
    return tuple(signal for _, signal in ranked[:5]) or UNSET


def _first(values: Iterable[str]) -> str:
    return next(iter(values), "")


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def _twin(one: ElementFinding) -> dict[str, Any] | None:
    """Return how many equal elements the scope has, and the text before this one."""
    return {"of": one.twin.count, "after": one.twin.after} if one.twin is not None else None


def _parameters(pattern: str) -> list[str] | None:
    return [part[1:] for part in pattern.split("/") if part.startswith(":")] or None
