"""What an action wants done: imperative, carried out by the host, in order. There is no way to say "again"."""

from __future__ import annotations

import msgspec

from uiap.actions.ops import AnyOp
from uiap.spec.action import (
    ActionCancelledPayload,
    ActionConfirmationRequestPayload,
    ActionProgressPayload,
    ActionResultPayload,
    ActionTarget,
)
from uiap.spec.capability import SuccessSignal, UIAffordance
from uiap.spec.policy import PolicyDecision


class Command(msgspec.Struct, frozen=True, tag_field="do", tag=True):
    pass


class Find(Command, frozen=True):
    """What fits the target and can be acted on so. `anew`: what is known proved old, so the page is asked first."""

    target: ActionTarget
    affordances: tuple[UIAffordance, ...] = ()
    anew: bool = False
    eyes: bool = False
    """Read what is only painted: nothing in the graph fits, and the caller allows it (ACT-10.5)."""


class Probe(Command, frozen=True):
    node: str


class ScrollTo(Command, frozen=True):
    """Bring the target into view; the next probe tells whether it helped."""

    node: str


class TakeLane(Command, frozen=True):
    pass


class Watch(Command, frozen=True):
    signals: tuple[SuccessSignal, ...]
    target: str | None


class Record(Command, frozen=True):
    """Put the intent on disk before something that must not happen twice."""


class Attest(Command, frozen=True):
    """Write down what policy decided, before anything follows from it (robustness B2.6)."""

    decision: PolicyDecision
    confirmed_by: str | None = None


class Perform(Command, frozen=True):
    op: AnyOp


class Go(Command, frozen=True):
    """Load a URL in the tab."""

    url: str


class ReadOut(Command, frozen=True):
    node: str
    what: str


class Look(Command, frozen=True):
    """Ask the page for everything it has, and say what was seen."""

    glance: bool = False
    """Only what is cheap to see: enough to go on, never enough to believe."""


class Emit(Command, frozen=True):
    type: str
    payload: (
        ActionProgressPayload
        | ActionResultPayload
        | ActionConfirmationRequestPayload
        | ActionCancelledPayload
    )


class WakeAt(Command, frozen=True):
    mono: float


class Finish(Command, frozen=True):
    """The result is out: free the lane, end the watch, write the outcome down."""

    result: ActionResultPayload
