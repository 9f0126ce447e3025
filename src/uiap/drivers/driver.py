"""The protocol that every driver implements, and the values it takes and returns.

A driver declares in its facts what it can do. Callers read the facts and never test for a class.
Nothing here knows a browser, a phone or a desktop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

from uiap.actions.ops import AnyOp
from uiap.drivers.events import Sink
from uiap.drivers.network_rules import NetworkRules
from uiap.drivers.vocabulary import WHOLE_VOCABULARY, GraphVocabulary
from uiap.spec.action import PresentationHints
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import DOMRectLike, PageGraph, SnapshotOptions
from uiap.timeouts import GESTURE_S, NAVIGATION_S

DriverSurface: TypeAlias = Literal["navigate", "tabs", "dialogs", "network"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverFacts:
    """The capabilities of a driver."""

    profile: str
    push: bool
    """The driver reports changes by itself; otherwise callers have to poll."""
    world: Literal["isolated", "shared", "none"]
    """Where its page script runs: isolated from the page's scripts, together with them, or not at all."""
    atomic: Literal["event", "reread"]
    """Guard terms are checked in the input event itself, or only by reading just before and just after."""
    attribution: Literal["causal", "time"]
    trusted_input: bool
    modes: tuple[ExecutionMode, ...]
    ops: tuple[str, ...]
    read_cost_s: float
    """Seconds that one `observe` usually takes. It sets the polling interval of drivers without push."""
    surfaces: tuple[DriverSurface, ...] = ("navigate", "tabs", "dialogs", "network")
    """The parts of the interface besides the graph: URLs, several tabs, blocking dialogs, reported requests.
    Without the surface `dialogs`, dialogs are part of the graph."""
    vocabulary: GraphVocabulary = WHOLE_VOCABULARY
    """The words that its graph can contain, and the signals that it can show."""


RefusalReason: TypeAlias = Literal[
    "gone",  # the element was removed from the page, or never existed
    "changed",  # a guard term no longer holds: role, name, record
    "disabled",
    "hidden",
    "obscured",  # another element would receive the event
    "opaque",  # the element is behind an origin boundary that this driver respects
    "dialog",  # a JavaScript dialog is open
    "unsupported",  # not in facts.ops or facts.modes, or the element does not support it
    "invalid",  # the op makes no sense for this element (no such option, no such file)
    "unavailable",  # the tab or the whole interface is gone
    "forbidden",  # the interface was started with rules that exclude this address
]


@dataclass(frozen=True, slots=True)
class PerformRefused:
    """Nothing was dispatched, so there is no effect."""

    reason: RefusalReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PerformDispatched:
    """The gesture reached the interface. The caller verifies whether it had its effect."""

    seq: int
    """The tab's last revision number before the gesture; effects have a greater one."""
    at: float = 0.0
    """Host monotonic time just before the first input event."""
    interrupted_by: Literal["dialog", "navigation", "closed"] | None = None
    token: str | None = None
    """Identifies this gesture in the events that it caused."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    """The report of a gesture that read its result back: `held` if the element has the requested state, else `why`."""
    requests_reported: asyncio.Future[Any] | None = None
    """Done when all requests that the gesture's own task sent are reported; None if they already are."""


@dataclass(frozen=True, slots=True)
class PerformUnknown:
    """The gesture may or may not have had an effect, so a caller must not simply retry."""

    cause: Literal["timeout", "crash", "closed", "interrupted", "connection_lost"]
    detail: str = ""


PerformOutcome: TypeAlias = PerformRefused | PerformDispatched | PerformUnknown


@dataclass(frozen=True, slots=True)
class PageSchedule:
    """The plans of a page, in seconds."""

    quiet_for: float = 0.0
    """For how long nothing is due; 0 if that is not known."""
    starting_for: float = 0.0
    """After how long the callbacks that are due soon have run, and the texts that an animation shows are shown."""
    content_coming: bool = False
    """The page has asked for its content over a socket, and it has not come completely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementFacts:
    """The current facts of one element, as a probe reports them."""

    node: str
    attached: bool
    visible: bool = False
    enabled: bool = False
    in_viewport: bool = False
    obscured: bool = False
    stable: bool = True
    role: str | None = None
    name: str | None = None
    record: str | None = None
    bbox: DOMRectLike | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    """The probe's unparsed answer, for facts that have no member here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TabInfo:
    tab: str
    url: str
    title: str = ""
    active: bool = False
    opener: str | None = None
    crashed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialog:
    """An open JavaScript dialog."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"]
    message: str
    default: str = ""
    url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedEvidence:
    kind: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementPicture:
    """A screenshot of a tab, and the box of one element in it, in CSS pixels of the tab's viewport."""

    data: bytes
    """PNG of the whole viewport."""
    box: DOMRectLike
    viewport: tuple[float, float]


StorageState: TypeAlias = dict[str, Any]
"""`{"cookies": […], "origins": [{"origin", "localStorage": [{"name", "value"}]}]}`."""


class Tabs(Protocol):
    @property
    def active(self) -> str: ...

    def all(self) -> tuple[TabInfo, ...]: ...

    async def open(self, url: str = "about:blank") -> str: ...

    async def activate(self, tab: str) -> None: ...

    async def close(self, tab: str) -> None: ...

    async def resize(self, width: int, height: int) -> None:
        """Set the size of the active tab's page in CSS pixels."""
        ...


class Dialogs(Protocol):
    def current(self, tab: str | None = None) -> Dialog | None: ...

    async def answer(self, accept: bool, text: str | None = None, *, tab: str | None = None) -> None: ...


class Files(Protocol):
    @property
    def downloads(self) -> Path | None: ...

    async def choose(self, paths: Sequence[Path], *, tab: str | None = None) -> None:
        """Answer the open file chooser with exactly these files."""
        ...


class Storage(Protocol):
    async def save(self) -> StorageState: ...

    async def load(self, state: StorageState) -> None: ...


class Driver(Protocol):
    """One isolated session with a user interface."""

    @property
    def facts(self) -> DriverFacts: ...

    @property
    def tabs(self) -> Tabs: ...

    @property
    def dialog(self) -> Dialogs: ...

    @property
    def files(self) -> Files: ...

    @property
    def storage(self) -> Storage: ...

    async def start(self, sink: Sink) -> None: ...

    async def observe(
        self, options: SnapshotOptions | None = None, *, tab: str | None = None
    ) -> PageGraph: ...

    async def flush(self, *, tab: str | None = None, quick: bool = False) -> int:
        """Read all pending changes and return the revision number; the sink receives the changes first.

        A quick flush may leave out expensive reads, such as elements that a style sheet hides.
        """
        ...

    async def drawn(self, *, tab: str | None = None) -> None:
        """Wait until the page has drawn what was done before; at once if the driver cannot know."""
        ...

    async def schedule(self, *, tab: str | None = None) -> PageSchedule:
        """Return what the page has planned; nothing if the driver cannot know."""
        ...

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]: ...

    async def perform(
        self, op: AnyOp, *, tab: str | None = None, timeout: float = GESTURE_S
    ) -> PerformOutcome: ...

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = NAVIGATION_S
    ) -> PerformOutcome: ...

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax", "pdf"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        """Capture a screenshot, the accessibility tree or a PDF; elements in `hide` become black boxes."""
        ...

    async def evaluate(self, expression: str, *, tab: str | None = None) -> Any:
        """Evaluate an expression in the page. For people and tests only; never offered to an agent."""
        ...

    async def guard_network(self, rules: NetworkRules | None) -> None:
        """Block requests that the rules do not permit, and report them as events; None ends the guard."""
        ...

    async def close(self) -> None: ...


@runtime_checkable
class SupportsAppActions(Protocol):
    """A driver whose interface can register its own actions."""

    async def app_actions(self, *, tab: str | None = None) -> Sequence[Any]:
        """Return the actions that the interface declares, unchecked."""
        ...


@runtime_checkable
class SupportsWebStorage(Protocol):
    """A driver whose pages have local and session storage."""

    async def read_web_storage(self, *, tab: str | None = None) -> Mapping[str, str]:
        """Return the storage items of the current page, keyed `local NAME` or `session NAME`."""
        ...

    async def replace_web_storage(self, items: Mapping[str, str], *, tab: str | None = None) -> None:
        """Replace all storage items of the current page by `items`."""
        ...


@runtime_checkable
class SupportsAnnotationPrefix(Protocol):
    """A driver whose page script reads annotations with a prefix that the application chooses."""

    def read_annotations(self, prefix: str, attributes: Sequence[str] = ()) -> None:
        """Read annotations with this prefix, and publish these other attributes, from the next reading on."""
        ...


@runtime_checkable
class SupportsPresentation(Protocol):
    """A driver that can show a person the next action before it happens."""

    async def present(
        self, hints: PresentationHints, node: str | None, *, tab: str | None = None, seconds: float = 0.0
    ) -> None:
        """Show the hints at the element, and return after the animation of `seconds`."""
        ...


@runtime_checkable
class SupportsInPageRoutes(Protocol):
    """A driver whose pages may change their route themselves, without loading a document."""

    async def change_route(self, url: str, *, tab: str | None = None) -> PerformOutcome | None:
        """Let the router of the page go to the URL; return None if the page has no such router or does not react."""
        ...


@runtime_checkable
class SupportsHints(Protocol):
    """A driver that finds elements by a css selector or an xpath."""

    async def elements_by_hint(self, kind: str, value: str, *, tab: str | None = None) -> Sequence[str]:
        """Return the references of the elements that `css` or `xpath` finds in the documents of the tab."""
        ...


@runtime_checkable
class SupportsPictures(Protocol):
    """A driver that can take a picture of an element, and press it at a point inside."""

    async def picture(self, node: str) -> ElementPicture | None:
        """Return a picture with the element's box; None if the element is not visible."""
        ...


@runtime_checkable
class SupportsElementPictures(Protocol):
    """A driver that can take a picture of one element."""

    async def element_picture(self, node: str) -> bytes | None:
        """Return a PNG of the element alone; None if the element is not visible."""
        ...


InputMode: TypeAlias = Literal["off", "report", "pick"]


@runtime_checkable
class SupportsInputReports(Protocol):
    """A driver that can report what a person does in the interface, as `InputReported` events."""

    async def report_inputs(self, mode: InputMode) -> None:
        """Report the inputs of a person in all tabs. With `pick`, the next press only names an element."""
        ...
