"""Vocabularies that several documents use. They are here, so that the modules do not import each other in a circle.

Each is re-exported by the module of its document. Import it from there.
"""

from typing import Annotated, Literal, TypeAlias, get_args

from msgspec import Meta

from uiap.spec.base import core_or_vendor

# Web Profile
RevisionId: TypeAlias = str
DocumentId: TypeAlias = str
ElementInstanceId: TypeAlias = str
CoreScopeKind: TypeAlias = Literal[
    "app",
    "route",
    "region",
    "group",
    "form",
    "dialog",
    "drawer",
    "popover",
    "menu",
    "tabpanel",
    "toolbar",
    "list",
    "table",
    "grid",
    "tree",
    "frame",
    "custom",
]
SCOPE_KINDS: tuple[CoreScopeKind, ...] = get_args(CoreScopeKind)
ScopeKind: TypeAlias = Annotated[str, Meta(pattern=core_or_vendor(SCOPE_KINDS))]

# Policy. An unknown data class is no error: it is treated like `secret`.
CoreDataClass: TypeAlias = Literal[
    "public", "internal", "personal", "sensitive", "credential", "secret", "payment", "health"
]
DATA_CLASSES: tuple[CoreDataClass, ...] = get_args(CoreDataClass)
DataClass: TypeAlias = str
RedactionMode: TypeAlias = Literal["omit", "mask", "hash", "label"]
REDACTION_MODES: tuple[RedactionMode, ...] = get_args(RedactionMode)

# Workflow
InteractionMode: TypeAlias = Literal["guide", "assist", "auto"]
INTERACTION_MODES: tuple[InteractionMode, ...] = get_args(InteractionMode)
