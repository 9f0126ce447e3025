"""The terms of a run and the plan read from them: bounds, allowed origins, safety rules and principals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.discovery.plan.address import AllowedOrigins
from uiap.spec.discovery import (
    ActionTargetPattern,
    DiscoveredWorkflowCandidate,
    DiscoveryBudget,
    DiscoveryEnvironment,
    DiscoverySafetyPolicy,
    DiscoverySeed,
    StateFingerprintPolicy,
)
from uiap.spec.policy import SideEffectClass

DEFAULT_SAFETY = DiscoverySafetyPolicy(default_mode="safe_explore")


class KnownAction(msgspec.Struct, frozen=True, kw_only=True):
    """Where an action is offered, and the elements that offer it."""

    urls: tuple[str, ...] = ()
    patterns: tuple[ActionTargetPattern, ...] = ()


class RunTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a run starts from. It is the first record of the journal."""

    run_id: str
    environment: DiscoveryEnvironment
    seeds: tuple[DiscoverySeed, ...] = ()
    routes: dict[str, str] = {}
    """Route id to address, known from manifests or earlier packages."""
    workflows: dict[str, tuple[str, ...]] = {}
    """Workflow id to the addresses it passes through, known from earlier packages."""
    documents: dict[str, str] = {}
    """Reference to text of the documentation."""
    catalog: tuple[DiscoveredWorkflowCandidate, ...] = ()
    """Workflows of the application's own catalog, or of earlier packages."""
    actions: dict[str, KnownAction] = {}
    """Actions that a bundle or earlier packages know, by id."""
    sources: dict[str, str] = {}
    """Seed, as JSON, to where it comes from; seeds that are not listed come from the caller."""
    workers: int = 1
    """The number of browsers that explore at the same time."""


@dataclass(frozen=True, slots=True)
class RunBounds:
    """The budgets of a run (DISC-2.1); a budget that is not given has a default."""

    states: int = 200
    transitions: int = 1000
    depth: int = 8
    runtime_ms: float = 600_000
    per_route: int = 25

    @classmethod
    def of(cls, budget: DiscoveryBudget | None) -> RunBounds:
        if budget is None:
            return cls()
        given = {
            "states": budget.max_states,
            "transitions": budget.max_transitions,
            "depth": budget.max_depth,
            "runtime_ms": budget.max_runtime_ms,
            "per_route": budget.max_per_route,
        }
        return cls(**{name: value for name, value in given.items() if value is not UNSET})  # type: ignore[arg-type]


class RunPlan:
    """The terms of a run in the form that the machine uses. It does not change."""

    def __init__(self, terms: RunTerms) -> None:
        environment = terms.environment
        self.terms, self.environment = terms, environment
        self.bounds = RunBounds.of(environment.budgets or None)
        self.safety = environment.safety or DEFAULT_SAFETY
        self.allowed_origins = AllowedOrigins.of(
            environment.base_url, metadata_list(environment, "allowedOrigins")
        )
        profiles = environment.principal_profiles or ()
        self.profiles: tuple[str | None, ...] = tuple(one.id for one in profiles) or (None,)
        self.fingerprint_policy = _fingerprint_policy(environment)

    def missing_grant(self, profile: str | None, side_effect: SideEffectClass) -> str | None:
        """Return why the grants of a profile do not cover an action; a profile without grants has all."""
        found = next((one for one in self.environment.principal_profiles or () if one.id == profile), None)
        needed = "draft" if side_effect == "draft" else "act"
        if found is None or found.grants is UNSET or {needed, "act", "admin"} & set(found.grants):
            return None
        return f"the profile `{profile}` has no grant `{needed}`"


def metadata_list(environment: DiscoveryEnvironment, member: str) -> tuple[str, ...]:
    """Return a list of texts from the metadata of the environment, for which v0.1 has no member."""
    value = metadata(environment).get(member)
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()


def metadata(environment: DiscoveryEnvironment) -> Mapping[str, Any]:
    return environment.metadata if environment.metadata is not UNSET else {}


def _fingerprint_policy(environment: DiscoveryEnvironment) -> StateFingerprintPolicy | None:
    policy = metadata(environment).get("fingerprint")
    return msgspec.convert(policy, StateFingerprintPolicy) if isinstance(policy, dict) else None
