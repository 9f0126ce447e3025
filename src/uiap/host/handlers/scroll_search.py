"""Finds elements that a list has not drawn yet, by scrolling containers until a match, the end, or a limit.

The first scroll of a container is an ordinary action, so policy decides on it. The following scrolls repeat it.
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

MAX_STEPS, TIMEOUT_S = 1000, 30.0
STEP_SHARE = 0.9
"""Share of the visible height per step. A row on the edge is shown twice, so none is skipped."""
MIN_STEP_PX, DRAW_S = 60.0, 0.1
MAX_CONTAINERS = 8


class ScrollSearch:
    """Searches one page by scrolling."""

    def __init__(self, page: Page, actions: ActionHandler) -> None:
        self._page, self._actions = page, actions

    async def search(
        self, tab: TabView, found: Callable[[], bool], principal: PolicyPrincipal | None
    ) -> Scrolled:
        """Scroll until `found` returns true. Return the number of steps and why the search ended."""
        steps = 0
        deadline = asyncio.get_running_loop().time() + TIMEOUT_S
        for container in _scrollable_containers(tab):
            height = await self._step_height(container)
            if height is None or not await self._first_scroll(container, height, principal):
                continue
            steps += 1
            async with self._actions.hold_lane(tab.id):
                while not await self._found_after_draw(tab, found):
                    if steps >= MAX_STEPS or asyncio.get_running_loop().time() >= deadline:
                        return Scrolled(steps=steps, box=container, ended="bounds")
                    if not await self._scroll_on(tab, container, height):
                        break
                    steps += 1
                else:
                    return Scrolled(steps=steps, box=container, ended="found")
        return Scrolled(steps=steps, ended="end")

    async def _step_height(self, container: str) -> float | None:
        with suppress(DriverError):
            facts = (await self._page.driver.probe([container])).get(container)
            if facts is not None and facts.visible and facts.bbox is not None:
                return max(MIN_STEP_PX, facts.bbox.height * STEP_SHARE)
        return None

    async def _first_scroll(self, container: str, height: float, principal: PolicyPrincipal | None) -> bool:
        request = ActionRequestPayload(
            action_id="ui.scroll",
            target=ActionTarget(ref=InstanceIdRef(value=container)),
            args={"dy": height},
        )
        result = await self._actions.run(request, lambda *_: None, principal=principal)
        return result.status == "succeeded"

    async def _scroll_on(self, tab: TabView, container: str, height: float) -> bool:
        op = Scroll(guard=Guard(node=container), mode="semanticUi", dy=height)
        outcome = await self._page.driver.perform(op, tab=tab.id)
        return isinstance(outcome, PerformDispatched) and outcome.detail.get("held") is not False

    async def _found_after_draw(self, tab: TabView, found: Callable[[], bool]) -> bool:
        """Return whether the match is there once the list has drawn: after its next event, or after `DRAW_S`."""
        changed = asyncio.Event()
        unsubscribe = self._page.listen(lambda _: changed.set())
        try:
            with suppress(DriverError):
                await self._page.driver.drawn(tab=tab.id)
                await self._page.flush(tab.id)
            if found():
                return True
            with suppress(TimeoutError):
                async with asyncio.timeout(DRAW_S):
                    await changed.wait()
            with suppress(DriverError):
                await self._page.flush(tab.id)
            return found()
        finally:
            unsubscribe()


def _scrollable_containers(tab: TabView) -> list[str]:
    """Return the scrollable elements: lists and tables first, then regions, then others."""
    containers = [e for e in tab.store if "scroll" in e.affordances and not is_hidden(e)]
    order = {"list": 0, "listbox": 0, "grid": 0, "table": 0, "tree": 0, "region": 1}
    containers.sort(key=lambda e: order.get(e.role, 2))
    return [e.instance_id for e in containers[:MAX_CONTAINERS]]
