"""The review queue: the seven obligations of DISC-16, and everything else the run could not decide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeVar

from msgspec import UNSET
from msgspec.structs import replace

from uiap.discovery.knowledge.findings import ElementFinding, Findings
from uiap.discovery.knowledge.transitions import RunLog, Transition
from uiap.discovery.package.catalog import Catalog
from uiap.spec.discovery import (
    DiscoveredAction,
    DiscoveredElement,
    DiscoveredRoute,
    DiscoveredWorkflowCandidate,
    EvidenceRef,
    ReviewItem,
    ReviewKind,
    ReviewSeverity,
)
from uiap.spec.policy import SIDE_EFFECT_RULES, SideEffectClass

_SENSITIVE = {"billing_change": "billing", "security_change": "security", "identity_change": "identity"}
_ORDER = {"high": 0, "medium": 1, "low": 2}
_WRITES, _HARMS = 3, 5
"""Severities of side effects: from the first on data changes, from the second on a change is hard to undo."""

Marked = TypeVar("Marked", DiscoveredAction, DiscoveredElement)


class Concern(NamedTuple):
    """A review item before it has its number."""

    kind: ReviewKind
    severity: ReviewSeverity
    description: str
    remediation: str
    evidence: tuple[EvidenceRef, ...] = ()
    route: str | None = None
    scope: str | None = None
    stable_id: str | None = None
    about: str | None = None
    """The action or element whose review state follows from the item."""


class ReviewBuilder:
    def __init__(self, findings: Findings, log: RunLog, catalog: Catalog) -> None:
        self._findings, self._log, self._catalog = findings, log, catalog
        self._about: set[str] = set()

    def items(
        self,
        routes: Iterable[DiscoveredRoute],
        actions: Iterable[DiscoveredAction],
        workflows: Iterable[DiscoveredWorkflowCandidate],
    ) -> list[ReviewItem]:
        """Return the items, most urgent first. Ids follow that order, so that two runs number them equally."""
        found = [
            *_boundaries(self._findings),
            *_routes(routes),
            *_elements(self._findings, self._catalog),
            *_actions(actions),
            *_transitions(self._log),
            *_workflows(workflows),
            *_remarks(self._findings),
            *_gaps(self._findings, self._log),
        ]
        self._about = {one.about for one in found if one.about is not None}
        unique = {(one.kind, one.description): one for one in reversed(found)}
        ranked = sorted(unique.values(), key=lambda one: (_ORDER[one.severity], one.kind, one.description))
        return [self._item(n, one) for n, one in enumerate(ranked, 1)]

    def marked(self, one: Marked, key: str) -> Marked:
        """Return the finding, as `needs_review` if an item is about it; `unsafe` stays (DISC-6.5c)."""
        return replace(one, review_state="needs_review") if self._asks_about(one, key) else one

    def _asks_about(self, one: Marked, key: str) -> bool:
        return key in self._about and one.review_state == "candidate"

    def _item(self, number: int, one: Concern) -> ReviewItem:
        return ReviewItem(
            id=f"rev_{number}",
            severity=one.severity,
            kind=one.kind,
            route_id=self._catalog.route(one.route) if one.route else UNSET,
            scope_id=self._catalog.scope(one.scope) if one.scope else UNSET,
            stable_id=one.stable_id or UNSET,
            description=one.description,
            evidence=one.evidence or (EvidenceRef(source="inferred", ref_id="run"),),
            remediation=one.remediation,
        )


def severity_of(side_effect: SideEffectClass | None) -> ReviewSeverity:
    """Return how urgent a question about an action with this side effect is."""
    severity = SIDE_EFFECT_RULES[side_effect].severity if side_effect else 0
    return "high" if severity >= _HARMS else "medium" if severity >= _WRITES else "low"


def _graph_evidence(state: str) -> tuple[EvidenceRef, ...]:
    return (EvidenceRef(source="dom", ref_id=f"{state}.graph"),) if state else ()


def _boundaries(findings: Findings) -> Iterator[Concern]:
    """Yield an item for each region that cannot be read, such as a frame of another origin."""
    for region, state, scope in findings.opaque.values():
        name = f"`{region.name}`" if region.name else "without a name"
        kind: ReviewKind = "opaque_frame"
        if region.kind == "closed_shadow":
            text, kind = f"a closed shadow root {name} cannot be read", "closed_shadow"
            fix = "publish bindings for its host, or open it"
        elif region.kind == "canvas":
            text, kind = f"a canvas {name} draws controls that the page does not describe", "inferred_only"
            fix = "register its commands as app actions"
        else:
            origin = f" of `{region.origin}`" if region.origin else ""
            text = f"a frame {name}{origin} cannot be read"
            fix = "map its application on its own"
        yield Concern(kind, "medium", text, fix, _graph_evidence(state), scope=scope or None)


def _routes(routes: Iterable[DiscoveredRoute]) -> Iterator[Concern]:
    """Yield an item for each route without a declared id."""
    for route in routes:
        if not any(ref.source in ("annotation", "app_registry") for ref in route.discovered_by):
            text = f"route `{route.route_id}` has no id of its own"
            fix = "declare it with data-uiap-route or in a manifest"
            yield Concern("missing_stable_id", "low", text, fix, route.discovered_by, route=route.route_id)


def _elements(findings: Findings, catalog: Catalog) -> Iterator[Concern]:
    """Yield an item for each element without a stable id that changes data, and one item a route for all others."""
    others: dict[str, list[ElementFinding]] = {}
    for one in findings.elements:
        if one.node.stable_id is not UNSET or not one.routes:
            continue
        if one.changes_data:
            name = one.node.name or one.node.role
            text = f"{one.node.role} `{name}` in `{one.scope or '?'}` does something and has no stable id"
            yield Concern(
                "missing_stable_id",
                severity_of(one.judgement.side_effect if one.judgement is not None else None),
                text,
                "give it a data-uiap-id",
                _graph_evidence(next(iter(one.states), "")),
                next(iter(one.routes)),
                one.scope,
                about=catalog.semantic_key(one),
            )
        else:
            route = next(iter(one.routes)) if len(one.routes) == 1 else "*"
            others.setdefault(route, []).append(one)
    for route, elements in others.items():
        where = "shared parts" if route == "*" else f"`{route}`"
        text = f"{len(elements)} other elements of {where} have no stable id"
        evidence = _graph_evidence(next(iter(elements[0].states), ""))
        at = None if route == "*" else route
        yield Concern("missing_stable_id", "low", text, "annotate those agents should use", evidence, at)
    yield from _sensitive_elements(findings.elements, catalog)


def _sensitive_elements(elements: Iterable[ElementFinding], catalog: Catalog) -> Iterator[Concern]:
    """Yield an item for each element that touches security, billing or credentials, even if it was not used."""
    for one in elements:
        classes = set(one.data_classes) & {"credential", "secret", "payment"}
        judgement = one.judgement
        kind = _SENSITIVE.get(judgement.side_effect) if judgement is not None else None
        if not kind and not classes:
            continue
        name = one.node.name or one.node.role
        about = kind or ", ".join(sorted(classes))
        text = f"`{name}` in `{one.scope or '?'}` touches {about}; a person decides what agents may do here"
        yield Concern(
            "unsafe_action_candidate",
            "high",
            text,
            "write a policy rule for it: deny, or confirm by a person",
            _graph_evidence(next(iter(one.states), "")),
            next(iter(one.routes), None),
            one.scope,
            one.node.stable_id or None,
            catalog.semantic_key(one),
        )


def _actions(actions: Iterable[DiscoveredAction]) -> Iterator[Concern]:
    for one in actions:
        if one.kind != "primitive":
            yield from _action(one)


def _action(one: DiscoveredAction) -> Iterator[Concern]:
    route = one.routes[0] if one.routes else None
    decision = (one.metadata or {}).get("decision") or {}
    why, evidence = decision.get("why", ""), one.discovered_by
    severity = severity_of(one.side_effect_class or None)
    if one.review_state in ("unsafe", "needs_review"):
        text = f"`{one.id}` was not executed ({decision.get('reason', 'unknown')}): {why}"
        urgent: ReviewSeverity = "high" if one.review_state == "unsafe" else "medium"
        fix = "declare its risk and side effect, or reject it"
        yield Concern("unsafe_action_candidate", urgent, text, fix, evidence, route, about=one.id)
    if one.kind == "candidate":
        text = f"`{one.id}` is only inferred from the page: {why or 'no declaration'}"
        fix = "declare it as an action"
        yield Concern("inferred_only", severity, text, fix, evidence, route, about=one.id)
    if one.success_signals is UNSET:
        text = f"no success signal is known for `{one.id}`"
        fix = "declare one with data-uiap-success or in a manifest"
        yield Concern("missing_success_signal", severity, text, fix, evidence, route, about=one.id)


def _transitions(log: RunLog) -> Iterator[Concern]:
    for one in log.transitions:
        yield from _transition(one, (EvidenceRef(source="transition", ref_id=one.id),))


def _transition(one: Transition, evidence: tuple[EvidenceRef, ...]) -> Iterator[Concern]:
    for request in one.blocked:
        text = f"`{one.label}` sent {request.method} {request.url}; the network guard blocked it ({request.reason})"
        fix = "list the request with --read-request if it only reads, or declare the side effect of this control"
        yield Concern("unsafe_action_candidate", "high", text, fix, evidence)
    if one.contradiction is not None:
        fix = "correct the label, the address or the state of the control"
        yield Concern("custom", "medium", f"contradiction: {one.contradiction}", fix, evidence)
    if one.side_effect == "draft":
        return  # filling a field leads to no other state by itself
    if one.source == one.target and not one.blocked and not one.parameters_changed:
        text = f"{one.action} on {one.role} `{one.label}` led to no other state"
        fix = "try it by hand; reject it if it does nothing, or declare what it changes"
        yield Concern("coverage_gap", "low", text, fix, evidence)
    if not one.signals and not one.blocked:
        text = f"{one.action} on {one.role} `{one.label}` showed no signal that it worked"
        fix = "declare a success signal with data-uiap-success or in a manifest"
        yield Concern("missing_success_signal", severity_of(one.side_effect), text, fix, evidence)
    for kind in one.dialogs:
        text = f"`{one.label}` opened a JavaScript {kind}; it was dismissed"
        fix = "try it by hand and declare what follows, or replace it by a dialog of the page"
        yield Concern("custom", "medium", text, fix, evidence)


def _workflows(found: Iterable[DiscoveredWorkflowCandidate]) -> Iterator[Concern]:
    for one in found:
        lacks = list((one.metadata or {}).get("lacks") or ())
        if one.success_signals is UNSET and not lacks:
            lacks = ["a success signal"]
        if lacks:
            text = f"workflow `{one.id}` lacks {', '.join(lacks)}"
            fix = "declare what is missing, or reject the workflow"
            effect = (one.metadata or {}).get("sideEffectClass")
            yield Concern("workflow_uncertain", severity_of(effect), text, fix, one.discovered_by)


def _remarks(findings: Findings) -> Iterator[Concern]:
    for one in findings.remarks.values():
        yield Concern(
            one.kind,  # type: ignore[arg-type]
            one.severity,  # type: ignore[arg-type]
            one.text,
            one.remedy or "look at the page and decide which one is meant",
            _graph_evidence(one.state),
            one.route,
            one.scope,
            one.stable_id,
        )


def _gaps(findings: Findings, log: RunLog) -> Iterator[Concern]:
    fix = "start another run from there with --seed, or raise the budget"
    for text, state in log.gaps.values():
        yield Concern("coverage_gap", "medium", text, fix, _graph_evidence(state))
    for state, omitted in findings.truncated.items():
        text = f"{omitted} elements of {state} were not published"
        yield Concern("coverage_gap", "medium", text, "show fewer rows on the page", _graph_evidence(state))
