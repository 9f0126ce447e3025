"""Gestures on one element of the screen. A refusal means that nothing was sent.

A phone has only touches and keys, so both execution modes do the same: no value is set without a gesture. A gesture
reports a value only after it has read it from the screen. `held` in its report says whether the element now has the
requested state, and `final` that another method would not help.
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
"""A refusal, or the details of a gesture that was sent."""
COVERED = "other controls cover the whole element"
MAX_SWIPES = 20
"""The most swipes on the direction to the end of a list."""
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
    """The last snapshot of the screen, and a way to read it again."""

    @property
    def layout(self) -> ScreenLayout: ...

    def element_by_id(self, id: str) -> ScreenElement | None: ...

    async def reread(self) -> ScreenLayout:
        """Read the screen again and return its layout."""
        ...


class TouchGestures:
    """Performs gestures on the elements of one screen."""

    def __init__(
        self, touch_input: TouchInput, view: ScreenView, secrets: Callable[[str], str] | None
    ) -> None:
        self._input, self._view, self._secrets = touch_input, view, secrets

    async def perform(self, op: AnyOp) -> GestureResult:
        element = self._view.element_by_id(op.guard.node) if op.guard is not None else None
        try:
            return await self._GESTURES[type(op)](self, op, element)
        except InputNotSent as error:
            if self._input.sent:
                raise
            return PerformRefused(error.reason, error.message)

    # -- touches and keys -----------------------------------------------------------------------------------

    async def _click(self, op: Click, element: ScreenElement) -> GestureResult:
        if op.button != "left" or op.modifiers:
            return PerformRefused(
                "unsupported",
                "a touch screen has no other mouse buttons or modifiers; use `x.uiap.longPress`",
            )
        at = self._point(element.node) if op.spot is None else spot_on_screen(element.node.bounds, op.spot)
        if at is None:
            return PerformRefused("obscured", COVERED)
        await self._input.tap(at, op.count)
        return {}

    async def _long_press(self, op: LongPress, element: ScreenElement) -> GestureResult:
        at = self._point(element.node)
        if at is None:
            return PerformRefused("obscured", COVERED)
        await self._input.hold(at, op.duration_ms)
        return {}

    async def _drag(self, op: Drag, element: ScreenElement) -> GestureResult:
        start = self._point(element.node)
        if start is None:
            return PerformRefused("obscured", COVERED)
        end = (round(start[0] + op.dx), round(start[1] + op.dy))
        if op.to is not None:
            destination = self._view.element_by_id(op.to.node)
            if destination is None:
                return PerformRefused("gone", f"`{op.to.node}` is no longer on the screen; observe again")
            end = self._view.layout.visible_bounds(destination.node).center
        await self._input.drag(start, end)
        return {}

    async def _pinch(self, op: Pinch, element: ScreenElement) -> GestureResult:
        box = self._view.layout.visible_bounds(element.node)
        if box.is_empty or op.scale <= 0 or op.scale == 1:
            return PerformRefused(
                "invalid", "a pinch needs a visible element and a positive scale other than 1"
            )
        await self._input.pinch(*pinch_paths(box, op.scale))
        return {}

    async def _check(self, op: Check, element: ScreenElement) -> GestureResult:
        if element.node.has("checked") == op.checked:
            return {"already": True}
        return await self._click(Click(mode=op.mode), element)

    async def _focus(self, op: Focus, element: ScreenElement) -> GestureResult:
        if element.node.has("focused"):
            return {"already": True}
        if element.node.class_name not in FIELDS:
            return PerformRefused(
                "unsupported", "on a touch screen only a text field takes the focus without being pressed"
            )
        return await self._click(Click(mode=op.mode), element)

    async def _dismiss(self, _op: Dismiss, _shown: ScreenElement) -> GestureResult:
        await self._input.back()
        return {}

    async def _press(self, op: Press, element: ScreenElement | None) -> GestureResult:
        if element is not None and not element.node.has("focused"):
            result = await self._focus(Focus(), element)
            if isinstance(result, PerformRefused):
                return result
        await self._input.press(op.key, op.modifiers)
        return {}

    # -- text -----------------------------------------------------------------------------------------------

    async def _set_text(self, op: SetText, element: ScreenElement) -> GestureResult:
        return await self._write(op, element, replace=True)

    async def _type_text(self, op: TypeText, element: ScreenElement) -> GestureResult:
        return await self._write(op, element, replace=False)

    async def _write(self, op: SetText | TypeText, element: ScreenElement, *, replace: bool) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if refused := _refusal_to_write(element, text):
            return refused
        assert text is not None
        if refused := await self._refusal_to_type(text):
            return refused
        at = None if element.node.has("focused") else self._point(element.node)
        if at is None and not element.node.has("focused"):
            return PerformRefused("obscured", COVERED)
        await self._input.write(element.node, at, text, replace=replace)
        return {}

    async def _refusal_to_type(self, text: str) -> PerformRefused | None:
        """Return why the text cannot be typed, before the field is touched."""
        reason = await self._input.why_untypeable(text)
        return PerformRefused("invalid", reason) if reason else None

    async def _holds(self, op: Holds, element: ScreenElement) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if text is None or element.node.class_name not in FIELDS:
            return PerformRefused("invalid", "the element has no text to compare; target a text field")
        current = await self._reread_element(op)
        if current is None:
            return PerformRefused("gone", "the field left the screen")
        actual = current.node.text
        # a password field shows a dot for every character, or nothing: only its length can be compared
        is_same = len(actual) == len(text) if current.node.has("password") else actual == text
        return {} if is_same else PerformRefused("invalid", "differs")

    # -- values ---------------------------------------------------------------------------------------------

    async def _select(self, op: Select, element: ScreenElement) -> GestureResult:
        if element.role != "combobox" or len(op.values) != 1:
            return PerformRefused("invalid", "only one option of a drop-down list can be chosen here")
        at, before = self._point(element.node), self._view.layout
        if at is None:
            return PerformRefused("obscured", COVERED)
        await self._input.tap(at)
        option = _find_option(await self._view.reread(), before, op)
        if option is None or (point := self._point(option.node)) is None:
            await self._input.back()
            return PerformRefused("invalid", "no_such_option")
        await self._input.tap(point)
        return {"label": option.name}

    async def _adjust(self, op: Adjust, element: ScreenElement) -> GestureResult:
        """Touch, read the value, and touch again at the interpolated point, at most `MAX_ATTEMPTS` times."""
        initial = parse_number(element.value)
        if isinstance(op.value, str) or initial is None:
            return PerformRefused("invalid", "the element shows no number, so its value cannot be read back")
        low, high = initial.low, initial.high
        if (low is not None and op.value < low) or (high is not None and op.value > high):
            return PerformRefused(
                "invalid", f"the range is {low if low is not None else '?'} to {high}; choose a value in it"
            )
        attempts: list[SliderAttempt] = []
        value = initial.value
        while abs(value - op.value) > op.tolerance + 1e-9 and len(attempts) < MAX_ATTEMPTS:
            fraction = next_fraction(float(op.value), attempts, low, high)
            if fraction is None:
                break
            reached = await self._slide_to(op, fraction, by_swipe=_never_moved(attempts, initial.value))
            if reached is None:
                return {
                    "held": False,
                    "final": True,
                    "why": "the slider is no longer on the screen",
                    "attempts": len(attempts) + 1,
                }
            attempts.append(SliderAttempt(fraction, reached))
            value = reached
        near = abs(value - op.value) <= op.tolerance + 1e-9
        detail = {"held": near, "value": value, "attempts": len(attempts), "mode": "gesture", "final": True}
        return (
            detail
            | {"within_tolerance": near}
            | ({} if near else {"why": f"the slider stopped at {value:g}"})
        )

    async def _slide_to(self, op: Adjust, fraction: float, *, by_swipe: bool) -> float | None:
        """Touch the slider at this fraction of its length and return its value, or None if it is gone."""
        element = self._current_element(op)
        if element is None:
            return None
        box = self._view.layout.visible_bounds(element.node)
        if by_swipe:  # it ignores taps: drag the thumb
            current = parse_number(element.value)
            start = current.value / current.high if current is not None and current.high else 0.5
            await self._input.swipe(point_at(box, start), point_at(box, fraction))
        else:
            await self._input.tap(point_at(box, fraction))
        after = await self._reread_element(op)
        parsed = parse_number(after.value) if after is not None else None
        return None if parsed is None else parsed.value

    # -- scrolling ------------------------------------------------------------------------------------------

    async def _scroll(self, op: Scroll, element: ScreenElement | None) -> GestureResult:
        layout = self._view.layout
        node = element.node if element is not None else largest_scrollable(layout)
        if node is None:
            return {"held": False, "final": True, "why": "nothing on the screen is scrollable"}
        box = layout.visible_bounds(node)
        if box.is_empty:
            return PerformRefused("hidden", "the element is not on the screen; scroll to it first")
        if op.to is None:
            before = screen_texts(layout)
            await self._input.swipe(*swipe_path(layout, box, op.dx, op.dy))
            moved = screen_texts(await self._view.reread()) != before
            return {"held": moved, "final": True} | ({} if moved else {"why": "the end is already reached"})
        return await self._to_end(box, 1 if op.to == "bottom" else -1)

    async def _to_end(self, box: ScreenBounds, direction: int) -> GestureResult:
        before = screen_texts(self._view.layout)
        for _ in range(MAX_SWIPES):
            await self._input.swipe(*swipe_path(self._view.layout, box, 0, direction * box.height))
            after = screen_texts(await self._view.reread())
            if after == before:
                return {"held": True}
            before = after
        return {"held": False, "final": True, "why": f"the end was not reached after {MAX_SWIPES} swipes"}

    async def _into_view(self, op: ScrollIntoView, element: ScreenElement) -> GestureResult:
        layout = self._view.layout
        if not layout.visible_bounds(element.node).is_empty:
            return {"already": True}
        container = next((one for one in element.node.ancestors() if one.has("scrollable")), None)
        if container is None:
            return PerformRefused(
                "hidden", "the element is not on the screen and has no scrollable container"
            )
        box = layout.visible_bounds(container)
        direction = 1 if element.node.bounds.top >= layout.screen[1] else -1
        before = screen_texts(layout)
        for _ in range(MAX_SWIPES):
            await self._input.swipe(*swipe_path(self._view.layout, box, 0, direction * box.height))
            current = await self._reread_element(op)
            if current is not None and not self._view.layout.visible_bounds(current.node).is_empty:
                return {}
            after = screen_texts(self._view.layout)
            if after == before:
                return {
                    "held": False,
                    "final": True,
                    "why": "the end of the list is reached, and it is not there",
                }
            before = after
        return {"held": False, "final": True, "why": f"it is not on the screen after {MAX_SWIPES} swipes"}

    # -- shared ---------------------------------------------------------------------------------------------

    def _point(self, node: Node) -> Point | None:
        return self._view.layout.touch_point(node)

    async def _reread_element(self, op: AnyOp) -> ScreenElement | None:
        """Read the screen again and return the element of the gesture, or None if it is no longer there."""
        await self._view.reread()
        return self._current_element(op)

    def _current_element(self, op: AnyOp) -> ScreenElement | None:
        return self._view.element_by_id(op.guard.node) if op.guard is not None else None

    _GESTURES: ClassVar[dict[type, Callable[[TouchGestures, Any, Any], Awaitable[GestureResult]]]] = {
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


def _refusal_to_write(element: ScreenElement, text: str | None) -> PerformRefused | None:
    if text is None:
        return PerformRefused("invalid", "no secret with this name is known here")
    return (
        None
        if element.node.class_name in FIELDS
        else PerformRefused("invalid", "the element takes no text; target a text field")
    )


def _find_option(now: ScreenLayout, before: ScreenLayout, op: Select) -> ScreenElement | None:
    """Return the option of the opened list, which consists of the elements that were not there before."""
    old = {(one.node.bounds, one.name) for one in before.elements.values()}
    new = [one for one in now.elements.values() if one.name and (one.node.bounds, one.name) not in old]
    (wanted,) = op.values
    if op.by == "index":
        return new[int(wanted)] if wanted.isdigit() and int(wanted) < len(new) else None
    named = [one for one in new if one.name == wanted]
    pressable = [one for one in named if one.pressable] or named
    return pressable[0] if len(pressable) == 1 else None


def _never_moved(attempts: list[SliderAttempt], before: float) -> bool:
    return bool(attempts) and all(one.value == before for one in attempts)
