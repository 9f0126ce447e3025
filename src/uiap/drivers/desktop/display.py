"""The X display: trusted input by XTEST, and screenshots by GetImage.

Its methods block. It knows pixels and keys, but no accessible objects.
"""

from __future__ import annotations

import asyncio
import struct
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from Xlib import XK, X, Xatom
from Xlib import display as xdisplay
from Xlib import error as xerror
from Xlib.ext import xtest

from uiap.drivers.desktop.snapshot import ObjectBox
from uiap.errors import Unavailable

T = TypeVar("T")
BUTTONS = {"left": 1, "middle": 2, "right": 3}
KEYSYMS: Mapping[str, str] = {
    "Enter": "Return",
    "ArrowUp": "Up",
    "ArrowDown": "Down",
    "ArrowLeft": "Left",
    "ArrowRight": "Right",
    "PageUp": "Prior",
    "PageDown": "Next",
    "Backspace": "BackSpace",
    "Control": "Control_L",
    "Shift": "Shift_L",
    "Alt": "Alt_L",
    "Meta": "Super_L",
    " ": "space",
    "\n": "Return",
    "\t": "Tab",
}


class NoSuchKey(ValueError):
    """The keyboard of this display does not have the key."""


class XDisplay:
    """One connection to an X display."""

    def __init__(self, name: str) -> None:
        try:
            self._display: Any = xdisplay.Display(name)
        except (xerror.DisplayError, OSError) as error:
            raise Unavailable(f"the X display `{name}` does not answer; is it running?") from error
        if not self._display.has_extension("XTEST"):
            raise Unavailable(f"the X display `{name}` has no XTEST, so input cannot be sent to it")
        self._root: Any = self._display.screen().root
        self._lock = asyncio.Lock()

    def publish_bus_address(self, bus: str) -> None:
        """Write the address of the accessibility bus to the root window, unless it is already there.

        Qt 5 reads it there. If Qt has to ask for it instead, it sends events before it is connected. A display
        that loses its last client drops the property.
        """
        name = self._display.intern_atom("AT_SPI_BUS")
        if self._root.get_full_property(name, X.AnyPropertyType) is None:
            self._root.change_property(name, Xatom.STRING, 8, bus.encode())
            self._display.sync()

    async def run(self, gesture: Callable[..., T], *args: Any) -> T:
        """Run a method in a thread, one at a time: `await display.run(display.press, "a")`."""
        async with self._lock:
            return await asyncio.to_thread(gesture, *args)

    # -- the pointer ----------------------------------------------------------------------------------------

    def move(self, x: int, y: int) -> None:
        xtest.fake_input(self._display, X.MotionNotify, x=x, y=y)
        self._display.sync()

    def click(
        self, x: int, y: int, button: str = "left", count: int = 1, modifiers: Sequence[str] = ()
    ) -> None:
        keys = [self._key(name)[0] for name in modifiers]
        self.move(x, y)
        for code in keys:
            xtest.fake_input(self._display, X.KeyPress, code)
        for _ in range(count):
            xtest.fake_input(self._display, X.ButtonPress, BUTTONS[button])
            xtest.fake_input(self._display, X.ButtonRelease, BUTTONS[button])
        for code in reversed(keys):
            xtest.fake_input(self._display, X.KeyRelease, code)
        self._display.sync()

    def set_left_button(self, x: int, y: int, down: bool) -> None:
        """Press or release the left button at a point."""
        self.move(x, y)
        xtest.fake_input(self._display, X.ButtonPress if down else X.ButtonRelease, BUTTONS["left"])
        self._display.sync()

    def window_pid_at(self, x: int, y: int) -> int | None:
        """Return the process id of the window at a point, if the window states it."""
        return next((pid for _, pid in self._windows_at(x, y)), None)

    def is_modal_at(self, x: int, y: int) -> bool:
        """Return whether the window at a point declared itself modal to the window manager.

        Qt declares modality only there.
        """
        state, modal = (self._display.intern_atom(name) for name in ("_NET_WM_STATE", "_NET_WM_STATE_MODAL"))
        try:
            properties = [
                window.get_full_property(state, X.AnyPropertyType) for window, _ in self._windows_at(x, y)
            ]
        except xerror.XError:  # the window is being closed
            return False
        return any(one is not None and modal in one.value for one in properties)

    # -- the keyboard ---------------------------------------------------------------------------------------

    def press(self, key: str, modifiers: Sequence[str] = ()) -> None:
        self._press_chords([(*modifiers, key)])

    def type(self, text: str) -> None:
        self._press_chords([(character,) for character in text])

    def focus_at(self, x: int, y: int) -> None:
        """Give the input focus to the window at a point, as a window manager would."""
        for window, _ in self._windows_at(x, y):
            # the window may have missed the event: set the focus elsewhere first, then back
            if self._display.get_input_focus().focus == window:
                self._display.set_input_focus(X.PointerRoot, X.RevertToPointerRoot, X.CurrentTime)
            window.set_input_focus(X.RevertToParent, X.CurrentTime)
            break
        self._display.sync()

    def _press_chords(self, chords: Sequence[Sequence[str]]) -> None:
        """Press key combinations; look up all keys first, so that a missing key leaves nothing half typed."""
        for codes in [self._key_codes(chord) for chord in chords]:
            for code in codes:
                xtest.fake_input(self._display, X.KeyPress, code)
            for code in reversed(codes):
                xtest.fake_input(self._display, X.KeyRelease, code)
        self._display.sync()

    def _key_codes(self, chord: Sequence[str]) -> list[int]:
        codes: list[int] = []
        for name in chord:
            code, shifted = self._key(name)
            shift = self._key("Shift")[0]
            codes += [shift, code] if shifted and shift not in codes else [code]
        return codes

    def _key(self, name: str) -> tuple[int, bool]:
        keysym_name = KEYSYMS.get(name, name)
        symbol = XK.string_to_keysym(keysym_name) or (ord(name) if len(name) == 1 and ord(name) < 256 else 0)
        for code, level in self._display.keysym_to_keycodes(symbol) if symbol else ():
            if level in (0, 1):
                return int(code), level == 1
        raise NoSuchKey(name)

    # -- screenshots ----------------------------------------------------------------------------------------

    def capture_png(self, part: ObjectBox, hide: Sequence[ObjectBox] = ()) -> bytes:
        """Return a PNG of a part of the screen, with black boxes over the parts in `hide`."""
        whole = self._root.get_geometry()
        left, top = max(0, part.x), max(0, part.y)
        width = min(part.x + part.width, whole.width) - left
        height = min(part.y + part.height, whole.height) - top
        if width <= 0 or height <= 0:
            raise Unavailable("the window is not on the screen, so it cannot be captured")
        image = self._root.get_image(left, top, width, height, X.ZPixmap, 0xFFFFFFFF)
        pixels = bytearray(image.data)
        for box in hide:
            _blacken(pixels, width, height, ObjectBox(box.x - left, box.y - top, box.width, box.height))
        return _png(pixels, width, height)

    def close(self) -> None:
        self._display.close()

    # -- windows --------------------------------------------------------------------------------------------

    def _windows_at(self, x: int, y: int) -> list[tuple[Any, int]]:
        """Return the windows at a point that state their process id, outermost first.

        Windows that are being closed are left out.
        """
        name, found = self._display.intern_atom("_NET_WM_PID"), []
        try:
            window = self._root.translate_coords(self._root, x, y).child
            while window:
                window = self._display.create_resource_object("window", getattr(window, "id", window))
                pid = window.get_full_property(name, X.AnyPropertyType)
                if pid is not None and len(pid.value):
                    found.append((window, int(pid.value[0])))
                window = window.translate_coords(self._root, x, y).child
        except xerror.XError:
            pass
        return found


def _blacken(pixels: bytearray, width: int, height: int, box: ObjectBox) -> None:
    left, right = max(0, box.x), min(width, box.x + box.width)
    for row in range(max(0, box.y), min(height, box.y + box.height)):
        if right > left:
            pixels[(row * width + left) * 4 : (row * width + right) * 4] = bytes((right - left) * 4)


def _png(pixels: bytearray, width: int, height: int) -> bytes:
    """Encode as PNG. X sends blue, green, red and a padding byte per pixel; PNG needs red, green, blue."""
    colours = bytearray(width * height * 3)
    for index, channel in enumerate((2, 1, 0)):
        colours[index::3] = pixels[channel::4]
    rows = b"".join(b"\0" + colours[at : at + width * 3] for at in range(0, len(colours), width * 3))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 6)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
