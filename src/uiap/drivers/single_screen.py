"""What a driver of something else than a browser has in common with others: one screen, and none of the rest.

A dialog of an application is part of its graph, not a state in which the page stands still.
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
    """The application itself, or the device."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.title = ""

    @property
    def active(self) -> str:
        return TAB

    def all(self) -> tuple[TabInfo, ...]:
        return (TabInfo(tab=TAB, url=self.url, title=self.title, active=True),)

    async def open(self, url: str = "about:blank") -> str:
        raise NotSupported("there is one screen here; open another session for another application or device")

    async def activate(self, tab: str) -> None:
        if tab != TAB:
            raise TargetGone(f"there is no tab `{tab}`; list the tabs")

    async def close(self, tab: str) -> None:
        raise NotSupported("this screen ends with its session; close that")


class NoDialogs:
    def current(self, tab: str | None = None) -> Dialog | None:
        return None

    async def answer(self, accept: bool, text: str | None = None, *, tab: str | None = None) -> None:
        raise NotSupported("press the dialog's own buttons; they are elements of the graph")


class NoFiles:
    downloads: Path | None = None

    async def choose(self, paths: Sequence[Path], *, tab: str | None = None) -> None:
        raise NotSupported("a file chooser here is a dialog; use its own elements")


class NoStorage:
    async def save(self) -> StorageState:
        return {"cookies": [], "origins": []}

    async def load(self, state: StorageState) -> None:
        if state.get("cookies") or state.get("origins"):
            raise NotSupported("what an application stores cannot be loaded from here")


class SingleScreenDriver:
    """The doors that are shut where there is one screen and no page."""

    dialog = NoDialogs()
    files = NoFiles()
    storage = NoStorage()

    def __init__(self, url: str) -> None:
        self.tabs = SingleScreenTabs(url)
        self._closed = False

    async def evaluate(self, expression: str, *, tab: str | None = None) -> Any:
        self._check(tab)
        raise NotSupported("there is no page here that could evaluate anything; use actions")

    async def guard_network(self, rules: NetworkRules | None) -> None:
        if rules is not None:
            raise NotSupported("the requests of an application cannot be guarded from here")

    def _check(self, tab: str | None) -> None:
        if self._closed:
            raise ConnectionLost("the driver is closed")
        if tab not in (None, TAB):
            raise TargetGone(f"there is no tab `{tab}`; list the tabs")


def resolve_text(text: str | Secret, secrets: Callable[[str], str] | None) -> str | None:
    """A text as it is to be written; None for a secret that is not known here."""
    if isinstance(text, str):
        return text
    try:
        return secrets(text.name) if secrets is not None else None
    except NotSupported:
        return None
