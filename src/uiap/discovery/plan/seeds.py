"""Where a run begins: seeds of six kinds, made into addresses to load and labels to press (DISC-9).

Reads what it is given; a seed that leads nowhere permitted is refused with the reason.
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
    """One thing to look at first."""

    seed: DiscoverySeed
    url: str
    press: str | None = None
    """A label to activate once there."""


def check_seeds(
    plan: RunPlan, seeds: Iterable[DiscoverySeed]
) -> tuple[list[DiscoverySeed], list[RejectedSeed]]:
    """What can be followed, and what cannot with the reason."""
    accepted: list[DiscoverySeed] = []
    rejected: list[RejectedSeed] = []
    for seed in seeds:
        reason = _refusal(plan, seed)
        if reason is None:
            accepted.append(seed)
        else:
            rejected.append(RejectedSeed(seed=seed, reason=reason))
    return accepted, rejected


def planned_payload(plan: RunPlan, given: Iterable[DiscoverySeed]) -> DiscoveryPlannedPayload:
    """What a run would begin with; nothing is loaded for it (DISC-11.1)."""
    accepted, rejected = check_seeds(plan, given)
    return DiscoveryPlannedPayload(
        run_id=plan.terms.run_id,
        estimated_seed_count=len(seed_targets(plan)),
        accepted_seeds=tuple(accepted),
        rejected_seeds=tuple(rejected),
    )


def seed_targets(plan: RunPlan, listed: Iterable[str] = ()) -> list[SeedTarget]:
    """The base address, then the seeds as given, then what the application lists about itself; each place once."""
    base = plan.environment.base_url
    found = [SeedTarget(UrlSeed(url=base), base)]
    for seed in check_seeds(plan, plan.terms.seeds)[0]:
        found += _targets_of(plan, seed)
    found += [
        SeedTarget(UrlSeed(url=url), url) for url in list(listed)[:_MAX_LISTED] if plan.territory.admits(url)
    ]
    kept: dict[tuple[str, str | None, str], SeedTarget] = {}
    for goal in found:
        kind = goal.seed.kind if goal.press or goal.seed.kind not in ("url", "route", "documentation") else ""
        kept.setdefault((address_pattern(goal.url), goal.press, kind), goal)
    return list(kept.values())


def _refusal(plan: RunPlan, seed: DiscoverySeed) -> str | None:
    if isinstance(seed, UrlSeed):
        return plan.territory.problem(seed.url)
    if isinstance(seed, RouteSeed):
        return plan.territory.problem(route_url(plan, seed.route_id))
    if isinstance(seed, MenuSeed):
        return None if seed.label.strip() else "a menu seed needs a label"
    if isinstance(seed, DocumentationSeed):
        return None if seed.ref in plan.terms.documents else f"no documentation `{seed.ref}` is at hand"
    if isinstance(seed, WorkflowSeed) and seed.workflow_id not in plan.terms.workflows:
        return f"no workflow `{seed.workflow_id}` is known; give an earlier package"
    return None


def route_url(plan: RunPlan, route_id: str) -> str:
    """Known from a manifest or an earlier package; else the id read as a path."""
    known = plan.terms.routes.get(route_id)
    if known is not None:
        return plan.territory.resolve(known)
    path = route_id if route_id.startswith(("/", "#")) else "/" + route_id.replace(".", "/")
    return plan.territory.resolve(path)


def _targets_of(plan: RunPlan, seed: DiscoverySeed) -> list[SeedTarget]:
    base = plan.environment.base_url
    if isinstance(seed, UrlSeed):
        return [SeedTarget(seed, plan.territory.resolve(seed.url))]
    if isinstance(seed, RouteSeed):
        return [SeedTarget(seed, route_url(plan, seed.route_id))]
    if isinstance(seed, MenuSeed):
        return [SeedTarget(seed, base, press=seed.label)]
    if isinstance(seed, ActionSeed):
        return [SeedTarget(seed, base)]
    if isinstance(seed, WorkflowSeed):
        urls = plan.terms.workflows.get(seed.workflow_id, ())
        return [SeedTarget(seed, plan.territory.resolve(url)) for url in urls] or [SeedTarget(seed, base)]
    text = plan.terms.documents.get(seed.ref, "")
    named = dict.fromkeys(plan.territory.resolve(path or url) for path, url in _PATHS.findall(text))
    fitting = [
        url.rstrip(".,;") for url in named if plan.territory.admits(url) and ":" not in urlsplit(url).path
    ]
    return [SeedTarget(seed, url) for url in fitting[:_MAX_LISTED]] or [SeedTarget(seed, base)]
