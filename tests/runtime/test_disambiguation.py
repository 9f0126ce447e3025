"""Ambiguous targets: the candidates, and the members that tell them apart."""

from __future__ import annotations

from typing import Any

from tests.support.playbook import button
from uiap.runtime.disambiguation import distinguishing_members, explain, explain_ambiguity
from uiap.runtime.resolve import AmbiguousMatch, Candidate, Resolved, ScoredCandidate, UncertainMatch


def scored(id: str, name: str = "Delete", *, score: float = 50.0, **members: Any) -> ScoredCandidate:
    record = members.pop("record", None)
    return ScoredCandidate(
        Candidate(element=button(name, id, **members), by="semantic", record=record), score, ()
    )


def test_members_that_differ_are_named_and_a_ref_always_is() -> None:
    same = (scored("e1"), scored("e2"))
    assert distinguishing_members(same) == ("ref",)
    rows = (scored("e1", record="video:1"), scored("e2", record="video:2"))
    assert "record" in distinguishing_members(rows) and distinguishing_members(rows)[-1] == "ref"
    partly = (scored("e1", stable_id="a"), scored("e2"))
    assert "stableId" not in distinguishing_members(partly)


def test_several_equal_matches_are_counted_and_listed() -> None:
    message, detail = explain_ambiguity(AmbiguousMatch((scored("e1"), scored("e2"))))
    assert message.startswith("2 elements fit equally well")
    assert [one["instanceId"] for one in detail["candidates"]] == ["e1", "e2"]


def test_a_match_that_is_too_unsure_names_both_confidences() -> None:
    best = Resolved(scored("e1", score=30.0), (scored("e2", score=28.0),))
    message, detail = explain_ambiguity(UncertainMatch(best, 0.95))
    assert "0.95" in message and detail["reason"] == "low_confidence"
    assert detail["confidence"] == best.confidence


def test_a_candidate_is_shown_with_what_a_caller_can_name() -> None:
    shown = explain(scored("e1", record="video:1", stable_id="delete", scope_id="panel", score=50.04))
    assert shown == {
        "instanceId": "e1",
        "role": "button",
        "name": "Delete",
        "score": 50.0,
        "record": "video:1",
        "stableId": "delete",
        "scopeId": "panel",
    }


def test_controls_alike_are_told_apart_by_the_text_beside_them() -> None:
    alike = (scored("e1", metadata={"beside": "Alpha"}), scored("e2", metadata={"beside": "Beta"}))
    message, detail = explain_ambiguity(AmbiguousMatch(alike))
    assert "they differ in near" in message
    assert [one["beside"] for one in detail["candidates"]] == ["Alpha", "Beta"]
