"""Events of the action machine, in the past tense, each with its instant. Replaying them gives the same commands."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from uiap.instant import Instant
from uiap.runtime.check import ProbeFacts
from uiap.runtime.outcome import Failure
from uiap.runtime.resolve import Candidates
from uiap.runtime.surroundings import Surroundings
from uiap.signals.effect_report import EffectReport
from uiap.signals.verdict import Verdict
from uiap.spec.web import ElementNode


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=True, kw_only=True):
    at: Instant


class Started(Event, frozen=True, kw_only=True):
    """The request was accepted and its acceptance is durable."""

    failure: Failure | None = None
    """Why the fields of the action could not be filled in, so that it cannot begin."""


class Found(Event, frozen=True, kw_only=True):
    candidates: Candidates


class Probed(Event, frozen=True, kw_only=True):
    facts: ProbeFacts
    around: Surroundings | None = None
    """The surroundings of the target now. Policy decides on them, and a grant covers them."""


class LaneTaken(Event, frozen=True, kw_only=True):
    """The lane of the tab belongs to this action."""

    waited: bool = False
    """Another action held the lane before."""


class LaneHeld(Event, frozen=True, kw_only=True):
    """The lane of the tab belongs to a step that a person does, and that may take long."""

    handle: str
    note: str


class WatchOpened(Event, frozen=True, kw_only=True):
    """The baseline is taken at this revision. Each verdict says whether its signal held already."""

    verdicts: tuple[Verdict, ...]
    revision: str = ""
    focus: str | None = None


class IntentRecorded(Event, frozen=True, kw_only=True):
    """The intent is durable; only now may the gesture be dispatched."""


class IntentNotRecorded(Event, frozen=True, kw_only=True):
    reason: str


class Refused(Event, frozen=True, kw_only=True):
    """The driver dispatched nothing."""

    reason: str
    detail: str = ""


class Dispatched(Event, frozen=True, kw_only=True):
    seq: int
    interrupted_by: Literal["dialog", "navigation", "closed"] | None = None
    dialog: str | None = None
    """The text of the open JavaScript dialog that interrupted the gesture."""
    detail: dict[str, Any] = {}
    """The gesture's own report about the page (`held`, `why`, `attempts`)."""


class DialogAnswered(Event, frozen=True, kw_only=True):
    """The JavaScript dialog was answered; the page continues."""

    accepted: bool


class HandedBack(Event, frozen=True, kw_only=True):
    """The person reports whether the handed-off step is done."""

    by: str
    done: bool


class OutcomeLost(Event, frozen=True, kw_only=True):
    """The driver cannot tell whether the gesture was dispatched."""

    cause: str
    detail: str = ""


class ElementRead(Event, frozen=True, kw_only=True):
    """The value of an element, redacted for its reader."""

    value: dict[str, Any] = msgspec.field(default_factory=dict)
    missing: str | None = None
    """Why there is nothing to read, if the element has no such part."""


class Observed(Event, frozen=True, kw_only=True):
    """The page was read, or it reported a change by itself."""

    report: EffectReport
    requests_open: int = 0
    """The number of requests of this action without a response."""
    request_failed: str | None = None
    failed_parts: tuple[str, ...] = ()
    """The failed requests of a page that arrived: scripts, data and frames inside it."""
    idle_since: float = 0.0
    """The monotonic time at which the last request of this action ended."""
    navigated: bool = False
    loading: bool = False
    """The document has not loaded yet."""
    parts_loaded_at: float = 0.0
    """The monotonic time at which the last request for data inside the document ended; infinity while one is open."""
    element: ElementNode | None = None
    """The target as it is now, where its value is judged."""
    focus: str | None = None
    complete: bool = False
    """The page was read completely just now; otherwise it reported this change by itself."""
    quick: bool = False
    """The page was read just now, but only what is cheap to read."""
    read_at: float = 0.0
    """The monotonic time at which this reading was requested. The page may have reported newer events meanwhile."""
    quiet_ahead: float = 0.0
    """For how many seconds the page has nothing scheduled; 0 if that is not known."""
    starting_for: float | None = None
    """After how many seconds a page that was just loaded has shown its messages; None if that was not asked."""
    content_coming: bool = False
    """A page that was just loaded gets its content over a socket, and has not got it completely."""


class PageChanged(Event, frozen=True, kw_only=True):
    """The graph changed while the action waits for its target."""


class Granted(Event, frozen=True, kw_only=True):
    """A person confirmed the action. `digest` names the terms that were shown, if the channel reports it."""

    by: str
    digest: str | None = None


class Denied(Event, frozen=True, kw_only=True):
    by: str
    reason: str | None = None


class Cancelled(Event, frozen=True, kw_only=True):
    """The caller cancelled the action, or its session ended."""

    reason: str | None = None


class PageLost(Event, frozen=True, kw_only=True):
    """The tab or the whole user interface is gone."""

    cause: str


class Woke(Event, frozen=True, kw_only=True):
    pass


class Internal(Event, frozen=True, kw_only=True):
    """An event that the machine raises itself to continue in its next state. It is not journaled."""


class TargetNotNeeded(Internal, frozen=True, kw_only=True):
    """The action has no target to resolve."""


class ChecksPassed(Internal, frozen=True, kw_only=True):
    """The target is ready, or none is needed; policy decides next."""


class TargetStale(Internal, frozen=True, kw_only=True):
    """The target changed before dispatch; it is resolved once more (ACT-8.3)."""
