"""The execution of one action: its gestures in order, how many were dispatched, and what a refusal means.

It dispatches nothing itself. A dispatched gesture is never returned again: the plan has no way back.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from uiap.actions.ops import AnyOp, Click, Guard, Holds
from uiap.runtime import events as when
from uiap.runtime.outcome import ERRORS_BY_REFUSAL, Failure
from uiap.runtime.resolve import Candidate

PASSING = frozenset({"obscured", "hidden", "disabled"})
"""Refusals that may pass. The checks run again while the target has time to become ready."""


class ResolveAgain(msgspec.Struct, frozen=True):
    """Nothing reached the page; the target may be resolved once more."""

    kind: Literal["stale", "passing"]
    why: str


class TryOtherMode(msgspec.Struct, frozen=True):
    """Nothing reached the page; another permitted mode may work."""

    why: str


Consequence: TypeAlias = ResolveAgain | TryOtherMode | Failure


class Execution:
    """The gestures of one mode. `acting` is true from the moment at which something may have been dispatched."""

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
        """Return whether a gesture asks the page for the value it holds."""
        return any(isinstance(op, Holds) for op in self._plan)

    def begin(self) -> None:
        """From now on something may have been dispatched."""
        self.acting = True

    def next(self) -> AnyOp:
        self.begin()
        return self._plan[self._sent]

    def sent(self, event: when.Dispatched) -> bool:
        """Count a dispatched gesture. Return whether another one follows."""
        self._sent += 1
        self.closed_the_page = event.interrupted_by == "closed"
        return self._sent < len(self._plan) and event.interrupted_by is None

    def refused(self, event: when.Refused, may_wait: bool) -> Consequence:
        """Return what follows from a refusal. Nothing reached the page, so resolving again is no retry."""
        why = event.detail or event.reason
        if self._sent and isinstance(self._plan[self._sent], Holds):
            return Failure(
                "verification_failed", "the field does not hold what was written into it", "unknown"
            )
        if self._sent:
            return Failure("internal_runtime_error", f"it stopped after the first gesture: {why}", "unknown")
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
    """Return the terms that the input event itself must find on the target."""
    role, name, record = candidate.terms
    return Guard(node=candidate.element.instance_id, role=role, name=name, record=record)


def aim_at(op: AnyOp, spot: tuple[float, float]) -> AnyOp:
    """Return a click aimed at the recognised word instead of the middle of its canvas."""
    return msgspec.structs.replace(op, spot=spot) if isinstance(op, Click) else op
