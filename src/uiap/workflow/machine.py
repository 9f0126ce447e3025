"""The workflow machine: `handle(event) -> [command]`. It follows the table in `lifecycle`."""

from __future__ import annotations

from collections import deque

from msgspec import UNSET

from uiap.instant import Instant
from uiap.spec.authoring import ElementBinding
from uiap.spec.workflow import WorkflowInstance, WorkflowProgressPayload
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow import lifecycle
from uiap.workflow.commands import Command
from uiap.workflow.run import WorkflowState, WorkflowTerms, instance_of, new_run


class WorkflowMachine:
    """One run, from its start to its one result."""

    def __init__(self, terms: WorkflowTerms) -> None:
        self._run = new_run(terms)
        self._awaited: tuple[type[when.Event], ...] = ()
        self._reported = ("", "")

    @property
    def state(self) -> WorkflowState:
        return self._run.state

    @property
    def finished(self) -> bool:
        return self._run.state in lifecycle.FINAL

    @property
    def instance(self) -> WorkflowInstance:
        """The public state of the run, with private parameters masked."""
        return instance_of(self._run)

    @property
    def repairs(self) -> dict[str, ElementBinding]:
        """The repaired bindings that a person accepted, by step."""
        return dict(self._run.repairs)

    def accepts(self, event: type[when.Event]) -> bool:
        """Return whether an event of this type means anything now."""
        awaited = event not in lifecycle.ANSWERS or event in self._awaited
        return awaited and (self._run.state, event) in lifecycle.TABLE

    def handle(self, event: when.Event) -> list[Command]:
        """Return the commands that follow from the event. An event that means nothing here returns none."""
        if not self.accepts(type(event)):
            return []
        self._count_time(event.at)
        commands: list[Command] = []
        events = deque([event])
        while events:
            for command in self._step(events.popleft()):
                if isinstance(command, do.Raise):
                    events.append(command.event)
                else:
                    commands.append(command)
        return [*self._progress(), *commands]

    def _step(self, event: when.Event) -> list[Command]:
        before, kind = self._run.state, type(event)
        row = lifecycle.TABLE.get((before, kind))
        if row is None:
            return []
        commands = row.handler(self._run, event)
        after = self._run.state
        assert after == before or after in row.leads_to, (
            f"illegal move: {before} -> {after} by {kind.__name__}"
        )
        if kind in lifecycle.ANSWERS and commands:
            self._awaited = ()
        for command in commands:
            self._awaited = lifecycle.ANSWERED_BY.get(type(command), self._awaited)
        return commands

    def _count_time(self, at: Instant) -> None:
        """Count the time in which the run worked. Waiting for a person and a restart do not count."""
        run = self._run
        if run.last_mono is not None and run.status == "running" and at.mono > run.last_mono:
            run.working_ms += (at.mono - run.last_mono) * 1000
        run.last_mono, run.updated_at = at.mono, at.wall

    def _progress(self) -> list[Command]:
        """Report a new status or step (WF-10)."""
        run = self._run
        step_id = "" if run.step is None else run.step.id
        if (run.status, step_id) == self._reported or run.state == "STARTING":
            return []
        self._reported = (run.status, step_id)
        note, run.note = run.note, ""
        payload = WorkflowProgressPayload(
            instance_id=run.terms.instance_id,
            status=run.status,
            step_id=UNSET if run.step is None else run.step.id,
            step_type=UNSET if run.step is None else run.step.type,  # type: ignore[arg-type]
            note=note or UNSET,
            action_handle=run.handle or UNSET,
        )
        return [do.Report(payload=payload)]
