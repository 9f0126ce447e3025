"""Durable workflow runs: start, follow, answer and control them in a database, from any process.

A run is executed by the process that holds the database (SQLite), or by any worker (PostgreSQL). A process that only
asks or answers needs no browser.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from uiap import settings
from uiap.api.open_session import bundle_for, check_url
from uiap.api.workflow_application import ApplicationOpener
from uiap.errors import UiapError, Unavailable
from uiap.host.clock import SystemClock
from uiap.host.records.store import sqlite_url
from uiap.host.workflows.durable import (
    DurableRuns,
    Explore,
    QueuedDiscovery,
    RunLimits,
    RunRecords,
    RunSchedule,
)
from uiap.host.workflows.executor import Publish
from uiap.host.workflows.history import ENDED, ReplayedRun, RunHistory, TimelineEntry
from uiap.host.workflows.performer import DiscoveryOrder, RunApplication, RunOrder
from uiap.ids import new_secret
from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import ActionDescriptor
from uiap.spec.policy import POLICY_GRANTS
from uiap.spec.vocabulary import InteractionMode
from uiap.spec.workflow import WorkflowDefinition, WorkflowErrorDescriptor, WorkflowStartPayload
from uiap.workflow import events as when
from uiap.workflow.answers import go_on
from uiap.workflow.index import Situation
from uiap.workflow.recording import START_URL
from uiap.workflow.repaired import repaired
from uiap.workflow.start import start_terms

FOLLOW_S = 0.2
UNREAD_S = 30.0
"""How long an answer may wait for the process that executes the run."""
MIN_ID = 5
"""A shorter beginning of an id names no run: each id begins with `wf_`."""
WAITING = ("waiting_for_input", "waiting_for_confirmation", "waiting_for_user", "paused")


def database_url(database: str | Path | None) -> str:
    """Return the URL of a database: a URL, a SQLite file, or the default file in the data folder."""
    if database is None:
        folder = settings.read().data
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return sqlite_url(folder / "workflows.sqlite3")
    text = str(database)
    return text if "://" in text else sqlite_url(Path(text).absolute())


def run_order(
    definition: WorkflowDefinition,
    application: RunApplication,
    parameters: dict[str, Any],
    *,
    mode: InteractionMode | None = None,
    actions: tuple[ActionDescriptor, ...] = (),
) -> RunOrder:
    """Return the order of a run. Raise UiapError if the definition or the parameters are not valid."""
    asked = WorkflowStartPayload(
        workflow_id=definition.id, mode=mode or UNSET, parameters=parameters or UNSET
    )
    everything = Situation(
        grants=frozenset(POLICY_GRANTS), roles=frozenset(definition.required_roles or ()), route_id=None
    )
    terms = start_terms([definition], asked, new_secret("wf"), everything, None, actions)
    if isinstance(terms, WorkflowErrorDescriptor):
        raise UiapError(terms.message)
    return RunOrder(terms=msgspec.structs.replace(terms, repairs=True), application=application)


def application_of(
    definition: WorkflowDefinition, url: str | None, **members: Any
) -> tuple[RunApplication, tuple[ActionDescriptor, ...]]:
    """Return the application of a run and the actions that its bundle declares."""
    metadata = definition.metadata or {}
    begin = url or metadata.get(START_URL)
    if not isinstance(begin, str):
        raise UiapError(f"`{definition.id}` names no address to begin at; give the url")
    application = RunApplication(url=check_url(begin), **members)
    bundle = bundle_for(application.url, application.bundle)
    declared = () if bundle is None else bundle.capabilities.actions
    return application, tuple(one for one in declared if one.kind == "domain")


class WorkflowRuns:
    """The runs in one database. Use it with `async with`."""

    def __init__(self, database: str | Path | None = None) -> None:
        self.database = database_url(database)
        self._clock = SystemClock()
        self._records: RunRecords | None = None

    async def __aenter__(self) -> WorkflowRuns:
        self._records = await asyncio.to_thread(RunRecords, self.database)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._records is not None:
            self._records.close()

    @property
    def _store(self) -> RunRecords:
        assert self._records is not None, "use it with `async with`"
        return self._records

    async def is_reachable(self) -> bool:
        """Return whether the database answers."""
        return await asyncio.to_thread(self._store.is_reachable)

    @asynccontextmanager
    async def executing(
        self,
        opener: ApplicationOpener | None = None,
        *,
        publish: Publish = lambda _type, _payload: None,
        limits: RunLimits | None = None,
        explore: Explore | None = None,
    ) -> AsyncIterator[DurableRuns]:
        """Execute runs in this process, also those that another process left behind. Raise Busy if another does.

        With `explore`, it also takes queued discoveries.
        """
        runs = DurableRuns(
            self.database,
            opener or ApplicationOpener(publish=publish),
            self._clock,
            publish=publish,
            limits=limits,
            explore=explore,
        )
        try:
            await runs.launch()
            yield runs
        finally:
            await runs.close()

    async def enqueue(self, order: RunOrder) -> str:
        """Store a run for a worker, and return its id."""
        await asyncio.to_thread(self._store.enqueue, order)
        return order.terms.instance_id

    async def enqueue_discovery(self, order: DiscoveryOrder) -> str:
        """Store a discovery for a worker, and return its id."""
        await asyncio.to_thread(self._store.enqueue_discovery, order)
        return order.id

    async def discoveries(self) -> Sequence[QueuedDiscovery]:
        """Return the discoveries that were left to workers, newest first."""
        return await asyncio.to_thread(self._store.discoveries)

    async def schedule(self, name: str, cron: str, order: RunOrder, timezone: str | None = None) -> None:
        """Run an order at the times of a cron expression. A worker must be running at these times."""
        await asyncio.to_thread(self._store.schedule, name, cron, order, timezone)

    async def schedules(self) -> Sequence[RunSchedule]:
        return await asyncio.to_thread(self._store.schedules)

    async def unschedule(self, name: str) -> None:
        """Delete a schedule. Runs that it started go on."""
        await asyncio.to_thread(self._store.unschedule, name)

    async def open_ids(self) -> list[str]:
        """Return the ids of the runs that have not ended, oldest first."""
        return await asyncio.to_thread(self._store.open_ids)

    async def ids(self) -> Sequence[str]:
        """Return the ids of all runs, newest first."""
        return await asyncio.to_thread(self._store.instance_ids)

    async def history(self, instance_id: str) -> RunHistory:
        return (await self._replayed(instance_id)).history

    async def _replayed(self, instance_id: str) -> ReplayedRun:
        run = await asyncio.to_thread(self._store.replayed, instance_id)
        if run is None and (full := await self._full_id(instance_id)) is not None:
            run = await asyncio.to_thread(self._store.replayed, full)
        if run is None:
            raise Unavailable(f"there is no run `{instance_id}`; `uiap workflow status` lists the runs")
        return run

    async def _full_id(self, beginning: str) -> str | None:
        """Return the id of the only run whose id begins so. People shorten ids when they type them."""
        fitting = [one for one in await self.ids() if one.startswith(beginning)]
        return fitting[0] if len(beginning) >= MIN_ID and len(fitting) == 1 else None

    async def definition(self, instance_id: str) -> WorkflowDefinition:
        """Return the definition of a run, in the version that it started with."""
        return (await self._replayed(instance_id)).order.terms.definition

    async def follow(self, instance_id: str, shown: int = 0) -> AsyncIterator[TimelineEntry]:
        """Yield the reports after the first `shown`, until the run has ended or waits for an answer."""
        patience = round(UNREAD_S / FOLLOW_S)
        while True:
            run = await self._replayed(instance_id)
            timeline, status = run.history.timeline, run.instance.status
            for entry in timeline[shown:]:
                yield entry
            shown = len(timeline)
            patience -= bool(run.unread)
            if status in ENDED or (status in WAITING and (not run.unread or patience < 0)):
                return
            await asyncio.sleep(FOLLOW_S)

    # -- messages to a run ----------------------------------------------------------------------------------

    async def pause(self, instance_id: str, reason: str = "") -> None:
        """Start no further step until `resume`. A running action comes to its end."""
        await self._post(instance_id, when.Paused(at=self._clock.now(), reason=reason))

    async def cancel(self, instance_id: str, reason: str = "") -> None:
        await self._post(instance_id, when.Cancelled(at=self._clock.now(), reason=reason))

    async def resume(self, instance_id: str, by: str = "person", **parameters: Any) -> None:
        """Go on: after a pause, with the values that were asked for, or after a person did or confirms a step."""
        machine = (await self._replayed(instance_id)).expected
        await self._post(instance_id, go_on(machine, self._clock.now(), by, parameters))

    async def accept_repair(self, instance_id: str, by: str = "person") -> None:
        """Accept the proposed element as the target of the step. The run goes on from there."""
        await self._post(instance_id, when.RepairAccepted(at=self._clock.now(), by=by))

    async def repairs(self, instance_id: str) -> dict[str, ElementBinding]:
        """Return the repaired bindings that a person accepted in a run, by step."""
        return (await self._replayed(instance_id)).machine.repairs

    async def repaired_definition(self, instance_id: str) -> WorkflowDefinition:
        """Return the definition of a run with the repairs that a person accepted, as its next version."""
        run = await self._replayed(instance_id)
        return repaired(run.order.terms.definition, run.machine.repairs)

    async def decline(self, instance_id: str, by: str = "person", reason: str = "") -> None:
        """Answer no: the action is not confirmed, or the step was not done."""
        machine = (await self._replayed(instance_id)).expected
        at = self._clock.now()
        denied = when.Denied(at=at, by=by, reason=reason)
        not_done = when.HandedBack(at=at, done=False, by=by)
        await self._post(instance_id, denied if machine.accepts(when.Denied) else not_done)

    async def _post(self, instance_id: str, event: when.AnyEvent) -> None:
        run = await self._replayed(instance_id)
        if not run.accepts(type(event)):
            raise Unavailable(_refusal(run))
        await asyncio.to_thread(self._store.post, run.instance.instance_id, event)


def _refusal(run: ReplayedRun) -> str:
    """Return why a run accepts no such answer, and what to do."""
    id, status = run.instance.instance_id, run.instance.status
    if status in ENDED:
        return f"run `{id}` has ended ({status}); start another one with `uiap workflow run`"
    return f"run `{id}` is {status} and does not wait for this; see `uiap workflow status {id}`"
