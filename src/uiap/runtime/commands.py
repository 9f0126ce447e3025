"""Commands of the action machine. The host carries them out in order and answers with events.

A command carries everything the host needs for it; the host never reads the state of the machine.
No command executes a gesture a second time, so a blind retry cannot be written.
"""

from __future__ import annotations

import msgspec

from uiap.actions.ops import AnyOp
from uiap.runtime import events as when
from uiap.runtime.grant_kind import GrantKind
from uiap.runtime.grant_terms import GrantTerms
from uiap.runtime.resolve import PaintedText
from uiap.spec.action import (
    ActionCancelledPayload,
    ActionConfirmationRequestPayload,
    ActionProgressPayload,
    ActionResultPayload,
    ActionTarget,
)
from uiap.spec.capability import SuccessSignal, UIAffordance
from uiap.spec.policy import HandoffSpec, PolicyDecision
from uiap.spec.web import ElementNode


class Command(msgspec.Struct, frozen=True, tag_field="do", tag=True):
    pass


class Find(Command, frozen=True):
    """Gather the candidates that fit the target and have the affordances."""

    target: ActionTarget
    affordances: tuple[UIAffordance, ...] = ()
    refresh: bool = False
    """Read the page first: the store may be out of date."""
    vision: bool = False
    """Read painted text: nothing in the graph fits, and the caller allows it (ACT-10.5)."""


class Probe(Command, frozen=True):
    node: str


class ScrollTo(Command, frozen=True):
    """Scroll the target into view, then probe it."""

    node: str


class UseTarget(Command, frozen=True):
    """Remember the element this action is about. The machine has chosen it."""

    element: ElementNode
    painted: PaintedText | None = None
    """The painted text that stands for the element, where vision found it."""


class TakeLane(Command, frozen=True):
    pass


class OpenWatch(Command, frozen=True):
    """Take the baseline of the page, and watch for the signals from now on."""

    signals: tuple[SuccessSignal, ...]
    target: str | None
    arrival: bool = False
    """A document is expected: count every request that loads it, not only those the input sent."""
    follow_target: bool = False
    """Report the target element with each observation: its value is judged."""


class RecordIntent(Command, frozen=True):
    """Store the intent durably before a gesture that must not happen twice."""


class RecordDecision(Command, frozen=True):
    """Store the policy decision in the audit log before anything follows from it."""

    decision: PolicyDecision
    confirmed_by: str | None = None
    data_classes: tuple[str, ...] = ()
    decided_by: str = ""


class AskPerson(Command, frozen=True):
    """Send `action.confirmation.request`, and offer the question to people."""

    payload: ActionConfirmationRequestPayload
    terms: GrantTerms
    remember: bool = False
    """The answer may be remembered for the session."""
    fields: tuple[tuple[str, str], ...] = ()
    """The fields of the form or dialog around the target, with their values, as the person is shown them."""
    kind: GrantKind | None = None
    """The kind that the person may allow for the rest of the session."""


class HandOff(Command, frozen=True):
    """Leave the step to a person. The action watches for its effect."""

    note: str
    spec: HandoffSpec | None


class Perform(Command, frozen=True):
    """Dispatch one gesture, if the grant it needs is valid."""

    op: AnyOp
    needs_grant: bool = False
    grant: GrantTerms | None = None
    traceable: bool = True
    """The requests that follow can be attributed to this gesture."""


class Navigate(Command, frozen=True):
    """Load a URL in the tab, if the grant it needs is valid."""

    url: str
    needs_grant: bool = False
    grant: GrantTerms | None = None
    traceable: bool = True
    keep_page: bool = False
    """Let the router of the running page change the route, where it has one (ACT-11.14b)."""


class ReadElement(Command, frozen=True):
    node: str
    what: str


class Observe(Command, frozen=True):
    """Read the page, and report what happened since the watch was opened."""

    quick: bool = False
    """Read only what is cheap. A quick read shows that a state lasts, but never proves one."""
    ahead: bool = False
    """Ask also what the page has planned."""


class Emit(Command, frozen=True):
    type: str
    payload: ActionProgressPayload | ActionResultPayload | ActionCancelledPayload


class WakeAt(Command, frozen=True):
    mono: float


class Finish(Command, frozen=True):
    """The result is sent: free the lane, close the watch, record the outcome."""

    result: ActionResultPayload
    idempotent: bool = False
    base_revision: str | None = None
    """The revision of the page when the watch was opened."""
    in_page: bool = False
    """The effect lives only in the open page, as a draft does."""
    conditional: bool = False
    """A repetition does no harm if the effect is not there, so the caller has to observe the page first."""

    @property
    def repeatable(self) -> bool:
        """Return whether the request may be sent again: its outcome is known, or a repetition does no harm."""
        return self.idempotent or self.result.side_effect_state != "unknown"

    @property
    def entered_value(self) -> bool:
        """Return whether a value of the page was changed by this action."""
        result = self.result
        return self.in_page and result.status == "succeeded" and result.side_effect_state == "applied"


class Raise(Command, frozen=True):
    """Continue with an event of the machine's own. It never leaves the machine."""

    event: when.Internal
