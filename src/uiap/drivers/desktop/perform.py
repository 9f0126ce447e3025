"""Gestures on one accessible object: through AT-SPI's own interfaces (semanticUi), or by XTEST (externalDriver).

What is refused is refused before anything was sent. Whether a gesture had its effect is for others to observe.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from dbus_fast import Variant

from uiap.actions.ops import (
    Adjust,
    AnyOp,
    Check,
    Click,
    Dismiss,
    Focus,
    Holds,
    Hover,
    LongPress,
    Press,
    Scroll,
    Select,
    SetText,
    TypeText,
)
from uiap.drivers.desktop.bus import Bus, ObjectGone
from uiap.drivers.desktop.display import NoSuchKey, XDisplay
from uiap.drivers.desktop.graph import ObjectTree, node_id, simplify_number
from uiap.drivers.desktop.scroll import scroll_by_bar
from uiap.drivers.desktop.snapshot import AccessibleObject, range_of, text_of
from uiap.drivers.desktop.vocabulary import CHOOSE_ACTIONS, COMBO, DIALOGS, PASSWORD, PRESS_ACTIONS, TEXTS
from uiap.drivers.driver import PerformRefused
from uiap.drivers.single_screen import resolve_text

GestureResult = PerformRefused | dict[str, Any]
"""Refused, or what the gesture says of itself."""
OPS = (
    "adjust",
    "check",
    "click",
    "dismiss",
    "focus",
    "holds",
    "hover",
    "longPress",
    "press",
    "scroll",
    "select",
    "setText",
    "typeText",
)


class DesktopGestures:
    """Carries out gestures in one application."""

    def __init__(
        self,
        bus: Bus,
        screen: XDisplay,
        pid: int,
        secrets: Callable[[str], str] | None,
        look: Callable[[], Awaitable[ObjectTree]],
    ) -> None:
        self._bus, self._screen, self._pid, self._secrets = bus, screen, pid, secrets
        self._look = look
        """The application once there is news of it."""

    async def carry(self, op: AnyOp, item: AccessibleObject | None, drawing: ObjectTree) -> GestureResult:
        try:
            if isinstance(op, Scroll):
                return await scroll_by_bar(self._bus, op, item, drawing)
            if item is None:
                assert isinstance(op, Press)
                return await self._press(op, None, drawing)
            return await self._CARRY[type(op)](self, op, item, drawing)
        except NoSuchKey as missing:
            return PerformRefused(
                "invalid", f"the keyboard here has no key `{missing}`; use semanticUi for such text"
            )
        except ObjectGone:
            return PerformRefused("gone", "it left the window, or cannot do this")

    # -- pressing -------------------------------------------------------------------------------------------

    async def _click(self, op: Click, item: AccessibleObject, _drawing: ObjectTree) -> GestureResult:
        if op.mode == "externalDriver":
            return await self._point(
                item, lambda x, y: self._screen.click(x, y, op.button, op.count, op.modifiers)
            )
        if op.button != "left" or op.count != 1 or op.modifiers:
            return PerformRefused("unsupported", "the accessibility interface knows plain presses only")
        return await self._do(item)

    async def _do(self, item: AccessibleObject, words: Sequence[str] = PRESS_ACTIONS) -> GestureResult:
        """The object's own action that stands for a press."""
        if "Action" not in item.interfaces:
            return PerformRefused("unsupported", "it declares no action; use externalDriver")
        offered = [str(row[0]).lower() for row in await self._bus.call(item.ref, "Action", "GetActions")]
        index = next((offered.index(word) for word in words if word in offered), None)
        if index is None:
            return PerformRefused("unsupported", f"it can do only {', '.join(offered) or 'nothing'}")
        await self._bus.call(item.ref, "Action", "DoAction", index, signature="i")
        return {}

    async def _point(self, item: AccessibleObject, gesture: Callable[[int, int], None]) -> GestureResult:
        """Something with the pointer on its middle, if nobody else's window lies there."""
        if item.place is None:
            return PerformRefused("hidden", "it is not on the screen")
        x, y = item.place.middle
        owner = await self._screen.turn(self._screen.owner_at, x, y)
        if owner is not None and owner != self._pid:
            return PerformRefused("obscured", f"a window of process {owner} lies over it")
        await self._screen.turn(gesture, x, y)
        return {}

    async def _long_press(self, op: LongPress, item: AccessibleObject, _drawing: ObjectTree) -> GestureResult:
        down = await self._point(item, lambda x, y: self._screen.button(x, y, True))
        if isinstance(down, PerformRefused) or item.place is None:
            return down
        try:
            await asyncio.sleep(op.duration_ms / 1000)  # this is the gesture itself
        finally:
            await self._screen.turn(self._screen.button, *item.place.middle, False)
        return {}

    async def _dismiss(self, _op: Dismiss, item: AccessibleObject, _drawing: ObjectTree) -> GestureResult:
        """As a person leaves a dialog: by Escape, which agrees to nothing."""
        if item.role not in DIALOGS or item.place is None:
            return PerformRefused("unsupported", "only dialogs are left in this way; press what closes it")
        await self._screen.turn(self._screen.focus_at, *item.place.middle)
        await self._screen.turn(self._screen.press, "Escape")
        return {}

    async def _hover(self, _op: Hover, item: AccessibleObject, _drawing: ObjectTree) -> GestureResult:
        return await self._point(item, self._screen.move)

    async def _check(self, op: Check, item: AccessibleObject, drawing: ObjectTree) -> GestureResult:
        if ("checked" in item.states) == op.checked:
            return {"already": True}
        return await self._click(Click(mode=op.mode), item, drawing)

    async def _select(self, op: Select, item: AccessibleObject, drawing: ObjectTree) -> GestureResult:
        if item.role != COMBO or len(op.values) != 1:
            return PerformRefused("invalid", "only one option of a closed list can be chosen here")
        options = [
            one for id, one in drawing.shown.items() if drawing.list_of(one) is item and id != node_id(item)
        ]
        chosen = _find_option(options, op)
        if chosen is None:
            return PerformRefused("invalid", "no_such_option")
        done = await self._do(chosen, CHOOSE_ACTIONS)
        if isinstance(done, PerformRefused):  # Qt's options cannot be chosen without their list
            done = await self._point_in_list(item, chosen)
        return done if isinstance(done, PerformRefused) else {"native": True, "label": chosen.name}

    async def _point_in_list(self, box: AccessibleObject, option: AccessibleObject) -> GestureResult:
        """Open the list, and press the option once it stands still."""
        opened = await self._do(box, ("showmenu", *PRESS_ACTIONS))
        if isinstance(opened, PerformRefused):
            return opened
        stood = None
        while True:  # bounded by the time that the gesture has
            drawing = await self._look()
            now, within = drawing.by_ref.get(option.ref), drawing.by_ref.get(option.parent)
            if now is None or within is None or not drawing.is_seen(now):
                continue
            if stood == (now.place, within.place):
                break
            stood = (now.place, within.place)
        place = now.place.inside(within.place) if now.place is not None and within.place is not None else None
        if place is None:
            await self._screen.turn(self._screen.press, "Escape")
            return PerformRefused("hidden", "its list would have to be scrolled to it; use the keyboard")
        return await self._point(replace(now, place=place), self._screen.click)

    # -- text and keys --------------------------------------------------------------------------------------

    async def _set_text(self, op: SetText, item: AccessibleObject, _drawing: ObjectTree) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if refused := _refusal_to_write(item, text):
            return refused
        assert text is not None
        if op.mode == "semanticUi":
            took = await self._bus.call(item.ref, "EditableText", "SetTextContents", text, signature="s")
            return (
                {} if took else PerformRefused("unsupported", "the application says it did not take the text")
            )
        await self._take_keyboard(item)
        await self._screen.turn(self._screen.press, "a", ("Control",))
        if text:
            await self._screen.turn(self._screen.type, text)
        else:
            await self._screen.turn(self._screen.press, "Delete")
        return {}

    async def _type_text(self, op: TypeText, item: AccessibleObject, _drawing: ObjectTree) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if refused := _refusal_to_write(item, text):
            return refused
        assert text is not None
        if op.mode == "externalDriver":
            await self._take_keyboard(item)
            await self._screen.turn(self._screen.type, text)
            return {}
        at = await self._caret(item) or 0
        call = self._bus.call(item.ref, "EditableText", "InsertText", at, text, len(text), signature="isi")
        return (
            {}
            if await call
            else PerformRefused("unsupported", "the application says it did not take the text")
        )

    async def _holds(self, op: Holds, item: AccessibleObject, _drawing: ObjectTree) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if text is None or "Text" not in item.interfaces:
            return PerformRefused("invalid", "it holds no text that could be compared")
        held = await text_of(self._bus, item.ref)
        # a masked field tells a dot for every character, so its length is all that can be compared
        same = len(held) == len(text) if item.role == PASSWORD else held == text
        return {} if same else PerformRefused("invalid", "differs")

    async def _focus(self, _op: Focus, item: AccessibleObject, _drawing: ObjectTree) -> GestureResult:
        if "focusable" not in item.states:
            return PerformRefused("unsupported", "it cannot take the focus")
        await self._take_keyboard(item)
        return {}

    async def _press(self, op: Press, item: AccessibleObject | None, drawing: ObjectTree) -> GestureResult:
        if item is not None:
            await self._take_keyboard(item)
        elif (window := _front_window(drawing)) is not None and window.place is not None:
            await self._screen.turn(self._screen.focus_at, *window.place.middle)
        await self._screen.turn(self._screen.press, op.key, op.modifiers)
        return {}

    async def _take_keyboard(self, item: AccessibleObject) -> None:
        """To the window first: without a window manager nobody else gives it the keyboard."""
        if "focused" in item.states:
            return
        if item.place is not None:
            await self._screen.turn(self._screen.focus_at, *item.place.middle)
        caret = await self._caret(item)
        await self._bus.call(item.ref, "Component", "GrabFocus")
        if caret is not None:  # GTK selects everything in a field that gets the focus; a key would replace it
            await self._bus.call(item.ref, "Text", "SetCaretOffset", caret, signature="i")

    async def _caret(self, item: AccessibleObject) -> int | None:
        if item.role not in TEXTS or "Text" not in item.interfaces:
            return None
        return int(await self._bus.get(item.ref, "Text", "CaretOffset"))

    # -- values ---------------------------------------------------------------------------------------------

    async def _adjust(self, op: Adjust, item: AccessibleObject, _drawing: ObjectTree) -> GestureResult:
        if item.range is None or isinstance(op.value, str):
            return PerformRefused("invalid", "it holds no number that could be set")
        low, high = item.range.low, item.range.high
        if low < high and not low <= op.value <= high:
            return PerformRefused(
                "invalid", f"it goes from {simplify_number(low)} to {simplify_number(high)}"
            )
        await self._bus.set(item.ref, "Value", "CurrentValue", Variant("d", float(op.value)))
        held = (await range_of(self._bus, item.ref)).value
        near = abs(held - op.value) <= op.tolerance + 1e-9
        return {
            "held": near,
            "value": simplify_number(held),
            "attempts": 1,
            "mode": "native",
            "within_tolerance": near,
        }

    _CARRY: ClassVar[
        dict[type, Callable[[DesktopGestures, Any, AccessibleObject, ObjectTree], Awaitable[GestureResult]]]
    ] = {
        Adjust: _adjust,
        Check: _check,
        Click: _click,
        Dismiss: _dismiss,
        Focus: _focus,
        Holds: _holds,
        Hover: _hover,
        LongPress: _long_press,
        Press: _press,
        Select: _select,
        SetText: _set_text,
        TypeText: _type_text,
    }


def _refusal_to_write(item: AccessibleObject, text: str | None) -> PerformRefused | None:
    if text is None:
        return PerformRefused("invalid", "no such secret is known here")
    if item.role not in TEXTS or "EditableText" not in item.interfaces or "editable" not in item.states:
        return PerformRefused("invalid", "it takes no text")
    return None


def _find_option(options: Sequence[AccessibleObject], op: Select) -> AccessibleObject | None:
    (wanted,) = op.values
    if op.by == "index":
        return options[int(wanted)] if wanted.isdigit() and int(wanted) < len(options) else None
    named = [one for one in options if one.name == wanted]
    return named[0] if len(named) == 1 else None


def _front_window(drawing: ObjectTree) -> AccessibleObject | None:
    """The window that would get a key: the last dialog, else the first window."""
    scopes = drawing.scopes()
    return next((one for one in reversed(scopes) if "modal" in one.states), scopes[0] if scopes else None)
