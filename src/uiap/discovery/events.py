"""The events of a discovery run, in past tense and with their moment. A journal of them replays the run exactly.

Some fields have another name in the journal (`sight`, `kept`), so that journals of earlier versions can be resumed.
"""

from __future__ import annotations

import msgspec

from uiap.instant import Instant
from uiap.spec.action import ActionStatus
from uiap.spec.capability import ActionDescriptor
from uiap.spec.web import PageGraph


class ObservedGraph(msgspec.Struct, frozen=True):
    """The canonical, redacted graph of a page, and the digest of its content."""

    digest: str
    graph: PageGraph


class BlockedRequest(msgspec.Struct, frozen=True, order=True):
    """A request that the network guard blocked."""

    method: str
    url: str
    reason: str
    resource: str = ""

    @property
    def is_write(self) -> bool:
        """Whether it could have changed data. Reports that a page sends about itself do not count."""
        return self.reason == "write" and self.resource not in ("Ping", "CSPViolationReport")


class Effects(msgspec.Struct, frozen=True, kw_only=True):
    """Everything observed during a load or an action besides the page itself."""

    toasts: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    dialogs: tuple[str, ...] = ()
    """The kinds of the JavaScript dialogs that opened; each was dismissed."""
    popups: tuple[str, ...] = ()
    downloads: tuple[str, ...] = ()
    blocked: tuple[BlockedRequest, ...] = ()
    reached: tuple[str, ...] = ()
    """Requests that could write, were not permitted as reads, and had a response of the server."""
    storage_changed: bool = msgspec.field(default=False, name="kept")
    """The action changed the page's own storage, for example a theme or a folded sidebar."""


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=True, kw_only=True):
    at: Instant
    worker: int = 0
    """The worker whose command this answers; 0 for events from outside."""


class Started(Event, frozen=True, kw_only=True):
    pass


class Prepared(Event, frozen=True, kw_only=True):
    """A principal is signed in and the network guard is active."""

    actions: tuple[str, ...] = ()
    """The actions that the runtime offers."""
    profiles: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    registered: tuple[ActionDescriptor, ...] = ()
    """The actions that the first page registered."""
    urls: tuple[str, ...] = ()
    """The addresses in the application's own sitemap."""
    notes: tuple[str, ...] = ()
    sign_in_requests: tuple[str, ...] = ()
    """Requests that could write and were permitted while signing in."""
    problem: str | None = None


class Arrived(Event, frozen=True, kw_only=True):
    """An address was loaded, or could not be."""

    registered: tuple[ActionDescriptor, ...] = ()
    """The actions that the page registered."""
    observed: ObservedGraph | None = msgspec.field(default=None, name="sight")
    problem: str | None = None
    effects: Effects = Effects()


class Acted(Event, frozen=True, kw_only=True):
    """An action has its result, and the page has settled."""

    status: ActionStatus
    verified: bool = False
    error: str | None = None
    evidence: str | None = None
    observed: ObservedGraph | None = msgspec.field(default=None, name="sight")
    effects: Effects = Effects()


class Captured(Event, frozen=True, kw_only=True):
    """Evidence of a state was stored: the digests of its screenshot and its accessibility tree."""

    screenshot: str | None = None
    ax: str | None = None
    ax_nodes: tuple[str, ...] = ()
    """Role and name of each named node of the accessibility tree, as `role|name`."""


class Paused(Event, frozen=True, kw_only=True):
    reason: str | None = None


class Resumed(Event, frozen=True, kw_only=True):
    pass


class Cancelled(Event, frozen=True, kw_only=True):
    reason: str | None = None


class Failed(Event, frozen=True, kw_only=True):
    """The browser is gone or the host failed; the run ends with what it has."""

    problem: str


class Interrupted(Event, frozen=True, kw_only=True):
    """The process ended and another one took over. The browser is new, and the last command has no known result."""
