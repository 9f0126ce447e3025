"""The verification of one action: from each observation to a finding (ACT-12.1).

It holds the expectation and the last report. It never waits: a finding says when to observe again.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec

from uiap.runtime.check import ProbeFacts
from uiap.runtime.events import Observed
from uiap.runtime.expectation import Expectation
from uiap.runtime.judgement import cause
from uiap.runtime.judgement.answer import NO_FACTS, Answer, Answers, ObservedFacts, Passed, Waiting
from uiap.runtime.judgement.cause import claimed_effects
from uiap.runtime.judgement.contradiction import Contradicted, contradiction, limitation
from uiap.runtime.judgement.ending import SETTLE_S, gives_up_at, pending_words, settled_at
from uiap.runtime.judgement.own_state import held_before, own_state
from uiap.signals.effect_report import EffectReport
from uiap.signals.verdict import Verdict
from uiap.signals.work import FOLLOWED_S
from uiap.spec.web import ElementNode

STILL_S = 1.0  # a loaded page may keep rendering this long before it counts as arrived
STARTING_S = 2.0  # the page that answers a write may show its message this long after it has loaded
LOADING_S = 2.0  # the requests of a page that arrived are awaited this long
PASSING_S = 0.8  # a message about a field may speak of a part of the entered text, and pass this soon
APPEARING_S = 1.0  # a dialog that opens is awaited this long until its words can be read
POLL_S = 0.1


class Verified(msgspec.Struct, frozen=True):
    evidence: str


class NotYet(msgspec.Struct, frozen=True):
    """Not proved yet. Observe again when the page changes, and at `observe_at` if given."""

    observe_at: float | None = None


class GaveUp(msgspec.Struct, frozen=True):
    """All work of the input has ended, and its effect was not observed."""


class ReadPage(msgspec.Struct, frozen=True):
    """Read the page first: a busy page may not have reported its changes yet."""

    quick: bool = False


Finding: TypeAlias = Verified | Contradicted | GaveUp | NotYet | ReadPage


def judge(expectation: Expectation, report: EffectReport, facts: ObservedFacts = NO_FACTS) -> Answers:
    """Ask the first two questions about one observation."""
    return Answers(
        own_state=own_state(expectation, report, facts), cause=claimed_effects(expectation, report, facts)
    )


def first_two(expectation: Expectation, report: EffectReport, answers: Answers) -> Answer:
    """Return the evidence if the first two questions are answered, else the reason to wait."""
    if expectation.revision_advance and not report.advanced:
        return Waiting("no new revision")  # ACT-12.4
    if expectation.policy == "none":
        return Passed("not verified")
    if report.busy is not None and not expectation.arrival:
        return Waiting(f"{report.busy} is still busy")
    if isinstance(answers.own_state, Waiting):
        return answers.own_state
    return (
        answers.cause if isinstance(answers.cause, Waiting) or answers.cause.evidence else answers.own_state
    )


def _notes(expectation: Expectation, event: Observed) -> tuple[str, ...]:
    complaint = event.report.contradiction if expectation.arrival else None
    return event.failed_parts if complaint is None else (*event.failed_parts, f"the page shows `{complaint}`")


class Verification:
    """One expectation, and the observations of it."""

    def __init__(self, expectation: Expectation) -> None:
        self.expectation = expectation
        self.report: EffectReport | None = None
        self.why = ""
        self.answers: Answers | None = None
        """The three answers; None until the page was observed after the input."""
        self.until = float("inf")
        self.gesture_report: dict[str, Any] = {}
        self.focus: str | None = None
        self.own_state_probed = False
        self.claims_held_before = False
        self.pending: list[str] = []
        """The work that had not ended at the last observation, in words."""
        self._met_at = self._first_met = 0.0
        self.notes: tuple[str, ...] = ()
        """Failures inside a page that arrived."""
        self.evidence = ""
        """The evidence of the first two answers at the last observation, in words."""
        self._requests_open = self._left_to = False
        self._wrote_and_left_at = self._complained_at = 0.0
        self._content = False
        """The input changed the content of the page while the expectation was met."""
        self.read_completely = False
        """The page was read completely since the expectation was met; a quick read then shows whether it lasts."""

    @property
    def met(self) -> bool:
        """Return whether the expectation holds now. It may not last."""
        return self._met_at > 0.0

    @property
    def had_no_effect(self) -> bool:
        """Return whether nothing changed, and nothing was sent that could have written."""
        report = self.report
        return report is not None and report.change is None and not report.may_have_written

    def baseline(self, verdicts: tuple[Verdict, ...], element: ElementNode | None = None) -> bool:
        """Return whether the action would be a no-op: its own end state and every claim held before the input."""
        self.claims_held_before = cause.held_before(self.expectation, verdicts)
        if self.expectation.needs_new or not self.claims_held_before:
            return False
        if not held_before(self.expectation, verdicts, element):
            return False
        self.report = EffectReport(verdicts) if verdicts else None
        held = Passed("it held before")
        self.answers = Answers(own_state=held, cause=held, ending=Passed("nothing was done"))
        return True

    def observed(self, event: Observed) -> Finding:
        moved = self.report is None or self.report.revision != event.report.revision
        self.report, self.notes = event.report, _notes(self.expectation, event)
        self.answers = judge(self.expectation, event.report, self._facts(event))
        if (contradicted := contradiction(self.expectation, event)) is not None:
            self.answers.ending = Waiting(contradicted.message)
            return NotYet(event.at.mono + POLL_S) if self._may_pass(contradicted, event) else contradicted
        self._complained_at = 0.0
        judgement = self._judge(self.answers, event)
        if isinstance(judgement, Waiting):
            self.why, self._met_at, self.read_completely = judgement.why, 0.0, False
            return self._still_possible(event)
        arrival = self.expectation.arrival
        self.evidence, self._requests_open = judgement.evidence, event.requests_open > 0
        self._content = self._content or event.report.content
        if not self._met_at:
            self._met_at = self._first_met = event.at.mono
        elif moved and arrival and event.at.mono < self._first_met + STILL_S:
            self._met_at = event.at.mono  # a page has arrived when it stops changing; some never do
        if self.expectation.policy == "none" or self.expectation.deferred:
            self.answers.ending = Passed("not asked")
            return Verified(judgement.evidence)
        if event.navigated and not arrival:
            return self._left(event, self.answers, judgement)
        return self._settled(event, judgement)

    def _may_pass(self, contradicted: Contradicted, event: Observed) -> bool:
        """Return whether a message about a field may be about a part of the text: a page may judge each key."""
        if self.expectation.field is None or contradicted.detail.get("outcome") != "ui_failure":
            return False
        self._complained_at = self._complained_at or event.at.mono
        return event.at.mono < self._complained_at + PASSING_S

    def _left(self, event: Observed, answers: Answers, judgement: Passed) -> Finding:
        """Wait until the page that the action led to has loaded: it may report a failure."""
        if event.loading:
            self._left_to = True
            self._not_ended("the page that it led to is loading")
            return NotYet(event.at.mono + POLL_S)
        if (unfinished := self._starting(event)) is not None:
            self._not_ended("the page that it led to is starting")
            return unfinished
        answers.ending = Passed("the page that it led to has loaded")
        return Verified(judgement.evidence) if event.complete or event.quick else ReadPage(quick=True)

    def _starting(self, event: Observed) -> Finding | None:
        """Return how to go on while the page that answers a write may still show its message.

        The message may come by a timer, an animation or a request of that page.
        """
        if not event.report.may_have_written:
            return None
        self._wrote_and_left_at = self._wrote_and_left_at or event.at.mono
        until = self._wrote_and_left_at + STARTING_S
        if event.at.mono >= until:
            return None
        if event.starting_for is None:
            return ReadPage()
        now, still_starts_until = event.at.mono, event.at.mono + event.starting_for
        data_at = until if event.requests_open else max(event.idle_since, event.parts_loaded_at) + SETTLE_S
        ready_at = max(still_starts_until, min(data_at, until))
        return NotYet(min(until, ready_at, now + POLL_S)) if ready_at > now else None

    @property
    def asks_ahead(self) -> bool:
        """Return whether the next observation must tell what the page has planned."""
        return self.expectation.arrival or self._wrote_and_left_at > 0

    def _facts(self, event: Observed) -> ObservedFacts:
        return ObservedFacts(
            gesture=self.gesture_report,
            element=event.element,
            refocused=event.focus is not None and event.focus != self.focus,
            probed=self.own_state_probed,
        )

    def _judge(self, answers: Answers, event: Observed) -> Answer:
        """Return the evidence if the effect is there now, else the reason to wait."""
        found = first_two(self.expectation, event.report, answers)
        taken_back = self._taken_back(event) if isinstance(found, Passed) else None
        answers.ending = taken_back or answers.ending
        return taken_back or found

    def _taken_back(self, event: Observed) -> Waiting | None:
        """Return why the effect does not count: the page changed its content, and changed it back."""
        # the items of a list that the gesture opened and closed are not taken back
        chose = self.gesture_report.get("held") is True and "label" in self.gesture_report
        had_content = (self._content and not chose) or (event.report.taken_back and not self.gesture_report)
        if had_content and not event.report.content and not event.navigated:
            return Waiting("the page took its change back")
        return None

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
        if event.requests_open and not self._has_waited(event):
            self._not_ended("a request that it sent has no response yet")
            return NotYet(event.at.mono + POLL_S)
        self.read_completely = self.read_completely or event.complete
        if not self.read_completely:  # read it while it settles: on a big page a complete read takes as long
            return ReadPage()
        arrival = self.expectation.arrival
        if arrival and event.content_coming and event.at.mono < self._first_met + LOADING_S:
            self._not_ended("the content of the page comes over a socket")
            self.read_completely = False
            return NotYet(event.at.mono + POLL_S)
        if event.report.appearing and event.at.mono < self._first_met + APPEARING_S:
            self._not_ended("a dialog that it opened still fades in")
            self.read_completely = False
            return NotYet(event.at.mono + POLL_S)
        # a switch, a slider or a choice is more than a draft: its page may refuse it as late as a press
        draft = self.expectation.field is not None and self.expectation.equivalent is not None
        settled = settled_at(event, self._first_met, self._met_at, arrival=arrival, draft=draft)
        self.pending = pending_words(event)
        if event.at.mono < settled:
            self._not_ended(f"{self.pending[0]} has not ended" if self.pending else "the page is not settled")
            return NotYet(settled)
        self._ended()
        if not self._is_current(event):
            return ReadPage(quick=True)
        return limitation(self.expectation, event) or Verified(judgement.evidence)

    def _is_current(self, event: Observed) -> bool:
        """Return whether the page was read after the work had ended: a page reports the end before its changes."""
        read = event.complete or event.quick
        followed = event.at.mono >= self._first_met + FOLLOWED_S
        return read and (followed or event.read_at >= event.report.work_ended_at)

    def _has_waited(self, event: Observed) -> bool:
        """Return whether a page that arrived has had its time: a request inside it may never end."""
        return self.expectation.arrival and event.at.mono >= self._first_met + LOADING_S

    def _not_ended(self, why: str) -> None:
        self.why = why
        if self.answers is not None:
            self.answers.ending = Waiting(why)

    def _ended(self) -> None:
        if self.answers is not None and self.pending:
            self.answers.ending = Waiting(f"not known to have ended: {', '.join(self.pending)}")
        elif self.answers is not None:
            self.answers.ending = Passed("all work that it set going has ended")

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
        """Return the finding at the timeout, if the effect is there and only work without a known end is left."""
        if self.met and (self.expectation.arrival or self._left_to):
            return Verified("the page arrived, and still loads something")
        unsettled = self.met and self.pending and not self._requests_open
        return Verified(self.evidence) if unsettled else None
