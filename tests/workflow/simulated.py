"""A simulated host for workflow machines: it answers each command from a table, and records everything."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import msgspec

from uiap.instant import Instant
from uiap.spec.workflow import WorkflowDefinition
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.conditions.registry import judge_groups
from uiap.workflow.machine import WorkflowMachine
from uiap.workflow.run import WorkflowTerms

AT = Instant(1.0, "2026-03-01T10:00:00.000Z")
TOAST: dict[str, Any] = {"kind": "toast.contains", "text": "saved"}
ONCE: dict[str, Any] = {"type": "action", "actionId": "video.create"}
"""An action of the application that must not happen twice: nothing declares it idempotent."""


def definition(*steps: dict[str, Any], **members: Any) -> WorkflowDefinition:
    """Return a definition of these steps; the first one is the initial step."""
    plain = {
        "id": "video.create-first",
        "version": "1.0.0",
        "title": "Create a video",
        "category": "task",
        "startMode": "manual",
        "interactionModes": ["auto", "assist", "guide"],
        "initialStepId": steps[0]["id"],
        "steps": list(steps),
        **members,
    }
    return msgspec.convert(plain, WorkflowDefinition)


def terms(workflow: WorkflowDefinition, mode: Any = "auto", **parameters: Any) -> WorkflowTerms:
    return WorkflowTerms(instance_id="wf_1", definition=workflow, mode=mode, parameters=parameters)


Answer = Callable[[Any], when.Event | None]


class SimulatedHost:
    """Answers commands. `answers` overrides the answer to a type of command, by a value or by a function."""

    def __init__(self, run: WorkflowTerms, facts: ConditionFacts | None = None, **answers: Any) -> None:
        self.machine = WorkflowMachine(run)
        self.facts = facts or ConditionFacts()
        self.answers = answers
        self.events: list[when.Event] = []
        self.commands: list[do.Command] = []
        self.pending: do.Command | None = None

    def run(self, *, limit: int = 5000) -> SimulatedHost:
        """Start the run and answer until it ends, or until a command has no answer."""
        self.send(when.Started(at=AT))
        return self.go_on(limit=limit)

    def go_on(self, *, limit: int = 5000) -> SimulatedHost:
        while self.pending is not None and (event := self.answer(self.pending)) is not None:
            self.send(event)
            limit -= 1
            assert limit, "the run does not end"
        return self

    def send(self, event: when.Event) -> SimulatedHost:
        self.events.append(event)
        commands = self.machine.handle(event)
        self.commands += commands
        answerable = [one for one in commands if not isinstance(one, do.Report | do.Finish)]
        assert len(answerable) <= 1, f"two commands are pending: {answerable}"
        if answerable:
            self.pending = answerable[0]
        if self.machine.finished:
            self.pending = None
        return self

    def answer(self, command: do.Command) -> when.Event | None:
        name = type(command).__name__
        if name in self.answers:
            given = self.answers[name]
            return given(command) if callable(given) else given
        match command:
            case do.CheckMessages():
                return when.Checked(at=AT, route="/videos")
            case do.Judge():
                facts = dataclasses.replace(
                    self.facts, parameters=command.parameters, results=command.results
                )
                holds, warnings = judge_groups(command.groups, facts)
                return when.Judged(at=AT, holds=holds, warnings=warnings)
            case do.Show(acknowledge=False):
                return when.Shown(at=AT)
            case do.RecordIntent():
                return when.IntentRecorded(at=AT)
            case do.Act():
                return when.ActionEnded(at=AT, status="succeeded", side_effect="applied", handle="act_1")
            case do.Observe():
                return when.Observed(at=AT, passed=True)
            case do.Reopen():
                return when.Reopened(at=AT)
            case do.Delay():
                return when.Woke(at=AT)
        return None

    # -- the record of the run --------------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        return self.machine.instance.status

    def of(self, kind: type[Any]) -> list[Any]:
        return [one for one in self.commands if isinstance(one, kind)]

    @property
    def acted(self) -> list[str]:
        return [one.step_id for one in self.of(do.Act)]

    @property
    def error(self) -> str:
        error = self.machine.instance.error
        return "" if error is msgspec.UNSET else error.code

    @property
    def results(self) -> dict[str, str]:
        return {id: one.status for id, one in self.machine.instance.results.items()}


def ended(status: str, effect: str = "none", **members: Any) -> when.ActionEnded:
    return when.ActionEnded(at=AT, status=status, side_effect=effect, **members)  # type: ignore[arg-type]


DONE: dict[str, Any] = {"id": "done", "type": "complete"}
