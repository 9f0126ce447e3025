"""What pages keep beside their server, put back before an address is loaded again.

A theme or a folded sidebar that one press left behind would make every later page look like a new state. What pages
write by themselves while they load is a habit of theirs, and not the doing of a press.
"""

from __future__ import annotations

from contextlib import suppress

from uiap.drivers.driver import Driver, SupportsWebStorage
from uiap.drivers.errors import DriverError


class StorageBaseline:
    def __init__(self, driver: Driver) -> None:
        self._driver = driver if isinstance(driver, SupportsWebStorage) else None
        self._kept: dict[str, str] | None = None
        self._coming: set[str] = set()
        """What pages begin to keep by themselves, and what they change by themselves."""
        self._changing: set[str] = set()
        self._drifted = False

    async def put_back(self) -> None:
        """Before an address is loaded: as it was, if a press changed it."""
        if self._driver is None or self._kept is None or not self._drifted:
            return
        with suppress(DriverError):
            await self._driver.replace_web_storage(self._kept)
            self._drifted = False

    async def loaded(self) -> None:
        """After a load: what it wrote is a habit, and part of how things are."""
        found = await self._read()
        if found is None or self._drifted:
            return
        if self._kept is not None:
            self._coming |= self._kept.keys() ^ found.keys()
            self._changing |= _changed_keys(self._kept, found)
        self._kept = found

    async def acted(self) -> bool:
        """After an action: whether it left something behind."""
        found = await self._read()
        if found is None or self._kept is None:
            return False
        came = (self._kept.keys() ^ found.keys()) - self._coming - self._changing
        # what a page begins to keep as it loads, a press may still change
        self._drifted = bool(came or _changed_keys(self._kept, found) - self._changing)
        return self._drifted

    async def _read(self) -> dict[str, str] | None:
        if self._driver is None:
            return None
        try:
            return dict(await self._driver.read_web_storage())
        except DriverError:
            return None


def _changed_keys(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {key for key in before.keys() & after.keys() if before[key] != after[key]}
