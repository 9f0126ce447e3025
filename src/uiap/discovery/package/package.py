"""Builds the discovery package: every catalog, the evidence index and the coverage (DISC-6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.discovery.knowledge.findings import Findings
from uiap.discovery.knowledge.states import StateIndex
from uiap.discovery.knowledge.transitions import RunLog
from uiap.discovery.package.actions import ActionCatalogBuilder
from uiap.discovery.package.catalog import Catalog
from uiap.discovery.package.chains import Chains
from uiap.discovery.package.evidence import evidence_items
from uiap.discovery.package.review import ReviewBuilder
from uiap.discovery.package.transition_catalog import TransitionCatalog
from uiap.discovery.package.workflows import WorkflowCatalogBuilder
from uiap.discovery.plan.address import address_pattern
from uiap.discovery.plan.plan import RunPlan
from uiap.discovery.plan.seeds import SeedTarget, seed_key
from uiap.discovery.safety.redaction import mask_text
from uiap.spec.capability import ActionDescriptor
from uiap.spec.discovery import (
    ActionCatalog,
    ConfidenceSummary,
    CoverageReport,
    DiscoveryPackage,
    DiscoveryRunStatus,
    DiscoveryRunSummary,
    ElementCatalog,
    EvidenceIndex,
    ReviewItem,
    ReviewQueue,
    RouteCatalog,
    RouteSeed,
    ScopeCatalog,
    TransitionGraph,
    WorkflowCandidateCatalog,
    WorkflowSeed,
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
    registered: Mapping[str, ActionDescriptor] = field(default_factory=dict)
    """The actions that the application registered."""
    preparation: Mapping[str, Any] = field(default_factory=dict)
    """Everything that was known before the first state was taken (DISC-11.1)."""


def build_package(run: RunRecord) -> DiscoveryPackage:
    terms = run.plan.terms
    named = {
        address_pattern(terms.routes[one.route_id]): one.route_id
        for one in terms.seeds
        if isinstance(one, RouteSeed) and terms.sources.get(seed_key(one)) == "manifest"
    }
    catalog = Catalog(run.findings, run.states, run.log, run.registered, terms.documents, named)
    routes, scopes, elements = catalog.routes(), catalog.scopes(), catalog.elements()
    graph = TransitionCatalog(run.states, run.log, catalog)
    states, edges = graph.states(), graph.edges()
    actions = ActionCatalogBuilder(run.findings, run.states, run.log, catalog, run.registered).actions()
    chains = Chains(run.states, run.log, catalog)
    marked = [one.workflow_id for one in terms.seeds if isinstance(one, WorkflowSeed)]
    flows = WorkflowCatalogBuilder(run.findings, catalog, chains, terms.documents, marked)
    candidates = flows.workflows(terms.catalog)
    queue = ReviewBuilder(run.findings, run.log, catalog)
    items = queue.items(routes, actions, candidates)
    actions = [queue.marked(one, one.id) for one in actions]
    elements = [queue.marked(one, one.semantic_key) for one in elements]
    findings = (routes, scopes, elements, actions, candidates)
    refs = [ref for group in (*findings, states, edges) for one in group for ref in one.discovered_by]
    refs += [ref for one in items for ref in one.evidence]
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
        coverage=_coverage(run, findings, items),
        evidence_index=EvidenceIndex(items=tuple(evidence_items(run.states, run.log.transitions, refs))),
        # DISC-SEC.4: findings are suggestions until a person has reviewed them
        metadata={
            "reviewRequired": True,
            "network": _network(run.log),
            "limits": dict(run.log.limits),
            "notTried": _not_tried(run.log),
            "decisions": dict(sorted(run.log.decisions.items())),
            "preparation": dict(run.preparation),
        }
        | ({"available": run.available} if run.available else {}),
    )


def _coverage(
    run: RunRecord, findings: tuple[Sequence[Any], ...], items: Sequence[ReviewItem]
) -> CoverageReport:
    """Count what the package holds (DISC-6.9)."""
    routes, scopes, elements, actions, candidates = map(len, findings)
    confidences = Counter(one.confidence for group in findings for one in group)
    return CoverageReport(
        seeds_total=len(run.seeds),
        seeds_visited=run.seeds_visited,
        routes_discovered=routes,
        scopes_discovered=scopes,
        elements_discovered=elements,
        actions_discovered=actions,
        workflow_candidates_discovered=candidates,
        opaque_regions=len(run.findings.opaque),
        unresolved_transitions=sum(not one.resolved for one in run.log.transitions),
        review_items=len(items),
        confidence_summary=ConfidenceSummary(
            high=confidences["high"], medium=confidences["medium"], low=confidences["low"]
        ),
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


def _without_sign_in(environment: Any) -> Any:
    """Return the environment without the ways principals sign in."""
    if environment.metadata is UNSET:
        return environment
    metadata = {
        key: value for key, value in environment.metadata.items() if key not in ("login", "storageState")
    }
    return msgspec.structs.replace(environment, metadata=metadata or UNSET)
