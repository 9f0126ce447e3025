"""Healing proposals arrive as an overlay: readable, reviewable, and without effect until approved."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import built, codes, manifest, messages, package
from uiap.authoring.healing import HealingProposal, healing_overlay
from uiap.authoring.provenance import provenance
from uiap.spec.authoring import LabelMatcher, TextMatcher

BOUND = manifest(
    "Bindings",
    "bound",
    {
        "elements": [
            {"id": "save", "match": [{"by": "text", "text": "Save"}]},
            {"id": "b", "match": [{"by": "text", "text": "B"}]},
        ]
    },
)
APPROVAL = {"target": {"manifestId": "heal"}, "state": "approved", "by": "ann", "at": "2026-05-01T00:00:00Z"}
PROD = {"name": "prod", "requiredReviewState": "approved", "forbidGeneratedOnly": True}


def proposal(matcher: Any, element: str = "save") -> HealingProposal:
    return HealingProposal(element_id=element, matcher=matcher, trace="trace:7", at="2026-05-20T00:00:00Z")


def healed(*proposals: HealingProposal) -> dict[str, Any]:
    return healing_overlay(proposals, built(package(BOUND)).manifests, id="heal")


@pytest.mark.requirement("AUTH-5.8a", "AUTH-10.2")
def test_a_proposal_is_an_overlay_that_waits_for_a_decision() -> None:
    overlay = healed(proposal(LabelMatcher(text="Store")))
    files = package(BOUND, overlay, publish={"channels": [PROD]})
    waiting = built(files, channel="prod")
    assert set(codes(waiting, "refusal")) == {"gate_review_state", "gate_generated"}
    assert "review_needed" in codes(waiting, "warning")
    approved = built(
        package(
            BOUND,
            overlay,
            manifest("ReviewSet", "r", {"decisions": [APPROVAL]}),
            publish={"channels": [PROD]},
        ),
        channel="prod",
    )
    assert approved.bundle is not None, messages(approved)
    element = next(e for e in approved.bundle.bindings.elements if e.id == "save")  # type: ignore[union-attr]
    assert [m.by for m in element.match] == ["text", "label"]


@pytest.mark.requirement("AUTH-10")
def test_healed_content_names_its_trace() -> None:
    overlay = healed(proposal(LabelMatcher(text="Store")))
    assert overlay["status"]["provenance"][0]["ref"] == "trace:7"
    records = provenance(built(package(BOUND, overlay)))
    assert [r.source for r in records["elements/save"]] == ["manual", "runtime-trace"]
    assert [r.source for r in records["elements/b"]] == ["manual"]


def test_proposals_for_one_element_join_and_known_matchers_are_left_out() -> None:
    overlay = healed(
        proposal(LabelMatcher(text="Store")),
        proposal(TextMatcher(text="Save")),
        proposal(TextMatcher(text="Keep")),
        proposal(TextMatcher(text="x"), "nobody"),
    )
    (patch,) = overlay["spec"]["patches"]
    assert [m["by"] for m in patch["value"]["match"]] == ["text", "label", "text"]
    assert codes(built(package(BOUND, overlay))) == []
