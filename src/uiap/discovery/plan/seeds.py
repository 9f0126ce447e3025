"""The seeds of a run: six kinds, turned into addresses to load and labels to activate (DISC-9).

A seed that leads outside the allowed origins, or to nothing known, is rejected with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET

from uiap.actions.registry import ACTIONS
from uiap.discovery.plan.address import address_pattern
from uiap.discovery.plan.plan import RunPlan
from uiap.spec.capability import RouteRef
from uiap.spec.discovery import (
    ActionSeed,
    DiscoveryPlannedPayload,
    DiscoverySeed,
    DocumentationSeed,
    MenuSeed,
    RejectedSeed,
    RouteSeed,
    UrlSeed,
    WorkflowSeed,
    WorkflowStepSkeleton,
)

_PATHS = re.compile(r"(?<![\w/.:])(/[A-Za-z0-9][\w/:-]*)|(https?://[^\s<>\"')\]]+)")
_LABELS = re.compile(r"[\"“„«]([A-ZÀ-Ý][^\"”“«»\n]{1,39})[\"”“»]|\*\*([^*\n]{2,40})\*\*")
_MAX_LISTED = 100
_ADDRESS_KINDS = ("url", "route", "documentation")


@dataclass(frozen=True, slots=True)
class SeedTarget:
    """An address to visit for a seed."""

    seed: DiscoverySeed
    url: str
    label: str | None = None
    """The label of a control to activate there."""
    steps: tuple[WorkflowStepSkeleton, ...] = ()
    """The steps of a workflow to follow from there."""
    source: str = "caller"
    """Where the seed comes from: caller, manifest, package, documentation, sitemap, registry or navigation."""

    @property
    def is_waiting(self) -> bool:
        """Whether its address is not known: a page that meets it has to be found."""
        return not self.url


def check_seeds(
    plan: RunPlan, seeds: Iterable[DiscoverySeed]
) -> tuple[list[DiscoverySeed], list[RejectedSeed]]:
    """Return the seeds that can be followed, and the others with the reason."""
    accepted: list[DiscoverySeed] = []
    rejected: list[RejectedSeed] = []
    for seed in seeds:
        reason = _refusal(plan, seed)
        if reason is None:
            accepted.append(seed)
        else:
            rejected.append(RejectedSeed(seed=seed, reason=reason))
    return accepted, rejected


def planned_payload(plan: RunPlan, seeds: Iterable[DiscoverySeed]) -> DiscoveryPlannedPayload:
    """Return the seeds that a run would start with. Nothing is loaded (DISC-11.1)."""
    accepted, rejected = check_seeds(plan, seeds)
    return DiscoveryPlannedPayload(
        run_id=plan.terms.run_id,
        estimated_seed_count=len(seed_targets(plan)),
        accepted_seeds=tuple(accepted),
        rejected_seeds=tuple(rejected),
    )


def seed_key(seed: DiscoverySeed) -> str:
    """Return the seed as JSON, by which its source is looked up."""
    return msgspec.json.encode(seed).decode()


def seed_targets(
    plan: RunPlan, sitemap_urls: Iterable[str] = (), registered: Iterable[str] = ()
) -> list[SeedTarget]:
    """Return the base address, the given seeds, registered actions and the sitemap; each address pattern once."""
    base = plan.environment.base_url
    found = [SeedTarget(UrlSeed(url=base), base)]
    for seed in check_seeds(plan, plan.terms.seeds)[0]:
        source = plan.terms.sources.get(seed_key(seed), "caller")
        found += [replace(target, source=source) for target in _targets_of(plan, seed)]
    found += [SeedTarget(ActionSeed(action_id=id), "", source="registry") for id in registered]
    found += [
        SeedTarget(UrlSeed(url=url), url, source="sitemap")
        for url in list(sitemap_urls)[:_MAX_LISTED]
        if plan.allowed_origins.allows(url)
    ]
    unique: dict[tuple[str, str | None, str], SeedTarget] = {}
    for target in found:
        is_address = not (target.label or target.is_waiting) and target.seed.kind in _ADDRESS_KINDS
        kind = "" if is_address else f"{target.seed.kind} {seed_key(target.seed)}"
        unique.setdefault((address_pattern(target.url), target.label, kind), target)
    return list(unique.values())


def _refusal(plan: RunPlan, seed: DiscoverySeed) -> str | None:
    if isinstance(seed, UrlSeed):
        return plan.allowed_origins.refusal(seed.url)
    if isinstance(seed, RouteSeed):
        return plan.allowed_origins.refusal(route_url(plan, seed.route_id))
    if isinstance(seed, ActionSeed) and seed.action_id in ACTIONS:
        return f"`{seed.action_id}` is offered by every page; name an action of the application"
    if isinstance(seed, MenuSeed):
        return None if seed.label.strip() else "a menu seed needs a label"
    if isinstance(seed, DocumentationSeed) and seed.ref not in plan.terms.documents:
        return f"documentation `{seed.ref}` was not given; add it with --document"
    if isinstance(seed, WorkflowSeed) and not _start_of_workflow(plan, seed).url:
        return f"workflow `{seed.workflow_id}` is not known; give an earlier package or a bundle that has it"
    if isinstance(seed, DocumentationSeed) and not _targets_of(plan, seed):
        return f"documentation `{seed.ref}` names no address and no label of this application"
    return None


def route_url(plan: RunPlan, route_id: str) -> str:
    """Return the address of a route that a manifest or an earlier package knows, or whose id is a path; else ""."""
    known = plan.terms.routes.get(route_id)
    if known is None and route_id.startswith(("/", "#")):
        known = route_id
    return plan.allowed_origins.resolve(known) if known is not None else ""


def _targets_of(plan: RunPlan, seed: DiscoverySeed) -> list[SeedTarget]:
    base = plan.environment.base_url
    if isinstance(seed, UrlSeed):
        return [SeedTarget(seed, plan.allowed_origins.resolve(seed.url))]
    if isinstance(seed, RouteSeed):
        return [SeedTarget(seed, route_url(plan, seed.route_id))]
    if isinstance(seed, MenuSeed):
        return [SeedTarget(seed, base, label=seed.label)]
    if isinstance(seed, ActionSeed):
        known = plan.terms.actions.get(seed.action_id)
        url = plan.allowed_origins.resolve(known.urls[0]) if known is not None and known.urls else ""
        return [SeedTarget(seed, url)]
    if isinstance(seed, WorkflowSeed):
        return [_start_of_workflow(plan, seed)]
    text = plan.terms.documents.get(seed.ref, "")
    urls_in_text = dict.fromkeys(
        plan.allowed_origins.resolve(path or url) for path, url in _PATHS.findall(text)
    )
    allowed = [
        url.rstrip(".,;")
        for url in urls_in_text
        if plan.allowed_origins.allows(url) and ":" not in urlsplit(url).path
    ]
    named = [SeedTarget(seed, base, label=label) for label in document_labels(text)]
    return [*(SeedTarget(seed, url) for url in allowed[:_MAX_LISTED]), *named[:_MAX_LISTED]]


def document_labels(text: str) -> tuple[str, ...]:
    """Return the labels of controls that a document names: quoted, or in bold."""
    return tuple(dict.fromkeys((quoted or bold).strip() for quoted, bold in _LABELS.findall(text)))


def _start_of_workflow(plan: RunPlan, seed: WorkflowSeed) -> SeedTarget:
    """Return the address where a known workflow starts, and its steps."""
    known = next((one for one in plan.terms.catalog if one.id == seed.workflow_id), None)
    steps = known.step_skeleton if known is not None else ()
    start = steps[0].target if steps and steps[0].action_id == "nav.navigate" else UNSET
    url = route_url(plan, start.value) if isinstance(start, RouteRef) else ""
    if not url:
        addresses = plan.terms.workflows.get(seed.workflow_id, ())
        url = plan.allowed_origins.resolve(addresses[0]) if addresses else ""
    return SeedTarget(seed, url, steps=steps)
