"""A bounded one-way queue that can end: what it still holds is delivered before the end is.

It knows neither sockets nor envelopes.
"""

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
        self._turn = asyncio.Lock()  # first come, first served among waiting senders
        self._room = asyncio.Event()
        self._news = asyncio.Event()

    @property
    def closed(self) -> bool:
        return self._end is not None

    @property
    def full(self) -> bool:
        return len(self._items) >= self._capacity

    def end(self) -> TransportClosed:
        return closed_error(*(self._end or (CLOSE_ABNORMAL, "")))

    async def put(self, item: T) -> None:
        async with self._turn:
            while self.full and not self.closed:
                self._room.clear()
                await self._room.wait()
            self.put_now(item)

    def put_now(self, item: T) -> None:
        """Add without waiting, past the bound if need be: the caller has looked at `full`."""
        if self.closed:
            raise self.end()
        self._items.append(item)
        self._news.set()

    async def get(self) -> T:
        while not self._items:
            if self.closed:
                raise self.end()
            self._news.clear()
            await self._news.wait()
        item = self._items.popleft()
        self._room.set()
        return item

    def close(self, code: int, reason: str = "", *, discard: bool = False) -> None:
        """End the pipe; the first end counts. `discard` also drops what was not yet taken."""
        if discard:
            self._items.clear()
        if self._end is None:
            self._end = (code, reason)
        self._room.set()
        self._news.set()
