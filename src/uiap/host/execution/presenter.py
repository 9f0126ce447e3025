"""The presenter: shows a person what an action is about to do (ACT-2). It never changes an outcome (ACT-3.6).

The machine does not know it. Its pace may delay the first gesture a little, within the action's own time.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from msgspec import UNSET

from uiap.drivers.driver import Driver, SupportsPresentation
from uiap.host.execution.running import RunningAction
from uiap.spec.action import PresentationHints
from uiap.timeouts import ACTION_MS

PACE_S = 0.4
SHARE = 0.05  # of the action's time
DRAWN_S = 1.0
"""The presentation is given up after this time."""


class Presenter:
    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self.may_draw = True
        """False: the application does not allow anything to be drawn on its pages."""

    async def present(self, running: RunningAction) -> None:
        """Show the presentation once, before the first gesture."""
        hints = running.terms.request.presentation
        if (
            not self.may_draw
            or running.presented
            or hints is UNSET
            or not isinstance(self._driver, SupportsPresentation)
            or not _any(hints)
        ):
            return
        running.presented = True
        target = running.target
        limit = running.terms.request.timeout_ms
        whole = (ACTION_MS if limit is UNSET else limit) / 1000
        pace = min(PACE_S, whole * SHARE) if hints.pace == "humanized" else 0.0
        with suppress(Exception):  # a failed presentation does not fail the action
            async with asyncio.timeout(min(DRAWN_S, pace + whole * SHARE)):
                node = None if target is None else target.instance_id
                await self._driver.present(hints, node, tab=running.tab.id, seconds=pace)


def _any(hints: PresentationHints) -> bool:
    framed = hints.highlight is not UNSET and hints.highlight != "none"
    return bool(hints.ghost_cursor or framed or hints.narration or hints.pace == "humanized")
