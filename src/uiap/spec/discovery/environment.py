"""The start of a run of UIAP Discovery v0.1: seeds, environment, budgets and safety rules."""

from typing import Literal, TypeAlias, get_args

from msgspec import UNSET, UnsetType

from uiap.spec.base import Count, JsonObject, KindTagged, Milliseconds, Number, Strings, Struct
from uiap.spec.capability import (
    ActionId,
)
from uiap.spec.discovery.evidence import DiscoveryMode
from uiap.spec.policy import PolicyGrant


class RouteSeed(KindTagged, tag="route"):
    route_id: str


class UrlSeed(KindTagged, tag="url"):
    url: str


class MenuSeed(KindTagged, tag="menu"):
    label: str


class ActionSeed(KindTagged, tag="action"):
    action_id: ActionId


class WorkflowSeed(KindTagged, tag="workflow"):
    workflow_id: str


class DocumentationSeed(KindTagged, tag="documentation"):
    ref: str


DiscoverySeed: TypeAlias = RouteSeed | UrlSeed | MenuSeed | ActionSeed | WorkflowSeed | DocumentationSeed
DISCOVERY_SEED_KINDS: Strings = tuple(str(seed.__struct_config__.tag) for seed in get_args(DiscoverySeed))


class DiscoveryViewport(Struct):
    width: Number
    height: Number


class DiscoveryPrincipalProfile(Struct):
    id: str
    roles: Strings | UnsetType = UNSET
    grants: tuple[PolicyGrant, ...] | UnsetType = UNSET
    description: str | UnsetType = UNSET


class DiscoveryBudget(Struct):
    max_states: Count | UnsetType = UNSET
    max_transitions: Count | UnsetType = UNSET
    max_depth: Count | UnsetType = UNSET
    max_runtime_ms: Milliseconds | UnsetType = UNSET
    max_per_route: Count | UnsetType = UNSET


class DiscoverySafetyPolicy(Struct):
    default_mode: DiscoveryMode
    allow_external_effects: bool | UnsetType = UNSET
    allow_destructive_actions: bool | UnsetType = UNSET
    allow_auth_flows: bool | UnsetType = UNSET
    allow_payment_flows: bool | UnsetType = UNSET


class DiscoveryEnvironment(Struct):
    environment_id: str
    base_url: str
    locale: str | UnsetType = UNSET
    viewport: DiscoveryViewport | UnsetType = UNSET
    auth_mode: Literal["manual", "seeded", "session_reuse"] | UnsetType = UNSET
    principal_profiles: tuple[DiscoveryPrincipalProfile, ...] | UnsetType = UNSET
    feature_flags: dict[str, bool | str | int | float] | UnsetType = UNSET
    budgets: DiscoveryBudget | UnsetType = UNSET
    safety: DiscoverySafetyPolicy | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET
