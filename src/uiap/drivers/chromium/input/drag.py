"""Gestures with a duration: drag, long press, pinch. The guard checks the press and where it ends."""

from __future__ import annotations

from asyncio import Future
from typing import TYPE_CHECKING, Any

from uiap.actions.ops import Drag, Guard, LongPress, Pinch
from uiap.drivers.chromium.input import pointer
from uiap.drivers.chromium.input.hold import follow_timers
from uiap.drivers.chromium.page.element_ids import document_key
from uiap.drivers.chromium.page.offsets import Point
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused
from uiap.drivers.errors import TargetGone

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

INTERCEPT_S = 0.5  # how long to wait for the browser to report that the page started an HTML drag
FINGER_DISTANCE_PX = 40.0  # distance between the two fingers when they are closest


async def drag(performer: Performer, op: Drag) -> PerformOutcome:
    assert op.guard is not None
    if op.to is None:
        if not (op.dx or op.dy):
            return PerformRefused("invalid", "a drag needs `to`, or a distance in `dx` and `dy`")
        return await drag_by(performer, op.guard, (op.dx, op.dy))
    if document_key(op.to.node) != document_key(op.guard.node):
        return PerformRefused("invalid", "both ends of a drag must be in one document")
    end = await performer.aim(op.to)
    if isinstance(end, PerformRefused):
        return end
    start = await performer.aim(op.guard)
    if isinstance(start, PerformRefused):
        return start
    end = await performer.aim(op.to)  # scrolling the start into view may have moved the end
    if isinstance(end, PerformRefused):
        return end
    before = await _place(performer, op.guard, op.to)
    outcome = await _drag(performer, op.guard, start, end, drop=op.to.node)
    if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None or outcome.detail:
        return outcome
    return await _read_back(performer, op.guard, op.to, before)


DROP_WAIT_S = 1.5


async def _place(performer: Performer, guard: Guard, to: Guard) -> dict[str, Any]:
    """Return where the item is, seen from the element to drop on."""
    return await performer.query("placed", guard.node, option=to.node)


async def _read_back(
    performer: Performer, guard: Guard, to: Guard, before: dict[str, Any]
) -> PerformDispatched:
    """Report whether the item is there now: in the element, next to it, or counted by its text."""

    async def read() -> dict[str, Any]:
        try:
            return await _place(performer, guard, to)
        except TargetGone:  # the page replaced the item
            return {"gone": True}

    now = await performer.poll(read, lambda place: place != before, DROP_WAIT_S)
    if now == before:
        return performer.read_back_outcome(False, why="the item is not where it was dropped")
    return performer.gesture.dispatched(detail={"moved": True})


async def drag_by(performer: Performer, guard: Guard, offset: Point) -> PerformOutcome:
    start = await performer.aim(guard)
    if isinstance(start, PerformRefused):
        return start
    return await _drag(performer, guard, start, (start[0] + offset[0], start[1] + offset[1]))


async def drag_along_axis(performer: Performer, guard: Guard, end: float, along: int) -> PerformOutcome:
    """Drag the element to a coordinate along one axis."""
    start = await performer.aim(guard)
    if isinstance(start, PerformRefused):
        return start
    return await _drag(performer, guard, start, (start[0], end) if along else (end, start[1]))


async def _drag(performer: Performer, guard: Guard, start: Point, end: Point, **terms: Any) -> PerformOutcome:
    """Press, move and release; if the page starts an HTML drag, dispatch the drag events with its data."""
    tab, gesture = performer.tab, performer.gesture
    session = tab.session
    drag_data: list[dict[str, Any]] = []

    def on_intercepted(event: dict[str, Any]) -> None:
        drag_data.append(event["data"])
        tab.notify()

    unsubscribe = session.on("Input.dragIntercepted", on_intercepted)
    session.send_and_forget("Input.setInterceptDrags", {"enabled": True})
    try:
        if (refused := await gesture.arm(guard, moves=True, **terms)) is not None:
            return refused
        gesture.begin()
        replies = await gesture.wait_for_step(pointer.move(session, start))
        replies += await gesture.wait_for_step(pointer.down(session, start))
        for point in pointer.between(start, end, pointer.STEPS):
            moved = pointer.drag_to(session, point)
            await tab.wait_until(lambda moved=moved: drag_data or moved[0].done(), INTERCEPT_S, *moved)  # type: ignore[misc]
            if drag_data:
                break
            replies += await gesture.wait_for_step(moved)
        if drag_data:
            for kind in ("dragEnter", "dragOver", "drop"):
                replies.append(pointer.drag_event(session, kind, end, drag_data[0]))
        else:
            replies += pointer.up(session, end)
        return await gesture.finish(replies)
    finally:
        session.send_and_forget("Input.setInterceptDrags", {"enabled": False})
        unsubscribe()


async def long_press(performer: Performer, op: LongPress) -> PerformOutcome:
    assert op.guard is not None
    aim = await performer.aim(op.guard)
    if isinstance(aim, PerformRefused):
        return aim
    gesture, session = performer.gesture, performer.tab.session
    async with follow_timers(performer):
        if (refused := await gesture.arm(op.guard, moves=True)) is not None:
            return refused
        gesture.begin()
        replies = await gesture.wait_for_step(pointer.move(session, aim))
        replies += pointer.down(session, aim)
        await gesture.hold(op.duration_ms / 1000, *replies)
        return await gesture.finish(replies + pointer.up(session, aim))


async def pinch(performer: Performer, op: Pinch) -> PerformOutcome:
    assert op.guard is not None
    if not 0.05 <= op.scale <= 20 or op.scale == 1:
        return PerformRefused("invalid", "`scale` must be between 0.05 and 20, and not 1")
    aim = await performer.aim(op.guard)
    if isinstance(aim, PerformRefused):
        return aim
    begin, end = (
        (FINGER_DISTANCE_PX, FINGER_DISTANCE_PX * op.scale)
        if op.scale > 1
        else (FINGER_DISTANCE_PX / op.scale, FINGER_DISTANCE_PX)
    )
    session = performer.tab.session

    def send() -> list[Future[dict[str, Any]]]:
        replies = [pointer.touch(session, "touchStart", _fingers(aim, begin))]
        for distance, _ in pointer.between((begin, 0.0), (end, 0.0), pointer.STEPS):
            replies.append(pointer.touch(session, "touchMove", _fingers(aim, distance)))
        return [*replies, pointer.touch(session, "touchEnd", ())]

    return await performer.gesture.guarded(op.guard, send, moves=True)


def _fingers(middle: Point, apart: float) -> tuple[Point, Point]:
    return (middle[0] - apart / 2, middle[1]), (middle[0] + apart / 2, middle[1])
