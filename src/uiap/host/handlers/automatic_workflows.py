"""Starts automatic workflows for the sessions that follow them: at once, and when the page comes to another route."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from uiap.drivers.events import AnyEvent, GraphChanged
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page

StartDue: TypeAlias = Callable[[SessionConnection, set[str]], Awaitable[None]]
"""Starts the workflows that are due, except the given ones, and adds those that it started."""


class AutomaticWorkflows:
    """A session follows from its first `uiap.workflow.list` until it ends. A workflow starts once in a session."""

    def __init__(self, page: Page, start_due: StartDue) -> None:
        self._page, self._start_due = page, start_due
        self._followers: dict[str, tuple[SessionConnection, set[str]]] = {}
        self._route = ""
        self._tasks: set[asyncio.Task[None]] = set()
        self._stop_listening: Callable[[], None] | None = None

    def follow(self, connection: SessionConnection) -> None:
        if connection.id in self._followers:
            return
        if self._stop_listening is None:
            self._stop_listening = self._page.listen(self._on_event)
        self._followers[connection.id] = (connection, set())
        self._check(connection.id)

    def _on_event(self, event: AnyEvent) -> None:
        if not isinstance(event, GraphChanged):
            return
        route = self._page.tab().store.route.url
        if route != self._route:
            self._route = route
            for id in self._followers:
                self._check(id)

    def _check(self, id: str) -> None:
        connection, started = self._followers[id]
        task = asyncio.ensure_future(self._start_due(connection, started))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def end(self, connection: str) -> None:
        self._followers.pop(connection, None)

    async def settle(self) -> None:
        if self._stop_listening is not None:
            self._stop_listening()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
