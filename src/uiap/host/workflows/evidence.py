"""The facts of an action's result that the report of a run shows."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET

from uiap.spec.action import ActionResultPayload, ResolvedTarget
from uiap.spec.capability import SuccessSignal
from uiap.workflow.events import ActionEvidence

MAX_CHANGES, MAX_CHARS = 12, 200


def evidence_of(result: ActionResultPayload, changes: tuple[str, ...]) -> ActionEvidence:
    metadata = {} if result.metadata is UNSET else result.metadata
    return ActionEvidence(
        action_id=result.action_id,
        target="" if result.resolved_target is UNSET else _target(result.resolved_target),
        found_by=_found_by(result, metadata.get("resolution") or {}),
        decision=_decision(metadata.get("policy")),
        observed=tuple(map(signal_text, result.verification.observed)),
        missing=tuple(map(signal_text, result.verification.missing or ())),
        side_effect="" if result.side_effect_state is UNSET else result.side_effect_state,
        duration_ms=float(metadata.get("durationMs") or 0.0),
        changes=tuple(one[:MAX_CHARS] for one in changes[:MAX_CHANGES]),
    )


def proof_is_late(result: ActionResultPayload) -> bool:
    """Return whether an action was done and its proof did not come in time, while nothing speaks against it."""
    metadata = {} if result.metadata is UNSET else result.metadata
    return metadata.get("failureClass") == "verification_timeout" and metadata.get("outcome") == "unknown"


def _target(target: ResolvedTarget) -> str:
    return f"{target.role} “{target.name or ''}”"


def _found_by(result: ActionResultPayload, resolution: dict[str, Any]) -> str:
    if result.resolved_target is UNSET:
        return ""
    matcher = f", {resolution['binding']}" if resolution.get("binding") else ""
    return f"{result.resolved_target.by}{matcher}, confidence {resolution.get('confidence', '?')}"


def _decision(policy: Any) -> str:
    if not isinstance(policy, dict):
        return ""
    return ", ".join(f"{name} {value}" for name, value in policy.items() if isinstance(value, str))


def signal_text(signal: SuccessSignal) -> str:
    """Return a signal as one line: its kind and what it names."""
    plain = msgspec.to_builtins(signal)
    kind, target = plain.pop("kind"), plain.pop("target", None) or {}
    words = [str(value) for key, value in target.items() if key != "by"]
    return " ".join([kind, *words, *(f"{key}={value}" for key, value in plain.items())])
