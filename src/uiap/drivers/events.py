"""Events that a driver sends to its sink. They are immutable, and their names are in the past tense.

`tab` is the tab of the event; `at` is `time.monotonic()` on receipt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from uiap.signals.refusal_kind import RefusalKind
from uiap.signals.work import PendingWork
from uiap.spec.web import PageGraph, PageGraphDelta, SnapshotReason, WebSignal


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverEvent:
    tab: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphChanged(DriverEvent):
    """A new revision: either the whole graph, or the delta from the previous revision."""

    revision: str
    seq: int
    graph: PageGraph | None = None
    delta: PageGraphDelta | None = None
    reason: SnapshotReason | None = None
    token: str | None = None
    """The gesture (`PerformDispatched.token`) in whose own task the change happened."""
    not_caused: frozenset[str] = frozenset()
    """Nodes of the delta that other code changed meanwhile."""
    dismissed: frozenset[str] = frozenset()
    """Nodes in a layer, such as a menu, that closed because the press went elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalObserved(DriverEvent):
    signal: WebSignal
    document: str
    seq: int
    token: str | None = None
    """The gesture (`PerformDispatched.token`) in whose own task the signal arose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PaintObserved(DriverEvent):
    """The browser attributes this paint (or route change) to an input, also through timers and requests."""

    token: str
    """The gesture (`PerformDispatched.token`) that sent the input."""
    node: str = ""
    """The nearest published element around the painted area."""
    text: str = ""
    route: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkReported(DriverEvent):
    """A task that an input started has ended. The event lists all work of that input that is still pending."""

    token: str
    work: tuple[PendingWork, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerReceived(DriverEvent):
    """A server or worker answered a message of an input."""

    token: str
    question: str
    """The message that was answered. A later answer to the same question replaces an earlier one."""
    refusal: str | None = None
    """Why the answer refuses, in its own words; None if it does not."""
    refusal_kind: RefusalKind = "plain"
    undone: tuple[str, ...] = ()
    """The members of the answer that are false."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideEffect(DriverEvent):
    """A script asked for something outside of its document."""

    kind: Literal[
        "tab", "download", "navigation", "clipboard", "print", "look", "look_undone", "style", "style_undone"
    ]
    token: str | None = None
    """The gesture that asked for it; None for a script that acts by itself."""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardTripped(DriverEvent):
    """The page script stopped an input event because the target no longer matched the guard."""

    node: str
    token: str
    reason: str
    event: str = ""


InputKind: TypeAlias = Literal["down", "press", "double", "secondary", "value", "key", "pick"]


@dataclass(frozen=True, slots=True, kw_only=True)
class InputReported(DriverEvent):
    """A person used the interface: an input that is not a gesture of this driver, before the page reacts."""

    kind: InputKind
    node: str
    """The element, or empty if it was not published yet."""
    role: str = ""
    name: str = ""
    value: str | None = None
    """The value that the control has now; None for a masked field and a file."""
    secret: bool = False
    key: str = ""
    by_key: bool = False
    """A key pressed the element, as Enter in a form presses its button."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDialogOpened(DriverEvent):
    """A JavaScript dialog opened; the page is blocked until it is answered."""

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
    """The document id of the frame that navigated; None for the tab itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSent(DriverEvent):
    request: str
    url: str
    method: str
    resource: str = ""
    """Document, XHR, Fetch, Script, …"""
    initiator: Mapping[str, Any] = field(default_factory=dict)
    redirected_from: str | None = None
    embedded: bool = False
    """It loads the document of a frame inside the page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResponseReceived(DriverEvent):
    request: str
    url: str
    method: str
    status: int
    resource: str = ""
    by_worker: bool = False
    """A service worker of the page answered, with or without the server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEnded(DriverEvent):
    """A request is complete: its body arrived, or it failed."""

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
class RequestPermitted(DriverEvent):
    """The network guard let a request pass although its method could write."""

    url: str
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleLine(DriverEvent):
    level: str
    text: str
    url: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PageError(DriverEvent):
    """An uncaught exception in the page, or (source `channel`) a rejected message of the page script."""

    text: str
    url: str = ""
    line: int = 0
    source: Literal["page", "channel"] = "page"


@dataclass(frozen=True, slots=True, kw_only=True)
class Crashed(DriverEvent):
    """The tab's renderer crashed; a navigation starts a new one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hung(DriverEvent):
    """The page did not answer within the timeout; it may recover."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChooserOpened(DriverEvent):
    multiple: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadBegun(DriverEvent):
    download: str
    """The id of the download, which `Downloaded` repeats."""
    url: str
    suggested_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloaded(DriverEvent):
    """A download ended, as a file in the given folder or with a reason for its failure."""

    url: str
    suggested_name: str
    path: Path | None
    reason: str = ""
    download: str = ""
    """The id of the download; empty if its beginning was not reported."""


AnyEvent: TypeAlias = (
    GraphChanged
    | SignalObserved
    | PaintObserved
    | WorkReported
    | AnswerReceived
    | OutsideEffect
    | GuardTripped
    | InputReported
    | PageDialogOpened
    | PageDialogClosed
    | TabOpened
    | TabClosed
    | Navigated
    | RequestSent
    | ResponseReceived
    | RequestEnded
    | RequestBlocked
    | RequestPermitted
    | ConsoleLine
    | PageError
    | Crashed
    | Hung
    | FileChooserOpened
    | DownloadBegun
    | Downloaded
)
Sink: TypeAlias = Callable[[AnyEvent], None]
