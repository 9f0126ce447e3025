"""The bindings of UIAP Authoring v0.1: how routes, scopes and elements are recognised in the application."""

from typing import TypeAlias

from msgspec import UNSET, UnsetType

from uiap.spec.base import ByTagged, JsonObject, KindTagged, Strings, Struct
from uiap.spec.capability import (
    ActionId,
    RiskDescriptor,
    RiskLevel,
    ScopeId,
    StableId,
    SuccessSignal,
    UIRole,
)
from uiap.spec.text import AuthoredText
from uiap.spec.vocabulary import DataClass, ScopeKind


class RouteIdMatcher(KindTagged, tag="routeId"):
    value: str


class PathMatcher(KindTagged, tag="path"):
    value: str


class UrlPatternMatcher(KindTagged, tag="urlPattern"):
    value: str


class TitleMatcher(KindTagged, tag="title"):
    value: str


class SignalMatcher(KindTagged, tag="signal"):
    value: str


RouteMatcher: TypeAlias = RouteIdMatcher | PathMatcher | UrlPatternMatcher | TitleMatcher | SignalMatcher


class RouteBinding(Struct):
    id: str
    match: tuple[RouteMatcher, ...]
    title: AuthoredText | UnsetType = UNSET
    parent_route_id: str | UnsetType = UNSET
    success_signals: tuple[SuccessSignal, ...] | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class ScopeBinding(Struct):
    id: str
    kind: ScopeKind
    route_ids: Strings | UnsetType = UNSET
    parent_scope_id: ScopeId | UnsetType = UNSET
    title: AuthoredText | UnsetType = UNSET
    stable_ids: tuple[StableId, ...] | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class AnnotationMatcher(ByTagged, tag="annotation"):
    attr: str
    value: str


class SemanticMatcher(ByTagged, tag="semantic"):
    role: UIRole | UnsetType = UNSET
    name: str | UnsetType = UNSET
    scope_id: ScopeId | UnsetType = UNSET


class LabelMatcher(ByTagged, tag="label"):
    text: str


class TextMatcher(ByTagged, tag="text"):
    text: str


class AdapterMatcher(ByTagged, tag="adapter"):
    id: str


class RuntimeHintMatcher(ByTagged, tag="runtimeHint"):
    css: str | UnsetType = UNSET
    xpath: str | UnsetType = UNSET


ElementMatcher: TypeAlias = (
    AnnotationMatcher | SemanticMatcher | LabelMatcher | TextMatcher | AdapterMatcher | RuntimeHintMatcher
)


class ElementBinding(Struct):
    id: StableId
    scope_id: ScopeId | UnsetType = UNSET
    route_ids: Strings | UnsetType = UNSET
    role: UIRole | UnsetType = UNSET
    name: AuthoredText | UnsetType = UNSET
    meaning: str | UnsetType = UNSET
    match: tuple[ElementMatcher, ...]
    risk: RiskLevel | RiskDescriptor | UnsetType = UNSET  # a bare level means {level}
    data_classes: tuple[DataClass, ...] | UnsetType = UNSET
    default_action: ActionId | UnsetType = UNSET
    success: tuple[SuccessSignal, ...] | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET


class BindingsManifest(Struct):
    routes: tuple[RouteBinding, ...] | UnsetType = UNSET
    scopes: tuple[ScopeBinding, ...] | UnsetType = UNSET
    elements: tuple[ElementBinding, ...] | UnsetType = UNSET
