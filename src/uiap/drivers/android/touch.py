"""Touches and keys of a device, through its `input` program; two fingers through a server if that is allowed.

An error of `input` is distinguished from a missing program: only the latter proves that nothing was sent.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Sequence

from uiap.drivers.android.device import Device, quote_command
from uiap.drivers.android.server import PINCH_HINT, ServerLost, UiAutomatorServer
from uiap.drivers.touchscreen.hierarchy import Node
from uiap.drivers.touchscreen.keys import (
    BACK,
    CODES,
    DELETE,
    END,
    MAX_CHARS_PER_COMMAND,
    MODIFIERS,
    PASTE,
    typing_steps,
    untypeable_characters,
)
from uiap.drivers.touchscreen.touch_input import DRAG_MS, SWIPE_MS, InputNotSent, InputUncertain, Point

UNICODE_KEYBOARD = "com.android.adbkeyboard"
INPUT_S = 20.0
KEYS_PER_COMMAND = 100
"""Key codes in one command."""


class AdbTouch:
    """Touch input through adb."""

    def __init__(self, device: Device, server: UiAutomatorServer | None = None) -> None:
        self._device, self._server = device, server
        self.last_sent_at = 0.0
        """When the last input was sent, on the host's monotonic clock."""
        self.sent = False
        """Whether any input may have reached the screen since this was last set to False."""

    async def tap(self, point: Point, count: int = 1) -> None:
        await self._input(*[("tap", *point)] * count)

    async def hold(self, point: Point, ms: float) -> None:
        await self._input(("swipe", *point, *point, round(ms)))

    async def swipe(self, start: Point, end: Point) -> None:
        await self._input(("swipe", *start, *end, SWIPE_MS))

    async def drag(self, start: Point, end: Point) -> None:
        await self._input(("draganddrop", *start, *end, DRAG_MS))

    async def pinch(self, one: tuple[Point, Point], other: tuple[Point, Point]) -> None:
        if self._server is None:
            raise InputNotSent(PINCH_HINT, "unsupported")
        before, self.sent = self.sent, True
        try:
            await self._server.pinch(one, other)
        except ServerLost as lost:
            if lost.may_have_run:
                raise
            self.sent = before
            raise InputNotSent(lost.message, "unsupported") from lost
        finally:
            self.last_sent_at = time.monotonic()

    async def back(self) -> None:
        await self.keys([BACK])

    async def press(self, key: str, modifiers: Sequence[str] = ()) -> None:
        """Press a key by its UI Events name."""
        code = CODES.get(key, CODES.get(key.lower()) if len(key) == 1 else None)
        if code is None or any(name not in MODIFIERS for name in modifiers):
            raise InputNotSent(f"Android has no key `{'+'.join((*modifiers, key))}`")
        if modifiers:
            await self._input(("keycombination", *(MODIFIERS[name] for name in modifiers), code))
        elif key.isalpha() and key.isupper() and len(key) == 1:
            await self._input(("text", key))
        else:
            await self._input(("keyevent", code))

    async def keys(self, codes: Sequence[int]) -> None:
        for at in range(0, len(codes), KEYS_PER_COMMAND):
            await self._input(("keyevent", *codes[at : at + KEYS_PER_COMMAND]))

    async def why_untypeable(self, text: str) -> str:
        """Return why this text cannot be typed here; empty if it can."""
        missing = untypeable_characters(text)
        if not missing or await self._has_unicode_keyboard():
            return ""
        return (
            f"`input text` cannot type `{missing[:20]}`: it has only the keys of a US keyboard; install ADBKeyboard "
            "and select it as the keyboard to type any text"
        )

    async def write(self, field: Node, at: Point | None, text: str, *, replace: bool) -> None:
        """Tap the field, delete its text by keys, and type; a password field may not report its length."""
        if at is not None:
            await self.tap(at)
        if replace and (field.field_text or field.has("password")):
            await self.keys([END, *[DELETE] * (len(field.field_text) or 64)])
        await self.type(text)

    async def type(self, text: str) -> None:
        """Type into the focused field.

        Callers check `why_untypeable` first: the whole text is checked before the first character is sent.
        """
        if untypeable_characters(text):
            await self._type_by_broadcast(text)
            return
        steps = typing_steps(text)
        for step in steps:
            await self._input(("text", step.text) if step.text else ("keyevent", *step.codes))

    async def _has_unicode_keyboard(self) -> bool:
        """Return whether ADBKeyboard, which takes text by broadcast, is the selected keyboard."""
        chosen = await self._device.run("settings", "get", "secure", "default_input_method")
        return UNICODE_KEYBOARD in chosen.text

    async def _type_by_broadcast(self, text: str) -> None:
        for at in range(0, len(text), MAX_CHARS_PER_COMMAND):
            data = base64.b64encode(text[at : at + MAX_CHARS_PER_COMMAND].encode()).decode()
            self.sent = True
            output = await self._device.run("am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", data)
            self.last_sent_at = time.monotonic()
            if output.code != 0:
                raise InputUncertain(f"the keyboard did not accept the text: {output.error_line}")

    async def copy(self, text: str) -> None:
        """Put a text on the clipboard; only a few builds let a shell use it."""
        output = await self._device.run("cmd", "clipboard", "set-text", text)
        if output.code != 0 or b"No shell command" in output.out + output.err:
            raise InputNotSent(
                "the clipboard of this device cannot be written from a shell; type the text instead"
            )

    async def paste(self) -> None:
        await self._input(("keyevent", PASTE))

    async def _input(self, *gestures: Sequence[object]) -> None:
        line = " && ".join(quote_command("input", *gesture) for gesture in gestures)
        before, self.sent = self.sent, True
        try:
            output = await self._device.script(line, timeout_s=INPUT_S)
        finally:
            self.last_sent_at = time.monotonic()
        error = output.error_line
        if output.code in (126, 127) or "Unknown command" in error or "Unknown command" in output.text:
            self.sent = before
            raise InputNotSent(
                f"the device does not support this: {error or 'it has no `input`'}", "unsupported"
            )
        if output.code != 0 or "Exception" in error or error.startswith("Error"):
            raise InputUncertain(f"`input` failed on the device: {error or output.code}")
