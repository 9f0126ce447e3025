"""Gestures on one node of the screen. What is refused is refused before anything was sent.

A phone has fingers and keys only, so both modes do the same: nothing is set behind the application's back, and what a
gesture claims to have reached it has read back from the screen.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Protocol

from uiap.actions.ops import (
    Adjust,
    AnyOp,
    Check,
    Click,
    Dismiss,
    Drag,
    Focus,
    Holds,
    LongPress,
    Pinch,
    Press,
    Scroll,
    ScrollIntoView,
    Select,
    SetText,
    TypeText,
)
from uiap.drivers.driver import PerformRefused
from uiap.drivers.single_screen import resolve_text
from uiap.drivers.touchscreen.elements import ScreenElement, ScreenLayout
from uiap.drivers.touchscreen.hierarchy import Node, ScreenBounds
from uiap.drivers.touchscreen.paths import (
    largest_scrollable,
    pinch_paths,
    screen_texts,
    spot_on_screen,
    swipe_path,
)
from uiap.drivers.touchscreen.slider import MAX_ATTEMPTS, SliderAttempt, next_fraction, point_at
from uiap.drivers.touchscreen.touch_input import InputNotSent, Point, TouchInput
from uiap.drivers.touchscreen.vocabulary import FIELDS, parse_number

GestureResult = PerformRefused | dict[str, Any]
"""Refused, or what the gesture says of itself."""
COVERED = "other controls lie over all of it"
MAX_SWIPES = 20
"""Screens to scroll at most to an end."""
OPS = (
    "adjust",
    "check",
    "click",
    "dismiss",
    "drag",
    "focus",
    "holds",
    "longPress",
    "pinch",
    "press",
    "scroll",
    "scrollIntoView",
    "select",
    "setText",
    "typeText",
)


class ScreenView(Protocol):
    """The screen as it was last read, and as it is."""

    @property
    def drawing(self) -> ScreenLayout: ...

    def named(self, id: str) -> ScreenElement | None: ...

    async def again(self) -> ScreenLayout:
        """Read it anew."""
        ...


class TouchGestures:
    def __init__(self, fingers: TouchInput, view: ScreenView, secrets: Callable[[str], str] | None) -> None:
        self._fingers, self._view, self._secrets = fingers, view, secrets

    async def carry(self, op: AnyOp) -> GestureResult:
        shown = self._view.named(op.guard.node) if op.guard is not None else None
        try:
            return await self._CARRY[type(op)](self, op, shown)
        except InputNotSent as undone:
            if self._fingers.sent:
                raise
            return PerformRefused(undone.reason, undone.message)

    # -- fingers --------------------------------------------------------------------------------------------

    async def _click(self, op: Click, shown: ScreenElement) -> GestureResult:
        if op.button != "left" or op.modifiers:
            return PerformRefused("unsupported", "a finger has no other buttons; use x.uiap.longPress")
        at = self._point(shown.node) if op.spot is None else spot_on_screen(shown.node.bounds, op.spot)
        if at is None:
            return PerformRefused("obscured", COVERED)
        await self._fingers.tap(at, op.count)
        return {}

    async def _long_press(self, op: LongPress, shown: ScreenElement) -> GestureResult:
        at = self._point(shown.node)
        if at is None:
            return PerformRefused("obscured", COVERED)
        await self._fingers.hold(at, op.duration_ms)
        return {}

    async def _drag(self, op: Drag, shown: ScreenElement) -> GestureResult:
        start = self._point(shown.node)
        if start is None:
            return PerformRefused("obscured", COVERED)
        end = (round(start[0] + op.dx), round(start[1] + op.dy))
        if op.to is not None:
            over = self._view.named(op.to.node)
            if over is None:
                return PerformRefused("gone", f"`{op.to.node}` is not on the screen any more; observe again")
            end = self._view.drawing.seen(over.node).middle
        await self._fingers.drag(start, end)
        return {}

    async def _pinch(self, op: Pinch, shown: ScreenElement) -> GestureResult:
        box = self._view.drawing.seen(shown.node)
        if box.empty or op.scale <= 0 or op.scale == 1:
            return PerformRefused(
                "invalid", "two fingers need a place on the screen and a scale other than 1"
            )
        await self._fingers.pinch(*pinch_paths(box, op.scale))
        return {}

    async def _check(self, op: Check, shown: ScreenElement) -> GestureResult:
        if shown.node.has("checked") == op.checked:
            return {"already": True}
        return await self._click(Click(mode=op.mode), shown)

    async def _focus(self, op: Focus, shown: ScreenElement) -> GestureResult:
        if shown.node.has("focused"):
            return {"already": True}
        if shown.node.kind not in FIELDS:
            return PerformRefused(
                "unsupported", "on a touch screen only a field takes the focus without being pressed"
            )
        return await self._click(Click(mode=op.mode), shown)

    async def _dismiss(self, _op: Dismiss, _shown: ScreenElement) -> GestureResult:
        await self._fingers.back()
        return {}

    async def _press(self, op: Press, shown: ScreenElement | None) -> GestureResult:
        if shown is not None and not shown.node.has("focused"):
            done = await self._focus(Focus(), shown)
            if isinstance(done, PerformRefused):
                return done
        await self._fingers.press(op.key, op.modifiers)
        return {}

    # -- text -----------------------------------------------------------------------------------------------

    async def _set_text(self, op: SetText, shown: ScreenElement) -> GestureResult:
        return await self._write(op, shown, anew=True)

    async def _type_text(self, op: TypeText, shown: ScreenElement) -> GestureResult:
        return await self._write(op, shown, anew=False)

    async def _write(self, op: SetText | TypeText, shown: ScreenElement, *, anew: bool) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if refused := _refusal_to_write(shown, text):
            return refused
        assert text is not None
        if refused := await self._typeable(text):
            return refused
        at = None if shown.node.has("focused") else self._point(shown.node)
        if at is None and not shown.node.has("focused"):
            return PerformRefused("obscured", COVERED)
        await self._fingers.write(shown.node, at, text, anew=anew)
        return {}

    async def _typeable(self, text: str) -> PerformRefused | None:
        """Judged before the field is even touched."""
        why = await self._fingers.untypeable(text)
        return PerformRefused("invalid", why) if why else None

    async def _holds(self, op: Holds, shown: ScreenElement) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if text is None or shown.node.kind not in FIELDS:
            return PerformRefused("invalid", "it holds no text that could be compared")
        shown = self._now(op, await self._view.again()) or shown
        held = shown.node.text
        # a masked field shows a dot for every character, or nothing at all: its length is all there is to compare
        same = len(held) == len(text) if shown.node.has("password") else held == text
        return {} if same else PerformRefused("invalid", "differs")

    # -- values ---------------------------------------------------------------------------------------------

    async def _select(self, op: Select, shown: ScreenElement) -> GestureResult:
        if shown.role != "combobox" or len(op.values) != 1:
            return PerformRefused("invalid", "only one option of a closed list can be chosen here")
        at, before = self._point(shown.node), self._view.drawing
        if at is None:
            return PerformRefused("obscured", COVERED)
        await self._fingers.tap(at)
        option = _find_option(await self._view.again(), before, op)
        if option is None or (place := self._point(option.node)) is None:
            await self._fingers.back()
            return PerformRefused("invalid", "no_such_option")
        await self._fingers.tap(place)
        return {"label": option.name}

    async def _adjust(self, op: Adjust, shown: ScreenElement) -> GestureResult:
        """Touch, read back, and touch where the line through what was read says; never more often than bounded."""
        held = parse_number(shown.value)
        if isinstance(op.value, str) or held is None:
            return PerformRefused("invalid", "it says no number, so no value could be read back")
        low, high = held.low, held.high
        if (low is not None and op.value < low) or (high is not None and op.value > high):
            return PerformRefused("invalid", f"it goes from {low if low is not None else '?'} to {high}")
        tried: list[SliderAttempt] = []
        best = held.value
        while abs(best - op.value) > op.tolerance + 1e-9 and len(tried) < MAX_ATTEMPTS:
            part = next_fraction(float(op.value), tried, low, high)
            if part is None:
                break
            value = await self._slid(op, part, by_swipe=_never_moved(tried, held.value))
            if value is None:
                return {"held": False, "final": True, "why": "the slider is gone", "attempts": len(tried) + 1}
            tried.append(SliderAttempt(part, value))
            best = value
        near = abs(best - op.value) <= op.tolerance + 1e-9
        told = {"held": near, "value": best, "attempts": len(tried), "mode": "gesture", "final": True}
        return told | {"within_tolerance": near} | ({} if near else {"why": f"it came to {best:g}"})

    async def _slid(self, op: Adjust, part: float, *, by_swipe: bool) -> float | None:
        """What it says after a touch at this part of its length."""
        shown = self._now(op, self._view.drawing)
        if shown is None:
            return None
        box = self._view.drawing.seen(shown.node)
        if by_swipe:  # it does not answer to taps: take the thumb there
            now = parse_number(shown.value)
            from_ = now.value / now.high if now is not None and now.high else 0.5
            await self._fingers.swipe(point_at(box, from_), point_at(box, part))
        else:
            await self._fingers.tap(point_at(box, part))
        after = self._now(op, await self._view.again())
        said = parse_number(after.value) if after is not None else None
        return None if said is None else said.value

    # -- scrolling ------------------------------------------------------------------------------------------

    async def _scroll(self, op: Scroll, shown: ScreenElement | None) -> GestureResult:
        drawing = self._view.drawing
        node = shown.node if shown is not None else largest_scrollable(drawing)
        if node is None:
            return {"held": False, "final": True, "why": "nothing on the screen scrolls"}
        box = drawing.seen(node)
        if box.empty:
            return PerformRefused("hidden", "it is not on the screen")
        if op.to is None:
            before = screen_texts(drawing)
            await self._fingers.swipe(*swipe_path(drawing, box, op.dx, op.dy))
            moved = screen_texts(await self._view.again()) != before
            return {"held": moved, "final": True} | ({} if moved else {"why": "it is at its end"})
        return await self._to_end(box, 1 if op.to == "bottom" else -1)

    async def _to_end(self, box: ScreenBounds, way: int) -> GestureResult:
        before = screen_texts(self._view.drawing)
        for _ in range(MAX_SWIPES):
            await self._fingers.swipe(*swipe_path(self._view.drawing, box, 0, way * box.height))
            after = screen_texts(await self._view.again())
            if after == before:
                return {"held": True}
            before = after
        return {"held": False, "final": True, "why": f"no end after {MAX_SWIPES} screens"}

    async def _into_view(self, op: ScrollIntoView, shown: ScreenElement) -> GestureResult:
        drawing = self._view.drawing
        if not drawing.seen(shown.node).empty:
            return {"already": True}
        around = next((one for one in shown.node.above() if one.has("scrollable")), None)
        if around is None:
            return PerformRefused("hidden", "nothing around it scrolls")
        box = drawing.seen(around)
        way = 1 if shown.node.bounds.top >= drawing.screen[1] else -1
        for _ in range(MAX_SWIPES):
            await self._fingers.swipe(*swipe_path(self._view.drawing, box, 0, way * box.height))
            now = self._now(op, await self._view.again())
            if now is not None and not self._view.drawing.seen(now.node).empty:
                return {}
        return {}

    # -- in common ------------------------------------------------------------------------------------------

    def _point(self, node: Node) -> Point | None:
        return self._view.drawing.point(node)

    def _now(self, op: AnyOp, _drawing: ScreenLayout) -> ScreenElement | None:
        return self._view.named(op.guard.node) if op.guard is not None else None

    _CARRY: ClassVar[dict[type, Callable[[TouchGestures, Any, Any], Awaitable[GestureResult]]]] = {
        Adjust: _adjust,
        Check: _check,
        Click: _click,
        Dismiss: _dismiss,
        Drag: _drag,
        Focus: _focus,
        Holds: _holds,
        LongPress: _long_press,
        Pinch: _pinch,
        Press: _press,
        Scroll: _scroll,
        ScrollIntoView: _into_view,
        Select: _select,
        SetText: _set_text,
        TypeText: _type_text,
    }


def _refusal_to_write(shown: ScreenElement, text: str | None) -> PerformRefused | None:
    if text is None:
        return PerformRefused("invalid", "no such secret is known here")
    return None if shown.node.kind in FIELDS else PerformRefused("invalid", "it takes no text")


def _find_option(now: ScreenLayout, before: ScreenLayout, op: Select) -> ScreenElement | None:
    """Of the list that opened: what was not on the screen before."""
    old = {(one.node.bounds, one.name) for one in before.shown.values()}
    fresh = [one for one in now.shown.values() if one.name and (one.node.bounds, one.name) not in old]
    (wanted,) = op.values
    if op.by == "index":
        return fresh[int(wanted)] if wanted.isdigit() and int(wanted) < len(fresh) else None
    named = [one for one in fresh if one.name == wanted]
    pressed = [one for one in named if one.pressable] or named
    return pressed[0] if len(pressed) == 1 else None


def _never_moved(tried: list[SliderAttempt], before: float) -> bool:
    return bool(tried) and all(one.value == before for one in tried)
