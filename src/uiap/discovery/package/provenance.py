"""The provenance of findings: evidence references, and the confidence that follows from them (DISC-7)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from msgspec import UNSET

from uiap.discovery.knowledge.findings import ElementFinding
from uiap.discovery.knowledge.transitions import Transition
from uiap.graph.names import normalised
from uiap.spec.discovery import Confidence, EvidenceRef, EvidenceSource

_DECLARED = frozenset({"annotation", "app_registry", "manual_review"})
_SEMANTIC = frozenset({"dom", "visible_text", "accessibility", "documentation"})


def ref(source: EvidenceSource, id: str, note: str | None = None) -> EvidenceRef:
    return EvidenceRef(source=source, ref_id=id, note=note or UNSET)


def tuple_or_unset(values: Iterable[Any]) -> Any:
    return tuple(values) or UNSET


def metadata_or_unset(**members: Any) -> Any:
    return {key: value for key, value in members.items() if value is not None} or UNSET


def principal_names(groups: Iterable[dict[str, None]]) -> list[str] | None:
    return sorted({name for group in groups for name in group if name}) or None


def graph_refs(ids: Iterable[str]) -> list[EvidenceRef]:
    return [ref("dom", f"{id}.graph") for id in ids]


def element_refs(
    one: ElementFinding, registered: Collection[str], documents: Mapping[str, Collection[str]]
) -> list[EvidenceRef]:
    """Return what shows the element, in the order of extraction (DISC-11.4): declarations first, looks last."""
    node, state = one.node, next(iter(one.states), "")
    source = "native" if node.source is UNSET else node.source
    found: list[EvidenceRef] = []
    if node.stable_id is not UNSET:
        found.append(ref("annotation", f"element:{node.stable_id}"))
    elif source == "annotation":
        found.append(ref("annotation", f"element:{one.key}"))
    if node.default_action is not UNSET and node.default_action in registered:
        found.append(ref("app_registry", f"action:{node.default_action}"))
    if source in ("native", "aria", "annotation"):
        found.append(ref("dom", f"{state}.graph"))
    if node.name and node.text and normalised(node.name) == normalised(node.text):
        found.append(ref("visible_text", f"{state}.graph", "the name is the text that people see"))
    labels = {node.name, *one.names}
    found += [
        ref("documentation", f"document:{name}") for name, words in documents.items() if labels & {*words}
    ]
    found += [ref("accessibility", f"{id}.ax") for id in list(one.accessible_in)[:1]]
    if source == "heuristic":
        found.append(ref("inferred", f"{state}.graph", "only its behaviour or its looks say what it is"))
    if source == "vision":
        found.append(ref("vision", f"{state}.graph", "recognised in a picture"))
    return [*found, *(ref("transition", id) for id in list(one.transitions)[:2])]


def element_confidence(
    one: ElementFinding, refs: Iterable[EvidenceRef], performed: list[Transition]
) -> Confidence:
    """Return high for a declaration or a repeated effect, medium for a role with a name or one effect, else low."""
    sources = {one.source for one in refs}
    if sources & _DECLARED or any(is_repeated(t) for t in performed):
        return "high"
    is_named = bool(one.node.name) and bool(sources & _SEMANTIC)
    return "medium" if is_named or len(sources & _SEMANTIC) > 1 or performed else "low"


def is_repeated(one: Transition) -> bool:
    """Return whether the transition was observed more than once, each time with the same signals."""
    return one.times > 1 and one.is_consistent and one.resolved and bool(one.signals)


def edge_confidence(one: Transition) -> Confidence:
    """Return medium for one observation with signals, high for equal ones, low for differing or missing signals."""
    if not one.resolved or not one.signals or not one.is_consistent:
        return "low"
    return "high" if one.times > 1 else "medium"


def edge_reason(one: Transition) -> str | None:
    """Return why the confidence of an edge is low; None if it is not."""
    if edge_confidence(one) != "low":
        return None
    if one.blocked:
        return "a request of the action was held back, so its effect was not seen"
    if not one.is_consistent:
        return "it had other signals or another target when it was repeated"
    return "no signal showed that it worked" if not one.signals else "it led to no other state"
