"""What happens to a run: past tense, with the moment. A journal of these replays the machine exactly."""

from __future__ import annotations

import msgspec

from uiap.instant import Instant
from uiap.spec.action import ActionStatus
from uiap.spec.web import PageGraph


class ObservedGraph(msgspec.Struct, frozen=True):
    """A state as it was seen: canonical and redacted, known by its content."""

    digest: str
    graph: PageGraph


class BlockedRequest(msgspec.Struct, frozen=True, order=True):
    method: str
    url: str
    reason: str
    resource: str = ""

    @property
    def wrote(self) -> bool:
        """It would have changed something, and not merely reported on the page by itself."""
        return self.reason == "write" and self.resource not in ("Ping", "CSPViolationReport")


class Effects(msgspec.Struct, frozen=True, kw_only=True):
    """What else was observed while something was done."""

    toasts: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    dialogs: tuple[str, ...] = ()
    """JavaScript dialogs, by kind; each was dismissed."""
    popups: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()
    blocked: tuple[BlockedRequest, ...] = ()
    kept: bool = False
    """The page keeps something of its own now that it did not keep before: a theme, a folded sidebar."""


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=True, kw_only=True):
    at: Instant


class Started(Event, frozen=True, kw_only=True):
    pass


class Prepared(Event, frozen=True, kw_only=True):
    """A principal is signed in and the guard is up."""

    actions: tuple[str, ...] = ()
    """What the runtime offers."""
    profiles: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    """Addresses the application itself lists: its sitemap."""
    notes: tuple[str, ...] = ()
    problem: str | None = None


class Arrived(Event, frozen=True, kw_only=True):
    """An address was loaded, or could not be."""

    sight: ObservedGraph | None = None
    problem: str | None = None
    effects: Effects = Effects()


class Acted(Event, frozen=True, kw_only=True):
    """An action has its result, and the page has settled."""

    status: ActionStatus
    verified: bool = False
    error: str | None = None
    evidence: str | None = None
    sight: ObservedGraph | None = None
    effects: Effects = Effects()


class Captured(Event, frozen=True, kw_only=True):
    screenshot: str | None = None
    ax: str | None = None


class Paused(Event, frozen=True, kw_only=True):
    reason: str | None = None


class Resumed(Event, frozen=True, kw_only=True):
    pass


class Cancelled(Event, frozen=True, kw_only=True):
    reason: str | None = None


class Failed(Event, frozen=True, kw_only=True):
    """The browser is gone, or something of ours broke: the run ends with what it has."""

    problem: str


class Interrupted(Event, frozen=True, kw_only=True):
    """The process ended in between: the browser is a new one, and nobody knows what became of the last command."""
