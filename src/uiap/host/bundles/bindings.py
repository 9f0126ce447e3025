"""Applies the bindings of a compiled bundle to a live page: finds the element of an id, and adds its risk and success.

This module reads bundles and graphs. `bundle` opens a bundle and decides whether to trust it. Matchers that only the
page could evaluate (adapter, css, xpath) match nothing here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from uiap.graph.names import DECORATED, match_level
from uiap.graph.store import GraphStore
from uiap.graph.view import is_inside_scope
from uiap.runtime.resolve import Candidate, Candidates, gather
from uiap.signals.route import matches_pattern, route_paths
from uiap.spec.action import ActionTarget, ResolvedBy
from uiap.spec.authoring import (
    AnnotationMatcher,
    AuthoredAction,
    ElementBinding,
    ElementMatcher,
    LabelMatcher,
    PathMatcher,
    RouteBinding,
    RouteIdMatcher,
    SemanticMatcher,
    TextMatcher,
    TitleMatcher,
    UIAPCompiledBundle,
    UrlPatternMatcher,
)
from uiap.spec.capability import (
    RISK_LEVELS,
    RiskDescriptor,
    SemanticRef,
    StableIdRef,
    SuccessSignal,
    WebTargetRef,
)
from uiap.spec.web import ElementNode

PREFIX = "data-uiap-"


class RecognisedBinding(NamedTuple):
    """A binding that matches an element, and the index of its matcher; -1 for its role and name."""

    binding: ElementBinding
    matcher: int


class Bindings:
    """The bindings of one bundle. `trusted` bindings may lower a risk; others can only raise it."""

    def __init__(self, bundle: UIAPCompiledBundle, *, trusted: bool = False) -> None:
        bindings = bundle.bindings
        sdk = bundle.app.sdk
        prefix = UNSET if sdk is UNSET else sdk.annotation_prefix
        self._id_attribute = f"{PREFIX if prefix is UNSET else prefix}id"
        self._trusted = trusted
        self.elements: dict[str, ElementBinding] = _by_id(
            () if bindings is UNSET else bindings.elements or ()
        )
        self.routes: dict[str, RouteBinding] = _by_id(() if bindings is UNSET else bindings.routes or ())
        self.actions: dict[str, AuthoredAction] = _by_id(bundle.actions or ())
        self._by_role: dict[str, list[ElementBinding]] = {}
        for binding in self.elements.values():
            for role in {binding.role, *(getattr(m, "role", UNSET) for m in binding.match)} - {UNSET}:
                self._by_role.setdefault(str(role), []).append(binding)

    def bind(self, store: GraphStore, target: ActionTarget, gathered: Candidates) -> Candidates:
        """Return the gathered candidates with the knowledge of the bundle about them."""
        ref = target.ref
        by_name: tuple[RecognisedBinding, ...] = ()
        if isinstance(ref, StableIdRef) and ref.value in self.elements:
            binding = self.elements[ref.value]
            gathered = self._find_by_matchers(store, target, binding, gathered)
            by_name = (RecognisedBinding(binding, -1),)  # the candidates were found by this binding
        bound = tuple(self._with_binding(store, candidate, by_name) for candidate in gathered.candidates)
        return msgspec.structs.replace(gathered, candidates=bound)

    # -- elements of a binding ------------------------------------------------------------------------------

    def _find_by_matchers(
        self, store: GraphStore, target: ActionTarget, binding: ElementBinding, gathered: Candidates
    ) -> Candidates:
        """Return the candidates of the first matcher that finds any, in the order of the binding (ACT-8.1)."""
        for ref, by in self._target_refs(binding):
            found = gather(store, msgspec.structs.replace(target, ref=ref), {})
            matching = tuple(
                msgspec.structs.replace(candidate, by=by)
                for candidate in found.candidates
                if candidate.by != "annotation" and self._recognises(store, binding, candidate.element)
            )
            if matching:
                return Candidates(matching)
        return Candidates((), gathered.opaque)

    def _target_refs(self, binding: ElementBinding) -> Iterator[tuple[WebTargetRef, ResolvedBy]]:
        for matcher in binding.match:
            match matcher:
                case AnnotationMatcher(attr=attr, value=value) if attr == self._id_attribute:
                    yield StableIdRef(value=value), "stableId"
                case SemanticMatcher(name=name, scope_id=scope):
                    role = matcher.role if matcher.role is not UNSET else binding.role
                    if role is not UNSET:
                        yield SemanticRef(role=role, name=name, scope=scope), "semantic"
                case LabelMatcher(text=text) | TextMatcher(text=text) if binding.role is not UNSET:
                    yield SemanticRef(role=binding.role, name=text), "semantic"
        if binding.role is not UNSET:
            # The last resort is the name of the binding itself. Healing can propose a missing matcher from it.
            for name in _names(binding):
                yield SemanticRef(role=binding.role, name=name, scope=binding.scope_id), "semantic"

    # -- bindings of an element -----------------------------------------------------------------------------

    def recognise(self, store: GraphStore, element: ElementNode) -> tuple[RecognisedBinding, ...]:
        """Return the bindings that match an element. The binding of the element's own id excludes all others."""
        own = self.elements.get(element.stable_id) if isinstance(element.stable_id, str) else None
        if own is not None and self._has_role(own, element):
            return (RecognisedBinding(own, self._matcher_index(store, own, element)),)
        found = (
            RecognisedBinding(b, self._matcher_index(store, b, element))
            for b in self._by_role.get(element.role, ())
        )
        return tuple(one for one in found if one.matcher >= 0 and self._has_role(one.binding, element))

    def _recognises(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> bool:
        if not self._has_role(binding, element):
            return False
        return self._matcher_index(store, binding, element) >= 0 or self._matches_name(
            store, binding, element
        )

    def _has_role(self, binding: ElementBinding, element: ElementNode) -> bool:
        """Return whether the element has the role of the binding. An element of another role never matches."""
        return binding.role is UNSET or binding.role == element.role

    def _matcher_index(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> int:
        fitting = (i for i, m in enumerate(binding.match) if self._fits(store, binding, m, element))
        return next(fitting, -1)

    def _fits(
        self, store: GraphStore, binding: ElementBinding, matcher: ElementMatcher, element: ElementNode
    ) -> bool:
        match matcher:
            case AnnotationMatcher(attr=attr, value=value):
                return attr == self._id_attribute and element.stable_id == value
            case SemanticMatcher(role=role, name=name, scope_id=scope):
                if role not in (UNSET, element.role) or not self._on_route(store, binding):
                    return False
                named = name is UNSET or _text_matches(element.name, name)
                return named and (scope is UNSET or is_inside_scope(store, element, scope))
            case LabelMatcher(text=text):
                return self._on_route(store, binding) and _text_matches(element.name, text)
            case TextMatcher(text=text):
                return self._on_route(store, binding) and (
                    _text_matches(element.name, text) or _text_matches(element.text, text)
                )
        return False

    def _matches_name(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> bool:
        inside = binding.scope_id is UNSET or is_inside_scope(store, element, binding.scope_id)
        named = any(_text_matches(element.name, name) for name in _names(binding))
        return named and inside and self._on_route(store, binding)

    def _on_route(self, store: GraphStore, binding: ElementBinding) -> bool:
        """Return whether the page is on a route of the binding. Texts match only there; ids match everywhere."""
        if binding.route_ids is UNSET or not binding.route_ids:
            return True
        known = [self.routes[id] for id in binding.route_ids if id in self.routes]
        return not known or any(_is_route(store, route) for route in known)

    # -- knowledge of the bundle ----------------------------------------------------------------------------

    def _with_binding(
        self, store: GraphStore, candidate: Candidate, by_name: tuple[RecognisedBinding, ...] = ()
    ) -> Candidate:
        found = self.recognise(store, candidate.element) or by_name
        if not found:
            return candidate
        risk = strictest_risk(risk for one in found for risk in self._risks(one.binding))
        vouched = self._trusted and risk is not UNSET and not _written_by_users(candidate.element)
        if not vouched:  # CAP-8.1: an untrusted risk can only make things stricter
            risk = strictest_risk((risk, candidate.element.risk))
        added: dict[str, Any] = {"risk": risk}
        if len(found) == 1:
            added.update(self._added_fields(candidate.element, found[0].binding))
        element = msgspec.structs.replace(candidate.element, **added)
        matched_by = _matcher_name(found[0].matcher) if len(found) == 1 else None
        return msgspec.structs.replace(candidate, element=element, vouched=vouched, binding=matched_by)

    def _risks(self, binding: ElementBinding) -> Iterator[RiskDescriptor]:
        if isinstance(binding.risk, RiskDescriptor):
            yield binding.risk
        elif isinstance(binding.risk, str):
            yield RiskDescriptor(level=binding.risk)
        action = self._default_action(binding)
        if action is not None:
            yield action.risk

    def _added_fields(self, element: ElementNode, binding: ElementBinding) -> dict[str, Any]:
        added: dict[str, Any] = {"stable_id": binding.id}
        classes = dict.fromkeys((*(element.data_classes or ()), *(binding.data_classes or ())))
        if classes:
            added["data_classes"] = tuple(classes)
        for name in ("meaning", "default_action"):
            if getattr(binding, name) is not UNSET:
                added[name] = getattr(binding, name)
        success = self.success_signals(binding)
        if success:
            added["success"] = success
        return added

    def success_signals(self, binding: ElementBinding) -> tuple[SuccessSignal, ...]:
        """Return the success signals that the element declares, else those of its default action (ACT-12.1)."""
        action = self._default_action(binding)
        own = binding.success if binding.success is not UNSET else ()
        declared = own or (action.success if action is not None and action.success is not UNSET else ())
        return tuple(self._with_target_ref(signal) for signal in declared)

    def _default_action(self, binding: ElementBinding) -> AuthoredAction | None:
        return self.actions.get(binding.default_action) if binding.default_action is not UNSET else None

    def _with_target_ref(self, signal: SuccessSignal) -> SuccessSignal:
        """Return the signal with a target by role and name if the page does not annotate the element."""
        target = getattr(signal, "target", UNSET)
        binding = self.elements.get(target.value) if isinstance(target, StableIdRef) else None
        if binding is None:
            return signal
        references = [ref for ref, _ in self._target_refs(binding)]
        if not references or any(isinstance(ref, StableIdRef) for ref in references):
            return signal
        changed: SuccessSignal = msgspec.structs.replace(signal, target=references[0])
        return changed


def strictest_risk(risks: Iterable[Any]) -> Any:
    """Return the strictest risk with the tags of all, so that no rule misses one; UNSET without risks (CAP-8.1)."""
    declared = [risk for risk in risks if risk is not UNSET]
    if not declared:
        return UNSET
    worst = max(declared, key=lambda risk: RISK_LEVELS.index(risk.level))
    tags = tuple(dict.fromkeys(tag for risk in declared for tag in (risk.tags or ())))
    return msgspec.structs.replace(worst, tags=tags or UNSET)


def _matcher_name(matcher: int) -> str:
    return "name" if matcher < 0 else f"matcher {matcher + 1}"


def _written_by_users(element: ElementNode) -> bool:
    """Return whether users wrote the text of the element. Such a text can imitate anything, so it is never trusted."""
    text = element.metadata.get("text") if isinstance(element.metadata, dict) else None
    return isinstance(text, dict) and text.get("userGenerated") is True


def _by_id(items: Iterable[Any]) -> dict[str, Any]:
    return {item.id: item for item in items}


def _names(binding: ElementBinding) -> tuple[str, ...]:
    """Return the names of the element: its one text, or the text of each locale."""
    name = binding.name
    if name is UNSET:
        return ()
    if isinstance(name, str):
        return (name,)
    texts = msgspec.to_builtins(name)
    return tuple(dict.fromkeys([texts["default"], *(texts.get("byLocale") or {}).values()]))


def _text_matches(text: Any, wanted: Any) -> bool:
    return isinstance(text, str) and match_level(text, wanted) >= DECORATED


def _is_route(store: GraphStore, route: RouteBinding) -> bool:
    return any(_route_fits(store, matcher) for matcher in route.match)


def _route_fits(store: GraphStore, matcher: Any) -> bool:
    path, _ = route_paths(store.route)
    match matcher:
        case PathMatcher(value=value):
            return path.rstrip("/") == value.rstrip("/")
        case UrlPatternMatcher(value=value):
            return matches_pattern(value, path)
        case RouteIdMatcher(value=value):
            return store.route.route_id == value
        case TitleMatcher(value=value):
            return _text_matches(store.route.title, value)
    return False
