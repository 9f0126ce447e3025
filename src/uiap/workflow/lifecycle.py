"""The lifecycle of a workflow run: its states, and one table of what happens in each.

Theory of operation
===================

A run follows a reviewed definition step by step. `machine.WorkflowMachine` takes events and returns commands; it never
waits, reads a clock or touches a page. The host carries the commands out and feeds the answers back as events. So a
journal of its events replays a run exactly, after any restart.

The usual path:

1.  STARTING. `Started` arrives once the start is durable. Mode, parameters and entry conditions are checked.
2.  CHOOSING. The run is in front of a step. `CheckMessages` delivers a pause or a cancellation. Then the step's `modes`
    and `when` decide whether it is skipped. Otherwise it begins.
3.  One state for each kind of step. SHOWING and AWAITING_ACKNOWLEDGEMENT: an instruction. COLLECTING: values of
    parameters. ENSURING: signals. BRANCHING: the first branch that fits. HANDED_OFF: a person. COMPLETING: the end.
4.  An action step depends on the mode. In guide mode the person acts (GUIDING, then CHECKING_GUIDED). In assist mode a
    person confirms first (CONFIRMING). An action that must not happen twice records its intent (RECORDING_INTENT).
    ACTING waits for the result of the Action Runtime.
5.  Back to CHOOSING with the next step, until SUCCEEDED, FAILED or CANCELLED: one `Finish`, and nothing after it.

A target that is not found any more is searched for (SEARCHING_TARGET), if the run may ask a person. The person accepts
or declines the proposal (AWAITING_REPAIR); only then is anything done.

A failed step follows its failure policy: retry (DELAYING), jump, hand off, abort. PAUSED waits for `Resumed`, and then
goes to the front of its step again. RECHECKING follows if the page moved meanwhile.

A run that continues in another process has a new page (`PageLost`). REOPENING opens the address at which the repeatable
steps since the last action began, and these steps are done again. So no action runs on a form that lost its values.

An action that may have happened is never dispatched again. It is `unresolved` from the moment its intent is durable
until its result is known. If the result is lost, REVERIFYING looks for its signals on the page, except those that held
before the dispatch. If the page does not prove it, a person answers (HANDED_OFF). This holds after a restart, a
cancellation, a retry and a jump back, because it belongs to the step and not to the attempt.

Rules that hold in every state:

- The table is complete. An event without a row for the current state changes nothing.
- An answer counts only if it answers the command that was issued last (`ANSWERED_BY`).
- A handler makes one move, to one of the states its row names. The way to the next step raises `StepReached`.
- Every run ends: a bound on the number of steps ends cycles, and a person can cancel in every open state.
- Every change of status or step is reported (`Report`), and no state has two statuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, get_args

from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.run import WorkflowRun, WorkflowState
from uiap.workflow.states import (
    acting,
    branching,
    choosing,
    collecting,
    completing,
    control,
    ensuring,
    handing_off,
    instructing,
    reopening,
    repairing,
    starting,
)

StepHandler: TypeAlias = Callable[[WorkflowRun, Any], list[do.Command]]

FINAL: frozenset[WorkflowState] = frozenset({"SUCCEEDED", "FAILED", "CANCELLED"})
OPEN: tuple[WorkflowState, ...] = tuple(state for state in get_args(WorkflowState) if state not in FINAL)

_BEGUN: frozenset[WorkflowState] = frozenset(
    {
        "CHOOSING",  # the step is skipped
        "SHOWING",
        "AWAITING_ACKNOWLEDGEMENT",
        "COLLECTING",
        "CONFIRMING",
        "RECORDING_INTENT",
        "ACTING",
        "REVERIFYING",
        "GUIDING",
        "ENSURING",
        "BRANCHING",
        "HANDED_OFF",
        "COMPLETING",
        "DELAYING",
        *FINAL,
    }
)
"""The states that a step may begin in. It may also fail at once, by its policy."""
_FAILED: frozenset[WorkflowState] = frozenset({"DELAYING", "CHOOSING", "HANDED_OFF", "FAILED"})
"""The states that a failure policy leads to."""
_NEXT: frozenset[WorkflowState] = frozenset({"CHOOSING", "FAILED"})


class StepRow(NamedTuple):
    """One line of the table: the function that handles the event, and the states it may move to."""

    handler: StepHandler
    leads_to: frozenset[WorkflowState]


def _row(handler: StepHandler, leads_to: frozenset[WorkflowState], *more: WorkflowState) -> StepRow:
    return StepRow(handler, leads_to | frozenset(more))


_WAITING: tuple[WorkflowState, ...] = (
    "CHOOSING",
    "AWAITING_ACKNOWLEDGEMENT",
    "COLLECTING",
    "CONFIRMING",
    "GUIDING",
    "HANDED_OFF",
    "AWAITING_REPAIR",
    "DELAYING",
)
"""States in which nothing is under way; a pause takes effect at once."""

_WITHOUT_PAGE: tuple[WorkflowState, ...] = (*_WAITING, "STARTING", "PAUSED", "REOPENING")
"""States that need no page at once. The step that follows brings a new page back to its state."""

TABLE: Mapping[tuple[WorkflowState, type[when.Event]], StepRow] = MappingProxyType(
    {
        ("STARTING", when.Started): _row(starting.started, _NEXT),
        ("STARTING", when.Judged): _row(starting.judged, _NEXT),
        ("CHOOSING", when.StepReached): _row(choosing.step_reached, frozenset({"PAUSED", "FAILED"})),
        ("CHOOSING", when.Checked): _row(choosing.checked, _BEGUN, "RECHECKING", "REOPENING"),
        ("CHOOSING", when.Judged): _row(choosing.judged, _BEGUN),
        ("RECHECKING", when.Observed): _row(choosing.rechecked, _BEGUN),
        ("REOPENING", when.Reopened): _row(reopening.reopened, _FAILED, "REVERIFYING"),
        ("SHOWING", when.Shown): _row(instructing.done, _NEXT),
        ("AWAITING_ACKNOWLEDGEMENT", when.Acknowledged): _row(instructing.done, _NEXT),
        ("AWAITING_ACKNOWLEDGEMENT", when.Woke): _row(instructing.woke, _FAILED),
        ("COLLECTING", when.InputProvided): _row(collecting.provided, _NEXT),
        ("COLLECTING", when.Woke): _row(collecting.woke, _FAILED),
        ("CONFIRMING", when.Granted): _row(acting.granted, _FAILED, "RECORDING_INTENT", "ACTING"),
        ("CONFIRMING", when.Denied): _row(acting.denied, frozenset({"PAUSED"})),
        ("CONFIRMING", when.Woke): _row(acting.woke, _FAILED),
        ("RECORDING_INTENT", when.IntentRecorded): _row(acting.intent_recorded, frozenset({"ACTING"})),
        ("RECORDING_INTENT", when.IntentNotRecorded): _row(acting.intent_not_recorded, _FAILED),
        ("RECORDING_INTENT", when.OutcomeUnknown): _row(acting.outcome_unknown, _FAILED, "REVERIFYING"),
        ("ACTING", when.ActionEnded): _row(
            acting.action_ended, _FAILED, "PAUSED", "REVERIFYING", "SEARCHING_TARGET"
        ),
        ("ACTING", when.ConfirmationNeeded): _row(acting.confirmation_needed, frozenset({"CONFIRMING"})),
        ("ACTING", when.OutcomeUnknown): _row(acting.outcome_unknown, _FAILED, "REVERIFYING"),
        ("REVERIFYING", when.Observed): _row(acting.reverified, _FAILED),
        ("GUIDING", when.Observed): _row(acting.guided, _NEXT),
        ("GUIDING", when.HandedBack): _row(acting.person_done, _FAILED, "CHECKING_GUIDED"),
        ("GUIDING", when.Woke): _row(acting.woke, _FAILED),
        ("CHECKING_GUIDED", when.Observed): _row(acting.guide_checked, _FAILED),
        ("ENSURING", when.Observed): _row(ensuring.observed, _FAILED),
        ("BRANCHING", when.Judged): _row(branching.judged, _FAILED),
        ("HANDED_OFF", when.Observed): _row(handing_off.observed, _NEXT),
        ("HANDED_OFF", when.HandedBack): _row(handing_off.handed_back, _FAILED),
        ("HANDED_OFF", when.Woke): _row(handing_off.woke, _FAILED),
        ("SEARCHING_TARGET", when.RepairProposed): _row(repairing.proposed, _FAILED, "AWAITING_REPAIR"),
        ("AWAITING_REPAIR", when.RepairAccepted): _row(repairing.accepted, _NEXT),
        ("AWAITING_REPAIR", when.HandedBack): _row(repairing.declined, _FAILED),
        ("AWAITING_REPAIR", when.Woke): _row(repairing.woke, _FAILED),
        ("COMPLETING", when.Observed): _row(completing.observed, _FAILED, "SUCCEEDED"),
        ("DELAYING", when.Woke): _row(control.delay_over, _NEXT),
        ("PAUSED", when.Resumed): _row(control.resumed, _NEXT),
        **{
            (state, when.Paused): _row(control.pause_later, frozenset())
            for state in OPEN
            if state not in (*_WAITING, "PAUSED")
        },
        **{(state, when.Paused): _row(control.paused, frozenset({"PAUSED"})) for state in _WAITING},
        **{(state, when.PageLost): _row(reopening.page_lost, frozenset()) for state in _WITHOUT_PAGE},
        **{
            (state, when.PageLost): _row(
                reopening.page_lost_during_step, frozenset({"CHOOSING", "REOPENING"})
            )
            for state in OPEN
            if state not in _WITHOUT_PAGE
        },
        **{(state, when.Cancelled): _row(control.cancelled, frozenset({"CANCELLED"})) for state in OPEN},
    }
)

ANSWERED_BY: Mapping[type[do.Command], tuple[type[when.Event], ...]] = MappingProxyType(
    {
        do.CheckMessages: (when.Checked,),
        do.AwaitMessages: (),
        do.Judge: (when.Judged,),
        do.Show: (when.Shown, when.Acknowledged, when.Woke),
        do.AskInput: (when.InputProvided, when.Woke),
        do.AskConfirmation: (when.Granted, when.Denied, when.Woke),
        do.RecordIntent: (when.IntentRecorded, when.IntentNotRecorded, when.OutcomeUnknown),
        do.Act: (when.ActionEnded, when.ConfirmationNeeded, when.OutcomeUnknown),
        do.ProposeRepair: (when.RepairProposed,),
        do.AskRepair: (when.RepairAccepted, when.HandedBack, when.Woke),
        do.Guide: (when.Observed, when.HandedBack, when.Woke),
        do.HandOff: (when.Observed, when.HandedBack, when.Woke),
        do.Observe: (when.Observed,),
        do.Reopen: (when.Reopened,),
        do.Delay: (when.Woke,),
    }
)
"""The events that answer a command. Only the answer to the last such command counts."""
ANSWERS: frozenset[type[when.Event]] = frozenset(event for events in ANSWERED_BY.values() for event in events)


def mermaid() -> str:
    """Return the state diagram of the docs, drawn from the table."""
    lines = ["stateDiagram-v2", "    [*] --> STARTING"]
    moves = {(state, target) for (state, _), row in TABLE.items() for target in row.leads_to}
    lines += [f"    {state} --> {target}" for state, target in sorted(moves)]
    return "\n".join([*lines, *(f"    {state} --> [*]" for state in sorted(FINAL))]) + "\n"
