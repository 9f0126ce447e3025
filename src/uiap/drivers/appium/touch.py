"""Fingers and keys of an Appium session: pointer actions of the WebDriver standard, and elements for writing."""

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
"""Points by which the rectangle of an element may differ from what the source said."""

Step = dict[str, Any]


class AppiumTouch:
    def __init__(self, wire: AppiumSession, platform: str) -> None:
        self._wire, self._platform = wire, platform
        self.sent = False
        self.last = 0.0

    # -- fingers --------------------------------------------------------------------------------------------

    async def tap(self, point: Point, count: int = 1) -> None:
        once = [_move(point), _DOWN, _pause(TAP_MS), _UP]
        await self._act(
            *[step for number in range(count) for step in ([_pause(BETWEEN_TAPS_MS)] * (number > 0) + once)]
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

    async def press(self, key: str, held: Sequence[str] = ()) -> None:
        if self._platform == ANDROID:
            await self._press_code(key, held)
        elif key in BUTTONS and not held:
            await self._mobile("pressButton", name=BUTTONS[key])
        elif (key in TYPED or len(key) == 1) and not held:
            await self._send(
                f"key {key}", lambda driver: driver.switch_to.active_element.send_keys(TYPED.get(key, key))
            )
        else:
            raise InputNotSent(f"iOS has no key `{'+'.join((*held, key))}` that could be pressed from here")

    async def _press_code(self, key: str, held: Sequence[str]) -> None:
        code = CODES.get(key, CODES.get(key.lower()) if len(key) == 1 else None)
        if code is None or any(one not in META_STATES for one in held):
            raise InputNotSent(
                f"Android has no key `{'+'.join((*held, key))}` that could be pressed from here"
            )
        capital = len(key) == 1 and key.isalpha() and key.isupper()
        await self._mobile(
            "pressKey",
            keycode=code,
            metastate=sum(META_STATES[one] for one in held) | META_STATES["Shift"] * capital,
        )

    async def back(self) -> None:
        if self._platform == IOS:
            raise InputNotSent("iOS has no way back of its own; press what leads there", "unsupported")
        await self._send("back", lambda driver: driver.back())

    async def untypeable(self, text: str) -> str:
        return ""

    # -- elements -------------------------------------------------------------------------------------------

    async def write(self, field: Node, at: Point | None, text: str, *, anew: bool) -> None:
        """The element takes the focus by itself. Its keyboard may complete what is typed: that is read back later."""
        element = await self._element(field)
        if anew and (field.held or field.has("password")):
            await self._send("clear", lambda _: element.clear())
        if text:
            await self._send("write", lambda _: element.send_keys(text))

    async def click(self, node: Node) -> None:
        element = await self._element(node)
        await self._send("click", lambda _: element.click())

    async def _element(self, node: Node) -> WebElement:
        """By where it stood, if what stands there now has its place on the screen too."""
        try:
            found = await self._wire.call("find", lambda driver: driver.find_element("xpath", node.path))
            rect = await self._wire.call("rect", lambda _: found.rect)
        except (ElementMissing, AppiumCommandRejected) as missing:
            raise InputNotSent(missing.message, "gone") from missing
        box = node.bounds
        said = {"x": box.left, "y": box.top, "width": box.width, "height": box.height}
        if any(abs(rect[side] - far) > RECT_TOLERANCE for side, far in said.items()):
            raise InputNotSent("something else stands there now; observe again", "changed")
        return found

    # -- sending --------------------------------------------------------------------------------------------

    async def _mobile(self, command: str, **args: Any) -> None:
        await self._send(command, lambda driver: driver.execute_script(f"mobile: {command}", args))

    async def _send(self, what: str, call: Any) -> None:
        before, self.sent = self.sent, True
        try:
            await self._wire.call(what, call)
        except AlertOpen as alert:  # the standard has it looked for before anything is done
            self.sent = before
            raise InputNotSent(alert.message, "obscured") from alert
        except AppiumCommandRejected as declined:
            if declined.unknown:
                self.sent = before
                raise InputNotSent(declined.message, "unsupported") from declined
            raise InputUncertain(declined.message) from declined
        finally:
            self.last = time.monotonic()


def _finger(number: int, steps: Sequence[Step]) -> dict[str, Any]:
    touch = {"pointerType": "touch"}
    return {"type": "pointer", "id": f"finger{number}", "parameters": touch, "actions": list(steps)}


def _move(point: Point, ms: float = 0) -> Step:
    return {"type": "pointerMove", "duration": round(ms), "origin": "viewport", "x": point[0], "y": point[1]}


def _pause(ms: float) -> Step:
    return {"type": "pause", "duration": round(ms)}


_DOWN: Step = {"type": "pointerDown", "button": 0}
_UP: Step = {"type": "pointerUp", "button": 0}
