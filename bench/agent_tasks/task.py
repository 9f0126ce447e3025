"""A task of an agent: a page, the fields to fill in, the control to press, and the query that is its truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

FieldKind = Literal["fill", "select", "check", "uncheck"]
ROLES = {
    "fill": ("textbox", "searchbox", "spinbutton", "textarea"),
    "select": ("combobox", "listbox"),
    "check": ("checkbox", "radio", "switch"),
    "uncheck": ("checkbox", "switch"),
}


@dataclass(frozen=True)
class TaskField:
    """One field by the words that the page shows beside it."""

    kind: FieldKind
    name: str
    value: str = ""


@dataclass(frozen=True)
class Press:
    """The control that ends a stage; `near` is a text of its row."""

    name: str
    role: str = "button"
    near: str | None = None


@dataclass(frozen=True)
class Stage:
    """The steps on one page."""

    press: Press
    fields: Sequence[TaskField] = ()


@dataclass(frozen=True)
class AgentTask:
    app: str
    name: str
    path: str
    stages: Sequence[Stage]
    truth: str
    """A query whose first value is true once the data is there."""
    refused: bool = False
    """The application refuses this, so a tool that reports success makes a wrong claim."""


class TaskCost(NamedTuple):
    """The costs of one task with one tool."""

    calls: int
    tokens: int
    seconds: float
    questions: int

    def since(self, before: TaskCost) -> TaskCost:
        return TaskCost(
            self.calls - before.calls,
            self.tokens - before.tokens,
            self.seconds - before.seconds,
            self.questions - before.questions,
        )


@dataclass
class Cost:
    """The costs of the tasks with one tool."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    questions: int = 0
    wrong_claims: int = 0
    right: int = 0
    failures: list[str] = field(default_factory=list)
    by_task: dict[str, TaskCost] = field(default_factory=dict)


def fills(**values: str) -> tuple[TaskField, ...]:
    """Return text fields; `_` in a name is a space."""
    return tuple(TaskField("fill", name.replace("_", " "), value) for name, value in values.items())


def form(
    app: str, path: str, fields: Sequence[TaskField], press: str, truth: str, *, refused: bool = False
) -> AgentTask:
    """Return the task of filling in one form and sending it."""
    name = f"{app} {path} {', '.join(one.name for one in fields) or press}" + (
        " (refused)" if refused else ""
    )
    return AgentTask(app, name, path, (Stage(Press(press), fields),), truth, refused)
