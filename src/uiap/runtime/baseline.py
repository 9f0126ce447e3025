"""The baseline of an action: the watch that is opened before the input, and the signals that are true already."""

from __future__ import annotations

from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import Action
from uiap.runtime.commands import Command
from uiap.runtime.expectation import watched_signals


def open_watch(action: Action) -> Command:
    expectation = action.expectation
    return do.OpenWatch(
        watched_signals(expectation),
        action.target.instance_id if action.target else None,
        expectation.arrival,
        expectation.value_proof is not None or expectation.equivalent is not None,
    )


def note_baseline(action: Action, event: when.WatchOpened) -> None:
    if event.revision:
        action.result.metadata["baseRevision"] = event.revision
    pairs = zip(watched_signals(action.expectation), event.verdicts, strict=True)
    already = [signal.kind for signal, verdict in pairs if verdict.already]
    if already:
        action.result.metadata["alreadyTrue"] = already
