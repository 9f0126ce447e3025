"""Checks that each input was audited before it was sent, and that no action, tab, process or file is left."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from uiap.drivers.chromium import ChromiumBrowser
from uiap.host.clock import SystemClock
from uiap.host.handlers.actions import ActionHandler
from uiap.host.records.audit import entries, verify
from uiap.host.records.store import Store, sqlite_url
from uiap.host.records.writer import Writer

TIMEOUT_S = 10.0
"""Everything must be released within this time after the end."""


class AuditedStore:
    """A store for one handler. It is read again from disk whenever input is sent to the page."""

    def __init__(self, folder: Path) -> None:
        clock = SystemClock()
        self.store = Store(sqlite_url(folder / "books.sqlite3"))
        self.writer = Writer(self.store, lambda: clock.now().wall)
        self.input_count = 0
        self.undecided: list[str] = []

    def check_each_input(self, driver: Any, handler: ActionHandler) -> None:
        """Note every input whose policy decision is not yet on disk."""
        plain = driver.perform

        async def perform(op: Any, **options: Any) -> Any:
            acting = [handle for handle, one in handler._running.items() if one.performing]
            if acting:
                self.input_count += 1
                decided = {
                    entry.handle for _, entry in entries(self.store) if entry and entry.kind == "decision"
                }
                self.undecided += [handle for handle in acting if handle not in decided]
            return await plain(op, **options)

        driver.perform = perform

    def check(self) -> None:
        """Check that the audit chain is intact, and that each action has one result, after its decision."""
        self.writer.close()
        assert self.undecided == [], f"sent before it was decided: {self.undecided}"
        found = verify(self.store)
        assert found.intact, found.problem
        kinds: dict[str, list[str]] = {}
        for _, entry in entries(self.store):
            assert entry is not None
            if entry.kind in ("decision", "result"):
                kinds.setdefault(entry.handle, []).append(entry.kind)
        for handle, recorded in kinds.items():
            assert "result" not in recorded[:-1], f"{handle}: {recorded}"
        self.store.close()


@contextmanager
def audited_store() -> Iterator[AuditedStore]:
    with tempfile.TemporaryDirectory(prefix="uiap-books-") as folder:
        yield AuditedStore(Path(folder))


async def becomes_true(holds: Callable[[], bool], seconds: float = TIMEOUT_S) -> bool:
    """Return whether the condition becomes true in time."""
    deadline = asyncio.get_running_loop().time() + seconds
    while not holds():
        if asyncio.get_running_loop().time() > deadline:
            return False
        await asyncio.sleep(0.01)
    return True


async def assert_no_action_left(handler: ActionHandler) -> None:
    """Check that no action, no task and no locked tab is left."""
    lanes = handler._executor._lanes.values()
    free = await becomes_true(
        lambda: not handler._running and not handler._tasks and not any(one._lock.locked() for one in lanes)
    )
    assert free, f"left: {list(handler._running)}, {handler._tasks}, {[one._lock.locked() for one in lanes]}"


async def tabs_of(browser: ChromiumBrowser) -> set[str]:
    targets = await browser.session.send("Target.getTargets")
    return {one["targetId"] for one in targets["targetInfos"] if one["type"] == "page"}


async def assert_no_tab_left(browser: ChromiumBrowser, before: set[str]) -> None:
    if browser.session.ended is not None:
        return
    deadline = asyncio.get_running_loop().time() + TIMEOUT_S
    while left := await tabs_of(browser) - before:
        assert asyncio.get_running_loop().time() < deadline, f"tabs left: {left}"
        await asyncio.sleep(0.05)


class OpenResources:
    """The child processes and open files of this process, without sockets of the server and the browser."""

    def __init__(self) -> None:
        self.processes, self.files = _children(os.getpid()), _open_file_count()

    async def check(self) -> None:
        held = lambda: (_children(os.getpid()) - self.processes, _open_file_count() - self.files)  # noqa: E731
        assert await becomes_true(lambda: not held()[0] and held()[1] <= 0), (
            f"processes, files left: {held()}"
        )


def _children(pid: int) -> set[int]:
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found |= {int(one) for one in task.read_text().split()}
        except OSError:
            continue
    return found | {grand for child in found for grand in _children(child)}


def _open_file_count() -> int:
    count = 0
    for one in Path("/proc/self/fd").iterdir():
        try:
            count += not str(one.readlink()).startswith(("socket:", "anon_inode:"))
        except OSError:
            continue
    return count
