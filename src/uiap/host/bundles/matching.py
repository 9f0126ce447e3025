"""Finds the elements of a binding on a live page by all its matchers together.

Attributes of developers and texts are two independent witnesses. Where both speak they must name the same element;
where one is gone the other counts, with lower confidence. An element that fits another binding better is not taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from uiap.graph.fingerprint import stable_text
from uiap.graph.names import DECORATED, match_level, normalised, undecorated
from uiap.graph.own_attributes import (
    HREF,
    MEMBERS,
    is_published_attribute,
    other_attributes,
    own_attribute,
    selected_attribute,
)
from uiap.graph.preceding_text import preceding_text
from uiap.graph.scope_names import name_slug
from uiap.graph.store import GraphStore
from uiap.graph.view import is_hidden
from uiap.host.bundles.routes import Routes
from uiap.host.bundles.scopes import Scopes, texts_of
from uiap.spec.action import ResolvedBy
from uiap.spec.authoring import (
    AdapterMatcher,
    AnnotationMatcher,
    ElementBinding,
    ElementMatcher,
    LabelMatcher,
    RuntimeHintMatcher,
    ScopeBinding,
    SemanticMatcher,
    TextMatcher,
)
from uiap.spec.web import ElementNode

WEIGHTS: Mapping[str, int] = MappingProxyType({"name": 2, HREF: 2})
STRONG = 4
"""The weight of a test id and an html id. One of them is enough; a name or an address also needs the scope."""
ANY_ROLE = ""
"""The role of a binding that names none."""
_NUMBER = re.compile(r"\d")


class Found(NamedTuple):
    """An element of a binding, how it was found, and how well its name fits."""

    element: ElementNode
    by: ResolvedBy
    name_level: float


class ElementMatching:
    """The element bindings of one bundle, with indices by role, text and attribute."""

    def __init__(
        self,
        elements: Iterable[ElementBinding],
        scopes: Iterable[ScopeBinding],
        routes: Routes,
        id_attribute: str,
    ) -> None:
        self.by_id: dict[str, ElementBinding] = {one.id: one for one in elements}
        self._routes, self._id_attribute = routes, id_attribute
        self.ask_adapter: Callable[[GraphStore, str, str], tuple[ElementNode, ...]] = lambda *_: ()
        """Returns the elements that an adapter of the session names for a binding."""
        self.scopes = Scopes(scopes, self.by_id.values(), routes, self._fits_without_scope)
        self._by_text: dict[tuple[str, str], list[ElementBinding]] = {}
        self._by_exact_text: dict[tuple[str, str], list[ElementBinding]] = {}
        self._by_attribute: dict[tuple[str, str], list[ElementBinding]] = {}
        self._without_text: dict[str, list[ElementBinding]] = {}
        for binding in self.by_id.values():
            self._index(binding)

    def _index(self, binding: ElementBinding) -> None:
        texts = dict.fromkeys(name_slug(text) for text in _all_texts(binding))
        exact = dict.fromkeys(normalised(text) for text in _all_texts(binding))
        for role in _roles(binding) or {ANY_ROLE}:
            for text in exact:
                self._by_exact_text.setdefault((role, text), []).append(binding)
            for text in texts:
                self._by_text.setdefault((role, text), []).append(binding)
            if not texts:
                self._without_text.setdefault(role, []).append(binding)
        for key in _attributes(binding):
            self._by_attribute.setdefault(key, []).append(binding)

    # -- the elements of a binding --------------------------------------------------------------------------

    def find(self, store: GraphStore, binding: ElementBinding) -> tuple[Found, ...]:
        """Return the elements of a binding. Several of them are ambiguous; none are a refusal (ACT-8.1)."""
        annotated = [one for one in self._annotated(store, binding) if has_role(binding, one)]
        if annotated:
            return tuple(Found(one, "stableId", 1.0) for one in annotated)
        if not self._routes.includes(store, binding.route_ids):
            return ()
        firm = _without_hints(binding)
        found = self._find_by_matchers(store, firm)
        return found if found or firm is binding else self._find_by_matchers(store, binding)

    def _find_by_matchers(self, store: GraphStore, binding: ElementBinding) -> tuple[Found, ...]:
        texts = {one.element.instance_id: one for one in self._by_texts(store, binding)}
        attributes = {one.instance_id: one for one in self._by_attributes(store, binding)}
        both = [one for id, one in texts.items() if id in attributes]
        if both:
            return self._one_twin(store, binding, [one._replace(by="annotation") for one in both])
        if attributes:
            return self._attributes_alone(store, binding, attributes, texts)
        return self._texts_alone(store, binding, list(texts.values()))

    def _annotated(self, store: GraphStore, binding: ElementBinding) -> Iterator[ElementNode]:
        for matcher in binding.match:
            if isinstance(matcher, AnnotationMatcher) and matcher.attr == self._id_attribute:
                yield from store.by_stable_id(matcher.value)
                for one in store.elements.values():
                    if (one.metadata or {}).get("duplicateStableId") == matcher.value:
                        yield one

    def _attributes_alone(
        self,
        store: GraphStore,
        binding: ElementBinding,
        attributes: dict[str, ElementNode],
        texts: dict[str, Found],
    ) -> tuple[Found, ...]:
        """Return the elements that only attributes name. If texts name others, nobody can tell which is meant."""
        is_certain = any(self._weight(store, binding, one) >= STRONG for one in attributes.values())
        if texts and not is_certain:
            return self._texts_alone(store, binding, list(texts.values()))
        if texts:
            elements = (*attributes.values(), *(one.element for one in texts.values()))
            return tuple(Found(one, "annotation", 0.0) for one in elements)
        return tuple(
            Found(one, "annotation", _name_level(binding, one))
            for one in attributes.values()
            if not self._described_by_another(store, binding, one)
        )

    def _texts_alone(
        self, store: GraphStore, binding: ElementBinding, found: list[Found]
    ) -> tuple[Found, ...]:
        """Return the elements that only texts name, without those whose attributes belong to another binding."""
        own = [one for one in found if not self._attributes_of_another(store, binding, one.element)]
        if _attributes(binding):  # without a name, an attribute has to agree
            own = [one for one in own if one.name_level or self._weight(store, binding, one.element) > 0]
        return self._one_twin(store, binding, own)

    def _one_twin(self, store: GraphStore, binding: ElementBinding, found: list[Found]) -> tuple[Found, ...]:
        """Return the twin that follows the recorded text. A twin that is left alone may be the other one."""
        twin = binding.metadata.get("twin") if binding.metadata is not UNSET else None
        if not isinstance(twin, dict) or any(
            self._weight(store, binding, one.element) >= STRONG for one in found
        ):
            return tuple(found)
        after = twin.get("after")
        fitting = [one for one in found if after and preceding_text(store, one.element) == after]
        if not any(_all_texts(binding)):  # a named element after the same text is another one
            fitting = [one for one in fitting if not one.element.name] or fitting
        return tuple(one._replace(by="runtimeHint") for one in fitting)

    # -- texts ----------------------------------------------------------------------------------------------

    def _by_texts(self, store: GraphStore, binding: ElementBinding) -> list[Found]:
        """Return the elements of the first matcher by text that finds any, or those with the binding's own name."""
        for matcher in binding.match:
            found = self._of_matcher(store, binding, matcher)
            if found:
                return found
        # The last resort is the name of the binding itself. Healing can propose a missing matcher from it.
        return self._named(store, binding, binding.role, texts_of(binding.name), binding.scope_id)

    def _of_matcher(self, store: GraphStore, binding: ElementBinding, matcher: ElementMatcher) -> list[Found]:
        match matcher:
            case SemanticMatcher(name=name, scope_id=scope):
                role = matcher.role if matcher.role is not UNSET else binding.role
                return self._named(
                    store, binding, role, () if name is UNSET else (name,), scope, any_name=name is UNSET
                )
            case LabelMatcher(text=text) | TextMatcher(text=text):
                return self._named(store, binding, binding.role, (text,), UNSET)
            case AdapterMatcher(id=id):
                found = self.ask_adapter(store, id, binding.id)
                return [Found(one, "annotation", 1.0) for one in found if has_role(binding, one)]
        return []

    def _named(
        self,
        store: GraphStore,
        binding: ElementBinding,
        role: object,
        names: tuple[str, ...],
        scope: object,
        *,
        any_name: bool = False,
    ) -> list[Found]:
        if not (names or any_name) or (any_name and not isinstance(role, str)):
            return []
        alike = _similar(store, role, () if any_name else names)
        levels = [
            (one, 0.0 if any_name else max(_text_level(one, name) for name in names))
            for one in alike
            if not is_hidden(one) and has_role(binding, one)
        ]
        best = 0.0 if any_name else max((level for _, level in levels), default=0.0)
        if best < DECORATED and not any_name:
            return []
        fitting = [Found(one, "semantic", level) for one, level in levels if any_name or level >= DECORATED]
        return self._in_scope(store, binding, fitting, scope)

    def _in_scope(
        self, store: GraphStore, binding: ElementBinding, found: list[Found], scope: object
    ) -> list[Found]:
        """Return those directly in the scope, else those in it with unknown layout in between. A list has both."""
        if not isinstance(scope, str):
            return _exact_first(found)
        direct = [one for one in found if self.scopes.directly_holds(store, one.element, scope)]
        inside = (not _is_repeated(binding) and direct) or [
            one
            for one in found
            if self.scopes.holds(store, one.element, scope)
            and not self._directly_of_another(store, binding, one.element)
        ]
        return _exact_first(inside)

    def _directly_of_another(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> bool:
        """Return whether another binding with the same text names the element in the scope directly around it."""
        if not isinstance(element.name, str):
            return False
        others = self._by_text.get((element.role, name_slug(element.name)), ())
        return any(
            one.id != binding.id
            and isinstance(one.scope_id, str)
            and one.scope_id != binding.scope_id
            and self._routes.includes(store, one.route_ids)
            and self.scopes.directly_holds(store, element, one.scope_id)
            for one in others
        )

    # -- attributes -----------------------------------------------------------------------------------------

    def _by_attributes(self, store: GraphStore, binding: ElementBinding) -> list[ElementNode]:
        """Return the elements with the highest weight of attributes, if it is enough to identify them."""
        wanted = _attributes(binding)
        if not wanted:
            return []
        alike = _with_attributes(store, wanted)
        weights = [(self._weight(store, binding, one), one) for one in alike if not is_hidden(one)]
        best = max((weight for weight, _ in weights), default=0)
        found = [one for weight, one in weights if weight == best and weight > 0]
        if best < STRONG and len(found) > 1 and not _is_repeated(binding):
            found = [one for one in found if _name_level(binding, one) >= DECORATED]
        if best < STRONG:
            found = [one for one in found if self._is_placed(store, binding, one)]
        return [one for one in found if self._may_have_role(binding, one, best)]

    def _weight(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> int:
        """Return the weight of the attributes that agree, minus that of those that contradict."""
        total = 0
        for name, value in _attributes(binding):
            have = own_attribute(store, element, name)
            if have is not None:
                total += WEIGHTS.get(name, STRONG) * (1 if have == value else -1)
        return total

    def _is_placed(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> bool:
        return binding.scope_id is UNSET or self.scopes.holds(store, element, binding.scope_id)

    def _may_have_role(self, binding: ElementBinding, element: ElementNode, weight: int) -> bool:
        """Return whether the role fits. With a strong attribute and an equal name, a redesign changed the role."""
        return has_role(binding, element) or (weight >= STRONG and _name_level(binding, element) >= DECORATED)

    # -- other bindings -------------------------------------------------------------------------------------

    def _described_by_another(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> bool:
        """Return whether the texts of another binding describe an element whose name is not that of this one."""
        if not isinstance(element.name, str) or _name_level(binding, element) >= DECORATED:
            return False
        others = self._by_text.get((element.role, name_slug(element.name)), ())
        return any(
            one.id != binding.id and any(hit.element is element for hit in self._by_texts(store, one))
            for one in others
            if self._routes.includes(store, one.route_ids)
        )

    def _attributes_of_another(
        self, store: GraphStore, binding: ElementBinding, element: ElementNode
    ) -> bool:
        """Return whether a strong attribute of the element belongs to another binding of this page."""
        return any(
            one.id != binding.id and self._routes.includes(store, one.route_ids)
            for name in MEMBERS
            if WEIGHTS.get(name, STRONG) >= STRONG
            for one in self._by_attribute.get((name, own_attribute(store, element, name) or ""), ())
        )

    # -- the bindings of an element -------------------------------------------------------------------------

    def recognise(self, store: GraphStore, element: ElementNode) -> Iterator[tuple[ElementBinding, int]]:
        """Yield the bindings that may mean an element, each with the index of the matcher that fits."""
        candidates: dict[str, ElementBinding] = {}
        for name in (*MEMBERS, HREF, *other_attributes(element)):
            value = own_attribute(store, element, name) or ""
            candidates |= {one.id: one for one in self._by_attribute.get((name, value), ())}
        for text in {one for one in (element.name, element.text) if isinstance(one, str)}:
            for role in (element.role, ANY_ROLE):
                candidates |= {one.id: one for one in self._named_like(role, text)}
        candidates |= {one.id: one for one in self._without_text.get(element.role, ())}
        for binding in candidates.values():
            index = self.matcher_index(store, binding, element)
            if index >= 0 and has_role(binding, element):
                yield binding, index

    def _named_like(self, role: str, text: str) -> Iterable[ElementBinding]:
        """Return the bindings with this text; without one, those whose text differs in a number or a mark."""
        exact = self._by_exact_text.get((role, normalised(text)))
        return self._by_text.get((role, name_slug(text)), ()) if exact is None else exact

    def matcher_index(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> int:
        """Return the index of the first matcher that fits the element, or -1."""
        fitting = (i for i, m in enumerate(binding.match) if self._fits(store, binding, m, element))
        return next(fitting, -1)

    def _fits(
        self, store: GraphStore, binding: ElementBinding, matcher: ElementMatcher, element: ElementNode
    ) -> bool:
        if isinstance(matcher, AnnotationMatcher) and matcher.attr == self._id_attribute:
            return element.stable_id == matcher.value
        if not self._routes.includes(store, binding.route_ids):
            return False
        match matcher:
            case SemanticMatcher(role=role, name=name, scope_id=scope):
                named = name is UNSET or _text_level(element, name) >= DECORATED
                return (
                    role in (UNSET, element.role)
                    and named
                    and (scope is UNSET or self.scopes.holds(store, element, scope))
                )
            case LabelMatcher(text=text):
                return _text_level(element, text) >= DECORATED
            case TextMatcher(text=text):
                return _text_level(element, text, also_content=True) >= DECORATED
            case AdapterMatcher(id=id):
                return element in self.ask_adapter(store, id, binding.id)
        return self._fits_attribute(store, binding, matcher, element)

    def _fits_attribute(
        self, store: GraphStore, binding: ElementBinding, matcher: ElementMatcher, element: ElementNode
    ) -> bool:
        """Return whether an attribute fits. A name or an address counts only in the scope of the binding."""
        key = attribute_of(matcher)
        if key is None or own_attribute(store, element, key[0]) != key[1]:
            return False
        return WEIGHTS.get(key[0], STRONG) >= STRONG or (
            self._is_placed(store, binding, element)
            and (key[0] != HREF or _name_level(binding, element) >= DECORATED)
        )

    def _fits_without_scope(self, store: GraphStore, binding: ElementBinding, element: ElementNode) -> bool:
        """Return whether role and name fit, or an attribute of its own does."""
        if not has_role(binding, element):
            return False
        if _name_level(binding, element) >= DECORATED:
            return True
        return any(
            name != HREF and own_attribute(store, element, name) == value
            for name, value in _attributes(binding)
        )


def _without_hints(binding: ElementBinding) -> ElementBinding:
    """Return the binding without css and xpath hints, which are the last resort (AUTH-5.3)."""
    firm = tuple(one for one in binding.match if not isinstance(one, RuntimeHintMatcher))
    return replace(binding, match=firm) if 0 < len(firm) < len(binding.match) else binding


def _similar(store: GraphStore, role: object, names: tuple[str, ...]) -> Iterable[ElementNode]:
    """Return the elements of a role whose name may fit; without names, all of them. Most are excluded at once."""
    if not isinstance(role, str):
        return store
    if not names:
        return store.by_role(role)
    starts = tuple(stable_text(normalised(name)).partition("#")[0] for name in names)
    parts = tuple(part for name in names if (part := undecorated(name)))
    known = store.names(role)
    fitting = [
        id for id, name in known.items() if name.startswith(starts) or any(part in name for part in parts)
    ]
    return [one for id in store.tree.in_order(fitting) if (one := store.element(id)) is not None]


def _with_attributes(store: GraphStore, wanted: list[tuple[str, str]]) -> list[ElementNode]:
    """Return the elements of which at least one attribute agrees. Only these can have a weight above 0."""
    members = [(MEMBERS[name], value) for name, value in wanted if name in MEMBERS]
    addresses = {value for name, value in wanted if name == HREF}
    others = [(name, value) for name, value in wanted if is_other(name)]
    return [
        one
        for one in store.elements.values()
        if isinstance(facts := one.metadata, dict)
        and (
            any(facts.get(member) == value for member, value in members)
            or any(other_attributes(one).get(name) == value for name, value in others)
            or (addresses and "href" in facts and own_attribute(store, one, HREF) in addresses)
        )
    ]


def has_role(binding: ElementBinding, element: ElementNode) -> bool:
    """Return whether the element has the role of the binding; a binding without a role accepts all."""
    return binding.role is UNSET or binding.role == element.role


def _is_repeated(binding: ElementBinding) -> bool:
    """Return whether the control is in each item of a list. A target then also names the item."""
    return binding.metadata is not UNSET and binding.metadata.get("record") is True


def is_other(attribute: str) -> bool:
    """Return whether a page publishes the attribute only if a bundle names it."""
    return not is_published_attribute(attribute)


def attribute_of(matcher: ElementMatcher) -> tuple[str, str] | None:
    """Return the attribute that a matcher names, if the page publishes it: directly, or as a simple css selector."""
    match matcher:
        case AnnotationMatcher(attr=attr, value=value) if attr in MEMBERS or attr == HREF or is_other(attr):
            return attr, value
        case RuntimeHintMatcher(css=css) if isinstance(css, str):
            return selected_attribute(css)
    return None


def _attributes(binding: ElementBinding) -> list[tuple[str, str]]:
    return [key for key in map(attribute_of, binding.match) if key is not None]


def _roles(binding: ElementBinding) -> set[str]:
    given = {binding.role, *(getattr(matcher, "role", UNSET) for matcher in binding.match)}
    return {str(role) for role in given - {UNSET}}


def _all_texts(binding: ElementBinding) -> Iterator[str]:
    yield from texts_of(binding.name)
    for matcher in binding.match:
        match matcher:
            case SemanticMatcher(name=text) | LabelMatcher(text=text) | TextMatcher(text=text):
                if isinstance(text, str):
                    yield text


def _name_level(binding: ElementBinding, element: ElementNode) -> float:
    return max((_text_level(element, text) for text in _all_texts(binding)), default=0.0)


def _text_level(element: ElementNode, wanted: str, *, also_content: bool = False) -> float:
    """Return how well a text fits the element. A count in parentheses and a time may differ."""
    texts = (element.name, element.text) if also_content else (element.name,)
    return max((_level(text, wanted) for text in texts if isinstance(text, str)), default=0.0)


def _level(text: str, wanted: str) -> float:
    level = match_level(text, wanted)
    if level >= DECORATED or not (_NUMBER.search(wanted) and _NUMBER.search(text)):
        return level
    return DECORATED if stable_text(normalised(text)) == stable_text(normalised(wanted)) else level


def _exact_first(found: list[Found]) -> list[Found]:
    """Return those with the best name. A counter that differs is second to an equal name."""
    best = max((one.name_level for one in found), default=0.0)
    return [one for one in found if one.name_level == best]
