"""The actions of a package: primitives, actions of the application, and candidates (DISC-6.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.actions.registry import ACTIONS
from uiap.discovery import risk_words
from uiap.discovery.knowledge.findings import ElementFinding, Findings
from uiap.discovery.knowledge.naming import slug
from uiap.discovery.knowledge.registered import words_of
from uiap.discovery.knowledge.states import State
from uiap.discovery.knowledge.transitions import RunLog, Transition
from uiap.discovery.package.catalog import Catalog, arguments, primitives
from uiap.discovery.package.patterns import pattern_of
from uiap.discovery.package.provenance import (
    graph_refs,
    is_repeated,
    metadata_or_unset,
    principal_names,
    ref,
    tuple_or_unset,
)
from uiap.discovery.safety.safety import SafetyDecision
from uiap.spec.capability import ActionDescriptor, ScopeRef, SuccessSignal
from uiap.spec.discovery import (
    ActionReviewState,
    ActionTargetPattern,
    Confidence,
    DiscoveredAction,
    EvidenceRef,
)
from uiap.spec.policy import SideEffectClass
from uiap.spec.workflow import ElementCondition, RouteCondition, WorkflowCondition

_PRESSABLE_ROLES = frozenset({"button", "menuitem", "switch"})


class ActionCatalogBuilder:
    def __init__(
        self,
        findings: Findings,
        states: Iterable[State],
        log: RunLog,
        catalog: Catalog,
        registered: Mapping[str, ActionDescriptor],
    ) -> None:
        self._findings, self._log, self._catalog, self._registered = findings, log, catalog, registered
        self._states = {state.id: state for state in states}

    def actions(self) -> list[DiscoveredAction]:
        found = [
            *self._primitive_actions(),
            *self._registered_actions(),
            *self._own_actions(),
            *self._repeated_transitions(),
        ]
        by_id: dict[str, DiscoveredAction] = {}
        for one in found:
            by_id.setdefault(one.id, one)
        return [by_id[id] for id in sorted(by_id)]

    def _primitive_actions(self) -> Iterator[DiscoveredAction]:
        """Yield one action for each primitive that an element affords."""
        uses: dict[str, list[ElementFinding]] = {}
        for one in self._findings.elements:
            for action in primitives(one.node.role, one.affordances):
                uses.setdefault(action, []).append(one)
        for action, elements in uses.items():
            performed = [t for t in self._log.transitions if t.action == action]
            roles = dict.fromkeys(one.node.role for one in elements)
            known = ACTIONS.get(action)
            routes = {self._catalog.route(route) for one in elements for route in one.routes}
            yield DiscoveredAction(
                id=action,
                kind="primitive",
                target_patterns=tuple(ActionTargetPattern(role=role) for role in roles),
                routes=tuple_or_unset(sorted(routes)),
                args=known.args or UNSET if known is not None else UNSET,
                risk=known.descriptor.risk if known is not None else UNSET,
                success_signals=_signals(performed),
                discovered_by=(
                    *(ref("transition", t.id) for t in performed[:3]),
                    *graph_refs(list(elements[0].states)[:1]),
                ),
                confidence="high" if any(map(is_repeated, performed)) else "medium",
                review_state="candidate",
            )

    def _registered_actions(self) -> Iterator[DiscoveredAction]:
        """Yield the actions that the application registered, with the elements that name them (DISC-15.4b)."""
        for id, declared in self._registered.items():
            elements = [one for one in self._findings.elements if one.node.default_action == id]
            performed = [t for t in self._log.transitions if t.action == id]
            performed += [t for one in elements for t in self._catalog.performed(one)]
            routes = {self._catalog.route(route) for one in elements for route in one.routes}
            routes |= {self._catalog.route(self._states[t.source].route) for t in performed}
            decision = next((one.decision for one in elements if one.decision is not None), None)
            yield DiscoveredAction(
                id=id,
                kind="domain",
                target_patterns=tuple_or_unset(map(self._pattern, elements)),
                routes=tuple_or_unset(sorted(routes)),
                scopes=tuple_or_unset(
                    dict.fromkeys(self._catalog.scope(scope) for one in elements for scope in one.scopes)
                ),
                args=declared.args,
                risk=declared.risk,
                side_effect_class=_side_effect(id, declared, elements),
                success_signals=declared.success or _signals(performed),
                prerequisites=self._prerequisites(performed),
                discovered_by=(
                    ref("app_registry", f"action:{id}"),
                    *(ref("transition", t.id) for t in performed[:3]),
                    *(state for one in elements[:1] for state in graph_refs(list(one.states)[:1])),
                ),
                confidence="high",
                review_state=_review_state(decision),
                metadata=metadata_or_unset(
                    title=declared.title or None,
                    decision=decision._asdict() if decision is not None else None,
                    principals=principal_names(one.principals for one in elements),
                ),
            )

    def _own_actions(self) -> Iterator[DiscoveredAction]:
        """Yield the actions of the application: declared ones, and controls that change data."""
        for one in self._findings.elements:
            declared = one.node.default_action
            if declared is not UNSET:
                yield self._action(one, declared, "domain")
            elif one.node.role in _PRESSABLE_ROLES and one.changes_data:
                yield self._action(one, self._candidate_id(one), "candidate")

    def _repeated_transitions(self) -> Iterator[DiscoveredAction]:
        """Yield a candidate for each control whose press had the same effect again (DISC-15.4c)."""
        by_transition = {id: one for one in self._findings.elements for id in one.transitions}
        for transition in self._log.transitions:
            one = by_transition.get(transition.id)
            if one is not None and is_repeated(transition) and one.node.default_action is UNSET:
                yield self._action(one, self._candidate_id(one), "candidate")

    def _candidate_id(self, one: ElementFinding) -> str:
        routes = sorted(self._catalog.route(route) for route in one.routes)
        route = slug(routes[0]) if len(routes) == 1 else "app"
        name = slug(one.node.stable_id or _first(one.names) or one.node.name or one.node.role)
        return f"candidate.{route or 'root'}.{name or one.node.role}"

    def _action(self, one: ElementFinding, id: str, kind: Any) -> DiscoveredAction:
        node, judgement = one.node, one.judgement
        performed = self._catalog.performed(one)
        confidence: Confidence = "high" if kind == "domain" or any(map(is_repeated, performed)) else "low"
        if performed and confidence == "low":
            confidence = "medium"
        source: EvidenceRef = ref("annotation" if kind == "domain" else "inferred", f"action:{id}")
        return DiscoveredAction(
            id=id,
            kind=kind,
            target_patterns=(self._pattern(one),),
            routes=tuple_or_unset(sorted({self._catalog.route(route) for route in one.routes})),
            scopes=tuple_or_unset(dict.fromkeys(map(self._catalog.scope, one.scopes))),
            args=self._args(one),
            risk=judgement.risk if judgement is not None else node.risk,
            side_effect_class=judgement.side_effect if judgement is not None else UNSET,
            success_signals=node.success if node.success is not UNSET else _signals(performed),
            prerequisites=self._prerequisites(performed),
            discovered_by=(
                source,
                *(ref("transition", t.id) for t in performed),
                *graph_refs(list(one.states)[:1]),
            ),
            confidence=confidence,
            review_state=_review_state(one.decision),
            metadata=metadata_or_unset(
                title=_first(one.names),
                element=self._catalog.semantic_key(one),
                fields=self._field_keys(one) or None,
                decision=one.decision._asdict() if one.decision is not None else None,
                principals=principal_names([one.principals]),
                why="it was not executed, and only its label says what it does"
                if confidence == "low"
                else None,
            ),
        )

    def _pattern(self, one: ElementFinding) -> ActionTargetPattern:
        return pattern_of(one.node, self._catalog.scope(one.scope) if one.scope else None)

    def _args(self, one: ElementFinding) -> Any:
        """Return the fields of the form that the element submits as arguments."""
        return tuple(arguments(self._fields(one))) or UNSET

    def _field_keys(self, one: ElementFinding) -> dict[str, str]:
        """Return the key of the element that takes each argument, so that a bundle can fill it in (RUN-23)."""
        fields = self._fields(one)
        named = zip(arguments(fields), fields, strict=True)
        return {arg.name: self._catalog.semantic_key(field) for arg, field in named}

    def _fields(self, one: ElementFinding) -> list[ElementFinding]:
        if "submit" not in one.node.affordances or one.scope is None:
            return []
        return self._catalog.fields(one)

    def _prerequisites(self, performed: Iterable[Transition]) -> Any:
        """Return the conditions that held whenever the action worked: its route, and the dialogs that were open."""
        sources = [self._states[t.source] for t in performed if t.resolved]
        if not sources:
            return UNSET
        conditions: list[WorkflowCondition] = []
        if len({one.route for one in sources}) == 1:
            conditions.append(RouteCondition(route_id=self._catalog.route(sources[0].route)))
        for scope in sources[0].modal:
            if all(scope in one.modal for one in sources):
                target = ScopeRef(value=self._catalog.scope(scope))
                conditions.append(ElementCondition(target=target, exists=True))
        return tuple(conditions) or UNSET


def _side_effect(id: str, declared: ActionDescriptor, elements: list[ElementFinding]) -> Any:
    """Return the side effect judged on the elements of a registered action, else the one that its id names."""
    judged = [one.judgement.side_effect for one in elements if one.judgement is not None]
    if judged:
        return judged[0]
    named: SideEffectClass | None = risk_words.named_side_effect(words_of(id, declared))
    return named or UNSET


def _review_state(decision: SafetyDecision | None) -> ActionReviewState:
    if decision is None:
        return "candidate"
    return {"deny": "unsafe", "review": "needs_review"}.get(decision.effect, "candidate")  # type: ignore[return-value]


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
