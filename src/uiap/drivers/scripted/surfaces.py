"""Tabs, dialogs, files and storage of a scripted driver."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from uiap.drivers.driver import Dialog, StorageState, TabInfo
from uiap.drivers.errors import NotSupported

if TYPE_CHECKING:
    from uiap.drivers.scripted.driver import ScriptedDriver


class ScriptedTabs:
    def __init__(self, driver: ScriptedDriver) -> None:
        self._driver = driver

    @property
    def active(self) -> str:
        return self._driver.tab().id

    def all(self) -> tuple[TabInfo, ...]:
        return self._driver.all_tabs()

    async def open(self, url: str = "about:blank") -> str:
        tab = self._driver.open_tab(url, None)
        self._driver.activate(tab.id)
        return tab.id

    async def activate(self, tab: str) -> None:
        self._driver.activate(tab)

    async def close(self, tab: str) -> None:
        self._driver.drop_tab(self._driver.tab(tab))

    async def resize(self, width: int, height: int) -> None:
        self._driver.viewport = (width, height)


class ScriptedDialogs:
    def __init__(self, driver: ScriptedDriver) -> None:
        self._driver = driver

    def current(self, tab: str | None = None) -> Dialog | None:
        return self._driver.tab(tab).dialog

    async def answer(self, accept: bool, text: str | None = None, *, tab: str | None = None) -> None:
        self._driver.answer(self._driver.tab(tab), accept)


class ScriptedFiles:
    """Files of a scripted interface: there are none."""

    downloads: Path | None = None

    async def choose(self, paths: Sequence[Path], *, tab: str | None = None) -> None:
        raise NotSupported("a scripted interface has no file chooser")


class ScriptedStorage:
    def __init__(self, driver: ScriptedDriver) -> None:
        self._driver = driver

    async def save(self) -> StorageState:
        return msgspec.convert(msgspec.to_builtins(self._driver.state), StorageState)

    async def load(self, state: StorageState) -> None:
        for member in ("cookies", "origins"):
            self._driver.state[member] = [*self._driver.state[member], *state.get(member, [])]
