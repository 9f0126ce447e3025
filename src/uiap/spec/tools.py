"""The extension x.uiap.tools 0.1: what doors need and the specs have no message for, so that none gets a back door."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, UnsetType

from uiap.spec.action import (
    ActionConfirmationRequestPayload,
    ActionResultPayload,
    ActionStatus,
    ProgressStage,
)
from uiap.spec.base import Count, JsonObject, Milliseconds, Number, Struct, Timestamp
from uiap.spec.capability import SuccessSignal, UIRole
from uiap.spec.vocabulary import RevisionId
from uiap.spec.web import DOMRectLike, ElementNode, ViewportInfo, WebSignal


class ToolsOutlinePayload(Struct):
    """Ask for the page as a model reads it."""

    scope: str | UnsetType = UNSET
    since: RevisionId | UnsetType = UNSET
    budget: Annotated[int, Meta(ge=1)] | UnsetType = UNSET
    query: str | UnsetType = UNSET


class ToolsOutlinedPayload(Struct):
    text: str
    revision: RevisionId
    tokens: Count


class ToolsFindPayload(Struct):
    text: str
    role: UIRole | UnsetType = UNSET
    scope: str | UnsetType = UNSET
    near: str | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=200)] | UnsetType = UNSET
    scroll: bool | UnsetType = UNSET
    """Also what a list has not drawn yet: scrolled to, within bounds."""


class Scrolled(Struct):
    """How far a search scrolled, in which element, and why it ended."""

    steps: int
    ended: Literal["found", "end", "bounds"]
    box: str | UnsetType = UNSET


class FoundElement(Struct):
    """One match: the element, how likely it is the one meant, why, and the record it belongs to."""

    element: ElementNode
    confidence: float
    reason: str
    record: str | UnsetType = UNSET


class ToolsFoundPayload(Struct):
    revision: RevisionId
    matches: tuple[FoundElement, ...]
    scrolled: Scrolled | UnsetType = UNSET


class ToolsCapturePayload(Struct):
    """Ask for a picture of the active tab, with the references of its controls on it if wanted."""

    annotated: bool | UnsetType = UNSET


class ToolsCapturedPayload(Struct):
    media_type: str
    data: str
    """Base64."""


class ToolsEvaluatePayload(Struct):
    """Run an expression in the page; for people and tests, never for an agent."""

    expression: str


class ToolsEvaluatedPayload(Struct):
    value: Any


class ToolsPendingPayload(Struct):
    """Ask which confirmations wait for a person. Seeing them grants nothing."""


class PendingConfirmation(Struct):
    """A question to a person: what would be done, who decided that it is asked, and what a grant must sign."""

    action_handle: str
    bond: str
    """The digest of everything the grant is bound to. Knowing it grants nothing."""
    expires_in_ms: int
    principal: str
    origin: str | UnsetType = UNSET
    decided_by: str | UnsetType = UNSET
    box: DOMRectLike | UnsetType = UNSET
    """Where the target is right now, for a picture of it; in pixels of `viewport`."""
    viewport: ViewportInfo | UnsetType = UNSET
    request: ActionConfirmationRequestPayload


class PendingHandoff(Struct):
    """A step that a person is asked to do."""

    action_handle: str
    note: str


class ToolsPendingListedPayload(Struct):
    confirmations: tuple[ActionConfirmationRequestPayload, ...]
    details: tuple[PendingConfirmation, ...] | UnsetType = UNSET
    handoffs: tuple[PendingHandoff, ...] | UnsetType = UNSET


class ToolsPendingGrantPayload(Struct):
    """`action.confirmation.grant` with a proof: the digest of what was shown, signed with the person's secret."""

    action_handle: str
    token: str


class ToolsPendingGrantedPayload(Struct):
    action_handle: str


class ToolsHandoffEndPayload(Struct):
    """The person says how the step went that was left to it."""

    action_handle: str
    outcome: Literal["done", "declined"]


class ToolsHandoffEndedPayload(Struct):
    action_handle: str


class ToolsTabsPayload(Struct):
    """List the tabs; first open a blank one, show one or close one if asked to."""

    do: Literal["list", "open", "show", "close"] | UnsetType = UNSET
    tab: str | UnsetType = UNSET


class TabDescription(Struct):
    tab: str
    url: str
    title: str
    active: bool
    opener: str | UnsetType = UNSET
    crashed: bool | UnsetType = UNSET


class ToolsTabsListedPayload(Struct):
    tabs: tuple[TabDescription, ...]


class ToolsDialogPayload(Struct):
    """Look at the page's own dialog (alert, confirm, prompt, beforeunload), and answer it where `accept` is given."""

    accept: bool | UnsetType = UNSET
    text: str | UnsetType = UNSET


class ToolsDialogToldPayload(Struct):
    """The dialog that stands open after that, if any."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"] | UnsetType = UNSET
    message: str | UnsetType = UNSET


# -- what a session keeps ----------------------------------------------------------------------------------------

StateName: TypeAlias = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$")]


class ToolsStoragePayload(Struct):
    """Save or load cookies and local storage under a name, in the folder declared for it. Only a person is given the
    state itself, or may bring one."""

    do: Literal["list", "save", "load"]
    name: StateName | UnsetType = UNSET
    content: JsonObject | UnsetType = UNSET


class ToolsStorageToldPayload(Struct):
    names: tuple[str, ...]
    """The states there are to load."""
    content: JsonObject | UnsetType = UNSET


class ToolsDownloadsPayload(Struct):
    """The downloads of this session; with `after`, once there are more than so many, or the time is over."""

    after: Count | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET


class DownloadDescription(Struct):
    """One that has ended: as a file of this name in the folder for downloads, or not, and why."""

    url: str
    name: str | UnsetType = UNSET
    size: Count | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class ToolsDownloadsListedPayload(Struct):
    downloads: tuple[DownloadDescription, ...]


class ToolsBundlePayload(Struct):
    """Ask for the application's contract that this session runs under."""


class ToolsBundleToldPayload(Struct):
    bundle: JsonObject | UnsetType = UNSET
    """The compiled bundle; absent where there is none."""
    signed_by: str | UnsetType = UNSET
    """The trusted key that vouches for it."""


# -- expect and wait --------------------------------------------------------------------------------------------


class ToolsExpectPayload(Struct):
    """Verify signals without acting: since a revision, or of the page as it is."""

    signals: Annotated[tuple[SuccessSignal, ...], Meta(min_length=1)]
    policy: Literal["any", "all"] | UnsetType = UNSET
    since: RevisionId | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET


class SignalVerdict(Struct):
    """What was seen of one expected signal. `already`: it held at the revision that was named."""

    signal: SuccessSignal
    holds: bool
    already: bool | UnsetType = UNSET


class ToolsExpectedPayload(Struct):
    passed: bool
    policy: Literal["any", "all"]
    verdicts: tuple[SignalVerdict, ...]
    revision: RevisionId
    elapsed_ms: Milliseconds
    reason: str | UnsetType = UNSET


class ToolsWaitPayload(Struct):
    """Wait until something changed since a revision, until signals are seen, or until nothing loads any more."""

    since: RevisionId | UnsetType = UNSET
    until: tuple[SuccessSignal, ...] | UnsetType = UNSET
    idle: bool | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET


class LoadingState(Struct):
    """What is still under way: elements that say so, and requests without an answer."""

    idle: bool
    busy: tuple[str, ...]
    requests: tuple[str, ...]


class ToolsWaitedPayload(Struct):
    done: bool
    """False: the time was over first."""
    changed: bool
    revision: RevisionId
    loading: LoadingState
    elapsed_ms: Milliseconds
    changes: str | UnsetType = UNSET
    """What changed since the revision that was named, as a model reads it."""
    verdicts: tuple[SignalVerdict, ...] | UnsetType = UNSET
    reason: str | UnsetType = UNSET


# -- traces -----------------------------------------------------------------------------------------------------

Cause: TypeAlias = Literal["caused", "coincident", "background"]


class TraceStage(Struct):
    stage: ProgressStage
    at_ms: Number
    note: str | UnsetType = UNSET


class TraceCall(Struct):
    """A request of the page while the action was under way. Bodies and query strings are never kept."""

    method: str
    url: str
    at_ms: Number
    cause: Cause
    relevance: Number
    resource: str | UnsetType = UNSET
    status: int | UnsetType = UNSET
    ended_ms: Number | UnsetType = UNSET
    failure: str | UnsetType = UNSET


class TraceLine(Struct):
    """A line of the console, or an exception that nobody caught."""

    kind: Literal["console", "error", "dialog", "navigation"]
    level: str
    text: str
    at_ms: Number
    origin: Literal["app", "system"]
    cause: Cause
    relevance: Number
    url: str | UnsetType = UNSET
    line: Count | UnsetType = UNSET


class TraceSignal(Struct):
    signal: WebSignal
    at_ms: Number
    cause: Cause
    relevance: Number


class TraceView(Struct):
    """The page before or after, as far as it was asked for."""

    revision: RevisionId
    outline: str | UnsetType = UNSET
    screenshot: str | UnsetType = UNSET
    """A PNG, as base64."""


class ActionTrace(Struct):
    """Everything that one action caused, and what only happened beside it, under its handle (MDM-R10)."""

    action_handle: str
    action_id: str
    status: ActionStatus
    ts: Timestamp
    duration_ms: Number
    stages: tuple[TraceStage, ...]
    network: tuple[TraceCall, ...]
    lines: tuple[TraceLine, ...]
    signals: tuple[TraceSignal, ...]
    result: ActionResultPayload
    noise: Count
    """How many more calls, lines and signals came that do not belong to it and are not listed."""
    dispatched_ms: Number | UnsetType = UNSET
    before: TraceView | UnsetType = UNSET
    after: TraceView | UnsetType = UNSET


class ToolsTracePayload(Struct):
    """Ask for the trace of an action."""

    action_handle: str


class ToolsTracedPayload(Struct):
    trace: ActionTrace


class ToolsLogPayload(Struct):
    """Ask what the application said and asked for of late: filtered, and without what is only noise."""

    what: Literal["lines", "network"] | UnsetType = UNSET
    level: Literal["error", "warning", "info"] | UnsetType = UNSET
    """At least as loud."""
    origin: Literal["app", "system"] | UnsetType = UNSET
    contains: str | UnsetType = UNSET
    since_ms: Milliseconds | UnsetType = UNSET
    """Not older than this."""
    relevance: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=1000)] | UnsetType = UNSET


class ToolsLoggedPayload(Struct):
    """The latest of each, oldest first; times are since the session began."""

    now_ms: Number
    lines: tuple[TraceLine, ...]
    network: tuple[TraceCall, ...]
    hidden: Count
    """How many more there are that were not asked for or are noise."""


class ToolsTraceListPayload(Struct):
    limit: Annotated[int, Meta(ge=1, le=1000)] | UnsetType = UNSET


class TraceSummary(Struct):
    action_handle: str
    action_id: str
    status: ActionStatus
    ts: Timestamp
    duration_ms: Number


class ToolsTraceListedPayload(Struct):
    traces: tuple[TraceSummary, ...]
    """The latest first."""
