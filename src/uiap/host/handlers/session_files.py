"""x.uiap.tools: the files of a session: its storage states, its downloads and its bundle.

A storage state contains a login, so an agent never gets its content: it refers to states by name. Only a person may
read a state or bring one. Files stay in declared folders; their names cannot lead out of them.
"""

from __future__ import annotations

import asyncio
import os
import re
import stat
from contextlib import suppress
from pathlib import Path

import msgspec
from msgspec import UNSET, UnsetType

from uiap.discovery.safety.redaction import clean_url
from uiap.drivers import events as seen
from uiap.drivers.driver import StorageState
from uiap.drivers.errors import DriverError
from uiap.errors import Unavailable
from uiap.host.bundles.in_use import BundleInUse
from uiap.host.loop.dispatch import Call, Outcome, Reply, decline
from uiap.host.observation.page import Page
from uiap.ids import new_secret
from uiap.spec.tools import (
    DownloadDescription,
    ToolsBundleToldPayload,
    ToolsDownloadsListedPayload,
    ToolsDownloadsPayload,
    ToolsStoragePayload,
    ToolsStorageToldPayload,
)

MAX_DOWNLOADS, MAX_STATE_BYTES, MAX_WAIT_S = 200, 16 * 1024 * 1024, 60.0
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class SessionFilesHandler:
    """Answers requests for storage states, downloads and the bundle.

    `states` is the only folder for storage states; without it an agent can neither save nor load one.
    """

    def __init__(
        self, page: Page, *, states: Path | None = None, knowledge: BundleInUse | None = None
    ) -> None:
        self._page, self._states, self._knowledge = page, states, knowledge or BundleInUse()
        self._downloads: list[DownloadDescription] = []
        self._download_added = asyncio.Event()
        page.listen(self._on_event)

    # -- storage state ---------------------------------------------------------------------------------------

    async def storage(self, call: Call) -> Outcome:
        request: ToolsStoragePayload = call.payload
        principal = call.connection.session.principal
        is_person = principal is not None and principal.type == "user"
        named = request.name is not UNSET
        if request.do != "list" and not named and not is_person:
            return decline("forbidden", "only a person may read a state; give the name of a saved one")
        if named and self._states is None:
            return decline("forbidden", "no folder for states is set; set one when you open the session")
        if request.content is not UNSET and not is_person:
            return decline("forbidden", "only a person may load a state of their own; name a saved one")
        try:
            return await self._save_or_load(request)
        except DriverError as error:
            return decline("invalid_state", error.message)
        except Unavailable as error:
            return decline("not_found", error.message)

    async def _save_or_load(self, request: ToolsStoragePayload) -> Outcome:
        storage, returned = self._page.driver.storage, None
        file = self._states / f"{request.name}.json" if self._states is not None and request.name else None
        if request.do == "save":
            saved = await storage.save()
            if file is not None:
                await asyncio.to_thread(write_state, file, saved)
            else:
                returned = saved
        elif request.do == "load":
            if request.content is UNSET and file is None:
                return decline("invalid_payload", "name a saved state, or give its content", path="/payload")
            state = request.content if file is None else await asyncio.to_thread(read_state, file)
            await storage.load(state or {})
        listed = ToolsStorageToldPayload(
            names=self._state_names(), content=UNSET if returned is None else returned
        )
        return Reply("x.uiap.tools.storage.told", listed)

    def _state_names(self) -> tuple[str, ...]:
        if self._states is None or not self._states.is_dir():
            return ()
        found = (file.stem for file in self._states.glob("*.json"))
        return tuple(sorted(name for name in found if _NAME.fullmatch(name)))

    # -- downloads -------------------------------------------------------------------------------------------

    def _on_event(self, event: seen.AnyEvent) -> None:
        if not isinstance(event, seen.Downloaded):
            return
        size: int | UnsetType = UNSET
        if event.path is not None:
            with suppress(OSError):
                size = event.path.stat().st_size
        self._downloads.append(
            DownloadDescription(
                url=clean_url(event.url),
                name=event.path.name if event.path is not None else UNSET,
                size=size,
                reason=event.reason or UNSET,
            )
        )
        del self._downloads[:-MAX_DOWNLOADS]
        self._download_added.set()

    async def downloads(self, call: Call) -> Outcome:
        request: ToolsDownloadsPayload = call.payload
        timeout_s = 0.0 if request.timeout_ms is UNSET else min(request.timeout_ms / 1000, MAX_WAIT_S)
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while request.after is not UNSET and len(self._downloads) <= request.after:
                    self._download_added.clear()
                    await self._download_added.wait()
        listed = ToolsDownloadsListedPayload(downloads=tuple(self._downloads))
        return Reply("x.uiap.tools.downloads.listed", listed)

    # -- bundle ----------------------------------------------------------------------------------------------

    def bundle(self, _call: Call) -> Outcome:
        bundle = self._knowledge.bundle
        if bundle is None:
            return Reply("x.uiap.tools.bundle.told", ToolsBundleToldPayload())
        plain = msgspec.json.decode(msgspec.json.encode(bundle.content), type=dict)
        payload = ToolsBundleToldPayload(bundle=plain, signed_by=bundle.signed_by or UNSET)
        return Reply("x.uiap.tools.bundle.told", payload)


def write_state(file: Path, state: StorageState) -> None:
    """Write a state atomically, readable by this user alone. A symbolic link is replaced, never followed."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = file.with_name(f".{new_secret('state')}.new")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(state), indent=1))
    draft.replace(file)


def read_state(file: Path) -> StorageState:
    """Return a saved state. Raise Unavailable if it cannot be read."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Unavailable(
            f"cannot read the state `{file.name}`: {(error.strerror or str(error)).lower()}"
        ) from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size > MAX_STATE_BYTES:
        os.close(descriptor)
        raise Unavailable(
            f"the state `{file.name}` must be a regular file without hard links, of at most {MAX_STATE_BYTES} bytes"
        )
    with os.fdopen(descriptor, "rb") as opened:
        data = opened.read(MAX_STATE_BYTES)
    try:
        state = msgspec.json.decode(data, type=dict[str, list[dict[str, object]]], strict=False)
    except msgspec.MsgspecError:
        raise Unavailable(
            f"`{file.name}` holds no storage state; save one with: uiap open URL --save-state"
        ) from None
    return dict(state)
