"""Reduce a PageGraph as SnapshotOptions ask. Pure; it never adds anything to a graph."""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from uiap.graph.view import is_hidden
from uiap.spec.web import ElementNode, PageGraph, SnapshotOptions, Truncation


def apply_snapshot_options(graph: PageGraph, options: SnapshotOptions | None) -> PageGraph:
    """Return `graph` reduced to the requested parts; an unset option changes nothing."""
    if options is None:
        return graph
    elements = [node for node in graph.elements if _is_requested(node, options)]
    truncated = graph.truncated
    if options.max_elements is not UNSET and len(elements) > options.max_elements:
        omitted = len(elements) - options.max_elements
        elements = elements[: options.max_elements]
        truncated = Truncation(reason="max_elements", omitted_elements=omitted)
    ids = {node.instance_id for node in elements}
    return replace(
        graph,
        elements=tuple(_reduce_element(node, ids, options) for node in elements),
        collections=tuple(node for node in graph.collections or () if node.owner_instance_id in ids) or UNSET,
        truncated=truncated,
    )


def _is_requested(node: ElementNode, options: SnapshotOptions) -> bool:
    if options.document_ids and node.document_id not in options.document_ids:
        return False
    if options.include_hidden is False and is_hidden(node):
        return False
    return not options.scope_ids or node.scope_id in options.scope_ids


def _reduce_element(node: ElementNode, ids: set[str], options: SnapshotOptions) -> ElementNode:
    changes: dict[str, object] = {}
    if node.parent_instance_id and node.parent_instance_id not in ids:
        changes["parent_instance_id"] = UNSET
    if options.include_bbox is False:
        changes["bbox"] = UNSET
    if options.include_text is False:
        changes["text"] = UNSET
    if options.include_hints is False:
        changes["hints"] = UNSET
    if options.values == "none":
        changes["state"] = replace(node.state, text_value=UNSET, numeric_value=UNSET)
    return replace(node, **changes) if changes else node
