"""Files in and out: exactly the paths that were named, and one folder for downloads.

No path is ever searched for, and none that a page suggests is used as it stands.
"""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from uiap.drivers.chromium.browser.context import Context
from uiap.drivers.errors import CallFailed, PathRefused
from uiap.drivers.events import Downloaded

LONGEST_NAME = 200  # bytes; leaves room for a number below the usual limit of 255


def checked(paths: Sequence[str | os.PathLike[str]], roots: Sequence[Path]) -> list[str]:
    """The named files, resolved; anything but a readable file of a declared folder is refused before it is opened."""
    if paths and not roots:
        raise PathRefused("no folder is declared for uploads; name one where the session is opened")
    return [_checked(os.fspath(path), roots) for path in paths]


def _checked(path: str, roots: Sequence[Path]) -> str:
    if "\0" in path or not path:
        raise PathRefused(f"`{path[:200]!r}` is not a path; name a file of a folder declared for uploads")
    for root in roots:
        named = path if Path(path).is_absolute() else str(root / path)
        if (found := _within(named, root)) is not None:
            return found
    where = ", ".join(str(root) for root in roots)
    raise PathRefused(f"`{path[:200]}` is not a file in a folder declared for uploads ({where})")


def _within(path: str, root: Path) -> str | None:
    """P13: resolved, inside the root, itself a regular file with one name; else None, or why it cannot be read."""
    try:
        # The path must name the file itself: a link could be turned elsewhere after it was approved.
        known = os.lstat(path)
        resolved = Path(path).resolve(strict=True)
    except OSError:
        return None
    if not resolved.is_relative_to(root.resolve()):
        return None
    if not stat.S_ISREG(known.st_mode) or known.st_nlink > 1:
        raise PathRefused(f"`{path[:200]}` is not a regular file with one name")
    if not os.access(resolved, os.R_OK):
        raise PathRefused(f"cannot read `{path[:200]}`: permission denied")
    return str(resolved)


def safe_name(suggested: str) -> str:
    """A file name out of what a page suggested: no folder, no control characters, no leading dot."""
    name = suggested.replace("\\", "/").rsplit("/", 1)[-1]
    name = "".join(character for character in name if character.isprintable() and character not in ':*?"<>|')
    name = name.strip().lstrip(".") or "download"
    stem, dot, ending = name.rpartition(".")
    if len(name.encode()) > LONGEST_NAME:
        stem, dot, ending = (stem, dot, ending) if len(ending.encode()) <= 16 else (name, "", "")
        cut = stem.encode()[: LONGEST_NAME - len(ending.encode()) - 1].decode(errors="ignore")
        name = f"{cut}{dot}{ending}"
    return name


def place(arrived: Path, folder: Path, suggested: str) -> Path:
    """Give a finished download its name, never replacing what is there."""
    name = safe_name(suggested)
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    for number in range(1, 10_000):
        target = folder / (name if number == 1 else f"{stem} ({number}){dot}{ending}")
        try:
            os.link(arrived, target)  # fails if it exists, also as a dangling link
        except FileExistsError:
            continue
        arrived.unlink()
        return target
    raise PathRefused(f"`{folder}` holds too many files named `{name}`")


class ChromiumFiles:
    """File choosers and downloads of one context."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._begun: dict[str, dict[str, Any]] = {}
        self._placing: set[asyncio.Task[None]] = set()
        self._heard: list[Callable[[], None]] = []

    @property
    def downloads(self) -> Path | None:
        return self._context.options.downloads

    async def start(self) -> None:
        folder = self.downloads
        if folder is None and self._context.options.adopted:
            return  # where a person's downloads go is not ours to change
        browser = self._context.browser
        self._heard = [
            browser.on("Browser.downloadWillBegin", self._began),
            browser.on("Browser.downloadProgress", self._progressed),
        ]
        params: dict[str, Any] = {
            "behavior": "deny" if folder is None else "allowAndName",
            "browserContextId": self._context.id,
            "eventsEnabled": True,
        }
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            params["downloadPath"] = str(folder.resolve())
        await self._context.browser.send("Browser.setDownloadBehavior", params)

    def stop(self) -> None:
        """The browser outlives the context, and would keep all that listens to it."""
        for forget in self._heard:
            forget()

    async def choose(self, paths: Sequence[Path], *, tab: str | None = None) -> None:
        """Answer the open file chooser with exactly these files."""
        shown = self._context.tab(tab)
        if shown.chooser is None:
            raise CallFailed("files.choose", 0, "no file chooser is open")
        chosen = checked(paths, self._context.options.uploads)
        frame = shown.frames.get(shown.chooser["frameId"])
        session = frame.session if frame is not None else shown.session
        params = {"files": chosen, "backendNodeId": shown.chooser["backendNodeId"]}
        await shown.call(session, "DOM.setFileInputFiles", params)
        shown.chooser = None

    def _began(self, event: dict[str, Any]) -> None:
        tab = self._context.tab_with_frame(event["frameId"])
        if tab is not None:  # else it belongs to another context of this browser
            self._begun[event["guid"]] = {**event, "tab": tab.id}

    def _progressed(self, event: dict[str, Any]) -> None:
        if event["state"] == "inProgress" or event["guid"] not in self._begun:
            return
        begun = self._begun.pop(event["guid"])
        task = asyncio.get_running_loop().create_task(self._finish(begun, event["state"]))
        self._placing.add(task)
        task.add_done_callback(self._placing.discard)

    async def _finish(self, begun: dict[str, Any], state: str) -> None:
        folder, path, reason = self.downloads, None, ""
        if folder is None:
            reason = "downloads are not allowed; give a folder"
        elif state != "completed":
            reason = state
        else:
            try:
                arrived = folder / begun["guid"]
                path = await asyncio.to_thread(place, arrived, folder, begun["suggestedFilename"])
            except (OSError, PathRefused) as error:
                reason = str(error)
        self._context.emit(
            Downloaded(
                tab=begun["tab"],
                at=time.monotonic(),
                url=begun["url"],
                suggested_name=begun["suggestedFilename"],
                path=path,
                reason=reason,
            )
        )
