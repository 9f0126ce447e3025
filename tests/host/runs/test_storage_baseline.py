"""Changes that an action makes in web storage are told apart from changes that pages make by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uiap.host.runs.storage_baseline import StorageBaseline


class FakeStorage:
    """The web storage of a page, without the rest of a driver."""

    def __init__(self, **items: str) -> None:
        self.items: dict[str, str] = dict(items)

    async def read_web_storage(self, *, tab: str | None = None) -> Mapping[str, str]:
        return dict(self.items)

    async def replace_web_storage(self, items: Mapping[str, str], *, tab: str | None = None) -> None:
        self.items = dict(items)


async def baseline_after(storage: FakeStorage, *loads: dict[str, str]) -> StorageBaseline:
    """Return a baseline after these loads, each of which writes some items."""
    driver: Any = storage
    baseline = StorageBaseline(driver)
    await baseline.record_load()
    for written in loads:
        storage.items |= written
        await baseline.record_load()
    return baseline


async def test_a_key_that_pages_change_on_load_is_not_changed_by_an_action() -> None:
    storage = FakeStorage(seen="1")
    baseline = await baseline_after(storage, {"seen": "2"})
    storage.items["seen"] = "3"
    assert not await baseline.check_action()


async def test_an_action_can_change_a_key_that_a_page_added_on_load() -> None:
    storage = FakeStorage()
    baseline = await baseline_after(storage, {"path": "closed"})
    assert not await baseline.check_action()
    storage.items["path"] = "open"
    assert await baseline.check_action()
    await baseline.restore()
    assert storage.items == {"path": "closed"}


async def test_a_key_that_an_action_added_is_removed_again() -> None:
    storage = FakeStorage(theme="light")
    baseline = await baseline_after(storage)
    storage.items["sidebar"] = "folded"
    assert await baseline.check_action()
    await baseline.restore()
    assert storage.items == {"theme": "light"}
