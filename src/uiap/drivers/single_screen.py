"""The base of drivers that are not browsers: one screen, without tabs, file choosers, storage and navigation.

A dialog of an application is part of its graph. It does not block the interface as a JavaScript dialog does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from uiap.actions.ops import Secret
from uiap.drivers.driver import Dialog, StorageState, TabInfo
from uiap.drivers.errors import ConnectionLost, NotSupported, TargetGone
from uiap.drivers.network_rules import NetworkRules

TAB = "t1"


class SingleScreenTabs:
    """The `Tabs` protocol for the one screen of an application or a device."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.title = ""

    @property
    def active(self) -> str:
        return TAB

    def all(self) -> tuple[TabInfo, ...]:
        return (TabInfo(tab=TAB, url=self.url, title=self.title, active=True),)

    async def open(self, url: str = "about:blank") -> str:
        raise NotSupported(
            "this driver has one screen; open another session for another application or device"
        )

    async def activate(self, tab: str) -> None:
        if tab != TAB:
            raise TargetGone(f"there is no tab `{tab}`; list the tabs")

    async def close(self, tab: str) -> None:
        raise NotSupported("the screen cannot be closed by itself; close its session")

    async def resize(self, width: int, height: int) -> None:
        raise NotSupported("the size of this screen cannot be set; only pages of a browser have a viewport")


class NoDialogs:
    def current(self, tab: str | None = None) -> Dialog | None:
        return None

    async def answer(self, accept: bool, text: str | None = None, *, tab: str | None = None) -> None:
        raise NotSupported("press the dialog's own buttons; they are elements of the graph")


class NoFiles:
    downloads: Path | None = None

    async def choose(self, paths: Sequence[Path], *, tab: str | None = None) -> None:
        raise NotSupported("a file chooser is part of the graph here; use its elements")


class NoStorage:
    async def save(self) -> StorageState:
        return {"cookies": [], "origins": []}

    async def load(self, state: StorageState) -> None:
        if state.get("cookies") or state.get("origins"):
            raise NotSupported("this driver cannot load the storage of an application")


class SingleScreenDriver:
    """A driver of one screen; everything that needs a web page raises `NotSupported`."""

    dialog = NoDialogs()
    files = NoFiles()
    storage = NoStorage()

    def __init__(self, url: str) -> None:
        self.tabs = SingleScreenTabs(url)
        self._closed = False

    async def evaluate(self, expression: str, *, tab: str | None = None) -> Any:
        self._check(tab)
        raise NotSupported("there is no page that can evaluate an expression; use actions")

    async def guard_network(self, rules: NetworkRules | None) -> None:
        if rules is not None:
            raise NotSupported("this driver cannot guard the requests of an application")

    def _check(self, tab: str | None) -> None:
        if self._closed:
            raise ConnectionLost("the driver is closed")
        if tab not in (None, TAB):
            raise TargetGone(f"there is no tab `{tab}`; list the tabs")


def resolve_text(text: str | Secret, secrets: Callable[[str], str] | None) -> str | None:
    """Return the text to type, with secrets looked up; None for an unknown secret."""
    if isinstance(text, str):
        return text
    try:
        return secrets(text.name) if secrets is not None else None
    except NotSupported:
        return None
