"""A bounded one-way queue: order, capacity, and an end that loses nothing."""

from __future__ import annotations

import asyncio

import pytest

from uiap.errors import TransportClosed
from uiap.transports.pipe import Pipe


async def test_items_arrive_in_order_and_a_full_pipe_makes_its_sender_wait() -> None:
    pipe: Pipe[int] = Pipe(1)
    await pipe.put(1)
    assert pipe.full
    waiting = asyncio.create_task(pipe.put(2))
    await asyncio.sleep(0)
    assert not waiting.done()
    assert await pipe.get() == 1
    await waiting
    assert await pipe.get() == 2


async def test_queued_items_are_delivered_before_the_end() -> None:
    pipe: Pipe[str] = Pipe(4)
    await pipe.put("last words")
    pipe.close(1000, "done")
    pipe.close(1011, "too late")
    assert await pipe.get() == "last words"
    with pytest.raises(TransportClosed) as end:
        await pipe.get()
    assert (end.value.close_code, end.value.message) == (1000, "done")
    with pytest.raises(TransportClosed):
        await pipe.put("more")


async def test_a_discarding_close_drops_the_queued_items() -> None:
    pipe: Pipe[str] = Pipe(4)
    await pipe.put("unread")
    pipe.close(1001, "gone", discard=True)
    with pytest.raises(TransportClosed):
        await pipe.get()


async def test_a_waiting_reader_is_ended_by_close() -> None:
    pipe: Pipe[str] = Pipe(1)
    reader = asyncio.create_task(pipe.get())
    await asyncio.sleep(0)
    pipe.close(1000)
    with pytest.raises(TransportClosed):
        await asyncio.wait_for(reader, 5)
