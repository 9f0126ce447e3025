"""Faults that a test injects into a scripted driver."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from uiap.actions.ops import AnyOp
from uiap.drivers.driver import Outcome
from uiap.drivers.scripted.app import App


class Fault:
    """Something that goes wrong with the next op of a kind.

    `outcome` replaces the answer (the op still reaches the application if `reaches`); `before` changes the
    application between the check and the event; `dead` swallows the gesture without any effect; `held` keeps
    the answer back until the event is set.
    """

    def __init__(
        self,
        kind: str | None = None,
        *,
        outcome: Outcome | None = None,
        reaches: bool = False,
        before: Callable[[App], None] | None = None,
        dead: bool = False,
        held: asyncio.Event | None = None,
    ) -> None:
        self.kind = kind
        self.outcome = outcome
        self.reaches = reaches
        self.before = before
        self.dead = dead
        self.held = held

    def matches(self, op: AnyOp) -> bool:
        return self.kind is None or self.kind == op.kind
