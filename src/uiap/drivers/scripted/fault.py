"""Faults that tests inject into a scripted driver."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from uiap.actions.ops import AnyOp
from uiap.drivers.driver import PerformOutcome
from uiap.drivers.scripted.app import App


class ScriptedFault:
    """A fault of the next op of a kind, or of any op.

    `outcome` replaces the outcome; with `reaches_app` the op is still applied. `before` changes the application
    between the guard check and the gesture. `no_effect` drops the gesture. `wait_for` delays the op until the event
    is set.
    """

    def __init__(
        self,
        kind: str | None = None,
        *,
        outcome: PerformOutcome | None = None,
        reaches_app: bool = False,
        before: Callable[[App], None] | None = None,
        no_effect: bool = False,
        wait_for: asyncio.Event | None = None,
    ) -> None:
        self.kind = kind
        self.outcome = outcome
        self.reaches_app = reaches_app
        self.before = before
        self.no_effect = no_effect
        self.wait_for = wait_for

    def matches(self, op: AnyOp) -> bool:
        return self.kind is None or self.kind == op.kind
