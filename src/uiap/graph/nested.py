"""Conversion of the nested form of a PageGraph, as in the integration guide, to the flat canonical form.

Reads plain JSON objects of either form. The rest of the package knows the canonical form alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from uiap.errors import InvalidPayload
from uiap.spec.web import PageGraph

AFFORDANCE_ALIASES = {"activatable": "activate"}
EPOCH = "1970-01-01T00:00:00Z"
"""`capturedAt` of a graph that names no time, because a pure package reads no clock."""


def is_nested(data: Mapping[str, Any]) -> bool:
    """Return whether the object is a graph in the nested form."""
    documents = data.get("documents")
    inner = isinstance(documents, list) and any(
        isinstance(one, Mapping) and "scopes" in one for one in documents
    )
    return inner or "elements" not in data


def flatten(data: Mapping[str, Any], *, captured_at: str = EPOCH) -> PageGraph:
    """Return the graph in its canonical form, or raise `InvalidPayload` that names the wrong member."""
    try:
        whole = _Flattener(data, captured_at).graph() if is_nested(data) else _with_aliases(data)
        return msgspec.convert(whole, PageGraph)
    except msgspec.ValidationError as error:
        raise InvalidPayload(f"not a page graph: {error}") from error


def _with_aliases(data: Mapping[str, Any]) -> dict[str, Any]:
    scopes = [_scope(one) for one in _objects(data, "scopes")]
    elements = [_element(one) for one in _objects(data, "elements")]
    return {**data, "scopes": scopes, "elements": elements}


def _objects(node: Mapping[str, Any], member: str) -> list[Mapping[str, Any]]:
    found = node.get(member)
    if not isinstance(found, list):
        return []
    if not all(isinstance(one, Mapping) for one in found):
        raise InvalidPayload(f"`{member}` must hold objects only")
    return found


def _scope(node: Mapping[str, Any]) -> dict[str, Any]:
    flat_scope = {key: value for key, value in node.items() if key not in ("elements", "scopes", "id")}
    flat_scope.setdefault("scopeId", node.get("id"))
    flat_scope.setdefault("kind", "custom")
    return flat_scope


def _element(node: Mapping[str, Any]) -> dict[str, Any]:
    element = {key: value for key, value in node.items() if key not in ("elements", "children")}
    words = element.get("affordances", [])
    if isinstance(words, list):
        element["affordances"] = [
            AFFORDANCE_ALIASES.get(word, word) if isinstance(word, str) else word for word in words
        ]
    element.setdefault("state", {})
    return element


class _Flattener:
    def __init__(self, data: Mapping[str, Any], captured_at: str) -> None:
        self._data = data
        self._captured_at = captured_at
        self._documents: list[dict[str, Any]] = []
        self._scopes: list[dict[str, Any]] = []
        self._elements: list[dict[str, Any]] = []
        self._stable_ids: set[str] = set()

    def graph(self) -> dict[str, Any]:
        for number, document in enumerate(_objects(self._data, "documents")):
            self._document(document, number)
        lifted = {"documents": self._documents, "scopes": self._scopes, "elements": self._elements}
        missing = {
            "modelVersion": "0.1",
            "profile": "web@0.1",
            "revision": "rev_0",
            "seq": 0,
            "capturedAt": self._captured_at,
        }
        return {**missing, **self._data, **lifted}

    def _document(self, node: Mapping[str, Any], number: int) -> None:
        own = {key: value for key, value in node.items() if key not in ("id", "scopes", "elements")}
        own.setdefault("documentId", node.get("id") or (f"doc_{number}" if number else "doc_root"))
        own.setdefault("kind", "frame" if number else "root")
        own.setdefault("access", "full")
        if number and "parentDocumentId" not in own:
            own["parentDocumentId"] = self._documents[0]["documentId"]
        self._documents.append(own)
        for element in _objects(node, "elements"):
            self._add_elements(element, own["documentId"], None)
        for scope, parent in _nested_scopes(node):
            self._scope(scope, parent, own["documentId"])

    def _scope(self, node: Mapping[str, Any], parent: Mapping[str, Any] | None, document: str) -> None:
        scope = {"documentId": document, **_scope(node)}
        if scope["scopeId"] is None:
            scope["scopeId"] = f"scope_{len(self._scopes) + 1}"
        if parent is not None and "parentScopeId" not in scope:
            scope["parentScopeId"] = _scope(parent)["scopeId"]
        self._scopes.append(scope)
        for element in _objects(node, "elements"):
            self._add_elements(element, document, scope["scopeId"])

    def _add_elements(self, node: Mapping[str, Any], document: str, scope: str | None) -> None:
        """Add an element and all elements inside it. No recursion, because the nesting is not trusted."""
        pending: list[tuple[Mapping[str, Any], str | None]] = [(node, None)]
        while pending:
            one, parent = pending.pop()
            element = {"documentId": document, **_element(one)}
            element.setdefault("instanceId", f"el_{len(self._elements) + 1}")
            if scope is not None:
                element.setdefault("scopeId", scope)
            if parent is not None:
                element.setdefault("parentInstanceId", parent)
            self._elements.append(self._without_duplicate_id(element))
            inner = [*_objects(one, "elements"), *_objects(one, "children")]
            pending += [(child, element["instanceId"]) for child in reversed(inner)]

    def _without_duplicate_id(self, element: dict[str, Any]) -> dict[str, Any]:
        """Return the element without its stable id if an earlier element has the same, with a note in `metadata`."""
        stable_id = element.get("stableId")
        if not isinstance(stable_id, str):
            return element
        if stable_id not in self._stable_ids:
            self._stable_ids.add(stable_id)
            return element
        rest = {key: value for key, value in element.items() if key != "stableId"}
        return {**rest, "metadata": {**(rest.get("metadata") or {}), "duplicateStableId": stable_id}}


def _nested_scopes(
    document: Mapping[str, Any],
) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any] | None]]:
    pending: list[tuple[Mapping[str, Any], Mapping[str, Any] | None]]
    pending = [(scope, None) for scope in reversed(_objects(document, "scopes"))]
    while pending:
        scope, parent = pending.pop()
        yield scope, parent
        pending += [(inner, scope) for inner in reversed(_objects(scope, "scopes"))]
