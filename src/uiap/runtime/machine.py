"""The action machine: `handle(event) -> [command]`. It follows the table in `lifecycle`."""

from __future__ import annotations

from collections import deque

from uiap.policy.evaluate import PolicySet
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime import lifecycle
from uiap.runtime.action import ActionTerms, new_action
from uiap.runtime.commands import Command
from uiap.spec.action import RuntimeState


class IllegalMove(RuntimeError):
    """A handler moved to a state that its row of the table does not lead to (ACT-4)."""


def is_legal(row: lifecycle.Row, before: RuntimeState, after: RuntimeState) -> bool:
    """Return whether the row of the state before may end in the state after."""
    return after == before or after in row.leads_to


class ActionMachine:
    """One action, from its request to its one result.

    Args:
        terms: The request and everything the decision depends on.
        policies: The compiled rules of `terms.rules`; compiled on first use if not given.
    """

    def __init__(self, terms: ActionTerms, policies: PolicySet | None = None) -> None:
        self._action = new_action(terms)
        self._awaited: tuple[type[when.Event], ...] = ()
        if policies is not None:
            self._action.permission.use(policies)

    @property
    def state(self) -> RuntimeState:
        return self._action.state

    def accepts(self, event: type[when.Event]) -> bool:
        """Return whether an event of this type means anything in the current state."""
        return (self._action.state, event) in lifecycle.TABLE

    def handle(self, event: when.Event) -> list[Command]:
        """Return the commands that follow from the event. An event that means nothing here returns none."""
        commands: list[Command] = []
        events = deque([event])
        while events:
            for command in self._step(events.popleft()):
                if isinstance(command, do.Raise):
                    events.append(command.event)
                else:
                    commands.append(command)
        return commands

    def _step(self, event: when.Event) -> list[Command]:
        before, kind = self._action.state, type(event)
        row = lifecycle.TABLE.get((before, kind))
        if row is None or (kind in lifecycle.ANSWERS and kind not in self._awaited):
            return []
        if kind in lifecycle.ANSWERS:
            self._awaited = ()
        commands = row.handler(self._action, event)
        after = self._action.state
        if not is_legal(row, before, after):
            raise IllegalMove(f"illegal move: {before} -> {after} by {kind.__name__}")
        for command in commands:
            self._awaited = lifecycle.ANSWERED_BY.get(type(command), self._awaited)
        return commands
