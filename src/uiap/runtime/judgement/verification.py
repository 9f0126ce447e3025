"""The verification of one action: from each observation to a finding (ACT-12.1).

It holds the expectation and the last report. It never waits: a finding says when to observe again.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from uiap.graph.names import normalised
from uiap.runtime.check import ProbeFacts
from uiap.runtime.events import Observed
from uiap.runtime.expectation import Expectation
from uiap.runtime.judgement import cause
from uiap.runtime.judgement.answer import NO_FACTS, Answer, ObservedFacts, Passed, Waiting
from uiap.runtime.judgement.cause import claimed_effects
from uiap.runtime.judgement.ending import gives_up_at, pending_words, settled_at
from uiap.runtime.judgement.own_state import held_before, own_state
from uiap.signals.verdict import Verdict
from uiap.signals.watch import EffectReport
from uiap.spec.capability import NetworkResponse, StatusContains, ToastContains
from uiap.spec.web import ElementNode

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


def judge(expectation: Expectation, report: EffectReport, facts: ObservedFacts = NO_FACTS) -> Answer:
    """Ask the first two questions about one observation. Both must pass."""
    if expectation.revision_advance and not report.advanced:
        return Waiting("no new revision")  # ACT-12.4
    if expectation.policy == "none":
        return Passed("not verified")
    if report.busy is not None and not expectation.arrival:
        return Waiting(f"{report.busy} is still busy")
    own = own_state(expectation, report, facts)
    if isinstance(own, Waiting):
        return own
    claimed = claimed_effects(expectation, report, facts)
    return claimed if isinstance(claimed, Waiting) or claimed.evidence else own


class Verification:
    """One expectation, and the observations of it."""

    def __init__(self, expectation: Expectation, *, drafts: bool = False) -> None:
        self.expectation, self.drafts = expectation, drafts
        """`drafts`: the action only writes into the page, and its value may be judged invalid there."""
        self.report: EffectReport | None = None
        self.why = ""
        self.until = float("inf")
        self.gesture_report: dict[str, Any] = {}
        self.focus: str | None = None
        self.own_state_probed = False
        self.claims_held_before = False
        self.pending: list[str] = []
        """The work that had not ended at the last observation, in words."""
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
        """Return whether the action would be a no-op: its own end state and every claim held before the input."""
        self.claims_held_before = cause.held_before(self.expectation, verdicts)
        if self.expectation.needs_new or not self.claims_held_before:
            return False
        if not held_before(self.expectation, verdicts, element):
            return False
        self.report = EffectReport(verdicts) if verdicts else None
        return True

    def observed(self, event: Observed) -> Finding:
        moved = self.report is None or self.report.revision != event.report.revision
        self.report = event.report
        if event.request_failed is not None and not self._failure_expected:
            message = f"the application did not do it: {event.request_failed}"
            return Contradicted(message, {"outcome": "backend_failure", "request": event.request_failed})
        if event.report.contradiction is not None and not self._complaint_expected(event.report):
            message = f"the page reports a failure: {event.report.contradiction}"
            return Contradicted(message, {"outcome": "ui_failure", "message": event.report.contradiction})
        judgement = self._judge(event)
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

    def _judge(self, event: Observed) -> Answer:
        refocused = event.focus is not None and event.focus != self.focus
        facts = ObservedFacts(
            gesture=self.gesture_report,
            element=event.element,
            refocused=refocused,
            probed=self.own_state_probed,
        )
        return judge(self.expectation, event.report, facts)

    def _still_possible(self, event: Observed) -> Finding:
        """Return when to observe again, or `GaveUp` if nothing is left that could bring the effect."""
        gives_up = gives_up_at(event) if self.expectation.causal else None
        if gives_up is None:
            return NotYet()
        if event.at.mono < gives_up:
            return NotYet(gives_up)
        return GaveUp() if event.complete else ReadPage()

    def _settled(self, event: Observed, judgement: Passed) -> Finding:
        """Ask the third question. The page must have been read after the work ended."""
        if event.requests_open:
            self.why = "a request that it sent has no response yet"
            return NotYet(event.at.mono + POLL_S)
        self.read_completely = self.read_completely or event.complete
        if not self.read_completely:  # read it while it settles: on a big page a complete read takes as long
            return ReadPage()
        settled = settled_at(event, self._met_at, arrival=self.expectation.arrival)
        self.pending = pending_words(event)
        if event.at.mono < settled:
            self.why = f"{self.pending[0]} has not ended" if self.pending else "the page is not settled"
            return NotYet(settled)
        return Verified(judgement.evidence) if event.complete or event.quick else ReadPage(quick=True)

    @property
    def needs_probe(self) -> bool:
        """Return whether a probe must show the own end state before the page is observed."""
        return (self.expectation.in_view or self.expectation.hovered) and not self.own_state_probed

    def probed(self, facts: ProbeFacts, mono: float) -> Finding:
        """Judge a probe: is the target in view, or under the pointer?"""
        where = "under the pointer" if self.expectation.hovered else "in view"
        if not (facts.hovered if self.expectation.hovered else facts.in_viewport):
            self.why = f"it is not {where}"
            return NotYet(mono + POLL_S)
        self.own_state_probed = True
        return ReadPage() if self.expectation.signals else Verified(f"it is {where}")

    def at_timeout(self) -> Verified | None:
        """Return the finding at the timeout. A navigation succeeds even if its page still loads something."""
        if self.met and self.expectation.arrival:
            return Verified("the page arrived, and still loads something")
        return None

    def _complaint_expected(self, report: EffectReport) -> bool:
        """Return whether the caller waits for exactly this message, or writes a draft that may be invalid."""
        texts = [s.text for s in self.expectation.signals if isinstance(s, ToastContains | StatusContains)]
        complaint = normalised(report.contradiction or "")
        return self.drafts or any(normalised(text) in complaint for text in texts)

    @property
    def _failure_expected(self) -> bool:
        """Return whether the caller expects an error response."""
        signals = self.expectation.signals
        return any(
            isinstance(s, NetworkResponse) and isinstance(s.status, int) and s.status >= 400 for s in signals
        )
