"""The plan of one action: its gestures in order, how far they went, and what each answer of the driver means.

It sends nothing. A gesture that went out is never offered again: there is no way back in the plan.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from uiap.actions.ops import AnyOp, Click, Guard, Holds
from uiap.runtime import events as when
from uiap.runtime.outcome import ERRORS_BY_REFUSAL, Failure
from uiap.runtime.resolve import Candidate

PASSING = frozenset({"obscured", "hidden", "disabled"})
"""Refusals that may pass: the checks decide again, within the time the target has to get ready."""


class ResolveAgain(msgspec.Struct, frozen=True):
    """Nothing reached the page; the target may be looked for once more."""

    kind: Literal["stale", "passing"]
    why: str


class TryOtherMode(msgspec.Struct, frozen=True):
    """Nothing reached the page; another permitted mode may do it (HOUSE §3)."""

    why: str


Consequence: TypeAlias = ResolveAgain | TryOtherMode | Failure


class Execution:
    """Empty until a mode is chosen; `acting` from the first moment at which something may have happened."""

    def __init__(self, plan: tuple[AnyOp, ...] = ()) -> None:
        self._plan = plan
        self._sent = 0
        self.acting = False
        self.closed_the_page = False

    @property
    def reads_only(self) -> bool:
        return not self._plan

    @property
    def confirmed_by_page(self) -> bool:
        """Its last gesture asks the page whether it holds what was written."""
        return any(isinstance(op, Holds) for op in self._plan)

    def begin(self) -> None:
        """From here on something may have happened, whatever else comes."""
        self.acting = True

    def next(self) -> AnyOp:
        self.begin()
        return self._plan[self._sent]

    def sent(self, event: when.Dispatched) -> bool:
        """One more went out; is there another?"""
        self._sent += 1
        self.closed_the_page = event.interrupted_by == "closed"
        return self._sent < len(self._plan) and event.interrupted_by is None

    def refused(self, event: when.Refused, may_wait: bool) -> Consequence:
        """The driver proves that nothing reached the page, so looking again is no retry (HOUSE §3)."""
        why = event.detail or event.reason
        if self._sent and isinstance(self._plan[self._sent], Holds):
            return Failure(
                "verification_failed", "the field does not hold what was written into it", "unknown"
            )
        if self._sent:
            return Failure("internal_runtime_error", f"it stopped half way: {why}", "unknown")
        self.acting = False
        if event.reason in ("gone", "changed"):
            return ResolveAgain("stale", why)
        if event.reason in PASSING and may_wait:
            return ResolveAgain("passing", why)
        if event.reason == "unsupported":
            return TryOtherMode(why)
        code = ERRORS_BY_REFUSAL.get(event.reason, "target_not_interactable")
        message = event.detail or f"refused: {event.reason}"
        denied = {"reason": "policy_denied"} if event.reason == "forbidden" else {}
        return Failure(code, message, detail={"refusal": event.reason, **denied})


def guard_of(candidate: Candidate) -> Guard:
    """What must still be true of the target in the input event itself."""
    role, name, record = candidate.terms
    return Guard(node=candidate.element.instance_id, role=role, name=name, record=record)


def aim_at(op: AnyOp, spot: tuple[float, float]) -> AnyOp:
    """At the word that was read, and not at the middle of what it is painted on."""
    return msgspec.structs.replace(op, spot=spot) if isinstance(op, Click) else op
