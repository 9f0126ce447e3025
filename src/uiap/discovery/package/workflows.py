"""Workflow candidates from forms: goal, inputs, steps, signals and risk (DISC-11.7).

No form needs to be submitted for it: a form shows its inputs and the control that submits it.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from uiap.discovery.knowledge.findings import ElementFinding, Findings
from uiap.discovery.knowledge.naming import slug
from uiap.discovery.knowledge.transitions import RunLog
from uiap.discovery.package.catalog import Catalog, argument
from uiap.spec.capability import SemanticRef, StableIdRef, SuccessSignal, TargetRef
from uiap.spec.discovery import (
    Confidence,
    DiscoveredWorkflowCandidate,
    EvidenceRef,
    WorkflowStepSkeleton,
)
from uiap.spec.workflow import RouteCondition, WorkflowParameter

_WRITING_CLASSES = frozenset(
    {"data_write", "external_effect", "identity_change", "billing_change", "security_change"}
)
_FILL_ACTIONS = {"textbox": "ui.enterText", "textarea": "ui.enterText", "searchbox": "ui.enterText"}


def workflows(findings: Findings, catalog: Catalog, log: RunLog) -> list[DiscoveredWorkflowCandidate]:
    """Return one candidate for each form that submits something."""
    by_id: dict[str, DiscoveredWorkflowCandidate] = {}
    for one in findings.elements:
        if _submits(one):
            found = _workflow(one, catalog, log)
            by_id.setdefault(found.id, found)
    return [by_id[id] for id in sorted(by_id)]


def _submits(one: ElementFinding) -> bool:
    judgement = one.judgement
    return (
        "submit" in one.node.affordances
        and judgement is not None
        and judgement.side_effect in _WRITING_CLASSES
    )


def _workflow(one: ElementFinding, catalog: Catalog, log: RunLog) -> DiscoveredWorkflowCandidate:
    node = one.node
    inputs = catalog.fields(one.scope) if one.scope is not None else []
    routes = list(dict.fromkeys(catalog.route(route) for route in one.routes))
    performed = [t for t in log.transitions if t.id in one.transitions and t.resolved]
    signals: tuple[SuccessSignal, ...] = node.success if node.success is not UNSET else ()
    signals = signals or tuple(signal for t in performed for signal in t.signals)
    action = node.default_action if node.default_action is not UNSET else "ui.activate"
    name = slug(node.default_action or node.stable_id or node.name or "submit")
    steps = [WorkflowStepSkeleton(type="action", action_id="nav.navigate")]
    steps += [_fill_step(field) for field in inputs]
    steps.append(WorkflowStepSkeleton(type="action", action_id=action, target=_target(one)))
    if signals:
        steps.append(WorkflowStepSkeleton(type="ensure", signals=signals))
    steps.append(WorkflowStepSkeleton(type="complete"))
    is_proven = bool(signals) and (node.default_action is not UNSET or bool(performed))
    confidence: Confidence = "medium" if is_proven else "low"
    evidence = (
        [EvidenceRef(source="annotation", ref_id=f"element:{node.stable_id}")] if node.stable_id else []
    )
    evidence += [EvidenceRef(source="transition", ref_id=t.id) for t in performed]
    evidence += [EvidenceRef(source="dom", ref_id=f"{state}.graph") for state in list(one.states)[:1]]
    return DiscoveredWorkflowCandidate(
        id=f"candidate.{slug(routes[0]) if routes else 'app'}.{name}",
        title=_title(one),
        category="task",
        route_ids=tuple(routes) or UNSET,
        entry_conditions=tuple(RouteCondition(route_id=route) for route in routes[:1]) or UNSET,
        required_inputs=tuple(_parameter(field) for field in inputs) or UNSET,
        step_skeleton=tuple(steps),
        success_signals=signals or UNSET,
        discovered_by=tuple(evidence),
        confidence=confidence,
        review_state="needs_review",
        metadata=_risk(one),
    )


def _fill_step(field: ElementFinding) -> WorkflowStepSkeleton:
    name = argument(field).name
    action = _FILL_ACTIONS.get(field.node.role) or {"toggle": "ui.toggle", "upload": "ui.upload"}.get(
        next((a for a in field.node.affordances if a in ("toggle", "upload")), ""), "ui.setValue"
    )
    if field.node.role in ("combobox", "listbox", "radio"):
        action = "ui.choose"
    return WorkflowStepSkeleton(
        type="action", action_id=action, target=_target(field), parameter_names=(name,)
    )


def _target(one: ElementFinding) -> TargetRef:
    if one.node.stable_id is not UNSET:
        return StableIdRef(value=one.node.stable_id)
    return SemanticRef(role=one.node.role, name=one.node.name or UNSET, scope=one.scope or UNSET)


def _parameter(field: ElementFinding) -> WorkflowParameter:
    described = argument(field)
    classes = field.node.data_classes
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


def _risk(one: ElementFinding) -> dict[str, Any]:
    assert one.judgement is not None
    return {"sideEffectClass": one.judgement.side_effect, "riskLevel": one.judgement.risk.level}
