"""The terms of a grant: everything the person was shown must be the same, except time and a small move."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from tests.support.playbook import button
from uiap.runtime.grant_terms import GrantTerms, grant_terms, identity, overlap
from uiap.runtime.resolve import Candidate, Resolved, ScoredCandidate

TERMS = GrantTerms(
    session="s",
    principal="ann",
    handle="act_1",
    action="ui.activate",
    args="d",
    target=("el_1", "", "button", "Delete"),
    document="doc_1",
    origin="http://app.test",
    policy="p1",
    revision="r1",
    box=(0, 0, 10, 10),
    asked_at=1.0,
)


@pytest.mark.parametrize(
    "change",
    [
        {"session": "t"},
        {"principal": "bob"},
        {"handle": "act_2"},
        {"action": "ui.submit"},
        {"args": "e"},
        {"target": ("el_1", "", "button", "Keep")},
        {"document": "doc_2"},
        {"origin": "http://evil.test"},
        {"policy": "p2"},
        {"box": (100, 0, 10, 10)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_any_other_term_is_not_covered_and_has_another_digest(change: dict[str, Any]) -> None:
    other = replace(TERMS, **change)
    assert not TERMS.covers(other)
    assert TERMS.digest != other.digest


def test_time_revision_and_a_small_move_are_covered() -> None:
    assert TERMS.covers(replace(TERMS, revision="r9", asked_at=5.0, expires=9.0, box=(9, 9, 10, 10)))
    assert TERMS.covers(replace(TERMS, box=None))


def test_boxes_overlap_only_if_they_share_a_point() -> None:
    assert overlap((0, 0, 10, 10), (9, 9, 5, 5))
    assert not overlap((0, 0, 10, 10), (10, 0, 5, 5))
    assert overlap(None, (0, 0, 1, 1))


def test_arguments_are_kept_as_a_digest() -> None:
    made = grant_terms(
        session="s",
        principal="ann",
        handle="h",
        action="nav.navigate",
        args={"text": "hunter2"},
        resolved=None,
        policy="p",
        asked_at=1.0,
    )
    assert "hunter2" not in str(made)
    assert made.target == ()


def test_the_text_beside_the_target_is_one_of_the_terms() -> None:
    def target(beside: str) -> tuple[str, ...]:
        element = button("Delete", metadata={"beside": beside})
        return identity(Resolved(ScoredCandidate(Candidate(element, "semantic"), 50.0, ()), ()))

    assert target("Alpha") == target("Alpha") != target("Beta")
