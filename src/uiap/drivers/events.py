"""What a driver tells its sink, as it happens. Past tense, immutable, each with the host's monotonic time.

`tab` names where it happened; `at` is `time.monotonic()` on receipt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from uiap.spec.web import PageGraph, PageGraphDelta, SnapshotReason, WebSignal


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverEvent:
    tab: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphChanged(DriverEvent):
    """A new revision: the whole graph, or the delta from the revision before. Exactly one of both is set."""

    revision: str
    seq: int
    graph: PageGraph | None = None
    delta: PageGraphDelta | None = None
    reason: SnapshotReason | None = None
    token: str | None = None
    """The op (`Dispatched.token`) in whose own task the change happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalObserved(DriverEvent):
    signal: WebSignal
    document: str
    seq: int
    page_time: float | None = None
    """Milliseconds on the page's own clock, as the publisher said."""
    token: str | None = None
    """The op (`Dispatched.token`) in whose own task the signal arose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaintObserved(DriverEvent):
    """The browser says that an input led to this paint (or route), through timers and requests if need be."""

    token: str
    """The op (`Dispatched.token`) whose input it was."""
    node: str = ""
    """The nearest published element around what was painted."""
    text: str = ""
    route: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardTripped(DriverEvent):
    """Our capture listener stopped an input event because the target was no longer the one checked."""

    node: str
    token: str
    reason: str
    event: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDialogOpened(DriverEvent):
    """A JavaScript dialog: the page stands still until it is answered."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    default: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDialogClosed(DriverEvent):
    accepted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TabOpened(DriverEvent):
    url: str
    opener: str | None = None
    """The tab whose page opened this one as a popup."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TabClosed(DriverEvent):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Navigated(DriverEvent):
    url: str
    new_document: bool
    document: str | None = None
    """The frame's document id when a frame went elsewhere; None for the tab itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSent(DriverEvent):
    request: str
    url: str
    method: str
    resource: str = ""
    """Document, XHR, Fetch, Script, …"""
    initiator: Mapping[str, Any] = field(default_factory=dict)
    redirected_from: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseReceived(DriverEvent):
    request: str
    url: str
    method: str
    status: int
    resource: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEnded(DriverEvent):
    """The last word on a request: its body arrived, or it failed."""

    request: str
    failed: bool
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestBlocked(DriverEvent):
    """The network guard stopped a request before it was sent."""

    url: str
    method: str
    resource: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleLine(DriverEvent):
    level: str
    text: str
    url: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageError(DriverEvent):
    """An exception nobody caught in the page, or (source `channel`) a message of the publisher we refused."""

    text: str
    url: str = ""
    line: int = 0
    source: Literal["page", "channel"] = "page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Crashed(DriverEvent):
    """The tab's renderer is gone; it answers again after a navigation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hung(DriverEvent):
    """The page did not answer within the bound; it may come back."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChooserOpened(DriverEvent):
    multiple: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloaded(DriverEvent):
    """A download ended: as a file in the given folder, or not at all."""

    url: str
    suggested_name: str
    path: Path | None
    reason: str = ""


AnyEvent: TypeAlias = (
    GraphChanged
    | SignalObserved
    | PaintObserved
    | GuardTripped
    | PageDialogOpened
    | PageDialogClosed
    | TabOpened
    | TabClosed
    | Navigated
    | RequestSent
    | ResponseReceived
    | RequestEnded
    | RequestBlocked
    | ConsoleLine
    | PageError
    | Crashed
    | Hung
    | FileChooserOpened
    | Downloaded
)
Sink: TypeAlias = Callable[[AnyEvent], None]
