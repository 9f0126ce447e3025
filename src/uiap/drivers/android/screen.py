"""Read the screen of a device: its UI hierarchy in one command, screenshots, size and rotation.

A reading shows the current screen or is an error. Every dump goes into a file with a new name, which the same command
removes, so an old dump is never taken for the current one. It knows no graphs.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from uiap.drivers.android.device import CommandFailed, Device
from uiap.drivers.android.server import ServerFailed, ServerLost, UiAutomatorServer
from uiap.drivers.touchscreen.graph import ForegroundApp
from uiap.drivers.touchscreen.hierarchy import BadDump, ScreenBounds, parse
from uiap.drivers.touchscreen.picture import mask_picture
from uiap.drivers.touchscreen.snapshot import ScreenSnapshot, ScreenUnreadable
from uiap.ids import new_secret

DUMP_S = 30.0
"""uiautomator itself waits 10 s for an animated screen to become idle."""
MAX_ATTEMPTS = 3
PICTURE_S = 20.0
FOLDER = "/data/local/tmp"
SEPARATOR = "@@uiap@@"
CONTEXT = "{ dumpsys activity activities; dumpsys input_method; } | grep -E 'ResumedActivity|mFocusedApp|mInputShown='"
_SIZE = re.compile(r"(Physical|Override) size:\s*(\d+)x(\d+)")
_RESUMED = re.compile(r"(?:ResumedActivity|mFocusedApp|mCurrentFocus)[^\n]*?\s([\w.]+)/([\w.$]+)[\s}]")


class ScreenDump(NamedTuple):
    """The output of one dump."""

    text: str
    context: str
    """The resumed activity and the state of the keyboard, read together with the dump."""
    error: str
    toast: str = ""


class AndroidScreen:
    """The screen of one device."""

    def __init__(self, device: Device, server: UiAutomatorServer | None = None) -> None:
        self._device, self._server = device, server
        self._size: tuple[int, int] | None = None

    async def read(self) -> ScreenSnapshot:
        """Read the current screen; a screen that does not become idle is tried up to `MAX_ATTEMPTS` times."""
        error = ""
        for _ in range(MAX_ATTEMPTS):
            started_at = time.monotonic()
            try:
                text, context, error, toast = await self._dump()
                hierarchy = parse(text)
                keyboard_shown = "mInputShown=true" in context
                foreground = parse_foreground(context)
                return ScreenSnapshot(
                    hierarchy, foreground, started_at, time.monotonic(), keyboard_shown, toast
                )
            except BadDump as bad:
                error = error or str(bad)
        raise ScreenUnreadable(
            f"the screen could not be read: {error}; stop the animations on it and try again"
        )

    async def _dump(self) -> ScreenDump:
        if self._server is not None and not self._server.lost_reason:
            with suppress(ServerLost):  # without the server, `uiautomator` works again
                return await self._dump_by_server(self._server)
        file = f"{FOLDER}/{new_secret('uiap')}.xml"
        line = f"uiautomator dump {file} 1>&2; cat {file}; rm -f {file}; echo; echo {SEPARATOR}; {CONTEXT}"
        answer = await self._device.script(line, timeout_s=DUMP_S)
        dump, _, context = answer.text.rpartition(f"\n{SEPARATOR}")
        error = _dump_error(answer.err.decode("utf-8", "replace"))
        if "<hierarchy" in dump and "ERROR" in error:
            dump = ""  # uiautomator reports that this is not the screen
        return ScreenDump(dump, context, error)

    async def _dump_by_server(self, server: UiAutomatorServer) -> ScreenDump:
        context_call = self._device.script(CONTEXT, timeout_s=DUMP_S)
        try:
            dump, context, toast = await asyncio.gather(server.hierarchy(), context_call, server.toast())
        except ServerFailed as failed:
            return ScreenDump("", "", failed.message)
        return ScreenDump(dump, context.text, "", toast)

    async def size(self, *, refresh: bool = False) -> tuple[int, int] | None:
        """Return the portrait size that windows use: an override wins over the physical size."""
        if self._size is None or refresh:
            found = _SIZE.findall((await self._device.run("wm", "size")).text)
            sizes = {kind: (int(width), int(height)) for kind, width, height in found}
            self._size = sizes.get("Override", sizes.get("Physical"))
        return self._size

    async def screenshot(self, hide: Sequence[ScreenBounds] = ()) -> bytes:
        """Return a PNG of the screen, with black boxes over the parts in `hide`."""
        data = await self._device.output_bytes("screencap", "-p", timeout_s=PICTURE_S)
        if not data.startswith(b"\x89PNG"):
            raise CommandFailed("screencap -p", 0, "the output is not a PNG")
        return await mask_picture(data, hide)

    async def rotate(self, quarter: int | None) -> None:
        """Fix the rotation at a number of quarter turns; None enables automatic rotation."""
        run = self._device.check_output
        if quarter is None:
            await run("settings", "put", "system", "accelerometer_rotation", 1)
            return
        await run("settings", "put", "system", "accelerometer_rotation", 0)
        await run("settings", "put", "system", "user_rotation", quarter % 4)


def parse_foreground(text: str) -> ForegroundApp:
    """Return the resumed activity from the output of `dumpsys activity`."""
    found = _RESUMED.search(text)
    if found is None:
        return ForegroundApp()
    package, activity = found.groups()
    return ForegroundApp(
        package, activity.removeprefix(package) if activity.startswith(f"{package}.") else activity
    )


def _dump_error(err: str) -> str:
    """Return the error message of uiautomator, without its success message."""
    lines = [line.strip() for line in err.splitlines() if line.strip() and "dumped to" not in line]
    return next((line for line in lines if "ERROR" in line), lines[0] if lines else "")[:300]
