"""What a press leaves in a page's own storage is told from what pages write there by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uiap.host.runs.storage_baseline import StorageBaseline


class Storage:
    """The storage of a page, and nothing else of a driver."""

    def __init__(self, **storage_changed: str) -> None:
        self.storage_changed: dict[str, str] = dict(storage_changed)

    async def read_web_storage(self, *, tab: str | None = None) -> Mapping[str, str]:
        return dict(self.storage_changed)

    async def replace_web_storage(self, items: Mapping[str, str], *, tab: str | None = None) -> None:
        self.storage_changed = dict(items)


async def begun(storage: Storage, *loads: dict[str, str]) -> StorageBaseline:
    driver: Any = storage
    memory = StorageBaseline(driver)
    await memory.loaded()
    for written in loads:
        storage.storage_changed |= written
        await memory.loaded()
    return memory


async def test_what_pages_change_as_they_load_is_not_the_doing_of_a_press() -> None:
    storage = Storage(seen="1")
    memory = await begun(storage, {"seen": "2"})
    storage.storage_changed["seen"] = "3"
    assert not await memory.acted()


async def test_what_a_page_begins_to_keep_as_it_loads_a_press_can_still_change() -> None:
    storage = Storage()
    memory = await begun(storage, {"path": "closed"})
    assert not await memory.acted()
    storage.storage_changed["path"] = "open"
    assert await memory.acted()
    await memory.put_back()
    assert storage.storage_changed == {"path": "closed"}


async def test_what_a_press_begins_to_keep_is_put_back() -> None:
    storage = Storage(theme="light")
    memory = await begun(storage)
    storage.storage_changed["sidebar"] = "folded"
    assert await memory.acted()
    await memory.put_back()
    assert storage.storage_changed == {"theme": "light"}
