"""The lifecycle of a discovery run: the handler of each event in each status, and the moves it may make (DISC-10).

Theory of operation
===================

A run explores a web application and ends with a package of everything it found. It is a machine without input or
output: `machine.Run.handle` takes an event and returns commands. The host carries the commands out, one at a time, and
sends the answer as the next event. A journal of the events replays the run exactly, because no handler reads a clock,
a file or a random number.

Events and commands. `Prepare` opens a fresh browser context and signs a principal in; `Prepared` answers it. `Load`
opens an address, answered by `Arrived`. `Act` performs an action, answered by `Acted`. `Capture` takes evidence of a
new state, answered by `Captured`. `Report` and `Finish` have no answer. `Started`, `Paused`, `Resumed`, `Cancelled`,
`Failed` and `Interrupted` come from outside.

Statuses. `planning` waits for the start. For each principal the run passes three statuses. In `preparing` it waits for
a browser and a session, in `seeding` it visits the given addresses, in `exploring` it tries actions. After the last
principal it may do so once more without signing in, for addresses that redirected. `extracting`, `synthesizing` and
`reviewing` need no answer from the host: the machine passes them within one event. `completed`, `failed` and
`cancelled` are final.

Tasks. The run works on one task at a time: visit a seed, try an action, or repeat a capture. An action belongs to a
state, so the run first follows a path there. A path is known steps, a visible link, or an address with steps after it.
If a path leads elsewhere, the next one is tried. If none is left, the state's open actions are dropped and the gap is
recorded.

The frontier. Every new state is judged once: each action that the safety rules allow becomes a candidate. The run takes
the best candidate of the current state, else the best of all. Performing a candidate covers every other candidate with
the same key, so an action is not repeated on every page that offers it. Each action is judged again on the page as it
is at that moment, and becomes a transition with the decision that allowed it.

The end. A principal is done when no seed and no candidate is left. The run ends when all principals are done or when a
budget (states, transitions, time) is spent. Cancelling or failing ends it at once. Each end produces a package.

Invariants
----------
- At most one command that has an answer is pending.
- No action is commanded without a decision that allows it.
- A new state is captured before anything is done in it.
- While the run is paused, it starts no task and no time is counted.
- A write that was interrupted is not repeated.
- A final status is never left, and exactly one `Finish` is returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from uiap.discovery import commands, events
from uiap.discovery.run_state import RunState
from uiap.discovery.states import acting, arriving, capturing, control, finishing, preparing
from uiap.spec.discovery import DiscoveryRunStatus

Handler = Callable[[RunState, Any], list[commands.Command]]
PhaseHandler = Callable[[RunState], list[commands.Command]]
Statuses = frozenset[DiscoveryRunStatus]

TERMINAL: Statuses = frozenset({"completed", "failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class EventRow:
    """The handler of an event in a status, and the statuses that may directly follow."""

    handle: Handler
    leads_to: Statuses = frozenset()


@dataclass(frozen=True, slots=True)
class PhaseRow:
    """The handler of a status that needs no event, and the status that follows."""

    handle: PhaseHandler
    leads_to: Statuses


def _row(handle: Handler, *leads_to: DiscoveryRunStatus) -> EventRow:
    return EventRow(handle, frozenset(leads_to))


_CANCELLED = _row(control.on_cancelled, "cancelled")
_FAILED = _row(control.on_failed, "failed")

EVENTS: Mapping[tuple[DiscoveryRunStatus, type[events.Event]], EventRow] = MappingProxyType(
    {
        ("planning", events.Started): _row(preparing.on_started, "preparing"),
        ("planning", events.Interrupted): _row(preparing.on_started, "preparing"),
        ("planning", events.Paused): _row(control.on_paused),
        ("planning", events.Resumed): _row(control.on_resumed),
        ("planning", events.Cancelled): _CANCELLED,
        ("planning", events.Failed): _FAILED,
        ("preparing", events.Prepared): _row(preparing.on_prepared, "seeding", "failed"),
        ("preparing", events.Interrupted): _row(control.on_interrupted),
        ("preparing", events.Paused): _row(control.on_paused),
        ("preparing", events.Resumed): _row(control.on_resumed),
        ("preparing", events.Cancelled): _CANCELLED,
        ("preparing", events.Failed): _FAILED,
        ("seeding", events.Prepared): _row(preparing.on_prepared_again, "exploring", "failed"),
        ("seeding", events.Arrived): _row(arriving.on_arrived, "exploring"),
        ("seeding", events.Acted): _row(acting.on_acted, "exploring"),
        ("seeding", events.Captured): _row(capturing.on_captured, "exploring"),
        ("seeding", events.Interrupted): _row(control.on_interrupted),
        ("seeding", events.Paused): _row(control.on_paused),
        ("seeding", events.Resumed): _row(control.on_resumed, "exploring"),
        ("seeding", events.Cancelled): _CANCELLED,
        ("seeding", events.Failed): _FAILED,
        ("exploring", events.Prepared): _row(
            preparing.on_prepared_again, "preparing", "extracting", "failed"
        ),
        ("exploring", events.Arrived): _row(arriving.on_arrived, "preparing", "extracting"),
        ("exploring", events.Acted): _row(acting.on_acted, "preparing", "extracting"),
        ("exploring", events.Captured): _row(capturing.on_captured, "preparing", "extracting"),
        ("exploring", events.Interrupted): _row(control.on_interrupted),
        ("exploring", events.Paused): _row(control.on_paused),
        ("exploring", events.Resumed): _row(control.on_resumed, "preparing", "extracting"),
        ("exploring", events.Cancelled): _CANCELLED,
        ("exploring", events.Failed): _FAILED,
    }
)
"""An event without a row does not matter in that status."""

PHASES: Mapping[DiscoveryRunStatus, PhaseRow] = MappingProxyType(
    {
        "extracting": PhaseRow(finishing.on_extracting, frozenset({"synthesizing"})),
        "synthesizing": PhaseRow(finishing.on_synthesizing, frozenset({"reviewing"})),
        "reviewing": PhaseRow(finishing.on_reviewing, frozenset({"completed"})),
    }
)
"""Statuses that are left as soon as they are entered."""


def _legal_moves() -> Mapping[DiscoveryRunStatus, Statuses]:
    moves: dict[DiscoveryRunStatus, Statuses] = {status: row.leads_to for status, row in PHASES.items()}
    for (status, _), row in EVENTS.items():
        moves[status] = moves.get(status, frozenset()) | row.leads_to
    return MappingProxyType(moves)


MOVES = _legal_moves()
"""The statuses that may directly follow each status."""
