"""Masks what a principal may not read, in graphs, deltas, outlines, search results, values and pictures.

The data class of an element, the reader's grants and the redaction rules in force decide what is masked. A value that
is private in one element is also masked where the page repeats it. The graph store keeps the real values, because
written values are verified against them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.graph.store import GraphStore
from uiap.host.privacy.masked_view import (
    CHOICES,
    MAX_JOINED,
    MaskCache,
    MaskedElements,
    MaskedNodes,
    SplitSearch,
    owners,
    shows_choice,
    view_of,
    without_choice,
    without_texts,
)
from uiap.host.privacy.text_masking import MASK, TextMask
from uiap.policy.appraisal import data_classes_of
from uiap.policy.matching import fact_tests
from uiap.spec.policy import (
    DATA_CLASS_RULES,
    REDACTED_KEYS,
    UNKNOWN_DATA_CLASS_RULE,
    PolicyDocument,
    PolicyMatch,
    PolicyPrincipal,
    RedactionMode,
    RedactionRule,
)
from uiap.spec.web import (
    DocumentNode,
    ElementNode,
    ElementRedaction,
    NodeDelta,
    NodePatch,
    PageGraph,
    PageGraphDelta,
    ScopeNode,
)

RECORDS_READER = PolicyPrincipal(type="observer", id="records", grants=("observe",))
"""The reader of stored records. It has the fewest grants, because anybody may read the records later."""
EDITABLE = frozenset({"edit", "choose"})
"""Affordances of elements that hold a value."""
STRICTNESS: tuple[RedactionMode, ...] = ("label", "hash", "mask", "omit")
_ATTRIBUTES = {"textValue": "text_value", "numericValue": "numeric_value", "placeholder": "placeholder"}


class Redaction:
    """Masks data for one principal under one set of policies."""

    def __init__(
        self,
        documents: Iterable[PolicyDocument],
        principal: PolicyPrincipal,
        text_mask: TextMask | None = None,
    ) -> None:
        self._policies, self._principal = tuple(documents), principal
        self._grants = frozenset(principal.grants or ())
        rules = [rule for document in self._policies for rule in document.redaction or ()]
        self._rules = [(rule, _rule_test(rule, principal, self._grants)) for rule in rules]
        self.reads_all = self._grants >= {"read.sensitive", "read.secret", "billing"} and not rules
        self.can_observe = "observe" in self._grants
        self.text_mask = text_mask or TextMask()
        """Masks the values this reader may not read anywhere (see `private_values`)."""
        self._elements = MaskCache(self.mask_element)
        self._scopes: MaskCache[ScopeNode] = MaskCache(self.text_mask.mask_payload)
        self._documents: MaskCache[DocumentNode] = MaskCache(self.text_mask.mask_payload)
        self._split = SplitSearch(self.text_mask)
        self._view: tuple[GraphStore, tuple[int, str], GraphStore] | None = None

    def redaction_of(self, element: ElementNode) -> ElementRedaction | None:
        """Return how this element is masked, or None if it is readable."""
        if self.reads_all or (
            element.data_classes is UNSET and not self._rules and not EDITABLE & set(element.affordances)
        ):
            return None
        modes = [
            (mode, name) for name in sorted(data_classes_of(element)) if (mode := self._mode_for_class(name))
        ]
        keys = set(REDACTED_KEYS) if modes else set()
        for rule, fits in self._rules:
            if fits(element):
                modes.append((rule.mode, "sensitive"))
                keys |= set(REDACTED_KEYS if rule.keys is UNSET else rule.keys)
        if not modes:
            return None
        mode, name = max(modes, key=lambda one: STRICTNESS.index(one[0]))
        return ElementRedaction(mode=mode, keys=tuple(sorted(keys)), data_class=name)

    def _mode_for_class(self, name: str) -> RedactionMode | None:
        rule = DATA_CLASS_RULES.get(name, UNKNOWN_DATA_CLASS_RULE)
        # personal data is masked for models, unless they may read sensitive data
        needed = rule.read | ({"read.sensitive"} if name == "personal" else set())
        return None if rule.redact is None or needed <= self._grants else rule.redact

    # -- one element ----------------------------------------------------------------------------------------

    def mask_element(self, element: ElementNode) -> ElementNode:
        """Return the element as the reader may see it; the same object if nothing is masked."""
        redaction = self.redaction_of(element)
        if self._repeats_private_value(element):
            element = self.text_mask.mask_payload(element)
        if redaction is None:
            return element
        changed = {
            attribute: _masked_value(value, redaction)
            for key in redaction.keys
            if (attribute := _ATTRIBUTES.get(key))
            and (value := getattr(element.state, attribute)) is not UNSET
        }
        state = msgspec.structs.replace(element.state, sensitive=True, **changed)
        return msgspec.structs.replace(element, state=state, redaction=redaction)

    def _repeats_private_value(self, element: ElementNode) -> bool:
        """Return whether a text of the element repeats a private value of another element."""
        if not self.text_mask:
            return False
        state, metadata = element.state, element.metadata
        texts = (element.name, element.text, element.description, state.text_value, state.placeholder)
        given = {text for text in (*texts, state.description) if text}
        if metadata:
            given.add(str(metadata))
        return self.text_mask.matches("\n".join(map(str, given))) if given else False

    # -- graphs and changes ---------------------------------------------------------------------------------

    def mask_graph(self, graph: PageGraph) -> PageGraph:
        if self.reads_all:
            return graph
        nodes = {one.instance_id: one for one in graph.elements}
        split = self._split.search(graph.elements) if self.text_mask and len(nodes) <= MAX_JOINED else ()
        elements = tuple(
            without_texts(one) if one.instance_id in split else self._without_choice(nodes, one)
            for one in graph.elements
        )
        hidden = any(new is not old for new, old in zip(elements, graph.elements, strict=True))
        rest = self.text_mask.mask_payload(msgspec.structs.replace(graph, elements=()))
        return msgspec.structs.replace(rest, elements=elements, redacted=True if hidden else rest.redacted)

    def _without_choice(self, nodes: Mapping[str, ElementNode], element: ElementNode) -> ElementNode:
        masked = self._elements.masked(element.instance_id, element)
        if element.role in CHOICES and shows_choice(element):
            return without_choice(masked) if any(map(self._is_redacted, owners(nodes, element))) else masked
        return masked

    def mask_delta(self, delta: PageGraphDelta, store: GraphStore) -> PageGraphDelta:
        nodes = delta.elements
        if self.reads_all:
            return delta
        if nodes is UNSET:
            return self.text_mask.mask_payload(delta)
        view = self._elements_of(store)
        added = (
            nodes.added
            if nodes.added is UNSET
            else tuple(view.finish(self.mask_element(one)) for one in nodes.added)
        )
        updated = (
            nodes.updated
            if nodes.updated is UNSET
            else tuple(self._mask_patch(p, store, view) for p in nodes.updated)
        )
        masked: NodeDelta[ElementNode] = msgspec.structs.replace(nodes, added=added, updated=updated)
        rest = self.text_mask.mask_payload(msgspec.structs.replace(delta, elements=UNSET))
        return msgspec.structs.replace(rest, elements=masked)

    def _mask_patch(self, patch: NodePatch, store: GraphStore, view: MaskedElements) -> NodePatch:
        element = store.element(patch.key)
        if element is not None and view.finish(element) is not element:
            return _patch_as_seen(patch, view[patch.key])
        redaction = None if element is None else self.redaction_of(element)
        if self.text_mask:
            patch = NodePatch(key=patch.key, patch=self.text_mask.mask_json(patch.patch))
        state = patch.patch.get("state")
        if redaction is None or not isinstance(state, dict):
            return patch
        masked = {
            key: _masked_value(value, redaction) if key in redaction.keys else value
            for key, value in state.items()
        }
        masked = {key: value for key, value in masked.items() if value is not UNSET}
        return NodePatch(key=patch.key, patch={**patch.patch, "state": masked})

    def masked_view(self, store: GraphStore) -> GraphStore:
        """Return the store as this principal may see it. Nodes are masked when they are read."""
        if self.reads_all:
            return store
        known = self._view
        if known is not None and known[0] is store and known[1] == (store.seq, store.revision):
            return known[2]
        elements = self._elements_of(store)
        view = view_of(
            store,
            elements,
            MaskedNodes(store.scopes, self._scopes) if self.text_mask else store.scopes,
            MaskedNodes(store.documents, self._documents) if self.text_mask else store.documents,
            self.text_mask,
            lambda element: elements.finish(self.mask_element(element)),
        )
        self._view = store, (store.seq, store.revision), view
        return view

    def masked_copy(self, store: GraphStore) -> GraphStore:
        """Return an earlier store as this principal may see it."""
        if self.reads_all:
            return store
        return Redaction(self._policies, self._principal, self.text_mask).masked_view(store)

    def _elements_of(self, store: GraphStore) -> MaskedElements:
        return MaskedElements(store, self._elements, self._is_redacted, self._split.elements(store))

    def _is_redacted(self, element: ElementNode) -> bool:
        return element.state.sensitive is True or self.redaction_of(element) is not None

    def elements_to_cover(self, store: GraphStore) -> list[str]:
        """Return the ids of elements to cover in a picture: masked ones, and fields that the page itself hides."""
        if self.reads_all:
            return []
        return [
            e.instance_id
            for e in store
            if e.state.sensitive is True or self.redaction_of(e) is not None or self._repeats_private_value(e)
        ]


def _patch_as_seen(patch: NodePatch, element: ElementNode) -> NodePatch:
    """Return the patch with the members that the reader sees now, and no others."""
    seen = msgspec.to_builtins(element)
    kept: dict[str, Any] = {key: seen.get(key, value) for key, value in patch.patch.items() if key != "state"}
    state = patch.patch.get("state")
    if isinstance(state, dict):
        shown = seen.get("state", {})
        kept["state"] = {key: shown[key] for key in state if key in shown}
    return NodePatch(key=patch.key, patch=kept)


def _rule_test(
    rule: RedactionRule, principal: PolicyPrincipal, grants: frozenset[str]
) -> Callable[[ElementNode], bool]:
    match = PolicyMatch(**{name: getattr(rule.match, name) for name in rule.match.__struct_fields__})
    tests = fact_tests(match)
    about = {"principal_type": principal.type, "grants": grants}

    def fits(element: ElementNode) -> bool:
        facts: dict[str, Any] = about | {
            "data_classes": data_classes_of(element),
            "stable_id": element.stable_id or None,
            "scope_id": element.scope_id or None,
            "role": element.role,
        }
        return all(test(facts[fact]) for fact, test in tests)

    return fits


def _masked_value(value: Any, redaction: ElementRedaction) -> Any:
    if value is None or value == "":  # that a field is empty is no secret
        return value
    match redaction.mode:
        case "omit":
            return UNSET
        case "hash":
            return (
                "sha256:" + sha256(str(value).encode()).hexdigest()[:12] if isinstance(value, str) else UNSET
            )
        case "label":
            return f"[{redaction.data_class or 'withheld'}]" if isinstance(value, str) else UNSET
    return MASK if isinstance(value, str) else UNSET
