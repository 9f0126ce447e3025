"""The history of one run, rebuilt from its recorded events: its state, its open question and its timeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import UNSET

from uiap.host.workflows.performer import RunOrder
from uiap.spec.workflow import (
    WorkflowErrorDescriptor,
    WorkflowInstance,
    WorkflowParameter,
    WorkflowResultPayload,
)
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.events import ActionEvidence, AnyEvent
from uiap.workflow.lifecycle import ANSWERED_BY
from uiap.workflow.machine import WorkflowMachine
from uiap.workflow.repair import RepairProposal

ENDED = ("succeeded", "failed", "cancelled")


class RunQuestion(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The question that a run waits for: values of parameters, a confirmation, or a step for a person."""

    kind: Literal["input", "confirmation", "person", "repair"]
    step_id: str
    text: str = ""
    parameters: tuple[WorkflowParameter, ...] = ()
    proposal: RepairProposal | None = None


class TimelineEntry(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One report of a run: when, at which step, and what happened."""

    at: str
    step_id: str = ""
    status: str
    note: str = ""


class RunAction(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One action of a run: what it did, what proved it, and the key of its records in the audit log."""

    at: str
    step_id: str
    status: str
    handle: str = ""
    code: str = ""
    message: str = ""
    url_before: str = ""
    url: str = ""
    evidence: ActionEvidence | None = None


class RunRepair(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A target that was not found any more, the proposal for it, and the answer of a person."""

    at: str
    step_id: str
    proposal: RepairProposal
    answer: Literal["open", "accepted", "declined", "done by hand"] = "open"
    by: str = ""


class RunHistory(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Everything that is recorded about one run."""

    instance: WorkflowInstance
    url: str
    principal: str
    question: RunQuestion | None = None
    timeline: tuple[TimelineEntry, ...] = ()
    actions: tuple[RunAction, ...] = ()
    repairs: tuple[RunRepair, ...] = ()
    unread: int = 0
    """The number of messages that wait for the process that executes the run."""


class ReplayedRun:
    """A run that was rebuilt from its order and its recorded events.

    Args:
        unread: The messages that wait for its executor.
        fault: Why the engine gave the run up. Nobody executes such a run any more.
    """

    def __init__(
        self, order: RunOrder, events: Sequence[AnyEvent], *, unread: Sequence[AnyEvent] = (), fault: str = ""
    ) -> None:
        self.order, self.unread, self._fault = order, unread, fault
        self._events = events
        self.machine = WorkflowMachine(order.terms)
        self.result: WorkflowResultPayload | None = None
        """The result that ended the run."""
        self._pending: do.Command | None = None
        self._timeline: list[TimelineEntry] = []
        self._actions: list[RunAction] = []
        self._repairs: list[RunRepair] = []
        self._url = ""
        for event in events:
            self._replay(event)

    def _replay(self, event: AnyEvent) -> None:
        if isinstance(event, when.Checked):
            self._url = event.url
        elif isinstance(event, when.ActionEnded):
            self._actions.append(_action(event, self.machine.instance.current_step_id or "", self._url))
        self._note_repair(event)
        for command in self.machine.handle(event):
            if isinstance(command, do.Report):
                self._timeline.append(_entry(event.at.wall, command))
            elif isinstance(command, do.Finish):
                self.result = command.payload
            elif type(command) in ANSWERED_BY:
                self._pending = command

    def _note_repair(self, event: AnyEvent) -> None:
        step_id = self.machine.instance.current_step_id or ""
        if isinstance(event, when.RepairProposed) and event.proposal is not None:
            self._repairs.append(RunRepair(at=event.at.wall, step_id=step_id, proposal=event.proposal))
        elif self.machine.state == "AWAITING_REPAIR" and isinstance(
            event, when.RepairAccepted | when.HandedBack
        ):
            self._repairs[-1] = msgspec.structs.replace(self._repairs[-1], answer=_answer(event), by=event.by)

    @property
    def instance(self) -> WorkflowInstance:
        """The state of the run. A run that the engine gave up has failed."""
        instance = self.machine.instance
        if not self._fault or self.machine.finished:
            return instance
        error = WorkflowErrorDescriptor(code="step_failed", message=f"the run was given up: {self._fault}")
        return msgspec.structs.replace(instance, status="failed", error=error)

    @property
    def expected(self) -> WorkflowMachine:
        """The run as it will be after the messages that wait. The next message is an answer to this state."""
        if not self.unread:
            return self.machine
        machine = WorkflowMachine(self.order.terms)
        for event in (*self._events, *self.unread):
            machine.handle(event)
        return machine

    def accepts(self, event: type[when.Event]) -> bool:
        """Return whether a message of this type will mean something when it is read."""
        return not self._fault and self.expected.accepts(event)

    @property
    def history(self) -> RunHistory:
        application = self.order.application
        return RunHistory(
            instance=self.instance,
            url=application.url,
            principal=application.principal,
            question=None if self.instance.status in ENDED else _question(self._pending),
            timeline=tuple(self._timeline),
            actions=tuple(self._actions),
            repairs=tuple(self._repairs),
            unread=len(self.unread),
        )


def _answer(event: when.RepairAccepted | when.HandedBack) -> Literal["accepted", "declined", "done by hand"]:
    if isinstance(event, when.RepairAccepted):
        return "accepted"
    return "done by hand" if event.done else "declined"


def _action(event: when.ActionEnded, step_id: str, url_before: str) -> RunAction:
    return RunAction(
        at=event.at.wall,
        step_id=step_id,
        status=event.status,
        handle=event.handle,
        code=event.code,
        message=event.message,
        url_before=url_before,
        url=event.url,
        evidence=event.evidence,
    )


def _entry(at: str, report: do.Report) -> TimelineEntry:
    payload = report.payload
    return TimelineEntry(
        at=at,
        step_id="" if payload.step_id is UNSET else payload.step_id,
        status=payload.status,
        note="" if payload.note is UNSET else payload.note,
    )


def _question(pending: do.Command | None) -> RunQuestion | None:
    match pending:
        case do.AskInput(step_id=id, parameters=asked, problems=problems):
            return RunQuestion(kind="input", step_id=id, parameters=asked, text="; ".join(problems))
        case do.AskConfirmation(step_id=id, summary=summary):
            return RunQuestion(kind="confirmation", step_id=id, text=summary)
        case do.HandOff(step_id=id, instructions=text) | do.Guide(step_id=id, text=text):
            return RunQuestion(kind="person", step_id=id, text=text)
        case do.AskRepair(step_id=id, text=text, proposal=proposal):
            return RunQuestion(kind="repair", step_id=id, text=text, proposal=proposal)
        case do.Show(step_id=id, text=text, acknowledge=True):
            return RunQuestion(kind="person", step_id=id, text=text)
    return None
