"""A sink that stores every event and lets a test wait for events."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from uiap.drivers.events import AnyEvent, DriverEvent

E = TypeVar("E", bound=DriverEvent)


class Recorder:
    def __init__(self) -> None:
        self.events: list[AnyEvent] = []
        self._changed = asyncio.Event()

    def __call__(self, event: AnyEvent) -> None:
        self.events.append(event)
        self._changed.set()

    def of(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    async def first(
        self, kind: type[E], where: Callable[[E], bool] = lambda _: True, *, seconds: float = 15.0
    ) -> E:
        """Return the first such event; wait for it if it has not arrived yet."""
        async with asyncio.timeout(seconds):
            while True:
                self._changed.clear()
                for event in self.of(kind):
                    if where(event):
                        return event
                await self._changed.wait()

    async def until(self, condition: Callable[[], bool], *, seconds: float = 15.0) -> None:
        """Wait for events until `condition` holds."""
        async with asyncio.timeout(seconds):
            while not condition():
                self._changed.clear()
                await self._changed.wait()

    async def more(self, *, seconds: float = 15.0) -> None:
        """Wait for one more event."""
        before = len(self.events)
        await self.until(lambda: len(self.events) > before, seconds=seconds)
