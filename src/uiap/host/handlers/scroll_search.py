"""Looks for what a list has not drawn yet: scrolls box after box until it shows, the end comes, or the bounds do.

The first step in a box is an action like any other, so policy decides on it; the ones that follow are the same again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from uiap.actions.ops import Guard, Scroll
from uiap.drivers.driver import PerformDispatched
from uiap.drivers.errors import DriverError
from uiap.graph.view import is_hidden
from uiap.host.handlers.actions import ActionHandler
from uiap.host.observation.page import Page, TabView
from uiap.spec.action import ActionRequestPayload, ActionTarget
from uiap.spec.capability import InstanceIdRef
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.tools import Scrolled

STEPS, SECONDS = 1000, 30.0
PART = 0.9
"""Of what the box shows: a row on its edge is seen twice, none is jumped over."""
LEAST, DRAWN_S = 60.0, 0.1
BOXES = 8


class ScrollSearch:
    """For one page."""

    def __init__(self, page: Page, actions: ActionHandler) -> None:
        self._page, self._actions = page, actions

    async def search(
        self, tab: TabView, found: Callable[[], bool], principal: PolicyPrincipal | None
    ) -> Scrolled:
        """Until `found`; tells how far it went and where it ended."""
        steps = 0
        over = asyncio.get_running_loop().time() + SECONDS
        for box in _boxes(tab):
            height = await self._step_height(box)
            if height is None or not await self._first_scroll(box, height, principal):
                continue
            steps += 1
            async with self._actions.turn(tab.id):
                while not await self._found_after_draw(tab, found):
                    if steps >= STEPS or asyncio.get_running_loop().time() >= over:
                        return Scrolled(steps=steps, box=box, ended="bounds")
                    if not await self._scroll_on(tab, box, height):
                        break
                    steps += 1
                else:
                    return Scrolled(steps=steps, box=box, ended="found")
        return Scrolled(steps=steps, ended="end")

    async def _step_height(self, box: str) -> float | None:
        with suppress(DriverError):
            facts = (await self._page.driver.probe([box])).get(box)
            if facts is not None and facts.visible and facts.bbox is not None:
                return max(LEAST, facts.bbox.height * PART)
        return None

    async def _first_scroll(self, box: str, height: float, principal: PolicyPrincipal | None) -> bool:
        asked = ActionRequestPayload(
            action_id="ui.scroll", target=ActionTarget(ref=InstanceIdRef(value=box)), args={"dy": height}
        )
        result = await self._actions.run(asked, lambda *_: None, principal=principal)
        return result.status == "succeeded"

    async def _scroll_on(self, tab: TabView, box: str, height: float) -> bool:
        op = Scroll(guard=Guard(node=box), mode="semanticUi", dy=height)
        outcome = await self._page.driver.perform(op, tab=tab.id)
        return isinstance(outcome, PerformDispatched) and outcome.detail.get("held") is not False

    async def _found_after_draw(self, tab: TabView, found: Callable[[], bool]) -> bool:
        """A list draws after it was scrolled: what it tells next is looked at, or what is there after a moment."""
        told = asyncio.Event()
        forget = self._page.listen(lambda _: told.set())
        try:
            with suppress(DriverError):
                await self._page.driver.flush(tab=tab.id)
            if found():
                return True
            with suppress(TimeoutError):
                async with asyncio.timeout(DRAWN_S):
                    await told.wait()
            with suppress(DriverError):
                await self._page.driver.flush(tab=tab.id)
            return found()
        finally:
            forget()


def _boxes(tab: TabView) -> list[str]:
    """Lists and tables before mere regions; those around others come last."""
    boxes = [e for e in tab.store if "scroll" in e.affordances and not is_hidden(e)]
    order = {"list": 0, "listbox": 0, "grid": 0, "table": 0, "tree": 0, "region": 1}
    boxes.sort(key=lambda e: order.get(e.role, 2))
    return [e.instance_id for e in boxes[:BOXES]]
