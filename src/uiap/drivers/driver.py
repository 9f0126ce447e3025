"""The protocol every driver satisfies, and the values it speaks in.

A driver says in its facts what it can do instead of pretending; whoever holds one asks the facts, never the
class. Nothing here knows a browser, a phone or a desktop.
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
from uiap.spec.action import PresentationHints
from uiap.spec.capability import ExecutionMode
from uiap.spec.web import DOMRectLike, PageGraph, SnapshotOptions

DriverSurface: TypeAlias = Literal["navigate", "tabs", "dialogs", "network"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverFacts:
    """What a driver can do."""

    profile: str
    push: bool
    """It reports changes by itself; else it has to be polled."""
    world: Literal["isolated", "shared", "none"]
    """Where its page script runs: out of the page's reach, beside the page's own, or not at all."""
    atomic: Literal["event", "reread"]
    """Guard terms are checked with the input event, or only by reading just before and just after."""
    attribution: Literal["causal", "time"]
    trusted_input: bool
    modes: tuple[ExecutionMode, ...]
    ops: tuple[str, ...]
    read_cost_s: float
    """Seconds one `observe` usually takes; sets the pace of polling where nothing is pushed."""
    surfaces: tuple[DriverSurface, ...] = ("navigate", "tabs", "dialogs", "network")
    """What it has besides one graph: addresses, several tabs, dialogs that block all else, requests that it tells.
    Without a door for dialogs they are part of the graph."""


RefusalReason: TypeAlias = Literal[
    "gone",  # the element left the page, or was never there
    "changed",  # a guard term no longer holds: role, name, record
    "disabled",
    "hidden",
    "obscured",  # something else would take the event
    "opaque",  # it lies behind a boundary this driver respects
    "dialog",  # a JavaScript dialog stands open
    "unsupported",  # not in facts.ops or facts.modes, or the element cannot do it
    "invalid",  # the op itself makes no sense for this element (no such option, no such file)
    "unavailable",  # the tab or the whole interface is gone
    "forbidden",  # whoever started the interface lets nobody go there
]


@dataclass(frozen=True, slots=True)
class PerformRefused:
    """Nothing was dispatched, and nothing can have happened."""

    reason: RefusalReason
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PerformDispatched:
    """The gesture reached the interface; whether it had its effect is for others to observe."""

    seq: int
    """The tab's last revision number before the gesture: effects carry a greater one."""
    at: float = 0.0
    """Host monotonic time just before the first input event."""
    interrupted_by: Literal["dialog", "navigation", "closed"] | None = None
    token: str | None = None
    """Names this gesture in the events that it caused."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    requests_reported: asyncio.Future[Any] | None = None
    """Done once the requests that the gesture's own task sent have been told; None: they have."""


@dataclass(frozen=True, slots=True)
class PerformUnknown:
    """It may or may not have happened; nobody may simply try again."""

    cause: Literal["timeout", "crash", "closed", "interrupted", "connection_lost"]
    detail: str = ""


PerformOutcome: TypeAlias = PerformRefused | PerformDispatched | PerformUnknown


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementFacts:
    """What a probe says of one element right now."""

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
    """The probe's answer as it came, for what has no member here."""


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
    """A tab as it looks, and where on it an element stands, both in CSS pixels of the tab's viewport."""

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
        """See everything that can be seen now; changes reach the sink before this returns the revision number.

        A glance may leave out what is dear to see, such as what a style sheet hides.
        """
        ...

    async def probe(self, refs: Sequence[str]) -> Mapping[str, ElementFacts]: ...

    async def perform(self, op: AnyOp, *, tab: str | None = None, timeout: float = 5.0) -> PerformOutcome: ...

    async def navigate(
        self, url: str, *, tab: str | None = None, timeout: float = 30.0
    ) -> PerformOutcome: ...

    async def evidence(
        self,
        kind: Literal["screenshot", "annotated", "ax"],
        *,
        tab: str | None = None,
        hide: Sequence[str] = (),
    ) -> CapturedEvidence:
        """`hide`: elements that a picture shows as black boxes."""
        ...

    async def evaluate(self, expression: str, *, tab: str | None = None) -> Any:
        """For people and tests only; never offered to an agent."""
        ...

    async def guard_network(self, rules: NetworkRules | None) -> None:
        """From now on only requests that the rules permit are sent; None ends it. Blocked ones are told."""
        ...

    async def close(self) -> None: ...


@runtime_checkable
class SupportsAppActions(Protocol):
    """A driver whose interface can declare actions of its own."""

    async def app_actions(self, *, tab: str | None = None) -> Sequence[Any]:
        """What the interface says it can do, unchecked."""
        ...


@runtime_checkable
class SupportsWebStorage(Protocol):
    """A driver whose pages keep things of their own beside their server: local and session storage."""

    async def read_web_storage(self, *, tab: str | None = None) -> Mapping[str, str]:
        """What the page that is shown keeps, by `local name` or `session name`."""
        ...

    async def replace_web_storage(self, items: Mapping[str, str], *, tab: str | None = None) -> None:
        """Have it keep this and nothing else."""
        ...


@runtime_checkable
class SupportsPresentation(Protocol):
    """A driver that can show a person what is about to be done."""

    async def present(
        self, hints: PresentationHints, node: str | None, *, tab: str | None = None, seconds: float = 0.0
    ) -> None:
        """`seconds`: how long the way to the target takes; it returns when that is over."""
        ...


@runtime_checkable
class SupportsPictures(Protocol):
    """A driver that can show how an element looks, and press it at a point of its own."""

    async def picture(self, node: str) -> ElementPicture | None:
        """None where it cannot be seen."""
        ...
