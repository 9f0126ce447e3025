"""Carries out a discovery run: sends events to its machine and hands its commands to the workers.

The machine decides. Each worker has its own browser and carries out one command at a time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence

import msgspec

from uiap.discovery import commands, events
from uiap.discovery.machine import Run
from uiap.host.clock import Clock
from uiap.host.runs.exploration_store import ExplorationStore
from uiap.host.runs.page_worker import PageProvider, PageWorker, WorkerTerms
from uiap.spec.discovery import DiscoveryPackage

ProgressListener = Callable[[str, msgspec.Struct], None]


class Exploration:
    """One run with its workers, its store and its listeners."""

    def __init__(
        self,
        run: Run,
        pages: Sequence[PageProvider],
        clock: Clock,
        store: ExplorationStore,
        on_progress: ProgressListener,
        *,
        screenshots: bool = False,
        ax_trees: bool = True,
    ) -> None:
        self.run = run
        self._clock, self._store, self._on_progress = clock, store, on_progress
        terms = WorkerTerms(
            clock=clock,
            store=store,
            allowed_origins=run.plan.allowed_origins,
            screenshots=screenshots,
            ax_trees=ax_trees,
        )
        self._workers = [PageWorker(one, terms) for one in pages]
        self._events: asyncio.Queue[events.Event] = asyncio.Queue()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        """The command that each worker carries out."""
        self._replayed = False
        self._ended = asyncio.Event()
        self._acknowledged: dict[int, asyncio.Event] = {}
        """Event to the signal that it was handled."""
        self._package: DiscoveryPackage | None = None

    # -- the loop -------------------------------------------------------------------------------------------

    async def explore(self) -> DiscoveryPackage:
        """Carry the run out and return its package; the page is closed in any case."""
        if self._replayed:
            self.send(events.Interrupted(at=self._clock.now()))
            self.send(events.Resumed(at=self._clock.now()))  # a run that was paused before continues now
        else:
            self.send(events.Started(at=self._clock.now()))
        try:
            while self._package is None:
                event = await self._events.get()
                self._handle(event)
                if (waiting := self._acknowledged.pop(id(event), None)) is not None:
                    waiting.set()
            self._store.write_package(self._package)
            return self._package
        finally:
            await self._stop()
            self._ended.set()

    def replay(self, journal: Iterable[events.Event]) -> None:
        """Bring the machine to the point where the run was interrupted. Its commands were carried out then."""
        self._replayed = True
        for event in journal:
            for command in self.run.handle(event):
                if isinstance(command, commands.Finish):
                    self._package = command.package

    def send(self, event: events.Event) -> None:
        """Queue an event for the machine."""
        self._events.put_nowait(event)

    async def apply(self, event: events.Event) -> None:
        """Send an event, and return once it was handled and nothing is being done to the page any more."""
        handled = self._acknowledged[id(event)] = asyncio.Event()
        self.send(event)
        if self._ended.is_set():
            return
        ended = asyncio.create_task(self._ended.wait())
        waiting = asyncio.create_task(handled.wait())
        await asyncio.wait([ended, waiting], return_when=asyncio.FIRST_COMPLETED)
        ended.cancel()
        waiting.cancel()
        if self._package is not None:  # the run is over; what it was doing is given up
            for task in self._tasks.values():
                task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks.values())

    def _handle(self, event: events.Event) -> None:
        self._store.append_event(event)
        for command in self.run.handle(event):
            if isinstance(command, commands.Report):
                self._on_progress("uiap.discovery.progress", command.payload)
            elif isinstance(command, commands.Finish):
                self._package = command.package
            else:
                self._tasks[command.worker] = asyncio.create_task(
                    self._carry_out(command), name=f"uiap-discovery-{command.worker}"
                )

    async def _carry_out(self, command: commands.Command) -> None:
        try:
            self.send(await self._workers[command.worker].carry_out(command))
        except Exception as error:  # the machine must get an answer, so that the run ends
            self.send(events.Failed(at=self._clock.now(), problem=f"the run broke off: {error!r}"))
            raise

    async def _stop(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        for worker in self._workers:
            await worker.close()
