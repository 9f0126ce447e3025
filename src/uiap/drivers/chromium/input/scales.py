"""Adjust a slider or another control on a scale to a value: by its setter, by the keyboard, or by the pointer.

Every step is read back, and the next step is calculated from the value that was read. The adjustment ends within the
tolerance, or reports the value that it reached (MDM-R5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from uiap.actions.ops import Adjust, SetText
from uiap.drivers.chromium.input import pointer, typing
from uiap.drivers.chromium.input.drag import drag_along_axis
from uiap.drivers.chromium.input.gesture import guard_terms
from uiap.drivers.chromium.input.reasons import refusal_from_answer
from uiap.drivers.driver import PerformDispatched, PerformOutcome, PerformRefused

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

MAX_KEYS = 200
MAX_DRAGS = 6
READ_BACK_S = 0.5
EPSILON = 1e-9


class ScaleAdjustment:
    """The requested value, the value that was read, and the number of attempts."""

    def __init__(self, performer: Performer, op: Adjust, before: Any) -> None:
        assert op.guard is not None
        self.performer, self.op, self.guard = performer, op, op.guard
        self.before = self.value = before
        self.attempts = 0

    @property
    def is_reached(self) -> bool:
        if isinstance(self.op.value, str) or isinstance(self.value, str) or self.value is None:
            return str(self.value).lower() == str(self.op.value).lower()
        return bool(abs(self.value - self.op.value) <= self.op.tolerance + EPSILON)

    @property
    def distance(self) -> float:
        assert not isinstance(self.op.value, str)
        return float(self.op.value - self.value)

    async def read_back(self) -> float:
        """Read the value and return how far the last step moved it; it may change with a delay."""
        last = self.value
        answer = await self.performer.poll(
            lambda: self.performer.query("read", self.guard.node),
            lambda answer: answer.get("value") != last,
            READ_BACK_S,
        )
        self.value = answer.get("value")
        numbers = isinstance(self.value, int | float) and isinstance(last, int | float)
        return float(self.value - last) if numbers else 0.0

    def outcome(self, mode: str, **more: Any) -> PerformDispatched:
        why = {} if self.is_reached else {"why": f"its value is {self.value} and not {self.op.value}"}
        return self.performer.read_back_outcome(
            self.is_reached,
            before=self.before,
            value=self.value,
            within_tolerance=self.is_reached,
            attempts=self.attempts,
            mode=mode,
            **why,
            **more,
        )


async def adjust_by_setter(performer: Performer, op: Adjust) -> PerformOutcome:
    """Set the value with the element's own setter, in one task of the page."""
    assert op.guard is not None
    request = {"op": "adjust", **guard_terms(op.guard), "value": op.value, "token": performer.gesture.token}
    performer.gesture.begin()
    answer = await performer.call_page_script("perform", request)
    if not answer.get("ok"):
        return refusal_from_answer(answer)
    detail = answer["detail"]
    scale = ScaleAdjustment(performer, op, detail.get("before", detail["value"]))
    scale.attempts, scale.value = 1, detail["value"]
    synthetic = {"synthetic": detail["synthetic"]} if "synthetic" in detail else {}
    return scale.outcome("native", final=bool(detail.get("final")), **synthetic)


async def adjust_by_input(performer: Performer, op: Adjust) -> PerformOutcome:
    """Adjust by the keyboard first; drag a slider if keys do not reach the value."""
    assert op.guard is not None
    answer = await performer.query("read", op.guard.node)
    scale = ScaleAdjustment(performer, op, answer.get("value"))
    if (
        answer.get("text")
        and not isinstance(op.value, str)
        and (scale.value is None or isinstance(scale.value, int | float))
    ):
        await _by_typing(scale)
        return scale.outcome("typing")
    if isinstance(op.value, str) or not isinstance(scale.value, int | float):
        return PerformRefused(
            "unsupported", "the control has no numeric value; use ui.enterText if it accepts text"
        )
    vertical = bool(answer.get("vertical"))
    mode = "keyboard"
    refused = await _by_keys(scale, "ArrowUp" if vertical or op.guard.role == "spinbutton" else "ArrowRight")
    if not scale.is_reached and op.guard.role == "slider" and refused is None:
        mode = "drag"
        refused = await _by_drag(scale, vertical, float(answer.get("length") or 100))
    if not scale.is_reached and op.guard.role == "spinbutton" and refused is None:
        mode = "typing"
        await _by_typing(scale)
    return refused if refused is not None else scale.outcome(mode)


OPPOSITE_KEY = {"ArrowUp": "ArrowDown", "ArrowRight": "ArrowLeft", "PageUp": "PageDown"}


async def _by_keys(scale: ScaleAdjustment, forward: str) -> PerformOutcome | None:
    """Press one key to measure its step, then as many as needed; return None unless a press failed."""
    steps: dict[str, float] = {}
    for key in (forward, "PageUp", forward):
        while not scale.is_reached and scale.attempts < MAX_KEYS:
            count = round(scale.distance / steps[key]) if key in steps else (1 if scale.distance > 0 else -1)
            if count == 0 or (key == forward and abs(count) > 30 and "PageUp" not in steps):
                break
            moved, outcome = await _press(scale, key, count)
            if outcome is not None:
                return outcome
            if not moved and key == "PageUp":
                steps[key] = 0.0  # the control ignores this key; use the small steps
                break
            if not moved:
                return None
            steps.setdefault(key, moved / count)
    return None


async def _press(scale: ScaleAdjustment, key: str, count: int) -> tuple[float, PerformOutcome | None]:
    pressed, session = key if count > 0 else OPPOSITE_KEY[key], scale.performer.document.session
    times = min(abs(count), MAX_KEYS - scale.attempts)

    def send() -> pointer.Replies:
        return [reply for _ in range(times) for reply in pointer.press(session, pressed)]

    outcome = await scale.performer.keyboard(scale.guard, send)
    if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
        return 0.0, outcome
    scale.attempts += times
    return await scale.read_back(), None


async def _by_typing(scale: ScaleAdjustment) -> None:
    """Type the value, if the control takes text. It is committed by leaving the field.

    Enter could send the form around it, which policy has not judged.
    """
    performer = scale.performer
    typed = await typing.replace_text(performer, SetText(guard=scale.guard, text=str(scale.op.value)))
    if not isinstance(typed, PerformDispatched) or typed.detail.get("held") is False:
        return
    scale.attempts += 1
    await scale.read_back()
    if not scale.is_reached:
        session = performer.document.session
        await performer.keyboard(scale.guard, lambda: pointer.press(session, "Tab"))
        await scale.read_back()


async def _by_drag(scale: ScaleAdjustment, vertical: bool, length: float) -> PerformOutcome | None:
    """Drag until the value is reached; return None unless a drag failed.

    The end of a drag sets the value, whether the pointer moved the thumb or pressed the track. The last two ends give
    the value per pixel, from which the next end is calculated.
    """
    along = 1 if vertical else 0
    start = await scale.performer.aim(scale.guard)
    if isinstance(start, PerformRefused):
        return start
    at, value = start[along], scale.value
    end = at + (length / 4) * (1 if scale.distance > 0 else -1) * (-1 if vertical else 1)
    for _ in range(MAX_DRAGS):
        outcome = await drag_along_axis(scale.performer, scale.guard, end, along)
        scale.attempts += 1
        if not isinstance(outcome, PerformDispatched) or outcome.interrupted_by is not None:
            return outcome
        await scale.read_back()
        if scale.is_reached or scale.value == value or end == at:
            return None
        value_per_pixel = (scale.value - value) / (end - at)
        at, value = end, scale.value
        end = at + scale.distance / value_per_pixel
    return None
