"""A request as facts that rules can match: flat, hashable and without private values."""

from __future__ import annotations

from typing import Literal

import msgspec

from uiap.spec.capability import RiskLevel
from uiap.spec.policy import PolicyGrant, PolicyOperation, PrincipalType, SideEffectClass


class PolicyRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The input of `PolicySet.decide`. An absent fact is None: a rule that names it does not match."""

    principal_type: PrincipalType
    principal_id: str
    principal_roles: frozenset[str] = frozenset()
    grants: frozenset[PolicyGrant] = frozenset()
    operation: PolicyOperation = "act"
    action_id: str | None = None
    action_kind: Literal["primitive", "domain"] | None = None
    action_known: bool = True
    """The action is a primitive or has a descriptor."""
    execution_mode: str | None = None
    side_effect: SideEffectClass = "unknown"
    side_effect_basis: Literal["declared", "derived", "inferred"] = "inferred"
    routine: bool = False
    """It shows something, or makes an ordinary change that can be taken back (`policy.routine`)."""
    risk_level: RiskLevel = "safe"
    """The stricter of the risks of the action and of the element."""
    risk_explicit: bool = False
    risk_tags: frozenset[str] = frozenset()
    role: str | None = None
    stable_id: str | None = None
    meaning: str | None = None
    scope_id: str | None = None
    scope_kind: str | None = None
    route_id: str | None = None
    origin: str | None = None
    data_classes: frozenset[str] = frozenset()
    """Classes of the data that the request writes, or reads in a reading operation."""
    workflow_id: str | None = None
    interaction_mode: Literal["guide", "assist", "auto"] | None = None
    named_secret: bool = False
    """The data is named, not given: the session types it, and the agent never knows it."""
    crossing: str = ""
    """Why the action crosses from the origins of the session to another one, with both named."""
    opaque: bool = False
    target_certain: bool = True
    """False if the target was found by heuristics or vision alone."""

    @property
    def writes(self) -> bool:
        return self.operation in ("act", "write") and self.side_effect != "none"
