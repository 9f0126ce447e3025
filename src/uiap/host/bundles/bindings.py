"""What a compiled bundle says about the elements of a live page: which one an id means, what proves its success,
how risky it is (companions §12.3, runtime executor).

Reads bundles and graphs; opening a bundle and deciding whether to believe it is `bundle`'s business. Matchers that
only the page itself could answer (adapter, css, xpath) recognise nothing here.
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
    """A binding that fits an element, and by which of its matchers; -1: by its role and name, which is no matcher."""

    binding: ElementBinding
    matcher: int


class Bindings:
    """The elements of one bundle, ready to be recognised."""

    def __init__(self, bundle: UIAPCompiledBundle, *, trusted: bool = False) -> None:
        held = bundle.bindings
        sdk = bundle.app.sdk
        prefix = UNSET if sdk is UNSET else sdk.annotation_prefix
        self._id_attribute = f"{PREFIX if prefix is UNSET else prefix}id"
        self._trusted = trusted
        self.elements: dict[str, ElementBinding] = _by_id(() if held is UNSET else held.elements or ())
        self.routes: dict[str, RouteBinding] = _by_id(() if held is UNSET else held.routes or ())
        self.actions: dict[str, AuthoredAction] = _by_id(bundle.actions or ())
        self._by_role: dict[str, list[ElementBinding]] = {}
        for binding in self.elements.values():
            for role in {binding.role, *(getattr(m, "role", UNSET) for m in binding.match)} - {UNSET}:
                self._by_role.setdefault(str(role), []).append(binding)

    def bind(self, store: GraphStore, target: ActionTarget, gathered: Candidates) -> Candidates:
        """What was gathered for a target, completed by what the bundle knows of it."""
        ref = target.ref
        by_name: tuple[RecognisedBinding, ...] = ()
        if isinstance(ref, StableIdRef) and ref.value in self.elements:
            binding = self.elements[ref.value]
            gathered = self._find_by_matchers(store, target, binding, gathered)
            by_name = (RecognisedBinding(binding, -1),)  # it was looked for, so it is what was found
        bound = tuple(self._with_binding(store, candidate, by_name) for candidate in gathered.candidates)
        return msgspec.structs.replace(gathered, candidates=bound)

    # -- which element an id means --------------------------------------------------------------------------

    def _find_by_matchers(
        self, store: GraphStore, target: ActionTarget, binding: ElementBinding, gathered: Candidates
    ) -> Candidates:
        """ACT-8.1: in the order given, and the first matcher that finds anything decides."""
        for ref, by in self._target_refs(binding):
            found = gather(store, msgspec.structs.replace(target, ref=ref), {})
            here = tuple(
                msgspec.structs.replace(candidate, by=by)
                for candidate in found.candidates
                if candidate.by != "annotation" and self._recognises(store, binding, candidate.element)
            )
            if here:
                return Candidates(here)
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
            # The last resort: what the binding itself is called. A matcher that is missing can be proposed from it.
            for name in _names(binding):
                yield SemanticRef(role=binding.role, name=name, scope=binding.scope_id), "semantic"

    # -- which binding an element has -----------------------------------------------------------------------

    def recognise(self, store: GraphStore, element: ElementNode) -> tuple[RecognisedBinding, ...]:
        """Every binding that fits, the element's own id first; with one the others do not count."""
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
        """An element of another role is not what was bound, whatever id it carries."""
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
                named = name is UNSET or _says(element.name, name)
                return named and (scope is UNSET or is_inside_scope(store, element, scope))
            case LabelMatcher(text=text):
                return self._on_route(store, binding) and _says(element.name, text)
            case TextMatcher(text=text):
                return self._on_route(store, binding) and (
                    _says(element.name, text) or _says(element.text, text)
                )
        return False

    def _matches_name(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> bool:
        inside = binding.scope_id is UNSET or is_inside_scope(store, element, binding.scope_id)
        named = any(_says(element.name, name) for name in _names(binding))
        return named and inside and self._on_route(store, binding)

    def _on_route(self, store: GraphStore, binding: ElementBinding) -> bool:
        """Words are only looked for where the binding says they stand; an id is looked for everywhere."""
        if binding.route_ids is UNSET or not binding.route_ids:
            return True
        known = [self.routes[id] for id in binding.route_ids if id in self.routes]
        return not known or any(_is_route(store, route) for route in known)

    # -- what the bundle adds -------------------------------------------------------------------------------

    def _with_binding(
        self, store: GraphStore, candidate: Candidate, by_name: tuple[RecognisedBinding, ...] = ()
    ) -> Candidate:
        found = self.recognise(store, candidate.element) or by_name
        if not found:
            return candidate
        risk = strictest_risk(risk for one in found for risk in self._risks(one.binding))
        vouched = self._trusted and risk is not UNSET and not _written_by_users(candidate.element)
        if not vouched:  # CAP-8.1: what nobody vouches for can only make things stricter
            risk = strictest_risk((risk, candidate.element.risk))
        added: dict[str, Any] = {"risk": risk}
        if len(found) == 1:
            added.update(self._added_fields(candidate.element, found[0].binding))
        element = msgspec.structs.replace(candidate.element, **added)
        told = _told(found[0].matcher) if len(found) == 1 else None
        return msgspec.structs.replace(candidate, element=element, vouched=vouched, binding=told)

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
        """ACT-12.1: what the element declares, else what its default action does."""
        action = self._default_action(binding)
        own = binding.success if binding.success is not UNSET else ()
        declared = own or (action.success if action is not None and action.success is not UNSET else ())
        return tuple(self._with_target_ref(signal) for signal in declared)

    def _default_action(self, binding: ElementBinding) -> AuthoredAction | None:
        return self.actions.get(binding.default_action) if binding.default_action is not UNSET else None

    def _with_target_ref(self, signal: SuccessSignal) -> SuccessSignal:
        """A signal about an element that the page does not annotate is looked for by the words of its binding."""
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
    """CAP-8.1: the strictest level; tags of all, so that no rule misses one. UNSET where nobody said anything."""
    said = [risk for risk in risks if risk is not UNSET]
    if not said:
        return UNSET
    worst = max(said, key=lambda risk: RISK_LEVELS.index(risk.level))
    tags = tuple(dict.fromkeys(tag for risk in said for tag in (risk.tags or ())))
    return msgspec.structs.replace(worst, tags=tags or UNSET)


def _told(matcher: int) -> str:
    return "name" if matcher < 0 else f"matcher {matcher + 1}"


def _written_by_users(element: ElementNode) -> bool:
    """What people write into a page can look like anything; it is never believed on its looks."""
    said = element.metadata.get("text") if isinstance(element.metadata, dict) else None
    return isinstance(said, dict) and said.get("userGenerated") is True


def _by_id(items: Iterable[Any]) -> dict[str, Any]:
    return {item.id: item for item in items}


def _names(binding: ElementBinding) -> tuple[str, ...]:
    """What the element may be called: its one text, or that of every locale."""
    name = binding.name
    if name is UNSET:
        return ()
    if isinstance(name, str):
        return (name,)
    held = msgspec.to_builtins(name)
    return tuple(dict.fromkeys([held["default"], *(held.get("byLocale") or {}).values()]))


def _says(text: Any, wanted: Any) -> bool:
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
            return _says(store.route.title, value)
    return False
