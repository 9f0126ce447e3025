"""x.uiap.tools: what a session keeps: its storage state, its downloads, and the contract it runs under.

A state holds whoever is logged in, so an agent never sees one: it names it, and only a person may be given it or bring
one of their own. Files are those of declared folders, by names that cannot lead out of them (robustness P13).
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
from uiap.host.bundles.bundle import Bundle
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

KEPT, STATE_BYTES, PATIENCE_S = 200, 16 * 1024 * 1024, 60.0
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class SessionFilesHandler:
    """`states` is the only folder states are kept in; without one an agent can neither save nor load."""

    def __init__(self, page: Page, *, states: Path | None = None, bundle: Bundle | None = None) -> None:
        self._page, self._states, self._bundle = page, states, bundle
        self._downloads: list[DownloadDescription] = []
        self._download_added = asyncio.Event()
        page.listen(self._on_event)

    # -- storage state ---------------------------------------------------------------------------------------

    async def storage(self, call: Call) -> Outcome:
        asked: ToolsStoragePayload = call.payload
        principal = call.connection.session.principal
        person = principal is not None and principal.type == "user"
        named = asked.name is not UNSET
        if asked.do != "list" and not named and not person:
            return decline("forbidden", "only a person may hold a state itself; an agent names one")
        if named and self._states is None:
            return decline(
                "forbidden", "no folder is declared for states; name one where the session is opened"
            )
        if asked.content is not UNSET and not person:
            return decline("forbidden", "only a person may bring a state of their own")
        try:
            return await self._save_or_load(asked)
        except DriverError as error:
            return decline("invalid_state", error.message)
        except Unavailable as error:
            return decline("not_found", error.message)

    async def _save_or_load(self, asked: ToolsStoragePayload) -> Outcome:
        storage, shown = self._page.driver.storage, None
        file = self._states / f"{asked.name}.json" if self._states is not None and asked.name else None
        if asked.do == "save":
            saved = await storage.save()
            if file is not None:
                await asyncio.to_thread(write_state, file, saved)
            else:
                shown = saved
        elif asked.do == "load":
            if asked.content is UNSET and file is None:
                return decline("invalid_payload", "say which state, or give one", path="/payload")
            state = asked.content if file is None else await asyncio.to_thread(read_state, file)
            await storage.load(state or {})
        told = ToolsStorageToldPayload(names=self._state_names(), content=UNSET if shown is None else shown)
        return Reply("x.uiap.tools.storage.told", told)

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
        del self._downloads[:-KEPT]
        self._download_added.set()

    async def downloads(self, call: Call) -> Outcome:
        asked: ToolsDownloadsPayload = call.payload
        limit = 0.0 if asked.timeout_ms is UNSET else min(asked.timeout_ms / 1000, PATIENCE_S)
        with suppress(TimeoutError):
            async with asyncio.timeout(limit):
                while asked.after is not UNSET and len(self._downloads) <= asked.after:
                    self._download_added.clear()
                    await self._download_added.wait()
        told = ToolsDownloadsListedPayload(downloads=tuple(self._downloads))
        return Reply("x.uiap.tools.downloads.listed", told)

    # -- the contract ----------------------------------------------------------------------------------------

    def bundle(self, _call: Call) -> Outcome:
        bundle = self._bundle
        if bundle is None:
            return Reply("x.uiap.tools.bundle.told", ToolsBundleToldPayload())
        plain = msgspec.json.decode(msgspec.json.encode(bundle.content), type=dict)
        told = ToolsBundleToldPayload(bundle=plain, signed_by=bundle.signed_by or UNSET)
        return Reply("x.uiap.tools.bundle.told", told)


def write_state(file: Path, state: StorageState) -> None:
    """All of it or nothing, readable by this user alone; a link in its place is replaced, never followed."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = file.with_name(f".{new_secret('state')}.new")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(state), indent=1))
    beside.replace(file)


def read_state(file: Path) -> StorageState:
    """A state that was saved before, or Unavailable with why not."""
    try:
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Unavailable(
            f"cannot read the state `{file.name}`: {(error.strerror or str(error)).lower()}"
        ) from None
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size > STATE_BYTES:
        os.close(descriptor)
        raise Unavailable(f"the state `{file.name}` is not a regular file with one name, of a bearable size")
    with os.fdopen(descriptor, "rb") as opened:
        data = opened.read(STATE_BYTES)
    try:
        state = msgspec.json.decode(data, type=dict[str, list[dict[str, object]]], strict=False)
    except msgspec.MsgspecError:
        raise Unavailable(
            f"`{file.name}` holds no storage state; save one with: uiap open URL --save-state"
        ) from None
    return dict(state)
