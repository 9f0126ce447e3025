"""The catalogs of UIAP Authoring v0.1: actions, policies, workflows and texts."""

from typing import Literal, TypeAlias

from msgspec import UNSET, UnsetType

from uiap.spec.authoring.manifest import ImplementationKind, ManifestSelector
from uiap.spec.base import Struct
from uiap.spec.capability import (
    ActionDescriptor,
)
from uiap.spec.policy import PolicyDocument
from uiap.spec.text import LocalizedMessage
from uiap.spec.workflow import WorkflowDefinition


class ActionImplementationRef(Struct):
    kind: ImplementationKind
    ref: str | UnsetType = UNSET


class AuthoredAction(ActionDescriptor):
    implementation: ActionImplementationRef | UnsetType = UNSET
    selectors: tuple[ManifestSelector, ...] | UnsetType = UNSET


class ActionsManifest(Struct):
    actions: tuple[AuthoredAction, ...]


class ScopedPolicyDocument(Struct):
    id: str
    selector: ManifestSelector | UnsetType = UNSET
    document: PolicyDocument


class PolicySetManifest(Struct):
    policies: tuple[ScopedPolicyDocument, ...]


class WorkflowReviewHints(Struct):
    level: Literal["draft", "candidate", "approved"] | UnsetType = UNSET
    high_risk: bool | UnsetType = UNSET
    generated_from_discovery: bool | UnsetType = UNSET


class AuthoredWorkflow(Struct):
    selector: ManifestSelector | UnsetType = UNSET
    review: WorkflowReviewHints | UnsetType = UNSET
    definition: WorkflowDefinition


class WorkflowCatalogManifest(Struct):
    workflows: tuple[AuthoredWorkflow, ...]


LocaleMessage: TypeAlias = LocalizedMessage


class LocaleNamespace(Struct):
    messages: dict[str, LocaleMessage]


class LocalePackManifest(Struct):
    namespaces: dict[str, LocaleNamespace]
