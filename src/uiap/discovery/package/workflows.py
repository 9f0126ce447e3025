"""Workflow candidates: chains of observed transitions that end with a control that changes data (DISC-11.7).

The last step need not be executed: a form shows its inputs and the control that submits it. Candidates of existing
catalogs are kept with their evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from uiap.discovery.knowledge.findings import ElementFinding, Findings
from uiap.discovery.knowledge.naming import slug
from uiap.discovery.knowledge.transitions import Transition
from uiap.discovery.package.catalog import Catalog, arguments
from uiap.discovery.package.chains import Chains
from uiap.discovery.package.goals import category_of
from uiap.discovery.package.provenance import graph_refs, is_repeated, ref
from uiap.graph.names import normalised
from uiap.spec.capability import (
    ActionArgDescriptor,
    RouteRef,
    SemanticRef,
    StableIdRef,
    SuccessSignal,
    TargetRef,
)
from uiap.spec.discovery import Confidence, DiscoveredWorkflowCandidate, EvidenceRef, WorkflowStepSkeleton
from uiap.spec.workflow import RouteCondition, WorkflowParameter

_WRITING_CLASSES = frozenset(
    {"data_write", "external_effect", "identity_change", "billing_change", "security_change"}
)
_FILL_ACTIONS = {"textbox": "ui.enterText", "textarea": "ui.enterText", "searchbox": "ui.enterText"}


class WorkflowCatalogBuilder:
    def __init__(
        self,
        findings: Findings,
        catalog: Catalog,
        chains: Chains,
        documents: Mapping[str, str],
        marked: Iterable[str] = (),
    ) -> None:
        self._findings, self._catalog, self._chains = findings, catalog, chains
        self._documents = {name: normalised(text) for name, text in documents.items()}
        self._marked = frozenset(marked)

    def workflows(
        self, known: Iterable[DiscoveredWorkflowCandidate] = ()
    ) -> list[DiscoveredWorkflowCandidate]:
        """Return the candidates of the catalogs, then one for each form or risky control that a chain leads to."""
        by_id = {one.id: self._from_catalog(one) for one in known}
        for one in self._findings.elements:
            chain = self._chains.to(one)
            if _submits(one) or (chain and _is_risky_press(one)):
                found = self._workflow(one, chain)
                by_id.setdefault(found.id, found)
        return [self._with_texts(by_id[id]) for id in sorted(by_id)]

    def _from_catalog(self, one: DiscoveredWorkflowCandidate) -> DiscoveredWorkflowCandidate:
        """Return a candidate of a catalog, with the catalog as its evidence."""
        metadata = {**(one.metadata or {}), "basis": "catalog"}
        return replace(one, discovered_by=(ref("app_registry", f"workflow:{one.id}"),), metadata=metadata)

    def _with_texts(self, one: DiscoveredWorkflowCandidate) -> DiscoveredWorkflowCandidate:
        """Add the documents that name the goal, and the mark of a person who asked for this workflow."""
        title = normalised(str(one.title)) if one.title is not UNSET else ""
        evidence = [
            ref("documentation", f"document:{name}")
            for name, text in self._documents.items()
            if len(title) > 3 and title in text
        ]
        if one.id in self._marked:
            evidence.append(ref("manual_review", f"seed:workflow:{one.id}", "a person asked for it"))
        return replace(one, discovered_by=(*one.discovered_by, *evidence))

    def _workflow(self, one: ElementFinding, chain: tuple[Transition, ...]) -> DiscoveredWorkflowCandidate:
        node, catalog = one.node, self._catalog
        inputs = catalog.fields(one) if _submits(one) and one.scope is not None else []
        described = arguments(inputs)
        performed = [t for t in catalog.performed(one) if t.resolved]
        signals = node.success if node.success is not UNSET else _distinct(performed)
        routes = self._chains.routes(chain) or [catalog.route(route) for route in one.routes][:1]
        steps = [
            WorkflowStepSkeleton(type="action", action_id="nav.navigate", target=RouteRef(value=routes[0]))
        ]
        steps += [self._chain_step(t) for t in chain]
        steps += [self._fill_step(field, one.name) for field, one in zip(inputs, described, strict=True)]
        action = node.default_action if node.default_action is not UNSET else "ui.activate"
        steps.append(WorkflowStepSkeleton(type="action", action_id=action, target=self._target(one)))
        if signals:
            steps.append(WorkflowStepSkeleton(type="ensure", signals=signals))
        steps.append(WorkflowStepSkeleton(type="complete"))
        lacks = _lacks(one, signals)
        is_known = bool(performed) or node.default_action is not UNSET
        confidence: Confidence = "medium" if signals and is_known else "low"
        if performed and all(map(is_repeated, (*chain, *performed))):
            confidence = "high"
        name = slug(node.default_action or node.stable_id or node.name or "submit")
        return DiscoveredWorkflowCandidate(
            id=f"candidate.{slug(routes[-1]) or 'root'}.{name}",
            title=_title(one),
            category=category_of(_title(one), one.scope or ""),
            route_ids=tuple(routes),
            entry_conditions=(RouteCondition(route_id=routes[0]),),
            required_inputs=tuple(map(_parameter, inputs, described)) or UNSET,
            step_skeleton=tuple(steps),
            success_signals=signals or UNSET,
            discovered_by=tuple(self._evidence(one, chain, performed)),
            confidence=confidence,
            review_state="needs_review",
            metadata={
                **_facts(one, bool(chain), performed, lacks, confidence),
                # a run may begin at the address of the last route and leave out the steps before it
                "stepsToLastRoute": self._chains.steps_to_last_route(chain),
            },
        )

    def _evidence(
        self, one: ElementFinding, chain: tuple[Transition, ...], performed: list[Transition]
    ) -> list[EvidenceRef]:
        stable_id = one.node.stable_id
        return [
            *([ref("annotation", f"element:{stable_id}")] if stable_id is not UNSET else []),
            *(ref("transition", t.id) for t in (*chain, *performed)),
            *graph_refs(list(one.states)[:1]),
        ]

    def _chain_step(self, one: Transition) -> WorkflowStepSkeleton:
        target = self._catalog.target(one.element)
        return WorkflowStepSkeleton(type="action", action_id=one.action, target=target)

    def _fill_step(self, field: ElementFinding, name: str) -> WorkflowStepSkeleton:
        action = _FILL_ACTIONS.get(field.node.role) or {"toggle": "ui.toggle", "upload": "ui.upload"}.get(
            next((a for a in field.node.affordances if a in ("toggle", "upload")), ""), "ui.setValue"
        )
        if field.node.role in ("combobox", "listbox", "radio"):
            action = "ui.choose"
        target = self._target(field)
        return WorkflowStepSkeleton(type="action", action_id=action, target=target, parameter_names=(name,))

    def _target(self, one: ElementFinding) -> TargetRef:
        if one.node.stable_id is not UNSET:
            return StableIdRef(value=one.node.stable_id)
        return self._catalog.target(
            SemanticRef(role=one.node.role, name=one.node.name or UNSET, scope=one.scope or UNSET)
        )


def _submits(one: ElementFinding) -> bool:
    judgement = one.judgement
    return (
        "submit" in one.node.affordances
        and judgement is not None
        and judgement.side_effect in _WRITING_CLASSES
    )


def _is_risky_press(one: ElementFinding) -> bool:
    """Return whether the control changes data by itself, and its label says how."""
    judgement = one.judgement
    return (
        one.node.role in ("button", "menuitem")
        and "submit" not in one.node.affordances
        and one.changes_data
        and judgement is not None
        and judgement.side_effect != "unknown"
    )


def _distinct(performed: Iterable[Transition]) -> tuple[SuccessSignal, ...]:
    found: list[SuccessSignal] = []
    for transition in performed:
        found += [signal for signal in transition.signals if signal not in found]
    return tuple(found)


def _lacks(one: ElementFinding, signals: tuple[SuccessSignal, ...]) -> list[str]:
    """Return what keeps the candidate from being plausible (DISC-11.7)."""
    found = []
    if not (one.node.name or one.names):
        found.append("a goal: the last control has no name")
    if not signals:
        found.append("a success signal")
    if one.judgement is None or one.judgement.side_effect == "unknown":
        found.append("a known risk")
    return found


def _facts(
    one: ElementFinding,
    is_chain: bool,
    performed: list[Transition],
    lacks: list[str],
    confidence: Confidence,
) -> dict[str, Any]:
    assert one.judgement is not None
    facts: dict[str, Any] = {
        "sideEffectClass": one.judgement.side_effect,
        "riskLevel": one.judgement.risk.level,
        "basis": "chain" if is_chain else "form",
    }
    if not performed:
        facts["observedOnly"] = True
    if lacks:
        facts["lacks"] = lacks
    if confidence == "low":
        facts["why"] = "its last step was not executed" if not performed else "no signal shows that it worked"
    return facts


def _parameter(field: ElementFinding, described: ActionArgDescriptor) -> WorkflowParameter:
    classes = tuple(field.data_classes)
    return WorkflowParameter(
        name=described.name,
        type=described.type,
        required=described.required,
        title=field.node.name or UNSET,
        enum=described.enum,
        data_class=classes[0] if classes else UNSET,
    )


def _title(one: ElementFinding) -> str:
    return next(iter(one.names), "") or one.node.name or "Submit"
