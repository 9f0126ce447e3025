"""Uploads of exactly the given files, and downloads into one folder.

Paths are never searched for, and a file name that a page suggests is never used unchanged.
"""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from uiap.drivers.chromium.browser.context import BrowserContext
from uiap.drivers.errors import CallFailed, PathRefused
from uiap.drivers.events import DownloadBegun, Downloaded

MAX_NAME_BYTES = 200  # bytes; leaves room for a number below the usual limit of 255


def check_upload_paths(paths: Sequence[str | os.PathLike[str]], roots: Sequence[Path]) -> list[str]:
    """Return the resolved paths; refuse everything but readable files in the upload folders."""
    if paths and not roots:
        raise PathRefused("no folder is declared for uploads; name one where the session is opened")
    return [_check_upload_path(os.fspath(path), roots) for path in paths]


def _check_upload_path(path: str, roots: Sequence[Path]) -> str:
    if "\0" in path or not path or ".." in Path(path).parts:
        raise PathRefused(f"`{path[:200]!r}` is not a path; name a file of a folder declared for uploads")
    for root in roots:
        candidate = path if Path(path).is_absolute() else str(root / path)
        if (resolved := _resolve_within(candidate, root)) is not None:
            return resolved
    folders = ", ".join(str(root) for root in roots)
    raise PathRefused(f"`{path[:200]}` is not a file in a folder declared for uploads ({folders})")


def _resolve_within(path: str, root: Path) -> str | None:
    """Return the resolved path if it is inside the root, else None.

    Raise `PathRefused` for links, special files, files with several names and unreadable files.
    """
    try:
        # lstat: a symbolic link could be redirected after it was approved.
        status = os.lstat(path)
        resolved = Path(path).resolve(strict=True)
    except OSError:
        return None
    if not resolved.is_relative_to(root.resolve()):
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        raise PathRefused(f"`{path[:200]}` is not a regular file with one name")
    if not os.access(resolved, os.R_OK):
        raise PathRefused(f"cannot read `{path[:200]}`: permission denied")
    return str(resolved)


def safe_name(suggested: str) -> str:
    """Return a safe file name: without folder, control characters and leading dots."""
    name = suggested.replace("\\", "/").rsplit("/", 1)[-1]
    name = "".join(character for character in name if character.isprintable() and character not in ':*?"<>|')
    name = name.strip().lstrip(".") or "download"
    stem, dot, ending = name.rpartition(".")
    if len(name.encode()) > MAX_NAME_BYTES:
        stem, dot, ending = (stem, dot, ending) if len(ending.encode()) <= 16 else (name, "", "")
        cut = stem.encode()[: MAX_NAME_BYTES - len(ending.encode()) - 1].decode(errors="ignore")
        name = f"{cut}{dot}{ending}"
    return name


def move_download(arrived: Path, folder: Path, suggested: str) -> Path:
    """Move a finished download to its final name; never replace an existing file."""
    name = safe_name(suggested)
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    for number in range(1, 10_000):
        target = folder / (name if number == 1 else f"{stem} ({number}){dot}{ending}")
        try:
            os.link(arrived, target)  # fails if the target exists, also as a dangling link
        except FileExistsError:
            continue
        arrived.unlink()
        return target
    raise PathRefused(f"`{folder}` holds too many files named `{name}`")


class ChromiumFiles:
    """File choosers and downloads of one context."""

    def __init__(self, context: BrowserContext) -> None:
        self._context = context
        self._running: dict[str, dict[str, Any]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._subscriptions: list[Callable[[], None]] = []

    @property
    def downloads(self) -> Path | None:
        return self._context.options.downloads

    async def start(self) -> None:
        folder = self.downloads
        if folder is None and self._context.options.adopted:
            return  # keep the download settings of the person's browser
        browser = self._context.browser
        self._subscriptions = [
            browser.on("Browser.downloadWillBegin", self._on_download_begun),
            browser.on("Browser.downloadProgress", self._on_download_progress),
        ]
        params: dict[str, Any] = {
            "behavior": "deny" if folder is None else "allowAndName",
            "browserContextId": self._context.id,
            "eventsEnabled": True,
        }
        if folder is not None:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            params["downloadPath"] = str(folder.resolve())
        await self._context.browser.send("Browser.setDownloadBehavior", params)

    def stop(self) -> None:
        """Unsubscribe from the browser, which outlives this context."""
        for unsubscribe in self._subscriptions:
            unsubscribe()

    async def choose(self, paths: Sequence[Path], *, tab: str | None = None) -> None:
        """Answer the open file chooser with exactly these files."""
        target = self._context.tab(tab)
        if target.chooser is None:
            raise CallFailed("files.choose", 0, "no file chooser is open")
        chosen = check_upload_paths(paths, self._context.options.uploads)
        frame = target.frames.get(target.chooser["frameId"])
        session = frame.session if frame is not None else target.session
        params = {"files": chosen, "backendNodeId": target.chooser["backendNodeId"]}
        await target.call(session, "DOM.setFileInputFiles", params)
        target.chooser = None

    def _on_download_begun(self, event: dict[str, Any]) -> None:
        tab = self._context.tab_with_frame(event["frameId"])
        if tab is None:  # it belongs to another context of this browser
            return
        self._running[event["guid"]] = {**event, "tab": tab.id}
        self._context.emit(
            DownloadBegun(
                tab=tab.id,
                at=time.monotonic(),
                download=event["guid"],
                url=event["url"],
                suggested_name=event["suggestedFilename"],
            )
        )

    def _on_download_progress(self, event: dict[str, Any]) -> None:
        if event["state"] == "inProgress" or event["guid"] not in self._running:
            return
        download = self._running.pop(event["guid"])
        task = asyncio.get_running_loop().create_task(self._finish(download, event["state"]))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _finish(self, download: dict[str, Any], state: str) -> None:
        folder, path, reason = self.downloads, None, ""
        if folder is None:
            reason = "downloads are not allowed; open the session with a download folder"
        elif state != "completed":
            reason = state
        else:
            try:
                arrived = folder / download["guid"]
                path = await asyncio.to_thread(move_download, arrived, folder, download["suggestedFilename"])
            except (OSError, PathRefused) as error:
                reason = str(error)
        self._context.emit(
            Downloaded(
                tab=download["tab"],
                at=time.monotonic(),
                url=download["url"],
                suggested_name=download["suggestedFilename"],
                path=path,
                reason=reason,
                download=download["guid"],
            )
        )
