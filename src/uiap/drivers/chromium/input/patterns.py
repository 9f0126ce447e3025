"""Open and close an element in the way of its pattern: by the control inside it, by arrow keys, or by a press.

A row or a tree item is never pressed on a link inside it: the link would be followed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from uiap.actions.ops import Click, Guard
from uiap.drivers.chromium.input import pointer
from uiap.drivers.driver import PerformDispatched, PerformOutcome
from uiap.drivers.errors import TargetGone

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

OPEN_WAIT_S = 0.4
Way = Callable[["Performer", Guard, bool], Awaitable[PerformOutcome]]


async def disclose(performer: Performer, guard: Guard, opens: bool) -> PerformOutcome:
    """Open or close an element; try a second way only if the first one changed nothing."""
    how = await performer.query("opener", guard.node)
    if how.get("open") is opens:
        return performer.gesture.dispatched()
    if how.get("by") == "control":
        return await performer.click(Click(guard=Guard(node=how["control"])))
    if how.get("by") != "keys" and not how.get("popup"):
        return await _press(performer, guard, opens)
    ways: tuple[Way, Way] = (_arrow_key, _press) if how["by"] == "keys" else (_press, _popup_key)
    first, second = ways
    outcome = await first(performer, guard, opens)
    if isinstance(outcome, PerformDispatched):
        if outcome.interrupted_by is not None or await _is_done(performer, guard, opens):
            return outcome
    elif performer.gesture.has_begun:
        return outcome
    return await second(performer, guard, opens)


async def _press(performer: Performer, guard: Guard, opens: bool) -> PerformOutcome:
    return await performer.click(Click(guard=guard))


async def _arrow_key(performer: Performer, guard: Guard, opens: bool) -> PerformOutcome:
    session = performer.document.session
    key = "ArrowRight" if opens else "ArrowLeft"
    return await performer.keyboard(guard, lambda: pointer.press(session, key))


async def _popup_key(performer: Performer, guard: Guard, opens: bool) -> PerformOutcome:
    session = performer.document.session
    keys: tuple[str, tuple[str, ...]] = ("ArrowDown", ("Alt",)) if opens else ("Escape", ())
    return await performer.keyboard(guard, lambda: pointer.press(session, *keys))


async def _is_done(performer: Performer, guard: Guard, opens: bool) -> bool:
    """Return whether the element is open or closed as wanted; a replaced element is judged by the caller."""

    async def read() -> dict[str, Any]:
        try:
            return await performer.query("opener", guard.node)
        except TargetGone:
            return {"open": opens}

    found = await performer.poll(read, lambda answer: answer.get("open") is opens, OPEN_WAIT_S)
    return found.get("open") is opens
