"""Press an item of a list or menu, and read its state back if the list closed and took the item along.

A closed list may keep its node with the new state. A combobox shows the chosen value. Otherwise the list is shown once
more by the controls that showed it before, as a person would look, and is closed again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uiap.actions.ops import Click, Guard
from uiap.drivers.chromium.input import pointer
from uiap.drivers.driver import PerformDispatched, PerformOutcome
from uiap.drivers.errors import TargetGone

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

STATE_WAIT_S = 0.5
SHOW_WAIT_S = 1.0


async def pick(performer: Performer, guard: Guard, picks: bool) -> PerformOutcome:
    """Press the item so that it is checked or selected (`picks`), or cleared."""
    path = await performer.query("pathTo", guard.node)
    outcome = await performer.click(Click(guard=guard))
    if performer.gesture.target_removed:  # the list closes already on pointer down
        outcome = performer.gesture.dispatched()
    if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
        return outcome
    openers = path.get("openers") or []
    if not openers or (state := await _state_after(performer, guard, openers[-1], picks)) is None:
        return outcome
    if state is picks:
        return performer.read_back_outcome(True, weak=True, how="read back")
    if picks and await _shows_choice(performer, openers[-1], path["name"]):
        return performer.read_back_outcome(True, weak=True, how="shown")
    if await _state_shown_again(performer, openers, path["name"]) is picks:
        return performer.read_back_outcome(True, weak=True, how="shown again")
    return outcome


async def _state_after(performer: Performer, guard: Guard, opener: str, picks: bool) -> Any:
    """Return the state that a hidden item still has, `unknown`, or None if the item is shown."""

    async def read() -> dict[str, Any]:
        try:
            return await performer.query("itemState", opener, option=guard.node)
        except TargetGone:
            return {"shown": False}

    found = await performer.poll(
        read, lambda answer: not answer["shown"] or answer.get("picked") is picks, STATE_WAIT_S
    )
    return None if found["shown"] else found.get("picked", "unknown")


async def _shows_choice(performer: Performer, opener: str, name: str) -> bool:
    try:
        answer = await performer.query("shows", opener, text=name)
    except TargetGone:
        return False
    return answer.get("shown") is True


async def _state_shown_again(performer: Performer, openers: list[str], name: str) -> bool | None:
    """Show the list once more, read the state of the item, and close the list."""
    try:
        await performer.query("mark", openers[0])
        for opener in openers:
            if not await _open(performer, opener):
                return None
        found = await performer.poll(
            lambda: performer.query("find", openers[-1], values=[name], by="label"),
            lambda answer: answer.get("found") == "one",
            SHOW_WAIT_S,
        )
        await _close(performer, openers)
    except TargetGone:
        return None
    return found.get("picked") if found.get("found") == "one" else None


async def _open(performer: Performer, opener: str) -> bool:
    now = await performer.query("opener", opener)
    if now.get("open") is not True:
        outcome = await performer.click(Click(guard=Guard(node=now["id"])))
        if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
            return False
    return await _wait(performer, opener, True)


async def _close(performer: Performer, openers: list[str]) -> None:
    """Close with Escape, and with the outermost control if that changes nothing."""
    session = performer.document.session
    for opener in reversed(openers):
        if (await performer.query("opener", opener)).get("open") is True:
            await performer.gesture.unguarded(lambda: pointer.press(session, "Escape"))
    now = await performer.query("opener", openers[0])
    if now.get("open") is True:
        await performer.click(Click(guard=Guard(node=now["id"])))
        await _wait(performer, openers[0], False)


async def _wait(performer: Performer, opener: str, open: bool) -> bool:
    found = await performer.poll(
        lambda: performer.query("opener", opener), lambda answer: answer.get("open") is open, SHOW_WAIT_S
    )
    return found.get("open") is open
