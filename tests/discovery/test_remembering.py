"""What a press leaves in a page's own storage is told from what pages write there by themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uiap.host.runs.storage_baseline import StorageBaseline


class Storage:
    """The storage of a page, and nothing else of a driver."""

    def __init__(self, **kept: str) -> None:
        self.kept: dict[str, str] = dict(kept)

    async def read_web_storage(self, *, tab: str | None = None) -> Mapping[str, str]:
        return dict(self.kept)

    async def replace_web_storage(self, items: Mapping[str, str], *, tab: str | None = None) -> None:
        self.kept = dict(items)


async def begun(storage: Storage, *loads: dict[str, str]) -> StorageBaseline:
    driver: Any = storage
    memory = StorageBaseline(driver)
    await memory.loaded()
    for written in loads:
        storage.kept |= written
        await memory.loaded()
    return memory


async def test_what_pages_change_as_they_load_is_not_the_doing_of_a_press() -> None:
    storage = Storage(seen="1")
    memory = await begun(storage, {"seen": "2"})
    storage.kept["seen"] = "3"
    assert not await memory.acted()


async def test_what_a_page_begins_to_keep_as_it_loads_a_press_can_still_change() -> None:
    storage = Storage()
    memory = await begun(storage, {"path": "closed"})
    assert not await memory.acted()
    storage.kept["path"] = "open"
    assert await memory.acted()
    await memory.put_back()
    assert storage.kept == {"path": "closed"}


async def test_what_a_press_begins_to_keep_is_put_back() -> None:
    storage = Storage(theme="light")
    memory = await begun(storage)
    storage.kept["sidebar"] = "folded"
    assert await memory.acted()
    await memory.put_back()
    assert storage.kept == {"theme": "light"}
