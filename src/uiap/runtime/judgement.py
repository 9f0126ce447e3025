"""The verification of one action: from each observation to a finding (ACT-12).

It holds the expectation and the last report. It never waits: a finding says when to observe again.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from uiap.runtime.check import ProbeFacts
from uiap.runtime.events import Observed
from uiap.runtime.expectation import Expectation, ObservedFacts, Passed, already, judge
from uiap.signals.verdict import Verdict
from uiap.signals.watch import EffectReport
from uiap.signals.work import wait_until
from uiap.spec.capability import NetworkResponse
from uiap.spec.web import ElementNode

SETTLE_S = 0.05  # the observed state must last this long, so that a rollback is noticed
GIVE_UP_S = 0.5  # all work of the input has ended this long ago, and no effect of it was observed
STILL_S = 1.0  # a loaded page may keep rendering this long before it counts as arrived
POLL_S = 0.1


class Verified(msgspec.Struct, frozen=True):
    evidence: str


class Contradicted(msgspec.Struct, frozen=True):
    """The application itself reports a failure."""

    message: str
    detail: dict[str, Any]


class NotYet(msgspec.Struct, frozen=True):
    """Not proved yet. Observe again when the page changes, and at `observe_at` if given."""

    observe_at: float | None = None


class GaveUp(msgspec.Struct, frozen=True):
    """All work of the input has ended, and its effect was not observed."""


class ReadPage(msgspec.Struct, frozen=True):
    """Read the page first: a busy page may not have reported its changes yet."""

    quick: bool = False


Finding: TypeAlias = Verified | Contradicted | GaveUp | NotYet | ReadPage


class Verification:
    """One expectation, and the observations of it."""

    def __init__(self, expectation: Expectation) -> None:
        self.expectation = expectation
        self.report: EffectReport | None = None
        self.why = ""
        self.until = float("inf")
        self.gesture_report: dict[str, Any] = {}
        self.focus: str | None = None
        self._met_at = self._first_met = 0.0
        self.read_completely = False
        """The page was read completely since the expectation was met; a quick read then shows whether it lasts."""

    @property
    def met(self) -> bool:
        """Return whether the expectation holds now. It may not last."""
        return self._met_at > 0.0

    @property
    def nothing_changed(self) -> bool:
        return self.report is not None and self.report.change is None

    def baseline(self, verdicts: tuple[Verdict, ...], element: ElementNode | None = None) -> bool:
        """Return whether the whole end state held before the input."""
        held = self.expectation.held
        if held is not None and element is not None and not self.expectation.needs_new:
            return held.test(element, {})
        if not already(self.expectation, verdicts):
            return False
        self.report = EffectReport(verdicts)
        return True

    def observed(self, event: Observed) -> Finding:
        moved = self.report is None or self.report.revision != event.report.revision
        self.report = event.report
        if event.request_failed is not None and not self._failure_expected:
            message = f"the application did not do it: {event.request_failed}"
            return Contradicted(message, {"outcome": "backend_failure", "request": event.request_failed})
        moved_on = event.focus is not None and event.focus != self.focus
        facts = ObservedFacts(told=self.gesture_report, element=event.element, refocused=moved_on)
        judgement = judge(self.expectation, event.report, facts)
        if not isinstance(judgement, Passed):
            self.why, self._met_at, self.read_completely = judgement.why, 0.0, False
            return self._still_possible(event)
        arrival = self.expectation.arrival
        if not self._met_at:
            self._met_at = self._first_met = event.at.mono
        elif moved and arrival and event.at.mono < self._first_met + STILL_S:
            self._met_at = event.at.mono  # a page has arrived when it stops changing; some never do
        if (event.navigated and not arrival) or self.expectation.policy == "none":
            return Verified(judgement.evidence)
        return self._settled(event, judgement)

    def _still_possible(self, event: Observed) -> Finding:
        """Return when to observe again, or `GaveUp` if nothing is left that could bring the effect."""
        report, work = event.report, event.report.work
        if work is None or event.requests_open or report.busy is not None or not self.expectation.causal:
            return NotYet()
        busy_until = wait_until(work, effect=False)
        ended = max(report.work_changed_at, report.latest, event.idle_since, busy_until)
        if event.at.mono < ended + GIVE_UP_S:
            return NotYet(ended + GIVE_UP_S)
        return GaveUp() if event.complete else ReadPage()

    def _settled(self, event: Observed, judgement: Passed) -> Finding:
        """Return `Verified` once the work of the input has ended and the page was read after that."""
        if event.requests_open:
            self.why = "a request that it sent has no response yet"
            return NotYet(event.at.mono + POLL_S)
        self.read_completely = self.read_completely or event.complete
        if not self.read_completely:  # read it while it settles: on a big page a complete read takes as long
            return ReadPage()
        settled_at = self._settled_at(event)
        if event.at.mono < settled_at:
            return NotYet(settled_at)
        return Verified(judgement.evidence) if event.complete or event.quick else ReadPage(quick=True)

    def _settled_at(self, event: Observed) -> float:
        """Return when the effect counts as lasting: at the end of all work, or after a short time if it is unknown."""
        report = event.report
        if report.work is None or self.expectation.arrival:
            return max(self._met_at, report.latest, event.idle_since) + SETTLE_S
        until = wait_until(report.work, effect=True, busy=report.busy is not None)
        if event.at.mono < until:
            self.why = f"{report.work[0].words} has not ended"
        return until

    def probed(self, seen: ProbeFacts, mono: float) -> Finding:
        """Judge a probe: is the target in view, or under the pointer?"""
        where = "under the pointer" if self.expectation.hovered else "in view"
        if seen.hovered if self.expectation.hovered else seen.in_viewport:
            return Verified(f"it is {where}")
        self.why = f"it is not {where}"
        return NotYet(mono + POLL_S)

    def at_timeout(self) -> Verified | None:
        """Return the finding at the timeout. A page that has arrived and still loads something has arrived."""
        if self.met and self.expectation.arrival:
            return Verified("the page arrived, and still loads something")
        return None

    @property
    def _failure_expected(self) -> bool:
        """Return whether the caller expects an error response."""
        signals = self.expectation.signals
        return any(
            isinstance(s, NetworkResponse) and isinstance(s.status, int) and s.status >= 400 for s in signals
        )
