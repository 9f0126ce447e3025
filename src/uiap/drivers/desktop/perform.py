"""Gestures on one accessible object: through AT-SPI's own interfaces (semanticUi), or by XTEST (externalDriver).

A refusal means that nothing was sent. Callers verify whether a gesture had its effect. `held` in a report says whether
the element now has the requested state.
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
"""A refusal, or the details of a gesture that was sent."""
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
    """Performs gestures in one application."""

    def __init__(
        self,
        bus: Bus,
        display: XDisplay,
        pid: int,
        secrets: Callable[[str], str] | None,
        wait_and_reread: Callable[[], Awaitable[ObjectTree]],
    ) -> None:
        self._bus, self._display, self._pid, self._secrets = bus, display, pid, secrets
        self._wait_and_reread = wait_and_reread
        """Wait for an event of the application, and read it again."""

    async def perform(self, op: AnyOp, item: AccessibleObject | None, tree: ObjectTree) -> GestureResult:
        try:
            if isinstance(op, Scroll):
                return await scroll_by_bar(self._bus, op, item, tree)
            if item is None:
                assert isinstance(op, Press)
                return await self._press(op, None, tree)
            return await self._GESTURES[type(op)](self, op, item, tree)
        except NoSuchKey as missing:
            return PerformRefused(
                "unsupported",
                f"the keyboard of this display has no key `{missing}`; use `semanticUi` for such text",
            )
        except ObjectGone:
            return PerformRefused(
                "gone", "the element is no longer in the window, or does not support this; observe again"
            )

    # -- pressing -------------------------------------------------------------------------------------------

    async def _click(self, op: Click, item: AccessibleObject, _tree: ObjectTree) -> GestureResult:
        if op.mode == "externalDriver":
            return await self._point_at_center(
                item, lambda x, y: self._display.click(x, y, op.button, op.count, op.modifiers)
            )
        if op.button != "left" or op.count != 1 or op.modifiers:
            return PerformRefused(
                "unsupported", "the accessibility interface supports plain presses only; use `externalDriver`"
            )
        return await self._invoke_action(item)

    async def _invoke_action(
        self, item: AccessibleObject, names: Sequence[str] = PRESS_ACTIONS
    ) -> GestureResult:
        """Invoke the object's own action that means a press."""
        if "Action" not in item.interfaces:
            return PerformRefused("unsupported", "the element declares no action; use `externalDriver`")
        offered = [str(row[0]).lower() for row in await self._bus.call(item.ref, "Action", "GetActions")]
        index = next((offered.index(name) for name in names if name in offered), None)
        if index is None:
            return PerformRefused(
                "unsupported", f"the element supports only these actions: {', '.join(offered) or 'none'}"
            )
        await self._bus.call(item.ref, "Action", "DoAction", index, signature="i")
        return {}

    async def _point_at_center(
        self, item: AccessibleObject, gesture: Callable[[int, int], None]
    ) -> GestureResult:
        """Perform a pointer gesture on the center of the object, unless another process's window is there."""
        if item.box is None:
            return PerformRefused("hidden", "the element is not on the screen; scroll to it first")
        x, y = item.box.center
        owner = await self._display.run(self._display.window_pid_at, x, y)
        if owner is not None and owner != self._pid:
            return PerformRefused(
                "obscured", f"a window of process {owner} covers the element; move or close that window"
            )
        await self._display.run(gesture, x, y)
        return {}

    async def _long_press(self, op: LongPress, item: AccessibleObject, _tree: ObjectTree) -> GestureResult:
        down = await self._point_at_center(item, lambda x, y: self._display.set_left_button(x, y, True))
        if isinstance(down, PerformRefused) or item.box is None:
            return down
        try:
            await asyncio.sleep(op.duration_ms / 1000)  # the duration is part of the gesture
        finally:
            await self._display.run(self._display.set_left_button, *item.box.center, False)
        return {}

    async def _dismiss(self, _op: Dismiss, item: AccessibleObject, _tree: ObjectTree) -> GestureResult:
        """Leave a dialog by Escape, which accepts nothing."""
        if item.role not in DIALOGS or item.box is None:
            return PerformRefused(
                "unsupported", "only dialogs can be dismissed; press the control that closes the element"
            )
        await self._display.run(self._display.focus_at, *item.box.center)
        await self._display.run(self._display.press, "Escape")
        return {}

    async def _hover(self, _op: Hover, item: AccessibleObject, _tree: ObjectTree) -> GestureResult:
        return await self._point_at_center(item, self._display.move)

    async def _check(self, op: Check, item: AccessibleObject, tree: ObjectTree) -> GestureResult:
        if ("checked" in item.states) == op.checked:
            return {"already": True}
        return await self._click(Click(mode=op.mode), item, tree)

    async def _select(self, op: Select, item: AccessibleObject, tree: ObjectTree) -> GestureResult:
        if item.role != COMBO or len(op.values) != 1:
            return PerformRefused("invalid", "only one option of a drop-down list can be chosen here")
        options = [
            one for id, one in tree.elements.items() if tree.owning_list(one) is item and id != node_id(item)
        ]
        chosen = _find_option(options, op)
        if chosen is None:
            return PerformRefused("invalid", "no_such_option")
        result = await self._invoke_action(chosen, CHOOSE_ACTIONS)
        if isinstance(result, PerformRefused):  # an option of Qt cannot be chosen while its list is closed
            result = await self._click_in_open_list(item, chosen)
        return result if isinstance(result, PerformRefused) else {"native": True, "label": chosen.name}

    async def _click_in_open_list(self, combo: AccessibleObject, option: AccessibleObject) -> GestureResult:
        """Open the list, and press the option as soon as its position is stable."""
        opened = await self._invoke_action(combo, ("showmenu", *PRESS_ACTIONS))
        if isinstance(opened, PerformRefused):
            return opened
        last = None
        while True:  # bounded by the timeout of the gesture
            tree = await self._wait_and_reread()
            current, container = tree.by_ref.get(option.ref), tree.by_ref.get(option.parent)
            if current is None or container is None or not tree.is_on_screen(current):
                continue
            if last == (current.box, container.box):
                break
            last = (current.box, container.box)
        box = (
            current.box.intersection(container.box)
            if current.box is not None and container.box is not None
            else None
        )
        if box is None:
            await self._display.run(self._display.press, "Escape")
            return PerformRefused(
                "hidden", "the option is outside of the visible list; choose it by the keyboard"
            )
        return await self._point_at_center(replace(current, box=box), self._display.click)

    # -- text and keys --------------------------------------------------------------------------------------

    async def _set_text(self, op: SetText, item: AccessibleObject, _tree: ObjectTree) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if refused := _refusal_to_write(item, text):
            return refused
        assert text is not None
        if op.mode == "semanticUi":
            accepted = await self._bus.call(item.ref, "EditableText", "SetTextContents", text, signature="s")
            return (
                {}
                if accepted
                else PerformRefused(
                    "unsupported", "the application did not accept the text; use `externalDriver`"
                )
            )
        await self._take_focus(item)
        await self._display.run(self._display.press, "a", ("Control",))
        if text:
            await self._display.run(self._display.type, text)
        else:
            await self._display.run(self._display.press, "Delete")
        return {}

    async def _type_text(self, op: TypeText, item: AccessibleObject, _tree: ObjectTree) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if refused := _refusal_to_write(item, text):
            return refused
        assert text is not None
        if op.mode == "externalDriver":
            await self._take_focus(item)
            await self._display.run(self._display.type, text)
            return {}
        at = await self._caret(item) or 0
        call = self._bus.call(item.ref, "EditableText", "InsertText", at, text, len(text), signature="isi")
        return (
            {}
            if await call
            else PerformRefused(
                "unsupported", "the application did not accept the text; use `externalDriver`"
            )
        )

    async def _holds(self, op: Holds, item: AccessibleObject, _tree: ObjectTree) -> GestureResult:
        text = resolve_text(op.text, self._secrets)
        if text is None or "Text" not in item.interfaces:
            return PerformRefused("invalid", "the element has no text to compare; target a text field")
        actual = await text_of(self._bus, item.ref)
        # a password field reports a dot for every character, so only its length can be compared
        is_same = len(actual) == len(text) if item.role == PASSWORD else actual == text
        return {} if is_same else PerformRefused("invalid", "differs")

    async def _focus(self, _op: Focus, item: AccessibleObject, _tree: ObjectTree) -> GestureResult:
        if "focusable" not in item.states:
            return PerformRefused("unsupported", "the element cannot take the focus")
        await self._take_focus(item)
        return {}

    async def _press(self, op: Press, item: AccessibleObject | None, tree: ObjectTree) -> GestureResult:
        if item is not None:
            await self._take_focus(item)
        elif (window := _front_window(tree)) is not None and window.box is not None:
            await self._display.run(self._display.focus_at, *window.box.center)
        await self._display.run(self._display.press, op.key, op.modifiers)
        return {}

    async def _take_focus(self, item: AccessibleObject) -> None:
        """Focus the window first, because there may be no window manager, then the object."""
        if "focused" in item.states:
            return
        if item.box is not None:
            await self._display.run(self._display.focus_at, *item.box.center)
        caret = await self._caret(item)
        await self._bus.call(item.ref, "Component", "GrabFocus")
        if (
            caret is not None
        ):  # GTK selects the whole text of a newly focused field, and a key would replace it
            await self._bus.call(item.ref, "Text", "SetCaretOffset", caret, signature="i")

    async def _caret(self, item: AccessibleObject) -> int | None:
        if item.role not in TEXTS or "Text" not in item.interfaces:
            return None
        return int(await self._bus.get(item.ref, "Text", "CaretOffset"))

    # -- values ---------------------------------------------------------------------------------------------

    async def _adjust(self, op: Adjust, item: AccessibleObject, _tree: ObjectTree) -> GestureResult:
        if item.range is None or isinstance(op.value, str):
            return PerformRefused("invalid", "the element has no number that can be set")
        low, high = item.range.low, item.range.high
        if low < high and not low <= op.value <= high:
            return PerformRefused(
                "invalid",
                f"the range is {simplify_number(low)} to {simplify_number(high)}; choose a value in it",
            )
        await self._bus.set(item.ref, "Value", "CurrentValue", Variant("d", float(op.value)))
        value = (await range_of(self._bus, item.ref)).value
        near = abs(value - op.value) <= op.tolerance + 1e-9
        return {
            "held": near,
            "value": simplify_number(value),
            "attempts": 1,
            "mode": "native",
            "within_tolerance": near,
        }

    _GESTURES: ClassVar[
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
        return PerformRefused("invalid", "no secret with this name is known here")
    if item.role not in TEXTS or "EditableText" not in item.interfaces or "editable" not in item.states:
        return PerformRefused("invalid", "the element takes no text; target a text field")
    return None


def _find_option(options: Sequence[AccessibleObject], op: Select) -> AccessibleObject | None:
    (wanted,) = op.values
    if op.by == "index":
        return options[int(wanted)] if wanted.isdigit() and int(wanted) < len(options) else None
    named = [one for one in options if one.name == wanted]
    return named[0] if len(named) == 1 else None


def _front_window(tree: ObjectTree) -> AccessibleObject | None:
    """Return the window that gets key presses: the last modal dialog, else the first window."""
    scopes = tree.scopes()
    return next((one for one in reversed(scopes) if "modal" in one.states), scopes[0] if scopes else None)
