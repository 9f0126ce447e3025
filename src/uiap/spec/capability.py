"""UIAP Capability Model v0.1: what an application can show, observe and execute.

Vocabularies, target references, action descriptors, risk, success signals and the capability document. Knows nothing
of pages, sessions or policies.
"""

from typing import Annotated, Literal, TypeAlias, get_args

from msgspec import UNSET, Meta, UnsetType

from uiap.spec.base import ByTagged, Count, FalseOnly, JsonObject, KindTagged, Number, Struct, core_or_vendor
from uiap.spec.vocabulary import ElementInstanceId

ProfileId: TypeAlias = str
StableId: TypeAlias = str
ScopeId: TypeAlias = str
ActionId: TypeAlias = Annotated[str, Meta(min_length=1)]

# fmt: off
UIRole: TypeAlias = Literal[
    # app, structure
    "app", "route", "region", "group", "form", "dialog", "drawer", "popover", "tabpanel",
    # navigation, structured choice
    "link", "menu", "menuitem", "tablist", "tab", "toolbar", "breadcrumb", "pagination",
    # collections
    "list", "listitem", "table", "row", "cell", "grid", "tree", "treeitem",
    # inputs, controls
    "button", "textbox", "textarea", "searchbox", "combobox", "listbox", "option", "checkbox", "radio",
    "switch", "slider", "spinbutton", "datepicker", "timepicker", "fileinput", "label",
    # feedback, status
    "alert", "toast", "status", "progress", "spinner",
    # media, special cases
    "image", "video", "audio", "canvas",
    # escape hatch
    "custom",
]
UIAffordance: TypeAlias = Literal[
    "read", "focus", "activate", "edit", "choose", "toggle", "expand", "collapse", "open", "close",
    "scroll", "submit", "dismiss", "drag", "drop", "resize", "upload", "navigate", "invoke",
]
PrimitiveActionType: TypeAlias = Literal[
    "ui.read", "ui.focus", "ui.highlight", "ui.hover", "ui.activate", "ui.enterText", "ui.clearText",
    "ui.setValue", "ui.choose", "ui.toggle", "ui.expand", "ui.collapse", "ui.open", "ui.close",
    "ui.scrollIntoView", "ui.scroll", "ui.submit", "ui.upload", "nav.navigate", "app.invoke",
]
UIStateKey: TypeAlias = Literal[
    "visible", "enabled", "focusable", "focused", "editable", "readonly", "required", "busy", "loading",
    "blocked", "selected", "checked", "pressed", "expanded", "open", "modal", "hovered", "dragged", "current",
    "invalid", "multiline", "hasPopup", "orientation", "textValue", "numericValue", "min", "max", "step",
    "placeholder", "description", "sensitive", "obscured",
]
# fmt: on
ExecutionMode: TypeAlias = Literal[
    "appAction", "semanticUi", "inputSynthesis", "externalDriver", "visionAssist"
]
RiskLevel: TypeAlias = Literal["safe", "confirm", "blocked"]
RiskTag: TypeAlias = Literal[
    "sensitive_data",
    "destructive",
    "external_effect",
    "privileged",
    "billing",
    "security",
    "identity",
    "legal",
    "irreversible",
]
ActionKind: TypeAlias = Literal["primitive", "domain"]
TargetKind: TypeAlias = Literal["element", "scope", "route", "entity", "session", "none"]
Idempotency: TypeAlias = Literal["idempotent", "conditional", "non_idempotent"]
ArgType: TypeAlias = Literal["string", "number", "boolean", "enum", "object", "array"]

UI_ROLES: tuple[UIRole, ...] = get_args(UIRole)
UI_AFFORDANCES: tuple[UIAffordance, ...] = get_args(UIAffordance)
PRIMITIVE_ACTIONS: tuple[PrimitiveActionType, ...] = get_args(PrimitiveActionType)
UI_STATE_KEYS: tuple[UIStateKey, ...] = get_args(UIStateKey)
EXECUTION_MODES: tuple[ExecutionMode, ...] = get_args(ExecutionMode)
RISK_LEVELS: tuple[RiskLevel, ...] = get_args(RiskLevel)  # lax to strict; CAP-8.1: the strictest wins
RISK_TAGS: tuple[RiskTag, ...] = get_args(RiskTag)

# CAP-2.1: a document may declare vendor words. An element with a vendor role is published as role `custom` with that
# word as its `customRole`.
RoleName: TypeAlias = Annotated[str, Meta(pattern=core_or_vendor(UI_ROLES))]
RiskTagName: TypeAlias = Annotated[str, Meta(pattern=core_or_vendor(RISK_TAGS))]


class StableIdRef(ByTagged, tag="stableId"):
    value: StableId


class ScopeRef(ByTagged, tag="scope"):
    value: ScopeId


class RouteRef(ByTagged, tag="route"):
    value: str


class SemanticRef(ByTagged, tag="semantic"):
    role: UIRole
    name: str | UnsetType = UNSET
    scope: ScopeId | UnsetType = UNSET


class CustomRef(ByTagged, tag="custom"):
    value: str


class InstanceIdRef(ByTagged, tag="instanceId"):
    """Web Profile: an element of the current page. It is valid for this page alone, so no document may contain it."""

    value: ElementInstanceId


TargetRef: TypeAlias = StableIdRef | ScopeRef | RouteRef | SemanticRef | CustomRef
WebTargetRef: TypeAlias = StableIdRef | ScopeRef | RouteRef | SemanticRef | CustomRef | InstanceIdRef


class UIState(Struct):
    """The observable state of an element or scope. A key that is not published is `UNSET`."""

    visible: bool | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    focusable: bool | UnsetType = UNSET
    focused: bool | UnsetType = UNSET
    editable: bool | UnsetType = UNSET
    readonly: bool | UnsetType = UNSET
    required: bool | UnsetType = UNSET
    busy: bool | UnsetType = UNSET
    loading: bool | UnsetType = UNSET
    blocked: bool | UnsetType = UNSET
    selected: bool | UnsetType = UNSET
    checked: bool | Literal["mixed"] | UnsetType = UNSET
    pressed: bool | UnsetType = UNSET
    expanded: bool | UnsetType = UNSET
    open: bool | UnsetType = UNSET
    modal: bool | UnsetType = UNSET
    hovered: bool | UnsetType = UNSET
    dragged: bool | UnsetType = UNSET
    current: FalseOnly | Literal["page", "step", "location", "date", "time"] | UnsetType = UNSET
    invalid: bool | Literal["grammar", "spelling"] | UnsetType = UNSET
    multiline: bool | UnsetType = UNSET
    has_popup: FalseOnly | Literal["menu", "listbox", "dialog", "grid", "tree"] | UnsetType = UNSET
    orientation: Literal["horizontal", "vertical"] | UnsetType = UNSET
    text_value: str | UnsetType = UNSET
    numeric_value: Number | UnsetType = UNSET
    min: Number | UnsetType = UNSET
    max: Number | UnsetType = UNSET
    step: Number | UnsetType = UNSET
    placeholder: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    sensitive: bool | UnsetType = UNSET
    obscured: bool | UnsetType = UNSET

    def __post_init__(self) -> None:
        if self.current is True:
            raise ValueError("`current` must be false or name what is current")
        if self.has_popup is True:
            raise ValueError("`hasPopup` must be false or name the kind of popup")


class RiskDescriptor(Struct):
    level: RiskLevel
    tags: tuple[RiskTagName, ...] | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class ElementAppeared(KindTagged, tag="element.appeared"):
    target: WebTargetRef


class ElementDisappeared(KindTagged, tag="element.disappeared"):
    target: WebTargetRef


class ElementState(KindTagged, tag="element.state"):
    target: WebTargetRef
    state: UIState


class ValueEquals(KindTagged, tag="value.equals"):
    target: WebTargetRef
    value: str | int | float | bool


class RouteChanged(KindTagged, tag="route.changed"):
    pattern: str | UnsetType = UNSET
    exact: str | UnsetType = UNSET


class DialogOpened(KindTagged, tag="dialog.opened"):
    target: WebTargetRef | UnsetType = UNSET


class DialogClosed(KindTagged, tag="dialog.closed"):
    target: WebTargetRef | UnsetType = UNSET


class ToastContains(KindTagged, tag="toast.contains"):
    text: str


class StatusContains(KindTagged, tag="status.contains"):
    text: str


class ValidationNone(KindTagged, tag="validation.none"):
    scope: ScopeId | UnsetType = UNSET


class CollectionCount(KindTagged, tag="collection.count"):
    target: WebTargetRef
    op: Literal["eq", "gte", "lte"]
    value: Number


class EntityCreated(KindTagged, tag="entity.created"):
    entity_type: str
    id_path: str | UnsetType = UNSET


class EntityUpdated(KindTagged, tag="entity.updated"):
    entity_type: str
    id_path: str | UnsetType = UNSET


class EntityDeleted(KindTagged, tag="entity.deleted"):
    entity_type: str
    id_path: str | UnsetType = UNSET


class NetworkResponse(KindTagged, tag="network.response"):
    url_pattern: str | UnsetType = UNSET
    status: Count | UnsetType = UNSET


class CustomSuccess(KindTagged, tag="custom"):
    name: str
    payload: JsonObject | UnsetType = UNSET


SuccessSignal: TypeAlias = (
    ElementAppeared
    | ElementDisappeared
    | ElementState
    | ValueEquals
    | RouteChanged
    | DialogOpened
    | DialogClosed
    | ToastContains
    | StatusContains
    | ValidationNone
    | CollectionCount
    | EntityCreated
    | EntityUpdated
    | EntityDeleted
    | NetworkResponse
    | CustomSuccess
)
SUCCESS_SIGNALS: tuple[type[KindTagged], ...] = get_args(SuccessSignal)
SUCCESS_SIGNAL_KINDS: tuple[str, ...] = tuple(str(s.__struct_config__.tag) for s in SUCCESS_SIGNALS)


class ActionArgDescriptor(Struct):
    name: str
    type: ArgType
    required: bool | UnsetType = UNSET
    enum: tuple[str, ...] | UnsetType = UNSET
    description: str | UnsetType = UNSET


class ActionDescriptor(Struct):
    id: ActionId
    kind: ActionKind
    title: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    target_kinds: tuple[TargetKind, ...]
    required_affordances: tuple[UIAffordance, ...] | UnsetType = UNSET
    execution_modes: tuple[ExecutionMode, ...]
    args: tuple[ActionArgDescriptor, ...] | UnsetType = UNSET
    idempotency: Idempotency | UnsetType = UNSET
    risk: RiskDescriptor
    success: tuple[SuccessSignal, ...] | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class CapabilityDocument(Struct):
    model_version: Literal["0.1"]
    profile: ProfileId
    roles: tuple[RoleName, ...]
    state_keys: tuple[UIStateKey, ...]
    affordances: tuple[UIAffordance, ...]
    actions: tuple[ActionDescriptor, ...]
    risk_levels: tuple[RiskLevel, ...]
    risk_tags: tuple[RiskTagName, ...] | UnsetType = UNSET
    success_signal_kinds: tuple[str, ...]
    metadata: JsonObject | UnsetType = UNSET
