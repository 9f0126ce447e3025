"""Gestures that last: a drag, a long press, a pinch. The press is guarded like a click, and so is where it ends."""

from __future__ import annotations

from asyncio import Future
from typing import TYPE_CHECKING, Any

from uiap.actions.ops import Drag, Guard, LongPress, Pinch
from uiap.drivers.chromium.input import pointer
from uiap.drivers.chromium.input.hold import timers_followed
from uiap.drivers.chromium.page.offsets import Point
from uiap.drivers.driver import PerformOutcome, PerformRefused

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

TAKEN_S = 0.5  # so long the browser has to say that the page made a drag of its own out of the moves
APART = 40.0  # pixels between two fingers where a pinch begins


async def drag(performer: Performer, op: Drag) -> PerformOutcome:
    assert op.guard is not None
    if op.to is None:
        if not (op.dx or op.dy):
            return PerformRefused("invalid", "a drag needs `to`, or a distance in `dx` and `dy`")
        return await stroke_of(performer, op.guard, (op.dx, op.dy))
    if op.to.node.partition("e")[0] != op.guard.node.partition("e")[0]:
        return PerformRefused("invalid", "both ends of a drag must be in one document")
    end = await performer.aim(op.to)
    if isinstance(end, PerformRefused):
        return end
    start = await performer.aim(op.guard)
    if isinstance(start, PerformRefused):
        return start
    end = await performer.aim(op.to)  # bringing the one into view may have moved the other
    if isinstance(end, PerformRefused):
        return end
    return await _dragged(performer, op.guard, start, end, drop=op.to.node)


async def stroke_of(performer: Performer, guard: Guard, way: Point) -> PerformOutcome:
    start = await performer.aim(guard)
    if isinstance(start, PerformRefused):
        return start
    return await _dragged(performer, guard, start, (start[0] + way[0], start[1] + way[1]))


async def stroke_to(performer: Performer, guard: Guard, end: float, along: int) -> PerformOutcome:
    """From the element to a place on the screen, along one axis."""
    start = await performer.aim(guard)
    if isinstance(start, PerformRefused):
        return start
    return await _dragged(performer, guard, start, (start[0], end) if along else (end, start[1]))


async def _dragged(
    performer: Performer, guard: Guard, start: Point, end: Point, **terms: Any
) -> PerformOutcome:
    """Press, move, let go. Where the page makes a drag of its own of it (HTML5), its data is carried along."""
    tab, gesture = performer.tab, performer.gesture
    session = tab.session
    taken: list[dict[str, Any]] = []

    def intercepted(event: dict[str, Any]) -> None:
        taken.append(event["data"])
        tab.notify()

    forget = session.on("Input.dragIntercepted", intercepted)
    session.tell("Input.setInterceptDrags", {"enabled": True})
    try:
        if (refused := await gesture.arm(guard, moves=True, **terms)) is not None:
            return refused
        gesture.begin()
        replies = await gesture.stepped(pointer.move(session, start))
        replies += await gesture.stepped(pointer.down(session, start))
        for point in pointer.between(start, end, pointer.STEPS):
            moved = pointer.drag_to(session, point)
            await tab.until(lambda moved=moved: taken or moved[0].done(), TAKEN_S, *moved)  # type: ignore[misc]
            if taken:
                break
            replies += await gesture.stepped(moved)
        if taken:
            for kind in ("dragEnter", "dragOver", "drop"):
                replies.append(pointer.drag_event(session, kind, end, taken[0]))
        else:
            replies += pointer.up(session, end)
        return await gesture.ended(replies)
    finally:
        session.tell("Input.setInterceptDrags", {"enabled": False})
        forget()


async def long_press(performer: Performer, op: LongPress) -> PerformOutcome:
    assert op.guard is not None
    aim = await performer.aim(op.guard)
    if isinstance(aim, PerformRefused):
        return aim
    gesture, session = performer.gesture, performer.tab.session
    async with timers_followed(performer):
        if (refused := await gesture.arm(op.guard, moves=True)) is not None:
            return refused
        gesture.begin()
        replies = await gesture.stepped(pointer.move(session, aim))
        replies += pointer.down(session, aim)
        await gesture.hold(op.duration_ms / 1000, *replies)
        return await gesture.ended(replies + pointer.up(session, aim))


async def pinch(performer: Performer, op: Pinch) -> PerformOutcome:
    assert op.guard is not None
    if not 0.05 <= op.scale <= 20 or op.scale == 1:
        return PerformRefused("invalid", "`scale` must be between 0.05 and 20, and not 1")
    aim = await performer.aim(op.guard)
    if isinstance(aim, PerformRefused):
        return aim
    begin, end = (APART, APART * op.scale) if op.scale > 1 else (APART / op.scale, APART)
    session = performer.tab.session

    def send() -> list[Future[dict[str, Any]]]:
        replies = [pointer.touch(session, "touchStart", _fingers(aim, begin))]
        for way, _ in pointer.between((begin, 0.0), (end, 0.0), pointer.STEPS):
            replies.append(pointer.touch(session, "touchMove", _fingers(aim, way)))
        return [*replies, pointer.touch(session, "touchEnd", ())]

    return await performer.gesture.guarded(op.guard, send, moves=True)


def _fingers(middle: Point, apart: float) -> tuple[Point, Point]:
    return (middle[0] - apart / 2, middle[1]), (middle[0] + apart / 2, middle[1])
