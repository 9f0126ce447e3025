"""What happens to an action: past tense, with the moment. A journal of these replays the machine exactly."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from uiap.instant import Instant
from uiap.runtime.check import ProbeFacts
from uiap.runtime.resolve import Candidates
from uiap.signals.verdict import Verdict
from uiap.signals.watch import EffectReport
from uiap.spec.web import ElementNode


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=True, kw_only=True):
    at: Instant


class Started(Event, frozen=True, kw_only=True):
    """The request was accepted and its acceptance is durable."""


class Found(Event, frozen=True, kw_only=True):
    gathered: Candidates


class Probed(Event, frozen=True, kw_only=True):
    sighting: ProbeFacts


class LaneTaken(Event, frozen=True, kw_only=True):
    """It is this action's turn on the tab. `waited`: somebody else acted meanwhile."""

    waited: bool = False


class Watching(Event, frozen=True, kw_only=True):
    """The baseline is taken at this revision; these end states held already."""

    verdicts: tuple[Verdict, ...]
    revision: str = ""
    focus: str | None = None


class Recorded(Event, frozen=True, kw_only=True):
    """The intent is on disk; only now may it be carried out."""


class NotRecorded(Event, frozen=True, kw_only=True):
    reason: str


class Refused(Event, frozen=True, kw_only=True):
    """The driver did nothing, and says so."""

    reason: str
    detail: str = ""


class Dispatched(Event, frozen=True, kw_only=True):
    seq: int
    interrupted_by: Literal["dialog", "navigation", "closed"] | None = None
    dialog: str | None = None
    """What the open JavaScript dialog asks, where one interrupted it."""
    detail: dict[str, Any] = {}
    """What the gesture read back of its own work (`held`, `why`, `attempts`), where it could."""


class DialogAnswered(Event, frozen=True, kw_only=True):
    """Somebody answered the JavaScript dialog; the page goes on."""

    accepted: bool


class HandedBack(Event, frozen=True, kw_only=True):
    """The person who was asked to do the step says how it went."""

    by: str
    done: bool


class Lost(Event, frozen=True, kw_only=True):
    """Nobody knows whether it happened."""

    cause: str
    detail: str = ""


class Read(Event, frozen=True, kw_only=True):
    """What was to be read, redacted where it must be."""

    value: dict[str, Any]


class Observed(Event, frozen=True, kw_only=True):
    """The page changed, or it was looked at again."""

    report: EffectReport
    requests_open: int = 0
    """How many requests that this action sent have no answer yet."""
    request_failed: str | None = None
    quiet_since: float = 0.0
    """When the last of them ended."""
    navigated: bool = False
    element: ElementNode | None = None
    """The target as it is now, where what it holds is to be judged."""
    focus: str | None = None
    looked: bool = False
    """The page was asked just now and had nothing more to tell; else this is what it told by itself."""
    glanced: bool = False
    """It was asked just now for what is cheap to see."""


class PageChanged(Event, frozen=True, kw_only=True):
    """Something moved while the action waits for its target or its turn to be ready."""


class Granted(Event, frozen=True, kw_only=True):
    """A person said yes; `bond` is the digest of what was shown, where the channel told it."""

    by: str
    bond: str | None = None


class Denied(Event, frozen=True, kw_only=True):
    by: str
    reason: str | None = None


class Cancelled(Event, frozen=True, kw_only=True):
    """Somebody asked for the end of it."""

    reason: str | None = None


class PageLost(Event, frozen=True, kw_only=True):
    """The tab or the whole interface is gone."""

    cause: str


class Woke(Event, frozen=True, kw_only=True):
    pass
