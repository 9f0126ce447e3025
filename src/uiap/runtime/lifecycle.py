"""The lifecycle of one action: eleven states, and one table of what happens in each.

Theory of operation
===================

An action is a request to do one thing to one element. `machine.ActionMachine` takes events and returns commands; it
never waits, reads a clock or touches a page. The host carries the commands out and feeds the answers back as events.
So the same machine serves every driver, and a journal of its events replays it exactly.

The usual path of an action:

1.  RECEIVED. `Started` arrives once the acceptance is durable. Arguments are checked; a deadline is set.
2.  RESOLVING_TARGET. `Find` asks for candidates. One winner is taken; several, or none, end the action.
3.  CHECKING_PRECONDITIONS. `Probe` asks whether the element is there, visible, enabled, still and uncovered. Then
    policy decides (`RecordDecision`), and the first permitted execution mode is chosen.
4.  AWAITING_CONFIRMATION, only if policy wants it. `AskPerson` shows what will happen. A grant is valid for exactly
    that; after it, the target is probed again.
5.  EXECUTING. `TakeLane` makes this the only action on its tab. `OpenWatch` takes the baseline. `RecordIntent` makes
    the intent durable if the action must not happen twice. `Perform` dispatches one gesture after the other.
6.  VERIFYING. `Observe` reads the page until the expected effect is proved and has settled, is contradicted, or the
    verification timeout is over.
7.  SUCCEEDED, FAILED or CANCELLED: one `action.result`, one `Finish`, and nothing after them.

Two states lead aside. RECOVERING is a bounded wait before dispatch: the target may still appear, become ready, or be
resolved once more. WAITING_FOR_USER is a wait for a person: a step that policy hands off, or a JavaScript dialog.

Rules that hold in every state:

- The table is complete. An event without a row for the current state changes nothing.
- An answer counts only if it answers the command that was issued last (`ANSWERED_BY`), so late answers are ignored.
- A handler makes at most one move, to one of the states its row names. A step through two states raises an internal
  event for the second (`Raise`), so that every move has a row of its own.
- No command dispatches a gesture twice. The only ways back from EXECUTING follow a refusal, which proves that nothing
  reached the page. RECOVERING is never entered from EXECUTING.
- Time comes with the events. `WakeAt` asks for `Woke`; the deadline does not run while a person is waited for.
- SUCCEEDED follows only from an observed effect, from an end state that held before, or from a read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, get_args

from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.states import (
    awaiting_confirmation,
    checking_preconditions,
    every,
    executing,
    received,
    recovering,
    resolving_target,
    verifying,
    waiting_for_user,
)
from uiap.spec.action import FINAL_STATES, RuntimeState

Handler: TypeAlias = Callable[[Action, Any], list[do.Command]]


class Row(NamedTuple):
    """One line of the table: the function that handles the event, and the states it may move to."""

    handler: Handler
    leads_to: frozenset[RuntimeState]


def _row(handler: Handler, *leads_to: RuntimeState) -> Row:
    return Row(handler, frozenset(leads_to))


OPEN_STATES: tuple[RuntimeState, ...] = tuple(s for s in get_args(RuntimeState) if s not in FINAL_STATES)

TABLE: Mapping[tuple[RuntimeState, type[when.Event]], Row] = MappingProxyType(
    {
        ("RECEIVED", when.Started): _row(received.started, "RESOLVING_TARGET", "FAILED"),
        ("RESOLVING_TARGET", when.TargetNotNeeded): _row(
            resolving_target.target_not_needed, "CHECKING_PRECONDITIONS"
        ),
        ("RESOLVING_TARGET", when.Found): _row(
            resolving_target.found, "CHECKING_PRECONDITIONS", "RECOVERING", "FAILED"
        ),
        ("RESOLVING_TARGET", when.Woke): _row(every.deadline_passed, "FAILED"),
        ("RECOVERING", when.PageChanged): _row(
            recovering.try_again, "RESOLVING_TARGET", "CHECKING_PRECONDITIONS", "FAILED"
        ),
        ("RECOVERING", when.Woke): _row(
            recovering.try_again, "RESOLVING_TARGET", "CHECKING_PRECONDITIONS", "FAILED"
        ),
        ("RECOVERING", when.TargetStale): _row(recovering.target_stale, "RESOLVING_TARGET"),
        ("CHECKING_PRECONDITIONS", when.Probed): _row(checking_preconditions.probed, "RECOVERING", "FAILED"),
        ("CHECKING_PRECONDITIONS", when.ChecksPassed): _row(
            checking_preconditions.checks_passed,
            "AWAITING_CONFIRMATION",
            "WAITING_FOR_USER",
            "EXECUTING",
            "FAILED",
        ),
        ("CHECKING_PRECONDITIONS", when.Woke): _row(every.deadline_passed, "FAILED"),
        ("AWAITING_CONFIRMATION", when.Granted): _row(
            awaiting_confirmation.granted, "CHECKING_PRECONDITIONS"
        ),
        ("AWAITING_CONFIRMATION", when.Denied): _row(awaiting_confirmation.denied, "CANCELLED"),
        ("AWAITING_CONFIRMATION", when.Woke): _row(awaiting_confirmation.woke, "CANCELLED"),
        ("EXECUTING", when.LaneTaken): _row(executing.lane_taken),
        ("EXECUTING", when.LaneHeld): _row(every.lane_held, "FAILED"),
        ("EXECUTING", when.ElementRead): _row(executing.element_read, "SUCCEEDED", "FAILED"),
        ("EXECUTING", when.WatchOpened): _row(executing.watch_opened, "SUCCEEDED"),
        ("EXECUTING", when.IntentRecorded): _row(executing.intent_recorded),
        ("EXECUTING", when.IntentNotRecorded): _row(executing.intent_not_recorded, "FAILED"),
        ("EXECUTING", when.Refused): _row(executing.refused, "RESOLVING_TARGET", "FAILED"),
        ("EXECUTING", when.Dispatched): _row(
            executing.dispatched, "VERIFYING", "WAITING_FOR_USER", "SUCCEEDED", "FAILED"
        ),
        ("EXECUTING", when.OutcomeLost): _row(executing.outcome_lost, "FAILED"),
        ("EXECUTING", when.Woke): _row(every.deadline_passed, "FAILED"),
        ("WAITING_FOR_USER", when.LaneTaken): _row(waiting_for_user.lane_taken),
        ("WAITING_FOR_USER", when.LaneHeld): _row(every.lane_held, "FAILED"),
        ("WAITING_FOR_USER", when.WatchOpened): _row(waiting_for_user.watch_opened),
        ("WAITING_FOR_USER", when.Observed): _row(waiting_for_user.observed, "VERIFYING", "FAILED"),
        ("WAITING_FOR_USER", when.HandedBack): _row(waiting_for_user.handed_back, "VERIFYING", "CANCELLED"),
        ("WAITING_FOR_USER", when.DialogAnswered): _row(waiting_for_user.dialog_answered, "VERIFYING"),
        ("WAITING_FOR_USER", when.Woke): _row(waiting_for_user.woke, "FAILED"),
        ("VERIFYING", when.Observed): _row(verifying.observed, "SUCCEEDED", "FAILED"),
        ("VERIFYING", when.Probed): _row(verifying.probed, "SUCCEEDED", "FAILED"),
        ("VERIFYING", when.Woke): _row(verifying.woke, "SUCCEEDED", "FAILED"),
        **{(state, when.Cancelled): _row(every.cancelled, "CANCELLED") for state in OPEN_STATES},
        **{(state, when.PageLost): _row(every.page_lost, "FAILED") for state in OPEN_STATES},
        # the gesture may have closed the page itself
        ("VERIFYING", when.PageLost): _row(every.page_lost, "SUCCEEDED", "FAILED"),
    }
)

ANSWERED_BY: Mapping[type[do.Command], tuple[type[when.Event], ...]] = MappingProxyType(
    {
        do.Find: (when.Found,),
        do.Probe: (when.Probed,),
        do.ScrollTo: (when.Probed,),
        do.TakeLane: (when.LaneTaken, when.LaneHeld),
        do.OpenWatch: (when.WatchOpened,),
        do.RecordIntent: (when.IntentRecorded, when.IntentNotRecorded),
        do.ReadElement: (when.ElementRead,),
        do.Perform: (when.Refused, when.Dispatched, when.OutcomeLost),
        do.Navigate: (when.Refused, when.Dispatched, when.OutcomeLost),
    }
)
"""The events that answer a command. Only the answer to the last such command counts."""
ANSWERS: frozenset[type[when.Event]] = frozenset(event for events in ANSWERED_BY.values() for event in events)


def _moves(rows: Iterable[tuple[RuntimeState, Row]]) -> Mapping[RuntimeState, frozenset[RuntimeState]]:
    moves: dict[RuntimeState, frozenset[RuntimeState]] = {
        state: frozenset() for state in get_args(RuntimeState)
    }
    for state, row in rows:
        moves[state] |= row.leads_to
    return MappingProxyType(moves)


MOVES = _moves((state, row) for (state, _), row in TABLE.items())
"""Every legal move, derived from the table. A move that is not here cannot happen (ACT-4)."""


def is_final(state: RuntimeState) -> bool:
    return state in FINAL_STATES


def mermaid() -> str:
    """Return the state diagram of the docs, drawn from the table."""
    lines = ["stateDiagram-v2", "    [*] --> RECEIVED"]
    for state, targets in MOVES.items():
        lines += [f"    {state} --> {target}" for target in sorted(targets)]
    return "\n".join([*lines, *(f"    {state} --> [*]" for state in sorted(FINAL_STATES))]) + "\n"


PHASES: Mapping[RuntimeState, str] = MappingProxyType(
    {
        "RECEIVED": "requested",
        "RESOLVING_TARGET": "requested",
        "CHECKING_PRECONDITIONS": "resolved",
        "AWAITING_CONFIRMATION": "resolved",
        "EXECUTING": "dispatched",
        "WAITING_FOR_USER": "dispatched",
        "VERIFYING": "pending verification",
        "RECOVERING": "requested",
        "SUCCEEDED": "verified",
        "FAILED": "failed",
        "CANCELLED": "failed",
    }
)
"""The lifecycle phase of MDM-4 for each state. A state that is only dispatched is never `verified`.

`record.PHASES` says when a trace enters each phase.
"""


def phases_table() -> str:
    """Return the table of phases for the docs."""
    lines = ["| state | phase |", "|---|---|", *(f"| {state} | {phase} |" for state, phase in PHASES.items())]
    return "\n".join(lines) + "\n"
