"""What a run was asked to do, read once: bounds, territory, safety and principals from the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.discovery.plan.address import AllowedOrigins
from uiap.spec.discovery import (
    DiscoveryBudget,
    DiscoveryEnvironment,
    DiscoverySafetyPolicy,
    DiscoverySeed,
    StateFingerprintPolicy,
)

DEFAULT_SAFETY = DiscoverySafetyPolicy(default_mode="safe_explore")


class RunTerms(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a run starts from; the journal's first record."""

    run_id: str
    environment: DiscoveryEnvironment
    seeds: tuple[DiscoverySeed, ...] = ()
    routes: dict[str, str] = {}
    """Addresses of routes known from manifests or earlier packages."""
    workflows: dict[str, tuple[str, ...]] = {}
    """Addresses that workflows known from earlier packages pass through."""
    documents: dict[str, str] = {}
    """Texts of documentation by reference."""


@dataclass(frozen=True, slots=True)
class RunBounds:
    """DISC-2.1. What is not given is bounded too."""

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
    def __init__(self, terms: RunTerms) -> None:
        environment = terms.environment
        self.terms, self.environment = terms, environment
        self.bounds = RunBounds.of(environment.budgets or None)
        self.safety = environment.safety or DEFAULT_SAFETY
        self.territory = AllowedOrigins.of(environment.base_url, metadata_list(environment, "allowedOrigins"))
        profiles = environment.principal_profiles or ()
        self.profiles: tuple[str | None, ...] = tuple(one.id for one in profiles) or (None,)
        self.fingerprints = _fingerprint_policy(environment)


def metadata_list(environment: DiscoveryEnvironment, member: str) -> tuple[str, ...]:
    """A list of texts in the environment's metadata, where v0.1 has no member of its own for it."""
    value = metadata(environment).get(member)
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()


def metadata(environment: DiscoveryEnvironment) -> Mapping[str, Any]:
    return environment.metadata if environment.metadata is not UNSET else {}


def _fingerprint_policy(environment: DiscoveryEnvironment) -> StateFingerprintPolicy | None:
    given = metadata(environment).get("fingerprint")
    return msgspec.convert(given, StateFingerprintPolicy) if isinstance(given, dict) else None
