"""A control on a scale, brought to a value: the native setter, then the keyboard, then the pointer.

Every step is read back, and the next one is reckoned from what was read, never from what a step ought to do. It ends
within the tolerance, or says how near it came (MDM-R5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uiap.actions.ops import Adjust
from uiap.drivers.chromium.input import pointer
from uiap.drivers.chromium.input.drag import stroke_to
from uiap.drivers.chromium.input.gesture import terms
from uiap.drivers.chromium.input.reasons import refusal_of
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

MOST_KEYS = 200
MOST_DRAGS = 6
READ_BACK_S = 0.5
SLACK = 1e-9


class Scale:
    """What is wanted, what was read, and how often it was tried."""

    def __init__(self, performer: Performer, op: Adjust, before: Any) -> None:
        assert op.guard is not None
        self.performer, self.op, self.guard = performer, op, op.guard
        self.before = self.value = before
        self.attempts = 0

    @property
    def there(self) -> bool:
        if isinstance(self.op.value, str) or isinstance(self.value, str) or self.value is None:
            return str(self.value).lower() == str(self.op.value).lower()
        return bool(abs(self.value - self.op.value) <= self.op.tolerance + SLACK)

    @property
    def missing(self) -> float:
        assert not isinstance(self.op.value, str)
        return float(self.op.value - self.value)

    async def read_back(self) -> float:
        """How far the last step moved it; it may take a moment to show."""
        last = self.value
        told = await self.performer.looked(
            lambda: self.performer.query("read", self.guard.node),
            lambda told: told.get("value") != last,
            READ_BACK_S,
        )
        self.value = told.get("value")
        return float(self.value - last) if isinstance(self.value, int | float) else 0.0

    def done(self, mode: str, **more: Any) -> PerformDispatched:
        why = {} if self.there else {"why": f"it holds {self.value} and not {self.op.value}"}
        return self.performer.ended(
            self.there,
            before=self.before,
            value=self.value,
            within_tolerance=self.there,
            attempts=self.attempts,
            mode=mode,
            **why,
            **more,
        )


async def set_native(performer: Performer, op: Adjust) -> PerformOutcome:
    """Through the element's own setter, in one task of the page."""
    assert op.guard is not None
    request = {"op": "adjust", **terms(op.guard), "value": op.value, "token": performer.gesture.token}
    performer.gesture.begin()
    answer = await performer.ask("perform", request)
    if not answer.get("ok"):
        return refusal_of(answer)
    told = answer["detail"]
    scale = Scale(performer, op, told.get("before", told["value"]))
    scale.attempts, scale.value = 1, told["value"]
    return scale.done("native", final=bool(told.get("final")))


async def move_there(performer: Performer, op: Adjust) -> PerformOutcome:
    """By the keyboard as far as that moves it, then by the pointer."""
    assert op.guard is not None
    told = await performer.query("read", op.guard.node)
    scale = Scale(performer, op, told.get("value"))
    if isinstance(op.value, str) or not isinstance(scale.value, int | float):
        return PerformRefused("unsupported", "it tells no number; use ui.enterText where it takes text")
    vertical = bool(told.get("vertical"))
    mode = "keyboard"
    refused = await _by_keys(scale, "ArrowUp" if vertical or op.guard.role == "spinbutton" else "ArrowRight")
    if not scale.there and op.guard.role == "slider" and refused is None:
        mode = "drag"
        refused = await _by_drag(scale, vertical, float(told.get("length") or 100))
    return refused if refused is not None else scale.done(mode)


BACK = {"ArrowUp": "ArrowDown", "ArrowRight": "ArrowLeft", "PageUp": "PageDown"}


async def _by_keys(scale: Scale, forth: str) -> PerformOutcome | None:
    """One key tells what a key is worth; then as many as are missing. None when it ran."""
    worth: dict[str, float] = {}
    for key in (forth, "PageUp", forth):
        while not scale.there and scale.attempts < MOST_KEYS:
            count = round(scale.missing / worth[key]) if key in worth else (1 if scale.missing > 0 else -1)
            if count == 0 or (key == forth and abs(count) > 30 and "PageUp" not in worth):
                break
            moved, outcome = await _press(scale, key, count)
            if outcome is not None:
                return outcome
            if not moved and key == "PageUp":
                worth[key] = 0.0  # it does not know this key; the small steps are left
                break
            if not moved:
                return None
            worth.setdefault(key, moved / count)
    return None


async def _press(scale: Scale, key: str, count: int) -> tuple[float, PerformOutcome | None]:
    pressed, session = key if count > 0 else BACK[key], scale.performer.document.session
    times = min(abs(count), MOST_KEYS - scale.attempts)

    def send() -> pointer.Replies:
        return [reply for _ in range(times) for reply in pointer.press(session, pressed)]

    outcome = await scale.performer.keyboard(scale.guard, send)
    if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
        return 0.0, outcome
    scale.attempts += times
    return await scale.read_back(), None


async def _by_drag(scale: Scale, vertical: bool, length: float) -> PerformOutcome | None:
    """Where the pointer ends decides the value, whether it took the thumb along or pressed the bare track.

    The last two ends tell what a pixel is worth; the next end is reckoned from them.
    """
    along = 1 if vertical else 0
    start = await scale.performer.aim(scale.guard)
    if isinstance(start, PerformRefused):
        return start
    at, value = start[along], scale.value
    end = at + (length / 4) * (1 if scale.missing > 0 else -1) * (-1 if vertical else 1)
    for _ in range(MOST_DRAGS):
        outcome = await stroke_to(scale.performer, scale.guard, end, along)
        scale.attempts += 1
        if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
            return outcome
        await scale.read_back()
        if scale.there or scale.value == value or end == at:
            return None
        worth = (scale.value - value) / (end - at)
        at, value = end, scale.value
        end = at + scale.missing / worth
    return None
