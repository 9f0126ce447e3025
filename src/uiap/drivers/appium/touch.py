"""Touches and keys of an Appium session: W3C pointer actions, and element commands for text."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from selenium.webdriver.remote.command import Command
from selenium.webdriver.remote.webelement import WebElement

from uiap.drivers.appium.facts import ANDROID, IOS
from uiap.drivers.appium.session import AlertOpen, AppiumCommandRejected, AppiumSession, ElementMissing
from uiap.drivers.touchscreen.hierarchy import Node
from uiap.drivers.touchscreen.keys import CODES
from uiap.drivers.touchscreen.touch_input import (
    DRAG_MS,
    PINCH_MS,
    SWIPE_MS,
    InputNotSent,
    InputUncertain,
    Point,
)

TAP_MS, BETWEEN_TAPS_MS, GRIP_MS = 40, 80, 550
META_STATES = MappingProxyType({"Shift": 0x1, "Alt": 0x2, "Control": 0x1000, "Meta": 0x10000})
BUTTONS: Mapping[str, str] = MappingProxyType(
    {"GoHome": "home", "BrowserHome": "home", "AudioVolumeUp": "volumeup", "AudioVolumeDown": "volumedown"}
)
TYPED: Mapping[str, str] = MappingProxyType({"Enter": "\n", "Backspace": "\b", "Tab": "\t"})
RECT_TOLERANCE = 2
"""The allowed difference, in points, between the rectangle of an element and its bounds in the source."""

Step = dict[str, Any]


class AppiumTouch:
    """Touch input through an Appium session."""

    def __init__(self, session: AppiumSession, platform: str) -> None:
        self._session, self._platform = session, platform
        self.sent = False
        self.last_sent_at = 0.0

    # -- touches --------------------------------------------------------------------------------------------

    async def tap(self, point: Point, count: int = 1) -> None:
        once = [_move(point), _DOWN, _pause(TAP_MS), _UP]
        await self._act(
            *[step for tap in range(count) for step in ([_pause(BETWEEN_TAPS_MS)] * (tap > 0) + once)]
        )

    async def hold(self, point: Point, ms: float) -> None:
        await self._act(_move(point), _DOWN, _pause(ms), _UP)

    async def swipe(self, start: Point, end: Point) -> None:
        await self._act(_move(start), _DOWN, _move(end, SWIPE_MS), _UP)

    async def drag(self, start: Point, end: Point) -> None:
        await self._act(_move(start), _DOWN, _pause(GRIP_MS), _move(end, DRAG_MS), _UP)

    async def pinch(self, one: tuple[Point, Point], other: tuple[Point, Point]) -> None:
        both = [[_move(start), _DOWN, _move(end, PINCH_MS), _UP] for start, end in (one, other)]
        await self._perform([_finger(number, steps) for number, steps in enumerate(both, 1)])

    async def _act(self, *steps: Step) -> None:
        await self._perform([_finger(1, steps)])

    async def _perform(self, fingers: list[dict[str, Any]]) -> None:
        await self._send("touch", lambda driver: driver.execute(Command.W3C_ACTIONS, {"actions": fingers}))

    # -- keys -----------------------------------------------------------------------------------------------

    async def press(self, key: str, modifiers: Sequence[str] = ()) -> None:
        if self._platform == ANDROID:
            await self._press_code(key, modifiers)
        elif key in BUTTONS and not modifiers:
            await self._mobile("pressButton", name=BUTTONS[key])
        elif (key in TYPED or len(key) == 1) and not modifiers:
            await self._send(
                f"key {key}", lambda driver: driver.switch_to.active_element.send_keys(TYPED.get(key, key))
            )
        else:
            raise InputNotSent(f"iOS has no key `{'+'.join((*modifiers, key))}`")

    async def _press_code(self, key: str, modifiers: Sequence[str]) -> None:
        code = CODES.get(key, CODES.get(key.lower()) if len(key) == 1 else None)
        if code is None or any(name not in META_STATES for name in modifiers):
            raise InputNotSent(f"Android has no key `{'+'.join((*modifiers, key))}`")
        is_capital = len(key) == 1 and key.isalpha() and key.isupper()
        await self._mobile(
            "pressKey",
            keycode=code,
            metastate=sum(META_STATES[name] for name in modifiers) | META_STATES["Shift"] * is_capital,
        )

    async def back(self) -> None:
        if self._platform == IOS:
            raise InputNotSent("iOS has no Back button; press a control that leads back", "unsupported")
        await self._send("back", lambda driver: driver.back())

    async def why_untypeable(self, text: str) -> str:
        return ""

    # -- elements -------------------------------------------------------------------------------------------

    async def write(self, field: Node, at: Point | None, text: str, *, replace: bool) -> None:
        """Write by element commands, which also focus the field.

        The keyboard may complete the text; callers read the text back.
        """
        element = await self._element(field)
        if replace and (field.field_text or field.has("password")):
            await self._send("clear", lambda _: element.clear())
        if text:
            await self._send("write", lambda _: element.send_keys(text))

    async def click(self, node: Node) -> None:
        element = await self._element(node)
        await self._send("click", lambda _: element.click())

    async def _element(self, node: Node) -> WebElement:
        """Find the element by its path, and check that its rectangle is still that of the node."""
        try:
            found = await self._session.call("find", lambda driver: driver.find_element("xpath", node.path))
            rect = await self._session.call("rect", lambda _: found.rect)
        except (ElementMissing, AppiumCommandRejected) as missing:
            raise InputNotSent(missing.message, "gone") from missing
        box = node.bounds
        expected = {"x": box.left, "y": box.top, "width": box.width, "height": box.height}
        if any(abs(rect[side] - value) > RECT_TOLERANCE for side, value in expected.items()):
            raise InputNotSent("another element is at this position now; observe again", "changed")
        return found

    # -- sending --------------------------------------------------------------------------------------------

    async def _mobile(self, command: str, **args: Any) -> None:
        await self._send(command, lambda driver: driver.execute_script(f"mobile: {command}", args))

    async def _send(self, command: str, call: Any) -> None:
        before, self.sent = self.sent, True
        try:
            await self._session.call(command, call)
        except AlertOpen as alert:  # the standard requires this check before anything is executed
            self.sent = before
            raise InputNotSent(alert.message, "obscured") from alert
        except AppiumCommandRejected as rejected:
            if rejected.is_unknown:
                self.sent = before
                raise InputNotSent(rejected.message, "unsupported") from rejected
            raise InputUncertain(rejected.message) from rejected
        finally:
            self.last_sent_at = time.monotonic()


def _finger(number: int, steps: Sequence[Step]) -> dict[str, Any]:
    touch = {"pointerType": "touch"}
    return {"type": "pointer", "id": f"finger{number}", "parameters": touch, "actions": list(steps)}


def _move(point: Point, ms: float = 0) -> Step:
    return {"type": "pointerMove", "duration": round(ms), "origin": "viewport", "x": point[0], "y": point[1]}


def _pause(ms: float) -> Step:
    return {"type": "pause", "duration": round(ms)}


_DOWN: Step = {"type": "pointerDown", "button": 0}
_UP: Step = {"type": "pointerUp", "button": 0}
