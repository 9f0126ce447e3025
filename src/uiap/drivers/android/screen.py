"""The screen of a device: one reading of its UI hierarchy in one command, pictures, size and rotation.

A reading is of now or it is an error: every dump goes into a file with a name of its own, which is removed in the same
command, so an old one can never be taken for it. Knows no graphs.
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
"""uiautomator itself waits ten seconds for a screen that keeps moving."""
MAX_ATTEMPTS = 3
PICTURE_S = 20.0
FOLDER = "/data/local/tmp"
SEPARATOR = "@@uiap@@"
CONTEXT = "{ dumpsys activity activities; dumpsys input_method; } | grep -E 'ResumedActivity|mFocusedApp|mInputShown='"
_SIZE = re.compile(r"(Physical|Override) size:\s*(\d+)x(\d+)")
_RESUMED = re.compile(r"(?:ResumedActivity|mFocusedApp|mCurrentFocus)[^\n]*?\s([\w.]+)/([\w.$]+)[\s}]")


class ScreenDump(NamedTuple):
    text: str
    around: str
    """What else was asked in the same breath."""
    complaint: str
    toast: str = ""


class AndroidScreen:
    def __init__(self, device: Device, server: UiAutomatorServer | None = None) -> None:
        self._device, self._server = device, server
        self._size: tuple[int, int] | None = None
        self.reads = 0
        """How many dumps were asked for."""

    async def read(self) -> ScreenSnapshot:
        """The hierarchy as it is now. A screen that does not come to rest is asked again, a few times."""
        said = ""
        for _ in range(MAX_ATTEMPTS):
            begun = time.monotonic()
            try:
                text, rest, said, toast = await self._dump()
                hierarchy = parse(text)
                keyboard = "mInputShown=true" in rest
                return ScreenSnapshot(
                    hierarchy, parse_foreground(rest), begun, time.monotonic(), keyboard, toast
                )
            except BadDump as bad:
                said = said or str(bad)
        raise ScreenUnreadable(
            f"the screen could not be read: {said}; does something on it move all the time?"
        )

    async def _dump(self) -> ScreenDump:
        self.reads += 1
        if self._server is not None and not self._server.lost:
            with suppress(ServerLost):  # then `uiautomator` can do it again
                return await self._dump_by(self._server)
        file = f"{FOLDER}/{new_secret('uiap')}.xml"
        line = f"uiautomator dump {file} 1>&2; cat {file}; rm -f {file}; echo; echo {SEPARATOR}; {CONTEXT}"
        answer = await self._device.script(line, seconds=DUMP_S)
        dump, _, rest = answer.text.rpartition(f"\n{SEPARATOR}")
        complaint = _dump_error(answer.err.decode("utf-8", "replace"))
        if "<hierarchy" in dump and "ERROR" in complaint:
            dump = ""  # it says itself that this is not the screen
        return ScreenDump(dump, rest, complaint)

    async def _dump_by(self, server: UiAutomatorServer) -> ScreenDump:
        around = self._device.script(CONTEXT, seconds=DUMP_S)
        try:
            dump, rest, toast = await asyncio.gather(server.hierarchy(), around, server.toast())
        except ServerFailed as failed:
            return ScreenDump("", "", failed.message)
        return ScreenDump(dump, rest.text, "", toast)

    async def size(self, *, anew: bool = False) -> tuple[int, int] | None:
        """Upright, as windows see it: an override counts."""
        if self._size is None or anew:
            found = _SIZE.findall((await self._device.run("wm", "size")).text)
            sizes = {kind: (int(width), int(height)) for kind, width, height in found}
            self._size = sizes.get("Override", sizes.get("Physical"))
        return self._size

    async def picture(self, hide: Sequence[ScreenBounds] = ()) -> bytes:
        """A PNG, with black boxes where asked."""
        data = await self._device.bytes_of("screencap", "-p", seconds=PICTURE_S)
        if not data.startswith(b"\x89PNG"):
            raise CommandFailed("screencap -p", 0, "what came is no picture")
        return await mask_picture(data, hide)

    async def rotate(self, quarter: int | None) -> None:
        """Hold the screen at so many quarter turns; None lets it turn by itself again."""
        must = self._device.must
        if quarter is None:
            await must("settings", "put", "system", "accelerometer_rotation", 1)
            return
        await must("settings", "put", "system", "accelerometer_rotation", 0)
        await must("settings", "put", "system", "user_rotation", quarter % 4)


def parse_foreground(text: str) -> ForegroundApp:
    """The activity that is resumed, by what `dumpsys activity` says."""
    found = _RESUMED.search(text)
    if found is None:
        return ForegroundApp()
    package, activity = found.groups()
    return ForegroundApp(
        package, activity.removeprefix(package) if activity.startswith(f"{package}.") else activity
    )


def _dump_error(err: str) -> str:
    """What uiautomator said, without its word that all went well."""
    lines = [line.strip() for line in err.splitlines() if line.strip() and "dumped to" not in line]
    return next((line for line in lines if "ERROR" in line), lines[0] if lines else "")[:300]
