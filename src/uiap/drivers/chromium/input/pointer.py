"""Send trusted input to one tab: pointer, wheel and keyboard. The functions return the pending replies."""

from __future__ import annotations

from asyncio import Future
from collections.abc import Iterable
from typing import Any

from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.chromium.input.keys import key_fields, modifier_bits
from uiap.drivers.chromium.page.offsets import Point

Replies = list[Future[dict[str, Any]]]
BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}


def move(session: CdpSession, point: Point) -> Replies:
    return [_mouse(session, "mouseMoved", point)]


def click(
    session: CdpSession, point: Point, *, button: str = "left", count: int = 1, modifiers: Iterable[str] = ()
) -> Replies:
    bits = modifier_bits(modifiers)
    replies = [_mouse(session, "mouseMoved", point, modifiers=bits)]
    for number in range(1, count + 1):
        pressed = {"button": button, "clickCount": number, "modifiers": bits}
        replies.append(_mouse(session, "mousePressed", point, buttons=BUTTON_BITS[button], **pressed))
        replies.append(_mouse(session, "mouseReleased", point, buttons=0, **pressed))
    return replies


STEPS = 8
"""The number of moves of a drag; libraries start a drag only after a few moves."""


def down(session: CdpSession, point: Point) -> Replies:
    return [_mouse(session, "mousePressed", point, button="left", buttons=1, clickCount=1)]


def drag_to(session: CdpSession, point: Point) -> Replies:
    """Move with the button pressed."""
    return [_mouse(session, "mouseMoved", point, button="left", buttons=1)]


def up(session: CdpSession, point: Point) -> Replies:
    return [_mouse(session, "mouseReleased", point, button="left", buttons=0, clickCount=1)]


def between(start: Point, end: Point, steps: int) -> list[Point]:
    (x, y), (to_x, to_y) = start, end
    return [(x + (to_x - x) * n / steps, y + (to_y - y) * n / steps) for n in range(1, steps + 1)]


def drag_event(session: CdpSession, kind: str, point: Point, data: dict[str, Any]) -> Future[dict[str, Any]]:
    return session.post("Input.dispatchDragEvent", {"type": kind, "x": point[0], "y": point[1], "data": data})


def touch(session: CdpSession, kind: str, points: Iterable[Point]) -> Future[dict[str, Any]]:
    fingers = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    return session.post("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})


def wheel(session: CdpSession, point: Point, dx: float, dy: float) -> Replies:
    return [_mouse(session, "mouseWheel", point, deltaX=dx, deltaY=dy)]


def press(
    session: CdpSession, key: str, modifiers: Iterable[str] = (), commands: Iterable[str] = ()
) -> Replies:
    fields = key_fields(key)
    if fields is None:
        return []
    bits = modifier_bits(modifiers)
    if bits & ~modifier_bits(["Shift"]):
        fields.pop("text", None)  # Control+a types nothing
    down = {"type": "keyDown" if "text" in fields else "rawKeyDown", "modifiers": bits, **fields}
    if commands:
        down["commands"] = list(commands)
    up = {name: value for name, value in fields.items() if name != "text"}
    return [
        session.post("Input.dispatchKeyEvent", down),
        session.post("Input.dispatchKeyEvent", {"type": "keyUp", "modifiers": bits, **up}),
    ]


SHIFTED = '~!@#$%^&*()_+{}|:"<>?'


def press_character(session: CdpSession, character: str) -> Replies:
    """Press the key of a character, with Shift where it needs it."""
    shifted = character.isupper() or character in SHIFTED
    return press(session, character, ["Shift"] if shifted else [])


def compose(session: CdpSession, text: str) -> Replies:
    """Compose text that has no keys, as an input method does."""
    key = {"key": "Process", "code": "", "windowsVirtualKeyCode": 229}
    end = len(text.encode("utf-16-le")) // 2
    composition = {"text": text, "selectionStart": end, "selectionEnd": end}
    return [
        session.post("Input.dispatchKeyEvent", {"type": "rawKeyDown", **key}),
        session.post("Input.imeSetComposition", composition),
        insert(session, text),
        session.post("Input.dispatchKeyEvent", {"type": "keyUp", **key}),
    ]


def insert(session: CdpSession, text: str) -> Future[dict[str, Any]]:
    """Insert the whole text at once, like an input method or a paste."""
    return session.post("Input.insertText", {"text": text})


def _mouse(session: CdpSession, kind: str, point: Point, **fields: Any) -> Future[dict[str, Any]]:
    return session.post(
        "Input.dispatchMouseEvent",
        {"type": kind, "x": point[0], "y": point[1], "pointerType": "mouse", **fields},
    )
