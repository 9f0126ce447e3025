"""RECOVERING: a bounded wait for a target that may still appear or become ready (ACT-13.1)."""

from __future__ import annotations

from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.commands import Command
from uiap.runtime.states.resolving_target import find
from uiap.runtime.transitions import move, time_out


def try_again(action: Action, event: when.PageChanged | when.Woke) -> list[Command]:
    """Return to the state that waited, and ask its question again."""
    if event.at.mono >= action.deadline:
        return time_out(action, event.at)
    assert action.resume_to is not None
    back, action.resume_to = action.resume_to, None
    question = find(action) if back == "RESOLVING_TARGET" else do.Probe(action.element.instance_id)
    return move(action, back, question)


def target_stale(action: Action, _event: when.TargetStale) -> list[Command]:
    return move(action, "RESOLVING_TARGET", find(action, refresh=True))
