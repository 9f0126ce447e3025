"""The writer: many callers share a commit, and a write is confirmed only when it is durable."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from sqlalchemy import event

from tests.host.journal_rows import WALL, row, steps
from uiap.host.records import tables
from uiap.host.records import writer as writer_module
from uiap.host.records.store import RowRefused, Store, StoreFailed
from uiap.host.records.writer import Writer

SECONDS = 20.0


@pytest.fixture
def writer(store: Store) -> Iterator[Writer]:
    writer = Writer(store, lambda: WALL)
    yield writer
    writer.close()


class Gate:
    """Delays the next transactions of the store until it is opened, or makes them fail with an error."""

    def __init__(self, store: Store) -> None:
        self.transactions = 0
        self.open = threading.Event()
        self.open.set()
        self.error: Exception | None = None
        self._append = store.append
        store.append = self  # type: ignore[assignment]

    def __call__(self, rows) -> None:
        assert self.open.wait(SECONDS)
        self.transactions += 1
        if self.error is not None:
            raise self.error
        self._append(rows)


@pytest.fixture
def gate(store: Store) -> Iterator[Gate]:
    gate = Gate(store)
    yield gate
    gate.open.set()


async def test_many_awaited_writes_share_few_commits(store: Store, writer: Writer):
    commits: list[object] = []
    event.listen(store._engine, "commit", commits.append)
    await asyncio.gather(*(writer.write(row(n)) for n in range(1000)))
    assert sorted(steps(store)) == list(range(1000))
    assert len(commits) <= 1000 // writer_module.BATCH + 25


async def test_rows_are_stored_in_the_order_they_were_given(store: Store, writer: Writer):
    for n in range(200):
        writer.put(*row(n))
    await writer.write(row(200), row(201))
    assert steps(store) == list(range(202))


async def test_a_write_returns_once_its_row_is_visible_to_others(open_store, writer: Writer):
    await writer.write(row(7))
    assert steps(open_store()) == [7]


def test_closing_writes_all_queued_rows(store: Store, gate: Gate):
    writer = Writer(store, lambda: WALL)
    gate.open.clear()
    for n in range(1200):
        writer.put(*row(n))
    gate.open.set()
    writer.close()
    writer.close()
    assert steps(store) == list(range(1200))
    assert gate.transactions <= 5


async def test_a_closed_writer_refuses_rows(store: Store, writer: Writer):
    writer.close()
    with pytest.raises(StoreFailed, match="closed"):
        await writer.write(row(1))
    writer.put(*row(2))
    assert writer.lost_count == 1
    assert steps(store) == []


async def test_a_failing_store_raises_for_waiters_and_counts_lost_rows(
    store: Store, writer: Writer, gate: Gate
):
    gate.open.clear()
    gate.error = StoreFailed("disk full")
    writer.put(*row(1))
    writer.put(*row(2))
    waiting = [asyncio.ensure_future(writer.write(row(n))) for n in (3, 4)]
    await asyncio.sleep(0)
    gate.open.set()
    outcomes = await asyncio.wait_for(asyncio.gather(*waiting, return_exceptions=True), SECONDS)
    assert [type(outcome) for outcome in outcomes] == [StoreFailed, StoreFailed]
    assert steps(store) == []
    gate.error = None
    await writer.write(row(5))
    assert steps(store) == [5]
    assert store.lost_count() == 2
    assert writer.lost_count == 0
    await writer.write(row(6))
    assert store.lost_count() == 2, "a loss is written down once"


def test_a_last_loss_is_recorded_when_the_writer_closes(store: Store, gate: Gate):
    writer = Writer(store, lambda: WALL)
    failed = threading.Event()
    gate.error = StoreFailed("locked")
    writer.put(*row(1))
    settle(writer, failed)
    gate.error = None
    writer.close()
    assert store.lost_count() == 1
    assert steps(store) == []


def settle(writer: Writer, failed: threading.Event) -> None:
    """Wait until the writer has handled all rows that are queued now."""

    async def wait() -> None:
        with suppress(StoreFailed):
            await writer.write(row(99))
        failed.set()

    asyncio.run(asyncio.wait_for(wait(), SECONDS))
    assert failed.is_set()


async def test_an_invalid_row_does_not_lose_other_rows(store: Store, writer: Writer, gate: Gate):
    gate.open.clear()
    good = [asyncio.ensure_future(writer.write(row(n))) for n in (1, 2)]
    bad = asyncio.ensure_future(writer.write(row(3, machine=None)))
    more = asyncio.ensure_future(writer.write(row(4)))
    await asyncio.sleep(0)
    gate.open.set()
    await asyncio.wait_for(asyncio.gather(*good, more), SECONDS)
    with pytest.raises(RowRefused):
        await bad
    assert steps(store) == [1, 2, 4]


async def test_an_unexpected_error_of_the_store_reaches_all_waiters(store: Store, writer: Writer, gate: Gate):
    gate.error = ZeroDivisionError("surprise")
    with pytest.raises(StoreFailed, match="ZeroDivisionError"):
        await asyncio.wait_for(writer.write(row(1)), SECONDS)
    gate.error = None
    await asyncio.wait_for(writer.write(row(2)), SECONDS)
    assert steps(store) == [2]


@pytest.mark.parametrize(("bound", "size"), [("QUEUE", 10), ("QUEUE_BYTES", 500)])
async def test_a_full_queue_refuses_writes_and_counts_losses(
    store: Store, writer: Writer, gate: Gate, monkeypatch, bound: str, size: int
):
    monkeypatch.setattr(writer_module, bound, size)
    gate.open.clear()
    for n in range(50):
        writer.put(*row(n))
    with pytest.raises(StoreFailed, match="cannot keep up"):
        await writer.write(row(50))
    lost = writer.lost_count
    assert lost >= 30
    gate.open.set()
    await retry(lambda: writer.write(row(51)))
    assert store.lost_count() == lost
    assert len(steps(store)) == 50 - lost + 1


async def retry(write: Callable[[], object]) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            try:
                await write()  # type: ignore[misc]
            except StoreFailed:
                await asyncio.sleep(0)
            else:
                return


async def test_a_cancelled_caller_does_not_disturb_others(store: Store, writer: Writer, gate: Gate):
    gate.open.clear()
    gone = asyncio.ensure_future(writer.write(row(1)))
    await asyncio.sleep(0)
    gone.cancel()
    stays = asyncio.ensure_future(writer.write(row(2)))
    await asyncio.sleep(0)
    gate.open.set()
    await asyncio.wait_for(stays, SECONDS)
    assert steps(store) == [1, 2]


def test_a_loop_that_has_ended_does_not_stop_the_writer(store: Store, gate: Gate):
    writer = Writer(store, lambda: WALL)
    gate.open.clear()

    async def leave() -> None:
        asyncio.ensure_future(writer.write(row(1))).add_done_callback(lambda done: done.cancelled())
        await asyncio.sleep(0)

    asyncio.run(leave())
    gate.open.set()
    writer.put(*row(2))
    writer.close()
    assert steps(store) == [1, 2]


def test_losses_counted_from_two_threads_are_all_counted(store: Store, writer: Writer, gate: Gate):
    gate.error = StoreFailed("no")
    count = 3000

    def put() -> None:
        for n in range(count):
            writer.put(*row(n))

    threads = [threading.Thread(target=put) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    settle(writer, threading.Event())
    gate.error = None
    writer.close()
    assert store.lost_count() == 3 * count


def test_the_gap_names_its_reason(store: Store, gate: Gate):
    writer = Writer(store, lambda: WALL)
    gate.error = StoreFailed("disk full")
    writer.put(*row(1))
    settle(writer, threading.Event())
    gate.error = None
    writer.close()
    with store._engine.connect() as connection:
        (found,) = connection.execute(tables.gaps.select()).all()
    assert (found.lost, found.reason, found.wall) == (1, "disk full", WALL)
