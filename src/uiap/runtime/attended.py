"""Waiting for a person: a step that was handed over, a dialog of the page (companions §5.6, ACT-14)."""

from __future__ import annotations

from uiap.instant import Instant
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.commands import Command
from uiap.runtime.confirmation import summary
from uiap.runtime.handoff import handoff
from uiap.runtime.judgement import Contradicted, Verification
from uiap.runtime.verifying import Verifying
from uiap.spec.policy import HandoffSpec

DIALOG_S = 1.0  # so long an action waits for somebody to answer the page's own dialog


class Attended(Verifying):
    """What an action does in WAITING_FOR_USER."""

    # -- a step that a person does (companions §5.6, `handoff`) ---------------------------------------------

    def _hand_off(self, at: Instant, spec: HandoffSpec | None = None) -> list[Command]:
        """The lane is held meanwhile: nobody else acts on the tab while the person does."""
        what = summary(self.primitive.id, self.args, self.resolved)
        self.handoff = handoff(spec, what, self._expected())
        self.verification = Verification(self.handoff.expectation)
        self.account.metadata["handoff"] = self.handoff.note
        self._waiting_since = at.mono
        self._ready_by = at.mono + self.handoff.timeout_s
        wait = self._wake_by(self._ready_by)
        return self._move("WAITING_FOR_USER", do.TakeLane(), *wait, note=self.handoff.note)

    def _person_seen(self, event: when.Observed) -> list[Command]:
        """The person's step shows: it is verified like any other, from the same baseline."""
        if self.handoff is None:
            return []
        finding = self.verification.observed(event)
        if isinstance(finding, Contradicted):
            return self._failed(event.at, self._not_handed_back("contradicted"))
        return self._taken_back(event.at, None) if self.verification.met else []

    def _handed_back(self, event: when.HandedBack) -> list[Command]:
        """The person says that it is done, or that it will not be."""
        if self.handoff is None:
            return []
        if not event.done:
            return self._cancel_with(event.at, "confirmation_denied", "the person declined the step")
        return self._taken_back(event.at, event.by)

    def _taken_back(self, at: Instant, by: str | None) -> list[Command]:
        self._end_wait(at)
        if by is not None:
            self.account.metadata["handedBackBy"] = by
        return self._verify(at)

    # -- the page asks a person (ACT-14, F6) ----------------------------------------------------------------

    def _asked_by_page(self, event: when.Dispatched) -> list[Command]:
        """A JavaScript dialog: the page stands still in the middle, and nobody but a person may answer."""
        said = event.dialog or "a JavaScript dialog"
        self.account.metadata["dialog"] = said
        self._why = f"the page asks: {said}; answer the dialog, then look at the page again"
        self._ready_by = event.at.mono + DIALOG_S
        self._waiting_since = event.at.mono
        return self._move("WAITING_FOR_USER", *self._wake_by(self._ready_by), note=self._why)

    def _answered(self, event: when.DialogAnswered) -> list[Command]:
        if self.handoff is not None:  # the person's own business
            return []
        self._end_wait(event.at)
        self.account.metadata["dialogAccepted"] = event.accepted
        return self._verify(event.at)

    def _nobody_came(self, event: when.Woke) -> list[Command]:
        if event.at.mono < self._ready_by:
            return []
        if self.handoff is not None:
            return self._failed(event.at, self._not_handed_back("timeout"))
        detail = {"reason": "timeout", "dialog": self.account.metadata.get("dialog", "")}
        return self._fail(event.at, "user_activation_required", self._why, detail, effect="unknown")
