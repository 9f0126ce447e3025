"""Restores the web storage of pages before an address is loaded.

A theme or a folded sidebar that an action stored would make every later page look like a new state. Values that pages
write by themselves while they load are not the effect of an action.
"""

from __future__ import annotations

from contextlib import suppress

from uiap.drivers.driver import Driver, SupportsWebStorage
from uiap.drivers.errors import DriverError


class StorageBaseline:
    def __init__(self, driver: Driver) -> None:
        self._driver = driver if isinstance(driver, SupportsWebStorage) else None
        self._baseline: dict[str, str] | None = None
        self._keys_added_on_load: set[str] = set()
        """Keys that pages add or remove by themselves."""
        self._keys_changed_on_load: set[str] = set()
        """Keys whose values pages change by themselves."""
        self._changed_by_action = False

    async def restore(self) -> None:
        """Write the baseline back if an action changed it. Call it before a load."""
        if self._driver is None or self._baseline is None or not self._changed_by_action:
            return
        with suppress(DriverError):
            await self._driver.replace_web_storage(self._baseline)
            self._changed_by_action = False

    async def record_load(self) -> None:
        """Make the storage after a load the baseline, and remember what the page changed by itself."""
        current = await self._read()
        if current is None or self._changed_by_action:
            return
        if self._baseline is not None:
            self._keys_added_on_load |= self._baseline.keys() ^ current.keys()
            self._keys_changed_on_load |= _changed_keys(self._baseline, current)
        self._baseline = current

    async def check_action(self) -> bool:
        """Return whether the action before this call changed the storage."""
        current = await self._read()
        if current is None or self._baseline is None:
            return False
        added = self._baseline.keys() ^ current.keys()
        added -= self._keys_added_on_load | self._keys_changed_on_load
        # An action may still change the value of a key that pages add while they load.
        changed = _changed_keys(self._baseline, current) - self._keys_changed_on_load
        self._changed_by_action = bool(added or changed)
        return self._changed_by_action

    async def _read(self) -> dict[str, str] | None:
        if self._driver is None:
            return None
        try:
            return dict(await self._driver.read_web_storage())
        except DriverError:
            return None


def _changed_keys(before: dict[str, str], after: dict[str, str]) -> set[str]:
    return {key for key in before.keys() & after.keys() if before[key] != after[key]}
