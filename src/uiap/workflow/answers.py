"""The event by which a waiting run goes on, for a caller who only says "go on"."""

from __future__ import annotations

from typing import Any

from uiap.instant import Instant
from uiap.workflow import events as when
from uiap.workflow.machine import WorkflowMachine


def go_on(machine: WorkflowMachine, at: Instant, by: str, values: dict[str, Any]) -> when.AnyEvent:
    """Return the answer to what the run waits for: values, a confirmation, a step of a person, or a pause."""
    answers: tuple[when.AnyEvent, ...] = (
        when.InputProvided(at=at, values=values),
        when.Granted(at=at, by=by),
        when.Acknowledged(at=at, by=by),
        when.HandedBack(at=at, done=True, by=by),
        when.Resumed(at=at, parameters=values),
    )
    return next((one for one in answers if machine.accepts(type(one))), answers[-1])
