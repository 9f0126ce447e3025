"""The table of all messages: type, kinds, payload type, owner and responses.

A type that is not here is unknown. A session may use a known type only if its owner was negotiated. Vendors add tables
of their own.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

from uiap.spec import action, core, discovery, policy, tools, web, workflow
from uiap.spec.base import Struct
from uiap.spec.core import MESSAGE_KINDS, MessageKind
from uiap.spec.versions import DISCOVERY_EXTENSION, POLICY_EXTENSION, TOOLS_EXTENSION, WORKFLOW_EXTENSION

PayloadType: TypeAlias = type[Struct]


class MessageSpec(NamedTuple):
    """One row. `owner` is `core`, `web`, `action` or an extension id. `answers` are the success responses."""

    type: str
    kinds: tuple[MessageKind, ...]
    payload: PayloadType
    owner: str
    answers: tuple[str, ...] = ()

    @property
    def extension(self) -> str | None:
        """The extension that must be negotiated, or None."""
        return None if self.owner in ("core", "web", "action") else self.owner


_REQUEST: tuple[MessageKind, ...] = ("request",)
_RESPONSE: tuple[MessageKind, ...] = ("response",)
_EVENT: tuple[MessageKind, ...] = ("event",)
_PUSHED: tuple[MessageKind, ...] = ("response", "event")


class _Rows:
    """Collects the rows of one owner, so that the table below has one line per message."""

    def __init__(self, owner: str, prefix: str) -> None:
        self.owner, self.prefix = owner, prefix
        self.rows: list[MessageSpec] = []

    def add(self, name: str, kinds: tuple[MessageKind, ...], payload: PayloadType, *answers: str) -> None:
        full = tuple(self.prefix + answer for answer in answers)
        self.rows.append(MessageSpec(self.prefix + name, kinds, payload, self.owner, full))

    def pair(self, ask: str, asked: PayloadType, answer: str, answered: PayloadType) -> None:
        self.add(ask, _REQUEST, asked, answer)
        self.add(answer, _RESPONSE, answered)


def _core() -> list[MessageSpec]:
    t = _Rows("core", "")
    t.pair(
        "session.initialize",
        core.SessionInitializePayload,
        "session.initialized",
        core.SessionInitializedPayload,
    )
    t.pair("session.ping", core.SessionPingPayload, "session.pong", core.SessionPongPayload)
    t.add("session.terminate", _REQUEST, core.SessionTerminatePayload, "session.terminated")
    t.add("session.terminated", _PUSHED, core.SessionTerminatedPayload)
    t.add("error", _PUSHED, core.ErrorPayload)
    t.add("capabilities.list", ("request", "event"), core.CapabilitiesListPayload, "capabilities.listed")
    t.add("capabilities.listed", _RESPONSE, core.CapabilitiesListedPayload)
    t.add("capabilities.changed", _EVENT, core.CapabilitiesChangedPayload)
    return t.rows


def _web() -> list[MessageSpec]:
    t = _Rows("web", "web.")
    t.add("state.get", _REQUEST, web.WebStateGetPayload, "state.snapshot")
    t.add("state.snapshot", _PUSHED, web.WebStateSnapshotPayload)
    t.pair("state.observe", web.WebObservePayload, "state.observing", web.WebObservingPayload)
    t.pair("state.unobserve", web.WebUnobservePayload, "state.unobserved", web.WebUnobservedPayload)
    t.add("state.delta", _EVENT, web.WebStateDeltaPayload)
    t.add("signal", _EVENT, web.WebSignalPayload)
    return t.rows


def _action() -> list[MessageSpec]:
    t = _Rows("action", "action.")
    t.pair("request", action.ActionRequestPayload, "accepted", action.ActionAcceptedPayload)
    t.add("progress", _EVENT, action.ActionProgressPayload)
    t.add(
        "confirmation.request",
        _REQUEST,
        action.ActionConfirmationRequestPayload,
        "confirmation.grant",
        "confirmation.deny",
    )
    # The documents name no kind for grant and deny: they are matched by the handle, not by the kind.
    t.add("confirmation.grant", MESSAGE_KINDS, action.ActionConfirmationGrantPayload)
    t.add("confirmation.deny", MESSAGE_KINDS, action.ActionConfirmationDenyPayload)
    t.pair("cancel", action.ActionCancelPayload, "cancelled", action.ActionCancelledPayload)
    t.add("result", _EVENT, action.ActionResultPayload)
    return t.rows


def _policy() -> list[MessageSpec]:
    t = _Rows(POLICY_EXTENSION, "uiap.policy.")
    t.pair("get", policy.PolicyGetPayload, "document", policy.PolicyDocumentPayload)
    t.pair("evaluate", policy.PolicyEvaluatePayload, "decision", policy.PolicyDecisionPayload)
    t.add("changed", _EVENT, policy.PolicyChangedPayload)
    t.add("audit", _EVENT, policy.PolicyAuditPayload)
    t.add("handoff.started", _EVENT, policy.PolicyHandoffStartedPayload)
    t.add("handoff.completed", _EVENT, policy.PolicyHandoffCompletedPayload)
    return t.rows


def _workflow() -> list[MessageSpec]:
    t = _Rows(WORKFLOW_EXTENSION, "uiap.workflow.")
    t.pair("list", workflow.WorkflowListPayload, "listed", workflow.WorkflowListedPayload)
    t.pair("get", workflow.WorkflowGetPayload, "definition", workflow.WorkflowDefinitionPayload)
    t.pair("start", workflow.WorkflowStartPayload, "started", workflow.WorkflowStartedPayload)
    t.add("progress", _EVENT, workflow.WorkflowProgressPayload)
    t.add("input.request", _REQUEST, workflow.WorkflowInputRequestPayload, "input.provided")
    # matched by the instance, not by the kind, because the request is sent as an event
    t.add("input.provided", MESSAGE_KINDS, workflow.WorkflowInputProvidedPayload)
    t.pair("pause", workflow.WorkflowPausePayload, "paused", workflow.WorkflowPausedPayload)
    t.pair("resume", workflow.WorkflowResumePayload, "resumed", workflow.WorkflowResumedPayload)
    t.pair("cancel", workflow.WorkflowCancelPayload, "cancelled", workflow.WorkflowCancelledPayload)
    t.pair("status.get", workflow.WorkflowStatusGetPayload, "status", workflow.WorkflowStatusPayload)
    t.add("result", _EVENT, workflow.WorkflowResultPayload)
    return t.rows


def _discovery() -> list[MessageSpec]:
    t = _Rows(DISCOVERY_EXTENSION, "uiap.discovery.")
    t.pair("plan", discovery.DiscoveryPlanPayload, "planned", discovery.DiscoveryPlannedPayload)
    t.pair("start", discovery.DiscoveryStartPayload, "started", discovery.DiscoveryStartedPayload)
    t.add("progress", _EVENT, discovery.DiscoveryProgressPayload)
    t.pair("pause", discovery.DiscoveryPausePayload, "paused", discovery.DiscoveryPausedPayload)
    t.pair("resume", discovery.DiscoveryResumePayload, "resumed", discovery.DiscoveryResumedPayload)
    t.pair("cancel", discovery.DiscoveryCancelPayload, "cancelled", discovery.DiscoveryCancelledPayload)
    t.add("result", _EVENT, discovery.DiscoveryResultPayload)
    t.pair("package.get", discovery.DiscoveryPackageGetPayload, "package", discovery.DiscoveryPackagePayload)
    return t.rows


def _tools() -> list[MessageSpec]:
    t = _Rows(TOOLS_EXTENSION, "x.uiap.tools.")
    t.pair("outline", tools.ToolsOutlinePayload, "outlined", tools.ToolsOutlinedPayload)
    t.pair("find", tools.ToolsFindPayload, "found", tools.ToolsFoundPayload)
    t.pair("capture", tools.ToolsCapturePayload, "captured", tools.ToolsCapturedPayload)
    t.pair("viewport", tools.ToolsViewportPayload, "viewport.set", tools.ToolsViewportSetPayload)
    t.pair("result", tools.ToolsResultPayload, "resulted", tools.ToolsResultedPayload)
    t.pair("pending.list", tools.ToolsPendingPayload, "pending.listed", tools.ToolsPendingListedPayload)
    t.pair("tabs", tools.ToolsTabsPayload, "tabs.listed", tools.ToolsTabsListedPayload)
    t.pair("dialog", tools.ToolsDialogPayload, "dialog.told", tools.ToolsDialogToldPayload)
    t.pair(
        "pending.grant", tools.ToolsPendingGrantPayload, "pending.granted", tools.ToolsPendingGrantedPayload
    )
    t.pair("handoff.end", tools.ToolsHandoffEndPayload, "handoff.ended", tools.ToolsHandoffEndedPayload)
    t.pair("expect", tools.ToolsExpectPayload, "expected", tools.ToolsExpectedPayload)
    t.pair("wait", tools.ToolsWaitPayload, "waited", tools.ToolsWaitedPayload)
    t.pair("trace", tools.ToolsTracePayload, "traced", tools.ToolsTracedPayload)
    t.pair("log", tools.ToolsLogPayload, "logged", tools.ToolsLoggedPayload)
    t.pair("trace.list", tools.ToolsTraceListPayload, "trace.listed", tools.ToolsTraceListedPayload)
    t.pair("storage", tools.ToolsStoragePayload, "storage.told", tools.ToolsStorageToldPayload)
    t.pair("downloads", tools.ToolsDownloadsPayload, "downloads.listed", tools.ToolsDownloadsListedPayload)
    t.pair("bundle", tools.ToolsBundlePayload, "bundle.told", tools.ToolsBundleToldPayload)
    t.pair("evaluate", tools.ToolsEvaluatePayload, "evaluated", tools.ToolsEvaluatedPayload)
    started, picked = workflow.WorkflowRecordStartedPayload, workflow.WorkflowRecordPickedPayload
    t.pair("record.start", workflow.WorkflowRecordStartPayload, "record.started", started)
    t.pair("record.pick", workflow.WorkflowRecordPickPayload, "record.picked", picked)
    stopped = workflow.WorkflowRecordedPayload
    t.pair("record.stop", workflow.WorkflowRecordStopPayload, "record.stopped", stopped)
    return t.rows


def _table() -> Iterator[MessageSpec]:
    for rows in (_core, _web, _action, _policy, _workflow, _discovery, _tools):
        yield from rows()


MESSAGES: Mapping[str, MessageSpec] = MappingProxyType({row.type: row for row in _table()})
