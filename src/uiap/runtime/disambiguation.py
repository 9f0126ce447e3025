"""Ambiguous targets: the candidates, best first, and the members that distinguish them (ACT-8.2b, MDM-R4b)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from uiap.graph.view import beside_text
from uiap.runtime.resolve import AmbiguousMatch, ScoredCandidate, UncertainMatch
from uiap.spec.web import ElementNode

DISTINGUISHING: tuple[tuple[str, Callable[[ScoredCandidate], object]], ...] = (
    ("stableId", lambda one: one.candidate.element.stable_id),
    ("record", lambda one: one.candidate.record),
    ("name", lambda one: one.candidate.element.name),
    ("near", lambda one: beside_text(one.candidate.element)),
    ("role", lambda one: one.candidate.element.role),
    ("scopeId", lambda one: one.candidate.element.scope_id),
    ("documentId", lambda one: one.candidate.element.document_id),
)
"""Members that a caller can name in a request, the most stable first."""


def explain_ambiguity(found: AmbiguousMatch | UncertainMatch) -> tuple[str, dict[str, Any]]:
    """Return the message and the detail of `target_ambiguous`."""
    if isinstance(found, UncertainMatch):
        best = found.best
        several = (best.winner, *best.others)
        message = (
            f"{_called(best.winner.candidate.element)} fits best, but at {best.confidence:g} that is not sure "
            f"enough for what it may do ({found.wanted:g}); {_advice(several)}"
        )
        detail = {"reason": "low_confidence", "confidence": best.confidence, "wanted": found.wanted}
        return message, {**detail, **_candidates_detail(several)}
    message = f"{len(found.candidates)} elements fit equally well; {_advice(found.candidates)}"
    return message, _candidates_detail(found.candidates)


def _candidates_detail(several: tuple[ScoredCandidate, ...]) -> dict[str, Any]:
    return {
        "candidates": [explain(one) for one in several],
        "tellApart": list(distinguishing_members(several)),
    }


def distinguishing_members(several: tuple[ScoredCandidate, ...]) -> tuple[str, ...]:
    """Return the members that distinguish all candidates; a ref always does."""
    found = []
    for member, of in DISTINGUISHING:
        values = [of(one) for one in several]
        known = [value for value in values if isinstance(value, str) and value]
        if len(known) == len(values) == len(set(known)):
            found.append(member)
    return (*found, "ref")


def _advice(several: tuple[ScoredCandidate, ...]) -> str:
    if len(several) == 1:
        return "name it by ref, stable id or its full name"
    first = distinguishing_members(several)[0]
    return "say which by ref" if first == "ref" else f"they differ in {first}: say which by that or by ref"


def _called(element: ElementNode) -> str:
    return f'{element.role} "{element.name}"' if isinstance(element.name, str) else element.role


def explain(scored: ScoredCandidate) -> dict[str, object]:
    """Return a candidate as `detail` shows it."""
    element = scored.candidate.element
    shown: dict[str, object] = {
        "instanceId": element.instance_id,
        "role": element.role,
        "name": element.name if isinstance(element.name, str) else "",
        "score": round(scored.score, 1),
    }
    if scored.candidate.record is not None:
        shown["record"] = scored.candidate.record
    if beside := beside_text(element):
        shown["beside"] = beside
    for member, value in (("stableId", element.stable_id), ("scopeId", element.scope_id)):
        if isinstance(value, str):
            shown[member] = value
    return shown
