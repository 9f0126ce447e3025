"""Fingers and keys of a device, through its `input` program; two fingers where a server on it is allowed.

Its own complaint is told apart from a program that is missing: only the latter proves that nothing was done.
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
    def __init__(self, device: Device, server: UiAutomatorServer | None = None) -> None:
        self._device, self._server = device, server
        self.last = 0.0
        """When the last input had gone out, on the host's monotonic clock."""
        self.sent = False
        """Something may have reached the screen since this was last set to False."""

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
            if lost.reached:
                raise
            self.sent = before
            raise InputNotSent(lost.message, "unsupported") from lost
        finally:
            self.last = time.monotonic()

    async def back(self) -> None:
        await self.keys([BACK])

    async def press(self, key: str, held: Sequence[str] = ()) -> None:
        """A key by its UI Events name."""
        code = CODES.get(key, CODES.get(key.lower()) if len(key) == 1 else None)
        if code is None or any(one not in MODIFIERS for one in held):
            raise InputNotSent(
                f"Android has no key `{'+'.join((*held, key))}` that could be pressed from here"
            )
        if held:
            await self._input(("keycombination", *(MODIFIERS[one] for one in held), code))
        elif key.isalpha() and key.isupper() and len(key) == 1:
            await self._input(("text", key))
        else:
            await self._input(("keyevent", code))

    async def keys(self, codes: Sequence[int]) -> None:
        for at in range(0, len(codes), KEYS_PER_COMMAND):
            await self._input(("keyevent", *codes[at : at + KEYS_PER_COMMAND]))

    async def untypeable(self, text: str) -> str:
        """Why this text cannot be typed here; empty where it can."""
        missing = untypeable_characters(text)
        if not missing or await self._takes_any():
            return ""
        return (
            f"`input text` cannot type `{missing[:20]}`: it has the keys of a US keyboard alone; install ADBKeyboard "
            "and choose it as the keyboard to type any text"
        )

    async def write(self, field: Node, at: Point | None, text: str, *, anew: bool) -> None:
        """By a tap, and keys for what it holds: a masked field may not tell how much that is."""
        if at is not None:
            await self.tap(at)
        if anew and (field.held or field.has("password")):
            await self.keys([END, *[DELETE] * (len(field.held) or 64)])
        await self.type(text)

    async def type(self, text: str) -> None:
        """Type into the focused field.

        Callers check `why_untypeable` first: the whole text is checked before the first character is sent.
        """
        if untypeable_characters(text):
            await self._type_any(text)
            return
        steps = typing_steps(text)
        for step in steps:
            await self._input(("text", step.text) if step.text else ("keyevent", *step.codes))

    async def _takes_any(self) -> bool:
        """The keyboard that takes broadcasts is installed and chosen."""
        chosen = await self._device.run("settings", "get", "secure", "default_input_method")
        return UNICODE_KEYBOARD in chosen.text

    async def _type_any(self, text: str) -> None:
        for at in range(0, len(text), MAX_CHARS_PER_COMMAND):
            data = base64.b64encode(text[at : at + MAX_CHARS_PER_COMMAND].encode()).decode()
            self.sent = True
            said = await self._device.run("am", "broadcast", "-a", "ADB_INPUT_B64", "--es", "msg", data)
            self.last = time.monotonic()
            if said.code != 0:
                raise InputUncertain(f"the keyboard did not take the text: {said.complaint}")

    async def copy(self, text: str) -> None:
        """Onto the clipboard, on the few builds whose clipboard a shell may use."""
        said = await self._device.run("cmd", "clipboard", "set-text", text)
        if said.code != 0 or b"No shell command" in said.out + said.err:
            raise InputNotSent("this device lets no shell write its clipboard; type the text instead")

    async def copied(self) -> str:
        said = await self._device.run("cmd", "clipboard", "get-text")
        if said.code != 0 or b"No shell command" in said.out + said.err:
            raise InputNotSent("this device lets no shell read its clipboard")
        return said.text.rstrip("\n")

    async def paste(self) -> None:
        await self._input(("keyevent", PASTE))

    async def _input(self, *gestures: Sequence[object]) -> None:
        line = " && ".join(quote_command("input", *gesture) for gesture in gestures)
        before, self.sent = self.sent, True
        try:
            said = await self._device.script(line, seconds=INPUT_S)
        finally:
            self.last = time.monotonic()
        complaint = said.complaint
        if said.code in (126, 127) or "Unknown command" in complaint or "Unknown command" in said.text:
            self.sent = before
            raise InputNotSent(
                f"the device cannot do this: {complaint or 'there is no `input`'}", "unsupported"
            )
        if said.code != 0 or "Exception" in complaint or complaint.startswith("Error"):
            raise InputUncertain(f"`input` failed on the device: {complaint or said.code}")
