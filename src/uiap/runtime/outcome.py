"""What an ending means: one mapping from codes to outcome words and failure classes (MDM-7, MDM-11)."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from uiap.spec.action import RuntimeErrorCode, SideEffectState

Outcome: TypeAlias = Literal["success", "no_op", "backend_failure", "ui_failure", "unknown"]
FailureClass: TypeAlias = Literal[
    "target_resolution", "dispatch", "verification_timeout", "unexpected_state_delta", "no_state_change"
]

OPAQUE_ERRORS: dict[str, RuntimeErrorCode] = {
    "cross_origin_frame": "cross_origin_unavailable",
    "closed_shadow": "closed_shadow_unavailable",
}
ERRORS_BY_REFUSAL: dict[str, RuntimeErrorCode] = {
    "unsupported": "execution_mode_unavailable",
    "opaque": "cross_origin_unavailable",
    "unavailable": "internal_runtime_error",
}
_RESOLUTION = frozenset({"target_required", "target_not_found", "target_ambiguous", "stale_target"})


def classify(code: RuntimeErrorCode, effect: SideEffectState, detail: dict[str, Any]) -> Outcome:
    if detail.get("outcome") == "backend_failure":
        return "backend_failure"
    if code == "verification_failed":
        return "no_op" if effect == "none" else "unknown"
    return "unknown" if effect == "unknown" else "ui_failure"


def failure_class(code: RuntimeErrorCode, effect: SideEffectState) -> FailureClass:
    if code in _RESOLUTION:
        return "target_resolution"
    if code == "verification_failed":
        return "no_state_change" if effect == "none" else "verification_timeout"
    return "dispatch"
