"""The review queue: the seven obligations of DISC-16, and everything else the run could not decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import UNSET

from uiap.discovery.knowledge.findings import ElementFinding, Findings
from uiap.discovery.knowledge.transitions import RunLog, Transition
from uiap.spec.discovery import (
    DiscoveredAction,
    DiscoveredRoute,
    DiscoveredWorkflowCandidate,
    EvidenceRef,
    ReviewItem,
    ReviewKind,
    ReviewSeverity,
)
from uiap.spec.policy import SIDE_EFFECT_RULES

_SENSITIVE = {"billing_change": "billing", "security_change": "security", "identity_change": "identity"}
_ORDER = {"high": 0, "medium": 1, "low": 2}


def review(
    findings: Findings,
    log: RunLog,
    routes: Iterable[DiscoveredRoute],
    actions: Iterable[DiscoveredAction],
    workflows: Iterable[DiscoveredWorkflowCandidate],
) -> list[ReviewItem]:
    """Return the items, most urgent first. Ids follow that order, so that two runs number them equally."""
    found = [
        *_boundaries(findings),
        *_routes(routes),
        *_elements(findings),
        *_actions(actions),
        *_transitions(log),
        *_workflows(workflows),
        *_remarks(findings),
        *_gaps(findings, log),
    ]
    unique = {(one["kind"], one["description"]): one for one in reversed(found)}
    ranked = sorted(
        unique.values(), key=lambda one: (_ORDER[one["severity"]], one["kind"], one["description"])
    )
    return [ReviewItem(id=f"rev_{n}", **one) for n, one in enumerate(ranked, 1)]


def _item(
    kind: ReviewKind,
    severity: ReviewSeverity,
    description: str,
    evidence: Iterable[EvidenceRef],
    *,
    route: Any = None,
    scope: Any = None,
    stable_id: Any = None,
    remedy: str | None = None,
) -> dict[str, Any]:
    return {
        "kind": kind,
        "severity": severity,
        "description": description,
        "evidence": tuple(evidence) or (EvidenceRef(source="inferred", ref_id="run"),),
        "route_id": route or UNSET,
        "scope_id": scope or UNSET,
        "stable_id": stable_id or UNSET,
        "remediation": remedy or UNSET,
    }


def _graph_evidence(state: str) -> list[EvidenceRef]:
    return [EvidenceRef(source="dom", ref_id=f"{state}.graph")] if state else []


def _boundaries(findings: Findings) -> Iterator[dict[str, Any]]:
    """Yield an item for each region that cannot be read, such as a frame of another origin."""
    for region, state, scope in findings.opaque.values():
        name = f"`{region.name}`" if region.name else "without a name"
        if region.kind == "closed_shadow":
            text, kind = f"a closed shadow root {name} cannot be read", "closed_shadow"
            fix = "publish bindings for its host, or open it"
        elif region.kind == "canvas":
            text, kind = f"a canvas {name} draws controls that the page does not describe", "inferred_only"
            fix = "register its commands as app actions"
        else:
            origin = f" of `{region.origin}`" if region.origin else ""
            text, kind = f"a frame {name}{origin} cannot be read", "opaque_frame"
            fix = "bridge the frame, or map its application on its own"
        yield _item(kind, "medium", text, _graph_evidence(state), scope=scope, remedy=fix)  # type: ignore[arg-type]


def _routes(routes: Iterable[DiscoveredRoute]) -> Iterator[dict[str, Any]]:
    """Yield an item for each route without a declared id."""
    for route in routes:
        if not any(ref.source in ("annotation", "app_registry") for ref in route.discovered_by):
            text = f"route `{route.route_id}` has no id of its own"
            fix = "declare it with data-uiap-route or in a manifest"
            yield _item(
                "missing_stable_id", "low", text, route.discovered_by, route=route.route_id, remedy=fix
            )


def _elements(findings: Findings) -> Iterator[dict[str, Any]]:
    counts: dict[str, int] = {}
    for one in findings.elements:
        if one.node.stable_id is not UNSET or not one.routes:
            continue
        if one.judgement is not None and SIDE_EFFECT_RULES[one.judgement.side_effect].severity >= 3:
            name = one.node.name or one.node.role
            text = f"{one.node.role} `{name}` in `{one.scope or '?'}` does something and has no stable id"
            yield _item(
                "missing_stable_id",
                "medium",
                text,
                _graph_evidence(next(iter(one.states), "")),
                route=next(iter(one.routes)),
                scope=one.scope,
                remedy="give it a data-uiap-id",
            )
        else:
            route = next(iter(one.routes)) if len(one.routes) == 1 else "*"
            counts[route] = counts.get(route, 0) + 1
    for route, count in counts.items():
        where = "shared parts" if route == "*" else f"`{route}`"
        text = f"{count} other elements of {where} have no stable id"
        at = None if route == "*" else route
        yield _item("missing_stable_id", "low", text, [], route=at, remedy="annotate those agents should use")
    yield from _sensitive_elements(findings.elements)


def _sensitive_elements(elements: Iterable[ElementFinding]) -> Iterator[dict[str, Any]]:
    """Yield an item for each element that touches security, billing or credentials, even if it was not used."""
    for one in elements:
        classes = set(one.node.data_classes or ()) & {"credential", "secret", "payment"}
        judgement = one.judgement
        kind = _SENSITIVE.get(judgement.side_effect) if judgement is not None else None
        if not kind and not classes:
            continue
        name = one.node.name or one.node.role
        about = kind or ", ".join(sorted(classes))
        text = f"`{name}` in `{one.scope or '?'}` touches {about}; a person decides what agents may do here"
        state = next(iter(one.states), "")
        route = next(iter(one.routes), None)
        yield _item(
            "unsafe_action_candidate",
            "high",
            text,
            _graph_evidence(state),
            route=route,
            scope=one.scope,
            stable_id=one.node.stable_id,
        )


def _actions(actions: Iterable[DiscoveredAction]) -> Iterator[dict[str, Any]]:
    for one in actions:
        if one.kind == "primitive":
            continue
        route = one.routes[0] if one.routes else None
        decision = (one.metadata or {}).get("decision") or {}
        why = decision.get("why", "")
        if one.review_state in ("unsafe", "needs_review"):
            text = f"`{one.id}` was not executed ({decision.get('reason', 'unknown')}): {why}"
            severity: ReviewSeverity = "high" if one.review_state == "unsafe" else "medium"
            fix = "declare its risk and side effect, or reject it"
            yield _item("unsafe_action_candidate", severity, text, one.discovered_by, route=route, remedy=fix)
        if one.kind == "candidate":
            text = f"`{one.id}` is only inferred from the page: {why or 'no declaration'}"
            yield _item(
                "inferred_only",
                "medium",
                text,
                one.discovered_by,
                route=route,
                remedy="declare it as an action",
            )
        if one.success_signals is UNSET:
            text = f"no success signal is known for `{one.id}`"
            fix = "declare one with data-uiap-success or in a manifest"
            yield _item("missing_success_signal", "medium", text, one.discovered_by, route=route, remedy=fix)


def _transitions(log: RunLog) -> Iterator[dict[str, Any]]:
    for one in log.transitions:
        yield from _transition(one, [EvidenceRef(source="transition", ref_id=one.id)])


def _transition(one: Transition, evidence: list[EvidenceRef]) -> Iterator[dict[str, Any]]:
    for request in one.blocked:
        text = f"`{one.label}` sent {request.method} {request.url}; the network guard blocked it ({request.reason})"
        fix = "list the request with --read-request if it only reads, or declare the side effect of this control"
        yield _item("unsafe_action_candidate", "high", text, evidence, remedy=fix)
    if one.contradiction is not None:
        yield _item("custom", "medium", f"contradiction: {one.contradiction}", evidence)
    if one.side_effect == "draft":
        return  # filling a field leads to no other state by itself
    if one.source == one.target and not one.blocked and not one.parameters_changed:
        text = f"{one.action} on {one.role} `{one.label}` led to no other state"
        yield _item("coverage_gap", "low", text, evidence)
    if not one.signals and not one.blocked:
        text = f"{one.action} on {one.role} `{one.label}` showed no signal that it worked"
        yield _item("missing_success_signal", "low", text, evidence)
    for kind in one.dialogs:
        text = f"`{one.label}` opened a JavaScript {kind}; it was dismissed"
        yield _item("custom", "medium", text, evidence)


def _workflows(found: Iterable[DiscoveredWorkflowCandidate]) -> Iterator[dict[str, Any]]:
    for one in found:
        if one.success_signals is UNSET:
            text = f"workflow `{one.id}` has no clean success signal"
            fix = "declare the signal that proves it worked"
            yield _item("workflow_uncertain", "medium", text, one.discovered_by, remedy=fix)


def _remarks(findings: Findings) -> Iterator[dict[str, Any]]:
    for one in findings.remarks.values():
        yield _item(
            one.kind,  # type: ignore[arg-type]
            one.severity,  # type: ignore[arg-type]
            one.text,
            _graph_evidence(one.state),
            route=one.route,
            scope=one.scope,
            stable_id=one.stable_id,
            remedy=one.remedy,
        )


def _gaps(findings: Findings, log: RunLog) -> Iterator[dict[str, Any]]:
    for text, state in log.gaps.values():
        yield _item("coverage_gap", "medium", text, _graph_evidence(state))
    for state, omitted in findings.truncated.items():
        yield _item(
            "coverage_gap",
            "medium",
            f"{omitted} elements of {state} were not published",
            _graph_evidence(state),
        )
