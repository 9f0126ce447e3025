"""The result of one action, collected while it runs (ACT-5.8)."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from uiap.instant import Instant
from uiap.runtime.expectation import outcome
from uiap.runtime.judgement.verification import Verification
from uiap.runtime.outcome import Failure, classify, failure_class
from uiap.runtime.painted_text import vision_evidence
from uiap.runtime.resolve import Resolved, resolved_target
from uiap.signals.effect_report import EffectReport
from uiap.spec.action import (
    ActionResultPayload,
    ActionStatus,
    RuntimeErrorDescriptor,
    SideEffectState,
)
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import DOMRectLike

FINAL_ERRORS = frozenset(
    {
        "action_unsupported",
        "target_required",
        "confirmation_denied",
        "execution_mode_unavailable",
        "cross_origin_unavailable",
        "closed_shadow_unavailable",
    }
)
"""Errors that the same request meets again: wrong arguments, denials, and limits of the driver (ACT-6.4b)."""


class ResultBuilder:
    """Collects notes, metadata and times, and builds the one result. It decides nothing."""

    def __init__(self, handle: str, action_id: str) -> None:
        self.handle, self.action_id = handle, action_id
        self.began = self.effect_at = 0.0
        self.metadata: dict[str, Any] = {}
        self.box: DOMRectLike | None = None
        """The box of the target at the last probe."""
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Note a recovery, each only once."""
        if text not in self.notes:
            self.notes.append(text)

    def effect_seen(self, mono: float) -> None:
        self.effect_at = self.effect_at or mono

    def error(self, failure: Failure, report: EffectReport | None) -> RuntimeErrorDescriptor:
        """Return the wire error of a failure, and note its outcome and class (MDM-11)."""
        code, effect = failure.code, failure.effect
        unexpected = report is not None and report.attribution == "caused"
        self.metadata["outcome"] = classify(code, effect, failure.detail)
        self.metadata["failureClass"] = failure_class(code, effect, unexpected=unexpected)
        return RuntimeErrorDescriptor(
            code=code,
            message=failure.message,
            retryable=effect == "none" and code not in FINAL_ERRORS,
            detail=failure.detail or UNSET,
        )

    def build(
        self,
        at: Instant,
        status: ActionStatus,
        effect: SideEffectState,
        *,
        resolved: Resolved | None,
        mode: ExecutionMode | None,
        verification: Verification,
        error: RuntimeErrorDescriptor | None,
        return_value: Any = UNSET,
    ) -> ActionResultPayload:
        report = verification.report
        return ActionResultPayload(
            action_handle=self.handle,
            action_id=self.action_id,
            status=status,
            chosen_execution_mode=mode or UNSET,
            resolved_target=resolved_target(resolved.winner.candidate, self.box) if resolved else UNSET,
            verification=outcome(verification.expectation, report, status == "succeeded"),
            side_effect_state=effect,
            state_revision=report.revision if report and report.revision else UNSET,
            return_value=return_value,
            error=error or UNSET,
            metadata=self._metadata(at, resolved, verification),
        )

    def _metadata(self, at: Instant, resolved: Resolved | None, verification: Verification) -> dict[str, Any]:
        metadata = {**self.metadata, "durationMs": round((at.mono - self.began) * 1000, 1)}
        if verification.answers is not None:
            metadata["judgement"] = verification.answers.as_metadata()
        if self.effect_at:
            metadata["effectMs"] = round((self.effect_at - self.began) * 1000, 1)
        if resolved is not None:
            winner = resolved.winner
            metadata["resolution"] = {"reasons": list(winner.reasons), "confidence": resolved.confidence}
            if alternates := _alternates(resolved):
                metadata["resolution"]["alternates"] = alternates
            if winner.candidate.binding is not None:
                metadata["resolution"]["binding"] = winner.candidate.binding
            if (painted := winner.candidate.painted) is not None:
                box = winner.candidate.element.bbox
                metadata["resolution"]["vision"] = vision_evidence(painted, None if box is UNSET else box)
            if winner.candidate.record is not None:
                metadata["resolution"]["record"] = winner.candidate.record
        if self.notes:
            metadata["recovery"] = self.notes
        return metadata


def _alternates(resolved: Resolved) -> list[dict[str, Any]]:
    """Return the elements that could have been meant: the named leaf of a container, then the other candidates."""
    leaf = resolved.winner.candidate.leaf
    named = (
        [] if leaf is None else [{"instanceId": leaf, "why": "it was named, and its container is acted on"}]
    )
    others = [
        {"instanceId": one.candidate.element.instance_id, "score": round(one.score, 1)}
        for one in resolved.others
    ]
    return [*named, *others]
