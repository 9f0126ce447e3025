"""The knowledge of a bundle that a discovery run starts from: routes, actions and workflows (DISC-11.1, RUN-35)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urljoin

from msgspec import UNSET

from uiap.discovery.plan.plan import KnownAction
from uiap.discovery.plan.seeds import seed_key
from uiap.host.bundles.bundle import Bundle
from uiap.spec.discovery import (
    ActionSeed,
    ActionTargetPattern,
    DiscoveredWorkflowCandidate,
    DiscoverySeed,
    EvidenceRef,
    RouteSeed,
    WorkflowSeed,
    WorkflowStepSkeleton,
)
from uiap.spec.workflow import ActionStep, EnsureStep, WorkflowDefinition


class BundleKnowledge(NamedTuple):
    """Everything that a run takes from a bundle."""

    seeds: tuple[DiscoverySeed, ...]
    routes: dict[str, str]
    actions: dict[str, KnownAction]
    workflows: dict[str, tuple[str, ...]]
    """The addresses where each workflow starts."""
    catalog: tuple[DiscoveredWorkflowCandidate, ...]
    sources: dict[str, str]
    """Seed, as JSON, to where it comes from."""


def knowledge_of(bundle: Bundle | None, url: str) -> BundleKnowledge:
    """Return the knowledge of a bundle about the application at this URL; nothing without a bundle."""
    if bundle is None:
        return BundleKnowledge((), {}, {}, {}, (), {})
    routes = known_routes(bundle, url)
    actions = known_actions(bundle, url)
    starts = {one.id: _starts(one, routes) for one in bundle.workflows}
    seeds: tuple[DiscoverySeed, ...] = (
        *(RouteSeed(route_id=id) for id in routes),
        *(ActionSeed(action_id=id) for id in actions),
        *(WorkflowSeed(workflow_id=id) for id, urls in starts.items() if urls),
    )
    sources = dict.fromkeys(map(seed_key, seeds), "manifest")
    return BundleKnowledge(seeds, routes, actions, starts, known_workflows(bundle), sources)


def _starts(one: WorkflowDefinition, routes: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(routes[id] for id in one.route_ids or () if id in routes)


def known_routes(bundle: Bundle, url: str) -> dict[str, str]:
    """Return the address of each route of the bundle that needs no parameter."""
    found: dict[str, str] = {}
    for id in bundle.bindings.routes:
        try:
            address = urljoin(url, bundle.bindings.known_routes.address(id, {}))
        except ValueError:
            continue  # its address needs parameters
        if bundle.covers(address):
            found[id] = address
    return found


def known_actions(bundle: Bundle, url: str) -> dict[str, KnownAction]:
    """Return the actions of the bundle, with the elements that run them and the addresses of their routes."""
    routes = known_routes(bundle, url)
    found = {}
    for id in bundle.actions:
        elements = [one for one in bundle.bindings.elements.values() if one.default_action == id]
        patterns = tuple(ActionTargetPattern(role=one.role, stable_id=one.id) for one in elements)
        ids = dict.fromkeys(route for one in elements for route in one.route_ids or ())
        found[id] = KnownAction(urls=tuple(routes[one] for one in ids if one in routes), patterns=patterns)
    return found


def known_workflows(bundle: Bundle) -> tuple[DiscoveredWorkflowCandidate, ...]:
    """Return the workflows of the bundle as candidates. They are declared, so their confidence is high."""
    return tuple(map(_candidate, bundle.workflows))


def _candidate(one: WorkflowDefinition) -> DiscoveredWorkflowCandidate:
    return DiscoveredWorkflowCandidate(
        id=one.id,
        title=one.title if isinstance(one.title, str) else one.id,
        category=one.category,
        route_ids=one.route_ids,
        entry_conditions=one.entry_conditions,
        required_inputs=one.parameters,
        step_skeleton=tuple(map(_skeleton, one.steps)),
        success_signals=one.success,
        discovered_by=(EvidenceRef(source="app_registry", ref_id=f"workflow:{one.id}"),),
        confidence="high",
        review_state="candidate",
    )


def _skeleton(step: object) -> WorkflowStepSkeleton:
    if isinstance(step, ActionStep):
        return WorkflowStepSkeleton(
            type="action", action_id=step.action_id, target=step.target, parameter_names=step.parameter_names
        )
    if isinstance(step, EnsureStep):
        return WorkflowStepSkeleton(type="ensure", signals=step.signals)
    return WorkflowStepSkeleton(type=type(step).__struct_config__.tag, target=getattr(step, "target", UNSET))  # type: ignore[attr-defined]
