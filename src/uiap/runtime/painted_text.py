"""Painted text: words recognised on a canvas, as candidates of the lowest trust (ACT-10.5).

Pure: the words arrive as data. It knows neither the picture nor the kind of control that a word belongs to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from uiap.graph.names import match_level
from uiap.graph.store import GraphStore
from uiap.graph.view import is_inside_scope
from uiap.runtime.resolve import Candidate, Candidates, PaintedText
from uiap.runtime.surroundings import surroundings_of
from uiap.spec.action import ActionTarget
from uiap.spec.capability import SemanticRef
from uiap.spec.web import DOMRectLike, ElementNode

LEGIBLE = 0.6
"""Words recognised with a lower score are ignored."""


class Word(msgspec.Struct, frozen=True):
    """A recognised word with its score. The box is in CSS pixels from the upper left corner of the picture."""

    text: str
    score: float
    x: float
    y: float
    width: float
    height: float


class RegionText(msgspec.Struct, frozen=True):
    """The words recognised on one region: its host element, its box, and the words."""

    host: ElementNode
    box: DOMRectLike
    words: tuple[Word, ...]


def painted_regions(store: GraphStore, target: ActionTarget) -> list[ElementNode]:
    """Return the canvas elements that agree with the expectations of the target."""
    hosts = (r.host_instance_id for r in store.opaque_regions.values() if r.kind == "canvas")
    found = [e for id in hosts if isinstance(id, str) and (e := store.element(id)) is not None]
    return [e for e in found if _within(store, target, e)]


def _within(store: GraphStore, target: ActionTarget, host: ElementNode) -> bool:
    """Return whether the canvas is in the expected document and scopes. Its own name may stand for a scope."""
    wanted, document = target.expected_scope_id, target.expected_document_id
    scope = target.ref.scope if isinstance(target.ref, SemanticRef) else None
    scopes = [one for one in (wanted, scope) if isinstance(one, str)]
    if isinstance(document, str) and host.document_id != document:
        return False
    return all(is_inside_scope(store, host, one) or one == host.name for one in scopes)


def wanted_name(target: ActionTarget) -> str | None:
    """Return the name to look for. A role does not help: a picture does not show it."""
    if isinstance(target.ref, SemanticRef) and isinstance(target.ref.name, str):
        return target.ref.name
    return target.expected_name if isinstance(target.expected_name, str) else None


def match_painted_text(store: GraphStore, target: ActionTarget, views: Iterable[RegionText]) -> Candidates:
    """Return one candidate for every legible word that matches the name."""
    name, found = wanted_name(target), []
    for view in views:
        for word in view.words:
            level = match_level(word.text, name) if name is not None else 0.0
            if level > 0 and word.score >= LEGIBLE:
                found.append(_candidate(store, view, word, level))
    return Candidates(tuple(found), painted=True)


def _candidate(store: GraphStore, view: RegionText, word: Word, level: float) -> Candidate:
    box = DOMRectLike(x=view.box.x + word.x, y=view.box.y + word.y, width=word.width, height=word.height)
    seen = PaintedText(
        host=view.host,
        text=word.text,
        score=word.score,
        spot=(word.x + word.width / 2, word.y + word.height / 2),
    )
    shown = msgspec.structs.replace(view.host, name=word.text, bbox=box)
    return Candidate(
        shown, "runtimeHint", level, painted=seen, surroundings=surroundings_of(store, view.host)
    )


def still_there(seen: PaintedText, words: Iterable[Word]) -> bool:
    """Return whether the same word is still at the same point."""
    x, y = seen.spot
    return any(
        word.x <= x <= word.x + word.width
        and word.y <= y <= word.y + word.height
        and match_level(word.text, seen.text) >= 1.0
        for word in words
    )


def vision_evidence(seen: PaintedText, box: DOMRectLike | None) -> dict[str, Any]:
    """Return the chosen point and its evidence for the result (ACT-10.5)."""
    evidence: dict[str, Any] = {
        "text": seen.text,
        "score": round(seen.score, 2),
        "on": seen.host.instance_id,
        "spot": [round(one, 1) for one in seen.spot],
    }
    if box is not None:
        evidence["point"] = [round(box.x + box.width / 2, 1), round(box.y + box.height / 2, 1)]
    return evidence
