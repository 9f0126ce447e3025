"""Endings of an action: one mapping from situations to codes, side effects, outcomes and failure classes.

It covers ACT-6.4, MDM-7 and MDM-11. docs/runtime.md shows `ENDINGS`, and a test compares both.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from uiap.spec.action import ActionStatus, RuntimeErrorCode, RuntimeState, SideEffectState

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
    "unconfirmed": "confirmation_denied",
    "unrecorded": "internal_runtime_error",
    "forbidden": "action_unsupported",  # the same code as a denial by policy
}
_RESOLUTION = frozenset({"target_required", "target_not_found", "target_ambiguous", "stale_target"})


class Failure(msgspec.Struct, frozen=True):
    """The reason why an action fails: its wire code, message and side effect."""

    code: RuntimeErrorCode
    message: str
    effect: SideEffectState = "none"
    detail: dict[str, Any] = msgspec.field(default_factory=dict)


def classify(code: RuntimeErrorCode, effect: SideEffectState, detail: dict[str, Any]) -> Outcome:
    if detail.get("outcome") == "backend_failure":
        return "backend_failure"
    if code == "verification_failed":
        return "no_op" if effect == "none" else "unknown"
    return "unknown" if effect == "unknown" else "ui_failure"


def failure_class(
    code: RuntimeErrorCode, effect: SideEffectState, *, unexpected: bool = False
) -> FailureClass:
    """Return the failure class. `unexpected`: an effect of the action was observed, but not the expected one."""
    if code in _RESOLUTION:
        return "target_resolution"
    if code != "verification_failed":
        return "dispatch"
    if effect == "none":
        return "no_state_change"
    return "unexpected_state_delta" if unexpected else "verification_timeout"


# -- deadlines, lost pages, opaque regions ----------------------------------------------------------------------


def out_of_time(state: RuntimeState, resolving: bool, acting: bool, why: str) -> Failure:
    """Return the failure of a passed deadline. Its code depends on the state."""
    detail = {"reason": "timeout"}
    if resolving:
        return Failure("target_not_found", why or "no time left to find the target", detail=detail)
    if state == "EXECUTING":
        effect: SideEffectState = "unknown" if acting else "none"
        return Failure("internal_runtime_error", "no time left while acting", effect, detail)
    return Failure("target_not_interactable", f"no time left: {why or 'not ready'}", detail=detail)


def page_gone(cause: str, acting: bool) -> Failure:
    message, detail = f"the page is gone: {cause}", {"cause": cause}
    if acting:
        return Failure("internal_runtime_error", message, "unknown", detail)
    return Failure("stale_target", message, detail=detail)


def opaque_region(kind: str) -> Failure:
    code = OPAQUE_ERRORS.get(kind, "target_not_interactable")
    return Failure(code, f"the target lies in an opaque region ({kind})")


# -- the whole mapping, as the docs show it ---------------------------------------------------------------------


class Ending(NamedTuple):
    """One situation, and everything the result reports about it."""

    happened: str
    status: ActionStatus
    code: RuntimeErrorCode | None
    effect: SideEffectState
    detail: str = ""
    """A member of `error.detail` by which this row is known, as `name=value`."""
    unexpected: bool = False

    @property
    def outcome(self) -> Outcome | None:
        if self.status == "cancelled":
            return None
        if self.code is None:
            return "success" if self.detail != "outcome=no_op" else "no_op"
        name, _, value = self.detail.partition("=")
        return classify(self.code, self.effect, {name: value})

    @property
    def failure_class(self) -> FailureClass | None:
        if self.code is None or self.status == "cancelled":
            return None
        return failure_class(self.code, self.effect, unexpected=self.unexpected)


ENDINGS: tuple[Ending, ...] = (
    Ending("the effect was observed", "succeeded", None, "applied"),
    Ending("the end state held before", "succeeded", None, "none", "outcome=no_op"),
    Ending("something was read or shown", "succeeded", None, "none"),
    Ending("a person did the handed-off step", "succeeded", None, "applied"),
    Ending("wrong arguments", "failed", "action_unsupported", "none", "reason=invalid_args"),
    Ending("policy denies it", "failed", "action_unsupported", "none", "reason=policy_denied"),
    Ending("no target was named", "failed", "target_required", "none"),
    Ending("nothing fits in time", "failed", "target_not_found", "none", "reason=timeout"),
    Ending("several fit equally", "failed", "target_ambiguous", "none"),
    Ending(
        "one fits, but its confidence is too low for its risk", "failed", "target_ambiguous", "none",
        "reason=low_confidence",
    ),
    Ending("it changed twice, its ref is gone, or its row shows another record", "failed", "stale_target", "none"),
    Ending("hidden, disabled, covered, moving, read-only", "failed", "target_not_interactable", "none"),
    Ending("it lies in another origin", "failed", "cross_origin_unavailable", "none"),
    Ending("it lies in a closed shadow root", "failed", "closed_shadow_unavailable", "none"),
    Ending("no way to do it is allowed here", "failed", "execution_mode_unavailable", "none"),
    Ending("the page asks a person, and nobody answers in time", "failed", "user_activation_required", "unknown"),
    Ending(
        "a step was handed off, and its effect was not observed", "failed", "user_activation_required",
        "unknown", "reason=timeout",
    ),
    Ending("no effect of a draft was observed", "failed", "verification_failed", "none"),
    Ending("no caused effect was observed", "failed", "verification_failed", "unknown"),
    Ending(
        "its effect is not the expected one", "failed", "verification_failed", "unknown", unexpected=True
    ),
    Ending("its request failed", "failed", "verification_failed", "unknown", "outcome=backend_failure"),
    Ending("the outcome of an earlier attempt is unknown", "failed", "unsafe_retry_refused", "unknown"),
    Ending(
        "the intent could not be stored", "failed", "internal_runtime_error", "none",
        "reason=store_failed",
    ),
    Ending("the driver, the page or the time was lost while acting", "failed", "internal_runtime_error", "unknown"),
    Ending("a person denied it", "cancelled", "confirmation_denied", "none"),
    Ending("nobody answered within 120 s", "cancelled", "confirmation_denied", "none", "reason=timeout"),
    Ending("cancelled before the input", "cancelled", "cancelled", "none"),
    Ending("cancelled during or after the input", "cancelled", "cancelled", "unknown"),
    Ending("cancelled after the effect was observed", "cancelled", "cancelled", "applied"),
)  # fmt: skip


def endings_table() -> str:
    """Return the table of endings for the docs."""
    head = ["situation", "status", "code", "detail", "side effect", "outcome", "failure class"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for row in ENDINGS:
        cells = (row.happened, row.status, row.code, row.detail, row.effect, row.outcome, row.failure_class)
        lines.append("| " + " | ".join(str(cell or "") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
