"""UIAP Policy Extension v0.1: principals, grants, data classes, policy documents, decisions, audit records.

The tables are the defaults of the evaluation, which is in `uiap.policy`.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, get_args

from msgspec import UNSET, UnsetType, field

from uiap.spec.action import ActionStatus, SideEffectState
from uiap.spec.base import JsonObject, KindTagged, Milliseconds, SessionId, Strings, Struct, Timestamp
from uiap.spec.capability import (
    ActionId,
    ActionKind,
    ExecutionMode,
    RiskLevel,
    RiskTagName,
    SuccessSignal,
    UIRole,
    UIStateKey,
    WebTargetRef,
)
from uiap.spec.text import AuthoredText
from uiap.spec.vocabulary import DATA_CLASSES as DATA_CLASSES
from uiap.spec.vocabulary import REDACTION_MODES as REDACTION_MODES
from uiap.spec.vocabulary import DataClass as DataClass
from uiap.spec.vocabulary import InteractionMode, ScopeKind
from uiap.spec.vocabulary import RedactionMode as RedactionMode
from uiap.timeouts import CONFIRMATION_MS

PrincipalType: TypeAlias = Literal["user", "agent", "bridge", "observer", "system"]
PolicyGrant: TypeAlias = Literal[
    "observe",
    "guide",
    "draft",
    "act",
    "admin",
    "read.sensitive",
    "read.secret",
    "write.sensitive",
    "billing",
    "identity",
    "security",
]
SideEffectClass: TypeAlias = Literal[
    "none",
    "navigation",
    "ui_state",
    "draft",
    "data_write",
    "external_effect",
    "identity_change",
    "billing_change",
    "security_change",
    "destructive",
    "irreversible",
    "unknown",
]
PolicyEffect: TypeAlias = Literal["allow", "confirm", "handoff", "deny"]
PolicyOperation: TypeAlias = Literal["observe", "read", "act", "write", "navigate", "export"]
PolicyReason: TypeAlias = Literal[
    "default",
    "rule",
    "risk_confirm",
    "risk_blocked",
    "missing_grant",
    "unknown_action",
    "unknown_target",
    "data_class",
    "side_effect",
    "platform_boundary",
    "workflow_mode",
]
HandoffReason: TypeAlias = Literal[
    "credential", "payment", "security", "legal", "user_activation", "policy", "ambiguity", "other"
]

PRINCIPAL_TYPES: tuple[PrincipalType, ...] = get_args(PrincipalType)
POLICY_GRANTS: tuple[PolicyGrant, ...] = get_args(PolicyGrant)
SIDE_EFFECT_CLASSES: tuple[SideEffectClass, ...] = get_args(SideEffectClass)
POLICY_EFFECTS: tuple[PolicyEffect, ...] = get_args(PolicyEffect)  # lax to strict
POLICY_OPERATIONS: tuple[PolicyOperation, ...] = get_args(PolicyOperation)
POLICY_REASONS: tuple[PolicyReason, ...] = get_args(PolicyReason)
HANDOFF_REASONS: tuple[HandoffReason, ...] = get_args(HandoffReason)


class PolicyPrincipal(Struct):
    type: PrincipalType
    id: str
    roles: Strings | UnsetType = UNSET
    grants: tuple[PolicyGrant, ...] | UnsetType = UNSET


class PolicyDefaults(Struct):
    on_unknown_action: PolicyEffect | UnsetType = UNSET
    on_unknown_target: PolicyEffect | UnsetType = UNSET
    on_safe: PolicyEffect | UnsetType = UNSET
    on_confirm: PolicyEffect | UnsetType = UNSET
    on_blocked: Literal["handoff", "deny"] | UnsetType = UNSET
    on_missing_grant: Literal["handoff", "deny"] | UnsetType = UNSET
    confirmation_timeout_ms: Milliseconds | UnsetType = UNSET


POLICY_DEFAULTS = PolicyDefaults(
    on_unknown_action="deny",
    on_unknown_target="confirm",
    on_safe="allow",
    on_confirm="confirm",
    on_blocked="deny",
    on_missing_grant="deny",
    confirmation_timeout_ms=CONFIRMATION_MS,
)


class PolicyMatch(Struct):
    """All given members must match, and any entry of a list. `{}` matches everything."""

    principal_types: tuple[PrincipalType, ...] | UnsetType = UNSET
    principal_ids: Strings | UnsetType = UNSET
    principal_roles: Strings | UnsetType = UNSET
    grants_all: tuple[PolicyGrant, ...] | UnsetType = UNSET
    grants_missing: tuple[PolicyGrant, ...] | UnsetType = UNSET
    operations: tuple[PolicyOperation, ...] | UnsetType = UNSET
    action_ids: Strings | UnsetType = UNSET
    action_kinds: tuple[ActionKind, ...] | UnsetType = UNSET
    execution_modes: tuple[ExecutionMode, ...] | UnsetType = UNSET
    side_effect_classes: tuple[SideEffectClass, ...] | UnsetType = UNSET
    risk_levels: tuple[RiskLevel, ...] | UnsetType = UNSET
    risk_tags: tuple[RiskTagName, ...] | UnsetType = UNSET
    roles: tuple[UIRole, ...] | UnsetType = UNSET
    stable_ids: Strings | UnsetType = UNSET
    meanings: Strings | UnsetType = UNSET
    scope_ids: Strings | UnsetType = UNSET
    scope_kinds: tuple[ScopeKind, ...] | UnsetType = UNSET
    route_ids: Strings | UnsetType = UNSET
    origins: Strings | UnsetType = UNSET
    data_classes: tuple[DataClass, ...] | UnsetType = UNSET
    workflow_ids: Strings | UnsetType = UNSET
    interaction_modes: tuple[InteractionMode, ...] | UnsetType = UNSET
    not_: "PolicyMatch | UnsetType" = field(default=UNSET, name="not")


class ConfirmationSpec(Struct):
    actor: Literal["user", "controller"] | UnsetType = UNSET
    summary: AuthoredText | UnsetType = UNSET
    show_args: bool | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    remember: Literal["never", "session"] | UnsetType = UNSET


class HandoffSpec(Struct):
    reason: HandoffReason
    instructions: AuthoredText | UnsetType = UNSET
    resume_on: tuple[SuccessSignal, ...] | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET


class AuditObligation(KindTagged, tag="audit"):
    level: Literal["summary", "full"] | UnsetType = UNSET


class RedactObligation(KindTagged, tag="redact"):
    data_classes: tuple[DataClass, ...] | UnsetType = UNSET
    mode: RedactionMode | UnsetType = UNSET


class NotifyObligation(KindTagged, tag="notify"):
    channel: str | UnsetType = UNSET


class LimitExecutionModesObligation(KindTagged, tag="limitExecutionModes"):
    modes: tuple[ExecutionMode, ...]


class RequireVerificationObligation(KindTagged, tag="requireVerification"):
    policy: Literal["any", "all"]


class CustomObligation(KindTagged, tag="custom"):
    name: str
    params: JsonObject | UnsetType = UNSET


PolicyObligation: TypeAlias = (
    AuditObligation
    | RedactObligation
    | NotifyObligation
    | LimitExecutionModesObligation
    | RequireVerificationObligation
    | CustomObligation
)


class PolicyRule(Struct):
    id: str
    description: str | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    priority: int | UnsetType = UNSET
    match: PolicyMatch
    effect: PolicyEffect
    reason: PolicyReason | UnsetType = UNSET
    message: AuthoredText | UnsetType = UNSET
    obligations: tuple[PolicyObligation, ...] | UnsetType = UNSET
    confirmation: ConfirmationSpec | UnsetType = UNSET
    handoff: HandoffSpec | UnsetType = UNSET


class RedactionMatch(Struct):
    data_classes: tuple[DataClass, ...] | UnsetType = UNSET
    stable_ids: Strings | UnsetType = UNSET
    scope_ids: Strings | UnsetType = UNSET
    roles: tuple[UIRole, ...] | UnsetType = UNSET
    principal_types: tuple[PrincipalType, ...] | UnsetType = UNSET
    grants_missing: tuple[PolicyGrant, ...] | UnsetType = UNSET


class RedactionRule(Struct):
    id: str
    match: RedactionMatch
    mode: RedactionMode
    keys: tuple[UIStateKey, ...] | UnsetType = UNSET


REDACTED_KEYS: tuple[UIStateKey, ...] = ("textValue", "numericValue")


class AuditPolicy(Struct):
    enabled: bool | UnsetType = UNSET
    level: Literal["summary", "full"] | UnsetType = UNSET
    include_allowed: bool | UnsetType = UNSET


class PolicyDocument(Struct):
    model_version: Literal["0.1"]
    id: str
    version: str | UnsetType = UNSET
    title: AuthoredText | UnsetType = UNSET
    defaults: PolicyDefaults
    rules: tuple[PolicyRule, ...] | UnsetType = UNSET
    redaction: tuple[RedactionRule, ...] | UnsetType = UNSET
    audit: AuditPolicy | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class PolicyDecision(Struct):
    decision_id: str
    effect: PolicyEffect
    reason: PolicyReason
    message: str | UnsetType = UNSET
    matched_rules: Strings
    missing_grants: tuple[PolicyGrant, ...] | UnsetType = UNSET
    obligations: tuple[PolicyObligation, ...]
    confirmation: ConfirmationSpec | UnsetType = UNSET
    handoff: HandoffSpec | UnsetType = UNSET
    evaluated_at: Timestamp
    policy_revision: str


class AuditRecord(Struct):
    audit_id: str
    ts: Timestamp
    session_id: SessionId
    principal: PolicyPrincipal
    action_id: ActionId | UnsetType = UNSET
    action_handle: str | UnsetType = UNSET
    target: WebTargetRef | UnsetType = UNSET
    operation: PolicyOperation
    decision: PolicyDecision
    outcome: ActionStatus | UnsetType = UNSET
    side_effect_state: SideEffectState | UnsetType = UNSET
    args: JsonObject | UnsetType = UNSET


class PolicyWorkflowContext(Struct):
    workflow_id: str
    step_id: str | UnsetType = UNSET
    mode: InteractionMode | UnsetType = UNSET


class PolicyEvaluatePayload(Struct):
    operation: PolicyOperation
    action_id: ActionId | UnsetType = UNSET
    target: WebTargetRef | UnsetType = UNSET
    args: JsonObject | UnsetType = UNSET
    execution_mode: ExecutionMode | UnsetType = UNSET
    workflow: PolicyWorkflowContext | UnsetType = UNSET


class PolicyGetPayload(Struct):
    known_revision: str | UnsetType = UNSET


class PolicyDocumentPayload(Struct):
    revision: str
    documents: tuple[PolicyDocument, ...]
    unchanged: bool | UnsetType = UNSET


class PolicyDecisionPayload(Struct):
    decision: PolicyDecision


class PolicyChangedPayload(Struct):
    revision: str


class PolicyAuditPayload(Struct):
    record: AuditRecord


class PolicyHandoffStartedPayload(Struct):
    handoff_id: str
    action_handle: str | UnsetType = UNSET
    handoff: HandoffSpec


class PolicyHandoffCompletedPayload(Struct):
    handoff_id: str
    outcome: Literal["done", "declined", "timeout"]
    observed: tuple[SuccessSignal, ...] | UnsetType = UNSET


class SideEffectRule(NamedTuple):
    """The grants and the effect of a side-effect class, if nothing else decides."""

    severity: int
    grants: frozenset[PolicyGrant]
    effect: PolicyEffect


def _needs(severity: int, effect: PolicyEffect, *grants: PolicyGrant) -> SideEffectRule:
    return SideEffectRule(severity, frozenset(grants), effect)


SIDE_EFFECT_RULES: Mapping[SideEffectClass, SideEffectRule] = MappingProxyType(
    {
        "none": _needs(0, "allow", "observe"),
        "navigation": _needs(1, "allow", "guide"),
        "ui_state": _needs(1, "allow", "guide"),
        "draft": _needs(2, "allow", "draft"),
        "data_write": _needs(3, "confirm", "act"),
        "external_effect": _needs(4, "confirm", "act"),
        "identity_change": _needs(5, "handoff", "act", "identity"),
        "billing_change": _needs(6, "handoff", "act", "billing"),
        "security_change": _needs(6, "handoff", "act", "security"),
        "destructive": _needs(7, "deny", "act", "admin"),
        "irreversible": _needs(8, "deny", "act", "admin"),
        "unknown": _needs(9, "confirm", "act"),
    }
)


class DataClassRule(NamedTuple):
    """The grants to read and write a data class, its masking without them, and the effect of writing it."""

    read: frozenset[PolicyGrant]
    redact: RedactionMode | None
    write: frozenset[PolicyGrant]
    write_effect: PolicyEffect | None  # None: the side effect decides


_PLAIN = DataClassRule(frozenset({"observe"}), None, frozenset({"draft"}), None)
_SENSITIVE = DataClassRule(frozenset({"read.sensitive"}), "mask", frozenset({"write.sensitive"}), "confirm")
UNKNOWN_DATA_CLASS_RULE = DataClassRule(
    frozenset({"read.secret"}), "omit", frozenset({"write.sensitive", "security"}), "handoff"
)
# `personal` is masked only in views meant for a model, and only without `read.sensitive`.
DATA_CLASS_RULES: Mapping[DataClass, DataClassRule] = MappingProxyType(
    {
        "public": _PLAIN,
        "internal": _PLAIN,
        "personal": _PLAIN._replace(redact="mask"),
        "sensitive": _SENSITIVE,
        "health": _SENSITIVE,
        "payment": DataClassRule(
            frozenset({"read.sensitive", "billing"}),
            "mask",
            frozenset({"write.sensitive", "billing"}),
            "handoff",
        ),
        "credential": DataClassRule(
            frozenset({"read.secret"}), "omit", frozenset({"write.sensitive"}), "handoff"
        ),
        "secret": UNKNOWN_DATA_CLASS_RULE,
    }
)
