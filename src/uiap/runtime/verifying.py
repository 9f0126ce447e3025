"""Verifying: from each look at the page to success, failure, or another look (ACT-12)."""

from __future__ import annotations

from msgspec import UNSET

from uiap.instant import Instant
from uiap.runtime import events as when
from uiap.runtime.commands import Command, Look, Probe
from uiap.runtime.course import Course
from uiap.runtime.judgement import LOOK_S, AskPage, Contradicted, Finding, Later, Verified
from uiap.runtime.outcome import Failure, page_gone
from uiap.spec.action import SideEffectState


class Verifying(Course):
    """What an action does in VERIFYING, and where its page goes."""

    def _verify(self, at: Instant) -> list[Command]:
        # where a look is dear, the time is for what happens and not for looking
        pace = self.terms.abilities.pace
        self.verification.until = min(self._deadline, at.mono + self.expectation.timeout_s + 2 * pace)
        look = self._look(glance=pace == 0)
        return self._move("VERIFYING", *look, *self._wake_by(self.verification.until))

    def _look(self, *, glance: bool = False) -> list[Command]:
        """One look at a time: the next is worth asking for once the last was answered."""
        if self.expectation.in_view or self.expectation.hovered:
            return [Probe(self.element.instance_id)]
        if self._looking:
            return []
        self._looking = True
        return [Look(glance)]

    def _seen(self, event: when.Probed) -> list[Command]:
        return self._follow(event.at, self.verification.probed(event.sighting, event.at.mono))

    def _observed(self, event: when.Observed) -> list[Command]:
        self._looking = self._looking and not (event.looked or event.glanced)
        return self._follow(event.at, self.verification.observed(event))

    def _follow(self, at: Instant, finding: Finding) -> list[Command]:
        if self.verification.met:
            self.account.effect_seen(at.mono)
        match finding:
            case Verified(evidence=evidence):
                return self._verified(at, evidence)
            case Contradicted(message=message, detail=detail):
                return self._fail(at, "verification_failed", message, detail, effect="unknown")
            case Later(by=float(by)):
                return self._wake_by(min(self.verification.until, by))
            case AskPage(glance=glance):
                return self._look(glance=glance)
            case Later() if (pace := self.terms.abilities.pace) > 0:  # nobody will tell: ask again
                return self._wake_by(min(self.verification.until, at.mono + max(LOOK_S, pace)))
        return []

    def _verified(self, at: Instant, evidence: str) -> list[Command]:
        confirmed = self.execution.confirmed_by_page
        self.account.metadata["evidence"] = "the page confirmed what it holds" if confirmed else evidence
        report = self.verification.report
        if report is not None and report.attribution is not None:
            # where a driver knows of time alone, nothing shows that the action caused it
            causal = self.terms.abilities.attribution == "causal"
            self.account.metadata["attribution"] = report.attribution if causal else "coincident"
        touched = self.primitive.effect(self.target, self.args) != "none"
        returned = self.verification.told.get("returned", UNSET)
        return self._succeed(at, "applied" if touched else "none", return_value=returned)

    def _look_or_give_up(self, event: when.Woke) -> list[Command]:
        limit = self.verification.until
        if event.at.mono < limit:
            look = self._look(glance=self.verification.scanned)
            return [*look, *self._wake_by(min(limit, event.at.mono + LOOK_S))]
        if (last := self.verification.at_last()) is not None:
            return self._verified(event.at, last.evidence)
        if self.handoff is not None:
            return self._failed(event.at, self._not_handed_back("timeout"))
        # nothing at all was seen: that is no proof for a server; `none` is said only of drafts in the page
        drafted = self.primitive.effect(self.target, self.args) in ("draft", "none", "ui_state")
        effect: SideEffectState = "none" if drafted and self.verification.nothing_seen else "unknown"
        message = (
            f"it was done, but the effect was not observed: {self.verification.why or 'nothing changed'}"
        )
        return self._fail(event.at, "verification_failed", message, effect=effect)

    def _page_lost(self, event: when.PageLost) -> list[Command]:
        if self.execution.acting and self.execution.closed_the_page and self.expectation.any_change:
            return self._verified(event.at, event.cause)  # closing it was the effect
        return self._failed(event.at, page_gone(event.cause, self.execution.acting))

    def _not_handed_back(self, reason: str) -> Failure:
        message = (
            f"the step was left to a person, and its effect was not seen: {self.account.metadata['handoff']}"
        )
        return Failure("user_activation_required", message, "unknown", {"reason": reason})
