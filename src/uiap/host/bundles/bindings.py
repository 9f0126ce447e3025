"""Applies the bindings of a compiled bundle to a live page: finds the element of an id, and adds its risk and success.

This module reads bundles and graphs. `bundle` opens a bundle and decides whether to trust it. `matching`, `scopes` and
`routes` recognise elements, scopes and routes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET

from uiap.graph.store import GraphStore
from uiap.graph.view import is_hidden
from uiap.host.bundles.matching import ElementMatching, has_role, is_other
from uiap.host.bundles.routes import Routes
from uiap.host.bundles.scopes import Scopes
from uiap.policy.strictest_risk import strictest_risk
from uiap.runtime.resolve import Candidate, Candidates, gather
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import (
    AnnotationMatcher,
    AuthoredAction,
    BindingsManifest,
    ElementBinding,
    LabelMatcher,
    RouteBinding,
    SemanticMatcher,
    TextMatcher,
    UIAPCompiledBundle,
)
from uiap.spec.capability import (
    InstanceIdRef,
    RiskDescriptor,
    SemanticRef,
    StableIdRef,
    SuccessSignal,
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
        given = bundle.bindings if bundle.bindings is not UNSET else BindingsManifest()
        sdk = bundle.app.sdk
        prefix = UNSET if sdk is UNSET else sdk.annotation_prefix
        self._trusted, self._prefix = trusted, PREFIX if prefix is UNSET else prefix
        routing = bundle.app.routing
        self.known_routes = Routes(given.routes or (), UNSET if routing is UNSET else routing.mode)
        self._matching = ElementMatching(
            given.elements or (),
            given.scopes or (),
            self.known_routes,
            f"{self._prefix}id",
        )
        self.actions: dict[str, AuthoredAction] = {one.id: one for one in bundle.actions or ()}

    @property
    def other_attributes(self) -> tuple[str, ...]:
        """The attributes that matchers name and that a page does not publish by itself."""
        named = {
            matcher.attr: None
            for binding in self.elements.values()
            for matcher in binding.match
            if isinstance(matcher, AnnotationMatcher) and is_other(matcher.attr)
        }
        return tuple(named)

    def use_adapters(self, ask: Callable[[GraphStore, str, str], tuple[ElementNode, ...]]) -> None:
        """Ask the adapters of a session for the elements of matchers by adapter."""
        self._matching.ask_adapter = ask

    @property
    def elements(self) -> Mapping[str, ElementBinding]:
        return self._matching.by_id

    @property
    def routes(self) -> Mapping[str, RouteBinding]:
        return self.known_routes.by_id

    def bind(self, store: GraphStore, target: ActionTarget, gathered: Candidates) -> Candidates:
        """Return the gathered candidates with the knowledge of the bundle about them."""
        ref = target.ref
        found_by: ElementBinding | None = None
        if isinstance(ref, StableIdRef) and ref.value in self.elements:
            found_by = self.elements[ref.value]
            gathered = self._find(store, target, found_by, gathered)
        bound = tuple(self._with_binding(store, candidate, found_by) for candidate in gathered.candidates)
        return msgspec.structs.replace(gathered, candidates=bound)

    def _find(
        self, store: GraphStore, target: ActionTarget, binding: ElementBinding, gathered: Candidates
    ) -> Candidates:
        """Return the candidates of a binding that agree with every expectation of the target."""
        found = {one.element.instance_id: one for one in self._matching.find(store, binding)}
        made = (candidate for id in found for candidate in gather(store, _by_instance(target, id)).candidates)
        kept = tuple(
            msgspec.structs.replace(one, by=hit.by, name_level=hit.name_level)
            for one in made
            if (hit := found.get(one.element.instance_id)) is not None
        )
        return Candidates(kept, None if kept else gathered.opaque)

    def bind_hinted(self, store: GraphStore, target: ActionTarget, ids: tuple[str, ...]) -> Candidates:
        """Return the candidates among elements that a css or xpath hint of the binding found, the last resort."""
        assert isinstance(target.ref, StableIdRef)
        binding = self.elements[target.ref.value]
        found = (one for id in ids for one in gather(store, _by_instance(target, id)).candidates)
        kept = (
            msgspec.structs.replace(one, by="runtimeHint", name_level=0.0)
            for one in found
            if has_role(binding, one.element) and not is_hidden(one.element)
        )
        return Candidates(tuple(self._with_binding(store, one, binding) for one in kept))

    @property
    def scopes(self) -> Scopes:
        return self._matching.scopes

    def find(self, store: GraphStore, binding: ElementBinding) -> tuple[ElementNode, ...]:
        """Return the elements of a binding on the page."""
        return tuple(one.element for one in self._matching.find(store, binding))

    def recognise(self, store: GraphStore, element: ElementNode) -> tuple[RecognisedBinding, ...]:
        """Return the bindings that match an element. The binding of the element's own id excludes all others."""
        own = self.elements.get(element.stable_id) if isinstance(element.stable_id, str) else None
        if own is not None and has_role(own, element):
            return (RecognisedBinding(own, self._matching.matcher_index(store, own, element)),)
        return tuple(RecognisedBinding(*one) for one in self._matching.recognise(store, element))

    # -- knowledge of the bundle ----------------------------------------------------------------------------

    def _with_binding(
        self, store: GraphStore, candidate: Candidate, found_by: ElementBinding | None
    ) -> Candidate:
        found = self.recognise(store, candidate.element)
        if found_by is not None:  # the candidate was found by this binding, and others may fit it too
            index = self._matching.matcher_index(store, found_by, candidate.element)
            found = (RecognisedBinding(found_by, index),)
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
        reference = self._semantic_ref(binding)
        return signal if reference is None else msgspec.structs.replace(signal, target=reference)

    def _semantic_ref(self, binding: ElementBinding) -> SemanticRef | None:
        """Return role, name and scope of an element that has no stable id, as its first matcher by text gives them."""
        for matcher in binding.match:
            match matcher:
                case AnnotationMatcher(attr=attr) if attr.startswith(self._prefix):
                    return None
                case SemanticMatcher(name=name, scope_id=scope):
                    role = matcher.role if matcher.role is not UNSET else binding.role
                    return None if role is UNSET else SemanticRef(role=role, name=name, scope=scope)
                case LabelMatcher(text=text) | TextMatcher(text=text) if binding.role is not UNSET:
                    return SemanticRef(role=binding.role, name=text)
        return None


def _matcher_name(matcher: int) -> str:
    return "name" if matcher < 0 else f"matcher {matcher + 1}"


def _written_by_users(element: ElementNode) -> bool:
    """Return whether users wrote the text of the element. Such a text can imitate anything, so it is never trusted."""
    text = element.metadata.get("text") if isinstance(element.metadata, dict) else None
    return isinstance(text, dict) and text.get("userGenerated") is True


def _by_instance(target: ActionTarget, id: str) -> ActionTarget:
    return msgspec.structs.replace(target, ref=InstanceIdRef(value=id))
