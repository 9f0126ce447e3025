"""The facts that a report shows of an action's result."""

from __future__ import annotations

import msgspec
import pytest

from uiap.host.workflows.evidence import MAX_CHANGES, evidence_of, proof_is_late, signal_text
from uiap.spec.action import ActionResultPayload
from uiap.spec.capability import ElementAppeared, RouteChanged, SemanticRef, SuccessSignal, ToastContains


def result(**members: object) -> ActionResultPayload:
    plain = {
        "actionHandle": "act_1",
        "actionId": "ui.activate",
        "status": "succeeded",
        "verification": {"passed": True, "policy": "all", "observed": [{"kind": "dialog.closed"}]},
        **members,
    }
    return msgspec.convert(plain, ActionResultPayload)


def test_target_decision_and_proof_are_in_the_evidence() -> None:
    found = evidence_of(
        result(
            resolvedTarget={
                "by": "stableId",
                "instanceId": "e1",
                "documentId": "d1",
                "role": "button",
                "name": "Save",
            },
            metadata={
                "policy": {"effect": "allow", "rules": ["r1"]},
                "resolution": {"binding": "matcher 2", "confidence": 0.9},
                "durationMs": 41.5,
            },
        ),
        tuple(f"+ line {n}" for n in range(50)),
    )
    assert (found.target, found.found_by) == ("button “Save”", "stableId, matcher 2, confidence 0.9")
    assert (found.decision, found.observed, found.duration_ms) == ("effect allow", ("dialog.closed",), 41.5)
    assert len(found.changes) == MAX_CHANGES


def test_a_result_without_a_target_has_no_match() -> None:
    found = evidence_of(result(), ())
    assert (found.target, found.found_by, found.decision, found.changes) == ("", "", "", ())


@pytest.mark.parametrize(
    ("signal", "text"),
    [
        (ToastContains(text="Saved"), "toast.contains text=Saved"),
        (RouteChanged(pattern="/videos/:id"), "route.changed pattern=/videos/:id"),
        (ElementAppeared(target=SemanticRef(role="link", name="Intro")), "element.appeared link Intro"),
    ],
)
def test_a_signal_is_one_line(signal: SuccessSignal, text: str) -> None:
    assert signal_text(signal) == text


@pytest.mark.parametrize(
    ("metadata", "late"),
    [
        ({"failureClass": "verification_timeout", "outcome": "unknown"}, True),
        ({"failureClass": "verification_timeout", "outcome": "backend_failure"}, False),
        ({"failureClass": "unexpected_state_delta", "outcome": "unknown"}, False),
        ({}, False),
    ],
)
def test_a_proof_is_late_only_if_nothing_speaks_against_the_action(
    metadata: dict[str, str], late: bool
) -> None:
    assert proof_is_late(result(status="failed", metadata=metadata)) is late
