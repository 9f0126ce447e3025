"""The extension x.uiap.tools 0.1: messages that the interfaces need and the specs do not define.

The Python, CLI, MCP and server interfaces all use these messages, so that none has private access to the host.
"""

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
    """Ask for the outline of the page, as a model reads it."""

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
    """Also find items that a list has not rendered yet, by scrolling within bounds."""


class Scrolled(Struct):
    """How far a search scrolled, in which element, and why it ended."""

    steps: int
    ended: Literal["found", "end", "bounds"]
    box: str | UnsetType = UNSET


class FoundElement(Struct):
    """One match: the element, the confidence that it is meant, the reason, and its record."""

    element: ElementNode
    confidence: float
    reason: str
    record: str | UnsetType = UNSET


class ToolsFoundPayload(Struct):
    revision: RevisionId
    matches: tuple[FoundElement, ...]
    scrolled: Scrolled | UnsetType = UNSET


class ToolsCapturePayload(Struct):
    """Ask for a screenshot of the active tab, with the refs of its controls if wanted, or for a PDF of the page."""

    annotated: bool | UnsetType = UNSET
    format: Literal["png", "pdf"] | UnsetType = UNSET


class ToolsCapturedPayload(Struct):
    media_type: str
    data: str
    """Base64."""


class ToolsViewportPayload(Struct):
    """Set the size of the visible page in CSS pixels."""

    width: Annotated[int, Meta(ge=1, le=10_000)]
    height: Annotated[int, Meta(ge=1, le=10_000)]


class ToolsViewportSetPayload(Struct):
    width: int
    height: int


class ToolsEvaluatePayload(Struct):
    """Run an expression in the page. For people and tests, never for an agent."""

    expression: str


class ToolsEvaluatedPayload(Struct):
    value: Any


class ToolsPendingPayload(Struct):
    """Ask for the pending confirmations. Reading them grants nothing."""


class PendingConfirmation(Struct):
    """A pending confirmation: the action, the rule that requires it, and the digest that a grant must sign."""

    action_handle: str
    bond: str
    """The digest of everything that the grant is bound to. Knowing it grants nothing."""
    expires_in_ms: int
    principal: str
    origin: str | UnsetType = UNSET
    decided_by: str | UnsetType = UNSET
    box: DOMRectLike | UnsetType = UNSET
    """The current position of the target in pixels of `viewport`, for a picture of it."""
    viewport: ViewportInfo | UnsetType = UNSET
    fields: tuple[tuple[str, str], ...] | UnsetType = UNSET
    """The fields of the form or dialog around the target, with their values. Private values are masked."""
    kind: str | UnsetType = UNSET
    """The kind that `remember: session` would allow, in words. Absent if the question can only be answered once."""
    request: ActionConfirmationRequestPayload


class ToolsResultPayload(Struct):
    """Ask for the result of an action, the last one that was kept without a handle, and wait at most `timeoutMs`.

    With `keep`, the action continues after this session has ended, until its own time is over.
    """

    action_handle: str | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET
    keep: bool | UnsetType = UNSET


class ToolsResultedPayload(Struct):
    """The result, or the stage that the action is in."""

    action_handle: str
    result: ActionResultPayload | UnsetType = UNSET
    stage: str | UnsetType = UNSET


class PendingHandoff(Struct):
    """A step that a person is asked to do."""

    action_handle: str
    note: str


class ToolsPendingListedPayload(Struct):
    confirmations: tuple[ActionConfirmationRequestPayload, ...]
    details: tuple[PendingConfirmation, ...] | UnsetType = UNSET
    handoffs: tuple[PendingHandoff, ...] | UnsetType = UNSET


class ToolsPendingGrantPayload(Struct):
    """`action.confirmation.grant` with a proof: the shown digest, signed with the person's secret.

    With `remember` the proof covers `session:` and the digest. Questions of the same kind are then granted too.
    """

    action_handle: str
    token: str
    remember: Literal["session"] | UnsetType = UNSET


class ToolsPendingGrantedPayload(Struct):
    action_handle: str


class ToolsHandoffEndPayload(Struct):
    """Report how a step that was handed off to a person ended."""

    action_handle: str
    outcome: Literal["done", "declined"]


class ToolsHandoffEndedPayload(Struct):
    action_handle: str


class ToolsTabsPayload(Struct):
    """List the tabs, after opening, showing or closing one if asked to."""

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
    """Read the page's own dialog (alert, confirm, prompt, beforeunload), and answer it if `accept` is given."""

    accept: bool | UnsetType = UNSET
    text: str | UnsetType = UNSET


class ToolsDialogToldPayload(Struct):
    """The dialog that is open after that, if any."""

    kind: Literal["alert", "confirm", "prompt", "beforeunload"] | UnsetType = UNSET
    message: str | UnsetType = UNSET


# -- files of a session ------------------------------------------------------------------------------------------

StateName: TypeAlias = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,64}$")]


class ToolsStoragePayload(Struct):
    """Save or load cookies and local storage under a name, in the session's folder for states.

    Only a person receives the content of a state or may send one.
    """

    do: Literal["list", "save", "load"]
    name: StateName | UnsetType = UNSET
    content: JsonObject | UnsetType = UNSET


class ToolsStorageToldPayload(Struct):
    names: tuple[str, ...]
    """The names of the saved states."""
    content: JsonObject | UnsetType = UNSET


class ToolsDownloadsPayload(Struct):
    """Ask for the downloads of this session. With `after`, wait until there are more than that, or for the timeout."""

    after: Count | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET


class DownloadDescription(Struct):
    """A finished download: its file in the folder for downloads, or the reason why there is none."""

    url: str
    name: str | UnsetType = UNSET
    size: Count | UnsetType = UNSET
    reason: str | UnsetType = UNSET


class ToolsDownloadsListedPayload(Struct):
    downloads: tuple[DownloadDescription, ...]


class ToolsBundlePayload(Struct):
    """Ask for the bundle of the application that this session uses."""


class ToolsBundleToldPayload(Struct):
    bundle: JsonObject | UnsetType = UNSET
    """The compiled bundle, absent if the session has none."""
    signed_by: str | UnsetType = UNSET
    """The trusted key that signed it."""


# -- expect and wait --------------------------------------------------------------------------------------------


class ToolsExpectPayload(Struct):
    """Verify signals without acting: since a revision, or about the current page."""

    signals: Annotated[tuple[SuccessSignal, ...], Meta(min_length=1)]
    policy: Literal["any", "all"] | UnsetType = UNSET
    since: RevisionId | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET


class SignalVerdict(Struct):
    """The verdict on one expected signal. `already`: it was true at the revision of the request."""

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
    """Wait until the page changed since a revision, until signals are observed, or until the page is idle."""

    since: RevisionId | UnsetType = UNSET
    until: tuple[SuccessSignal, ...] | UnsetType = UNSET
    idle: bool | UnsetType = UNSET
    timeout_ms: Milliseconds | UnsetType = UNSET


class LoadingState(Struct):
    """The busy elements, and the requests without an answer."""

    idle: bool
    busy: tuple[str, ...]
    requests: tuple[str, ...]


class ToolsWaitedPayload(Struct):
    done: bool
    """False: the timeout came first."""
    changed: bool
    revision: RevisionId
    loading: LoadingState
    elapsed_ms: Milliseconds
    changes: str | UnsetType = UNSET
    """The changes since the revision of the request, as text."""
    verdicts: tuple[SignalVerdict, ...] | UnsetType = UNSET
    reason: str | UnsetType = UNSET


# -- traces -----------------------------------------------------------------------------------------------------

Cause: TypeAlias = Literal["caused", "coincident", "background"]


class TraceStage(Struct):
    stage: ProgressStage
    at_ms: Number
    note: str | UnsetType = UNSET
    detail: JsonObject | UnsetType = UNSET


LifecyclePhase: TypeAlias = Literal["resolved", "dispatched", "pending_verification", "verified", "failed"]
"""The phases of an action by RFC 005 (MDM-4)."""


class TracePhase(Struct):
    phase: LifecyclePhase
    at_ms: Number


class TraceCall(Struct):
    """A request of the page during the action. Bodies and query strings are never stored."""

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
    """A line of the console, or an uncaught exception."""

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
    """The page before or after the action, as far as the request asked for it."""

    revision: RevisionId
    outline: str | UnsetType = UNSET
    screenshot: str | UnsetType = UNSET
    """A PNG, as base64."""


class ActionTrace(Struct):
    """The effects of one action and the events at the same time, by its handle (MDM-R10)."""

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
    """The number of unrelated calls, lines and signals that are not listed."""
    action_type: str | UnsetType = UNSET
    intent: str | UnsetType = UNSET
    """The intent of the request: the action and how it names its target."""
    phases: tuple[TracePhase, ...] | UnsetType = UNSET
    metadata: JsonObject | UnsetType = UNSET
    """The metadata of the request (ACT-5.1h)."""
    dispatched_ms: Number | UnsetType = UNSET
    before: TraceView | UnsetType = UNSET
    after: TraceView | UnsetType = UNSET


class ToolsTracePayload(Struct):
    """Ask for the trace of an action."""

    action_handle: str


class ToolsTracedPayload(Struct):
    trace: ActionTrace


class ToolsLogPayload(Struct):
    """Ask for the recent console lines and requests of the application, filtered and without noise."""

    what: Literal["lines", "network"] | UnsetType = UNSET
    level: Literal["error", "warning", "info"] | UnsetType = UNSET
    """The lowest level."""
    origin: Literal["app", "system"] | UnsetType = UNSET
    contains: str | UnsetType = UNSET
    since_ms: Milliseconds | UnsetType = UNSET
    """The maximum age."""
    relevance: Annotated[float, Meta(ge=0, le=1)] | UnsetType = UNSET
    limit: Annotated[int, Meta(ge=1, le=1000)] | UnsetType = UNSET


class ToolsLoggedPayload(Struct):
    """The latest lines and requests, oldest first. Times count from the start of the session."""

    now_ms: Number
    lines: tuple[TraceLine, ...]
    network: tuple[TraceCall, ...]
    hidden: Count
    """The number of entries that were filtered out or are noise."""


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
    """The traces, latest first."""
