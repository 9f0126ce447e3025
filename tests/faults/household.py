"""What must stand in the audit before anything is done, and what must not be left behind (robustness B2.6, B2.7)."""

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

SECONDS = 10.0
"""B2.7: so long after the end something may still be there."""


class Books:
    """A store of its own for one desk, read again by somebody else whenever something is sent to the page."""

    def __init__(self, folder: Path) -> None:
        clock = SystemClock()
        self.store = Store(sqlite_url(folder / "books.sqlite3"))
        self.writer = Writer(self.store, lambda: clock.now().wall)
        self.sent = 0
        self.undecided: list[str] = []

    def guard(self, driver: Any, desk: ActionHandler) -> None:
        """B2.6: at every gesture the decision about it is on disk already."""
        plain = driver.perform

        async def perform(op: Any, **how: Any) -> Any:
            acting = [handle for handle, one in desk._running.items() if one.performing]
            if acting:
                self.sent += 1
                decided = {
                    entry.handle for _, entry in entries(self.store) if entry and entry.kind == "decision"
                }
                self.undecided += [handle for handle in acting if handle not in decided]
            return await plain(op, **how)

        driver.perform = perform

    def check(self) -> None:
        """The chain is whole; of each action the decision stands before its one result."""
        self.writer.close()
        assert self.undecided == [], f"B2.6 sent before it was decided: {self.undecided}"
        found = verify(self.store)
        assert found.intact, f"B2.6 {found.problem}"
        kinds: dict[str, list[str]] = {}
        for _, entry in entries(self.store):
            assert entry is not None
            if entry.kind in ("decision", "result"):
                kinds.setdefault(entry.handle, []).append(entry.kind)
        for handle, told in kinds.items():
            assert "result" not in told[:-1], f"B2.6 {handle}: {told}"
        self.store.close()


@contextmanager
def books() -> Iterator[Books]:
    with tempfile.TemporaryDirectory(prefix="uiap-books-") as folder:
        yield Books(Path(folder))


async def until(holds: Callable[[], bool], seconds: float = SECONDS) -> bool:
    """Looked at again and again, at most so long."""
    over = asyncio.get_running_loop().time() + seconds
    while not holds():
        if asyncio.get_running_loop().time() > over:
            return False
        await asyncio.sleep(0.01)
    return True


async def nothing_held(desk: ActionHandler) -> None:
    """B2.7: no action under way, no task, no lane."""
    lanes = desk._executor._lanes.values()
    free = await until(
        lambda: not desk._running and not desk._tasks and not any(one._lock.locked() for one in lanes)
    )
    assert free, f"B2.7 left: {list(desk._running)}, {desk._tasks}, {[one._lock.locked() for one in lanes]}"


async def tabs_of(browser: ChromiumBrowser) -> set[str]:
    told = await browser.session.send("Target.getTargets")
    return {one["targetId"] for one in told["targetInfos"] if one["type"] == "page"}


async def no_tab_left(browser: ChromiumBrowser, before: set[str]) -> None:
    if browser.session.ended is not None:
        return
    over = asyncio.get_running_loop().time() + SECONDS
    while left := await tabs_of(browser) - before:
        assert asyncio.get_running_loop().time() < over, f"B2.7 tabs left: {left}"
        await asyncio.sleep(0.05)


class Belongings:
    """The processes of this one, and the files it holds open (sockets are the server's and the browser's)."""

    def __init__(self) -> None:
        self.processes, self.files = _children(os.getpid()), _files()

    async def check(self) -> None:
        held = lambda: (_children(os.getpid()) - self.processes, _files() - self.files)  # noqa: E731
        assert await until(lambda: not held()[0] and held()[1] <= 0), f"B2.7 processes, files left: {held()}"


def _children(pid: int) -> set[int]:
    found: set[int] = set()
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found |= {int(one) for one in task.read_text().split()}
        except OSError:
            continue
    return found | {grand for child in found for grand in _children(child)}


def _files() -> int:
    count = 0
    for one in Path("/proc/self/fd").iterdir():
        try:
            count += not str(one.readlink()).startswith(("socket:", "anon_inode:"))
        except OSError:
            continue
    return count
