"""A bounded one-way queue that can be closed: queued items are delivered before the end."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

from uiap.transports.transport import CLOSE_ABNORMAL, TransportClosed, closed_error

T = TypeVar("T")


class Pipe(Generic[T]):
    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._items: deque[T] = deque()
        self._end: tuple[int, str] | None = None
        self._turn = asyncio.Lock()  # waiting senders put in the order they came
        self._not_full = asyncio.Event()
        self._not_empty = asyncio.Event()

    @property
    def closed(self) -> bool:
        return self._end is not None

    @property
    def full(self) -> bool:
        return len(self._items) >= self._capacity

    def end(self) -> TransportClosed:
        """Return the exception with which this pipe ended."""
        return closed_error(*(self._end or (CLOSE_ABNORMAL, "")))

    async def put(self, item: T) -> None:
        async with self._turn:
            while self.full and not self.closed:
                self._not_full.clear()
                await self._not_full.wait()
            self.put_now(item)

    def put_now(self, item: T) -> None:
        """Add without waiting and without checking the capacity; the caller has checked `full`."""
        if self.closed:
            raise self.end()
        self._items.append(item)
        self._not_empty.set()

    async def get(self) -> T:
        while not self._items:
            if self.closed:
                raise self.end()
            self._not_empty.clear()
            await self._not_empty.wait()
        item = self._items.popleft()
        self._not_full.set()
        return item

    def close(self, code: int, reason: str = "", *, discard: bool = False) -> None:
        """End the pipe; the first call decides code and reason. `discard` also drops the queued items."""
        if discard:
            self._items.clear()
        if self._end is None:
            self._end = (code, reason)
        self._not_full.set()
        self._not_empty.set()
