"""The watch kept after the input: from each look at the page to what may be believed now (ACT-12, HOUSE §4).

It holds what was expected and what was seen. It never waits: it says how long waiting is worth it.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from uiap.runtime.check import ProbeFacts
from uiap.runtime.events import Observed
from uiap.runtime.expectation import Expectation, Passed, Sight, already, judge
from uiap.signals.verdict import Verdict
from uiap.signals.watch import EffectReport
from uiap.spec.capability import NetworkResponse
from uiap.spec.web import ElementNode

SETTLE_S = 0.05  # HOUSE §4: the observed state must hold this long, so a change that rolls back is seen
STILL_S = 1.0  # so long a page that was loaded may go on drawing itself before it counts as there
POLL_S = 0.1


class Verified(msgspec.Struct, frozen=True):
    evidence: str


class Contradicted(msgspec.Struct, frozen=True):
    """The application itself says that it did not do it."""

    message: str
    detail: dict[str, Any]


class NotYet(msgspec.Struct, frozen=True):
    """Not yet; look again when the page changes, and at this moment if one is named."""

    look_at: float | None = None


class ReadPage(msgspec.Struct, frozen=True):
    """A page too busy to tell is not a page that holds still: ask it before believing."""

    quick: bool = False


Finding: TypeAlias = Verified | Contradicted | NotYet | ReadPage


class Verification:
    """One expectation, and what has been seen of it."""

    def __init__(self, expectation: Expectation) -> None:
        self.expectation = expectation
        self.report: EffectReport | None = None
        self.why = ""
        self.until = float("inf")
        self.gesture_report: dict[str, Any] = {}
        self.focus: str | None = None
        self._met_at = self._first_met = 0.0
        self.read_completely = False
        """Everything was looked at since the expectation was met; from then on a glance tells whether it lasts."""

    @property
    def met(self) -> bool:
        """The expectation holds at this moment; whether it lasts is still to be seen."""
        return self._met_at > 0.0

    @property
    def nothing_changed(self) -> bool:
        return self.report is not None and self.report.change is None

    def baseline(self, verdicts: tuple[Verdict, ...], element: ElementNode | None = None) -> bool:
        """Did the whole end state hold before anything was done?"""
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
        sight = Sight(told=self.gesture_report, element=event.element, refocused=moved_on)
        judgement = judge(self.expectation, event.report, sight)
        if not isinstance(judgement, Passed):
            self.why, self._met_at, self.read_completely = judgement.why, 0.0, False
            return NotYet()
        arrival = self.expectation.arrival
        if not self._met_at:
            self._met_at = self._first_met = event.at.mono
        elif moved and arrival and event.at.mono < self._first_met + STILL_S:
            self._met_at = event.at.mono  # a page has arrived when it holds still; some never do
        if (event.navigated and not arrival) or self.expectation.policy == "none":
            return Verified(judgement.evidence)
        return self._settled(event, judgement)

    def _settled(self, event: Observed, judgement: Passed) -> Finding:
        """HOUSE §4: not a sleep but an observation: nothing open, nothing new, and the page has no more to say."""
        if event.requests_open:
            self.why = "a request that it sent has no answer yet"
            return NotYet(event.at.mono + POLL_S)
        self.read_completely = self.read_completely or event.complete
        if not self.read_completely:  # while it settles anyway: on a big page a whole look takes as long
            return ReadPage()
        quiet = max(self._met_at, event.report.latest, event.idle_since) + SETTLE_S
        if event.at.mono < quiet:
            return NotYet(quiet)
        return Verified(judgement.evidence) if event.complete or event.quick else ReadPage(quick=True)

    def probed(self, seen: ProbeFacts, mono: float) -> Finding:
        """After a gesture that only moves things: is it where it should be?"""
        where = "under the pointer" if self.expectation.hovered else "in view"
        if seen.hovered if self.expectation.hovered else seen.in_viewport:
            return Verified(f"it is {where}")
        self.why = f"it is not {where}"
        return NotYet(mono + POLL_S)

    def at_timeout(self) -> Verified | None:
        """The time is over. A page that arrived and goes on loading has arrived."""
        if self.met and self.expectation.arrival:
            return Verified("the page is there, and still loads something")
        return None

    @property
    def _failure_expected(self) -> bool:
        """The caller waits for an error on purpose."""
        signals = self.expectation.signals
        return any(
            isinstance(s, NetworkResponse) and isinstance(s.status, int) and s.status >= 400 for s in signals
        )
