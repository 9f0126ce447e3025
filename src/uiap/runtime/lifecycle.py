"""The eleven states and every legal move between them. What is not in this table cannot happen (ACT-4)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from uiap.spec.action import FINAL_STATES, RuntimeState

MOVES: Mapping[RuntimeState, frozenset[RuntimeState]] = MappingProxyType(
    {
        "RECEIVED": frozenset({"RESOLVING_TARGET", "FAILED", "CANCELLED"}),
        "RESOLVING_TARGET": frozenset({"CHECKING_PRECONDITIONS", "RECOVERING", "FAILED", "CANCELLED"}),
        "CHECKING_PRECONDITIONS": frozenset(
            {
                "AWAITING_CONFIRMATION",
                "WAITING_FOR_USER",
                "EXECUTING",
                "RECOVERING",
                "FAILED",
                "CANCELLED",
            }
        ),
        "AWAITING_CONFIRMATION": frozenset({"CHECKING_PRECONDITIONS", "FAILED", "CANCELLED"}),
        # a refusal before dispatch proves that nothing happened, so the target may be looked for once more (ACT-8.3)
        "EXECUTING": frozenset(
            {"RESOLVING_TARGET", "VERIFYING", "WAITING_FOR_USER", "SUCCEEDED", "FAILED", "CANCELLED"}
        ),
        "VERIFYING": frozenset({"RECOVERING", "SUCCEEDED", "FAILED", "CANCELLED"}),
        # a person answered the page's own dialog, or did the step: what the page does then is verified
        "WAITING_FOR_USER": frozenset({"VERIFYING", "FAILED", "CANCELLED"}),
        # never entered from EXECUTING (companions §12.4); it returns to where it came from
        "RECOVERING": frozenset(
            {"RESOLVING_TARGET", "CHECKING_PRECONDITIONS", "VERIFYING", "FAILED", "CANCELLED"}
        ),
        "SUCCEEDED": frozenset(),
        "FAILED": frozenset(),
        "CANCELLED": frozenset(),
    }
)

MAY_EXECUTE: frozenset[RuntimeState] = frozenset({"EXECUTING"})
"""The only state in which an input may be sent."""


def is_final(state: RuntimeState) -> bool:
    return state in FINAL_STATES


def mermaid() -> str:
    """The state diagram of the docs, made from the table."""
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
"""The words of the mobile lifecycle (MDM-4) for each state; nothing is `verified` that was only dispatched."""


def phases_table() -> str:
    """The table of the docs, made from `PHASES`."""
    lines = ["| state | phase |", "|---|---|", *(f"| {state} | {phase} |" for state, phase in PHASES.items())]
    return "\n".join(lines) + "\n"
