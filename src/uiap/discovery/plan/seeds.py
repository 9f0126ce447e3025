"""The seeds of a run: six kinds, turned into addresses to load and labels to activate (DISC-9).

A seed that leads outside the allowed origins, or to nothing known, is rejected with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from uiap.discovery.plan.address import address_pattern
from uiap.discovery.plan.plan import RunPlan
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
)

_PATHS = re.compile(r"(?<![\w/.:])(/[A-Za-z0-9][\w/:-]*)|(https?://[^\s<>\"')\]]+)")
_MAX_LISTED = 100


@dataclass(frozen=True, slots=True)
class SeedTarget:
    """An address to visit for a seed."""

    seed: DiscoverySeed
    url: str
    label: str | None = None
    """The label of a control to activate there."""


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


def seed_targets(plan: RunPlan, sitemap_urls: Iterable[str] = ()) -> list[SeedTarget]:
    """Return the base address, then the given seeds, then the sitemap; each address pattern once."""
    base = plan.environment.base_url
    found = [SeedTarget(UrlSeed(url=base), base)]
    for seed in check_seeds(plan, plan.terms.seeds)[0]:
        found += _targets_of(plan, seed)
    found += [
        SeedTarget(UrlSeed(url=url), url)
        for url in list(sitemap_urls)[:_MAX_LISTED]
        if plan.allowed_origins.allows(url)
    ]
    unique: dict[tuple[str, str | None, str], SeedTarget] = {}
    for target in found:
        kind = (
            target.seed.kind
            if target.label or target.seed.kind not in ("url", "route", "documentation")
            else ""
        )
        unique.setdefault((address_pattern(target.url), target.label, kind), target)
    return list(unique.values())


def _refusal(plan: RunPlan, seed: DiscoverySeed) -> str | None:
    if isinstance(seed, UrlSeed):
        return plan.allowed_origins.refusal(seed.url)
    if isinstance(seed, RouteSeed):
        return plan.allowed_origins.refusal(route_url(plan, seed.route_id))
    if isinstance(seed, MenuSeed):
        return None if seed.label.strip() else "a menu seed needs a label"
    if isinstance(seed, DocumentationSeed):
        return (
            None
            if seed.ref in plan.terms.documents
            else f"documentation `{seed.ref}` was not given; add it with --document"
        )
    if isinstance(seed, WorkflowSeed) and seed.workflow_id not in plan.terms.workflows:
        return f"workflow `{seed.workflow_id}` is not known; give an earlier package that has it"
    return None


def route_url(plan: RunPlan, route_id: str) -> str:
    """Return the address of a route: known from a manifest or an earlier package, else its id read as a path."""
    known = plan.terms.routes.get(route_id)
    if known is not None:
        return plan.allowed_origins.resolve(known)
    path = route_id if route_id.startswith(("/", "#")) else "/" + route_id.replace(".", "/")
    return plan.allowed_origins.resolve(path)


def _targets_of(plan: RunPlan, seed: DiscoverySeed) -> list[SeedTarget]:
    base = plan.environment.base_url
    if isinstance(seed, UrlSeed):
        return [SeedTarget(seed, plan.allowed_origins.resolve(seed.url))]
    if isinstance(seed, RouteSeed):
        return [SeedTarget(seed, route_url(plan, seed.route_id))]
    if isinstance(seed, MenuSeed):
        return [SeedTarget(seed, base, label=seed.label)]
    if isinstance(seed, ActionSeed):
        return [SeedTarget(seed, base)]
    if isinstance(seed, WorkflowSeed):
        urls = plan.terms.workflows.get(seed.workflow_id, ())
        return [SeedTarget(seed, plan.allowed_origins.resolve(url)) for url in urls] or [
            SeedTarget(seed, base)
        ]
    text = plan.terms.documents.get(seed.ref, "")
    urls_in_text = dict.fromkeys(
        plan.allowed_origins.resolve(path or url) for path, url in _PATHS.findall(text)
    )
    allowed = [
        url.rstrip(".,;")
        for url in urls_in_text
        if plan.allowed_origins.allows(url) and ":" not in urlsplit(url).path
    ]
    return [SeedTarget(seed, url) for url in allowed[:_MAX_LISTED]] or [SeedTarget(seed, base)]
