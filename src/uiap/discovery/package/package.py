"""Builds the discovery package: every catalog, the evidence index and the coverage (DISC-6)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.discovery.knowledge.findings import Findings
from uiap.discovery.knowledge.states import StateIndex
from uiap.discovery.knowledge.transitions import RunLog
from uiap.discovery.package.catalog import Catalog
from uiap.discovery.package.review import review
from uiap.discovery.package.transition_catalog import TransitionCatalog
from uiap.discovery.package.workflows import workflows
from uiap.discovery.plan.plan import RunPlan
from uiap.discovery.plan.seeds import SeedTarget
from uiap.discovery.safety.redaction import mask_text
from uiap.spec.discovery import (
    ActionCatalog,
    ConfidenceSummary,
    CoverageReport,
    DiscoveryPackage,
    DiscoveryRunStatus,
    DiscoveryRunSummary,
    ElementCatalog,
    EvidenceIndex,
    EvidenceItem,
    ReviewQueue,
    RouteCatalog,
    ScopeCatalog,
    TransitionGraph,
    WorkflowCandidateCatalog,
)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Everything a package is built from."""

    plan: RunPlan
    status: DiscoveryRunStatus
    available: dict[str, list[str]]
    started: str
    finished: str
    seeds: tuple[SeedTarget, ...]
    seeds_visited: int
    states: StateIndex
    findings: Findings
    log: RunLog


def build_package(run: RunRecord) -> DiscoveryPackage:
    catalog = Catalog(run.findings, run.states, run.log)
    routes, scopes, elements = catalog.routes(), catalog.scopes(), catalog.elements()
    graph = TransitionCatalog(run.states, run.log, catalog.route)
    actions, states, edges = catalog.actions(), graph.states(), graph.edges()
    candidates = workflows(run.findings, catalog, run.log)
    items = review(run.findings, run.log, routes, actions, candidates)
    terms = run.plan.terms
    confidences = Counter(
        one.confidence for group in (routes, scopes, elements, actions, candidates) for one in group
    )
    return DiscoveryPackage(
        model_version="0.1",
        spec="uiap.discovery",
        run=DiscoveryRunSummary(
            run_id=terms.run_id,
            started_at=run.started,
            finished_at=run.finished,
            status=run.status,
            environment_id=terms.environment.environment_id,
            profile=run.plan.profiles[0] if run.plan.profiles[0] else UNSET,
            seeds=tuple(target.seed for target in run.seeds) or UNSET,
            notes=tuple(map(mask_text, run.log.notes)) or UNSET,
        ),
        environment=_without_sign_in(terms.environment),
        route_catalog=RouteCatalog(routes=tuple(routes)),
        scope_catalog=ScopeCatalog(scopes=tuple(scopes)),
        element_catalog=ElementCatalog(elements=tuple(elements)),
        action_catalog=ActionCatalog(actions=tuple(actions)),
        transition_graph=TransitionGraph(states=tuple(states), edges=tuple(edges)),
        workflow_candidates=WorkflowCandidateCatalog(workflows=tuple(candidates)),
        review_queue=ReviewQueue(items=tuple(items)),
        coverage=CoverageReport(
            seeds_total=len(run.seeds),
            seeds_visited=run.seeds_visited,
            routes_discovered=len(routes),
            scopes_discovered=len(scopes),
            elements_discovered=len(elements),
            actions_discovered=len(actions),
            workflow_candidates_discovered=len(candidates),
            opaque_regions=len(run.findings.opaque),
            unresolved_transitions=sum(not one.resolved for one in run.log.transitions),
            review_items=len(items),
            confidence_summary=ConfidenceSummary(
                high=confidences["high"], medium=confidences["medium"], low=confidences["low"]
            ),
        ),
        evidence_index=EvidenceIndex(items=tuple(_evidence(run))),
        # DISC-SEC.4: findings are suggestions until a person has reviewed them
        metadata={"reviewRequired": True, "network": _network(run.log), "notTried": _not_tried(run.log)}
        | ({"available": run.available} if run.available else {}),
    )


def _network(log: RunLog) -> dict[str, Any]:
    """Return the requests that could write: which reached the server, and which were held back how often."""
    network = log.network
    return {
        "reached": list(network.reached),
        "signIn": list(network.sign_in),
        "held": dict(network.held),
        "looksLikeRead": {option: sorted(pages) for option, pages in network.read_options.items()},
    }


def _not_tried(log: RunLog) -> dict[str, int]:
    """Return the reasons why controls were not tried, the most frequent first."""
    return dict(log.not_tried.most_common())


def _evidence(run: RunRecord) -> list[EvidenceItem]:
    items = []
    for state in run.states:
        items.append(
            _evidence_file(
                f"{state.id}.graph", "dom", "page_graph", state.id, state.graph_digest, "json", redacted=True
            )
        )
        if state.screenshot is not None:
            items.append(
                _evidence_file(
                    f"{state.id}.screenshot", "screenshot", "screenshot", state.id, state.screenshot, "png"
                )
            )
        if state.ax is not None:
            items.append(
                _evidence_file(
                    f"{state.id}.ax", "accessibility", "ax_tree", state.id, state.ax, "json", redacted=True
                )
            )
    for one in run.log.transitions:
        inline = {"action": one.action, "from": one.source, "to": one.target, "status": one.status}
        items.append(
            EvidenceItem(
                ref_id=one.id, source="transition", kind="transition", state_id=one.target, inline=inline
            )
        )
        if one.signals:
            signals = {"signals": [msgspec.to_builtins(signal) for signal in one.signals]}
            items.append(
                EvidenceItem(ref_id=f"{one.id}.signals", source="signal", kind="signal", inline=signals)
            )
        if one.blocked:
            blocked = {"blocked": [msgspec.to_builtins(request) for request in one.blocked]}
            items.append(
                EvidenceItem(ref_id=f"{one.id}.network", source="network", kind="network", inline=blocked)
            )
    return items


def _evidence_file(
    ref: str, source: Any, kind: Any, state: str, digest: str, ending: str, *, redacted: bool | None = None
) -> EvidenceItem:
    name = digest.removeprefix("sha256:")
    return EvidenceItem(
        ref_id=ref,
        source=source,
        kind=kind,
        state_id=state,
        uri=f"evidence/{name}.{ending}",
        digest=digest,
        redacted=UNSET if redacted is None else redacted,
    )


def _without_sign_in(environment: Any) -> Any:
    """Return the environment without the ways principals sign in."""
    if environment.metadata is UNSET:
        return environment
    metadata = {
        key: value for key, value in environment.metadata.items() if key not in ("login", "storageState")
    }
    return msgspec.structs.replace(environment, metadata=metadata or UNSET)
