"""Durable workflow runs on DBOS. The only module that knows DBOS (ADR 0014).

A run is one DBOS workflow, and each journal entry is one DBOS step. After a restart DBOS calls the workflow again and
returns the recorded outputs, so the machine replays to where it was. A step that was under way is called again; the
executor makes that safe. DBOS is a singleton of the process, and so is `DurableRuns`.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from itertools import chain, repeat
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from uiap.errors import Busy, UiapError, Unavailable
from uiap.host.clock import Clock
from uiap.host.workflows.executor import Publish, RecordedEvent, Work, WorkflowExecutor
from uiap.host.workflows.history import ReplayedRun
from uiap.host.workflows.performer import DiscoveryOrder, PerformerFactory, RunOrder
from uiap.host.workflows.run_store import STORE_FAILURES, DatabaseRunStore
from uiap.host.workflows.workers import WorkerPresence
from uiap.ids import new_secret
from uiap.origin import origin_of
from uiap.spec.workflow import WorkflowInstance
from uiap.workflow.events import AnyEvent

FORMAT = "uiap-workflow-1"
"""The application version in DBOS. Runs of the same format continue under a newer uiap."""
APPLICATION = "uiap"
WORKFLOW = "uiap.workflow.run"
SCHEDULED = "uiap.workflow.scheduled"
DISCOVERY = "uiap.discovery.run"
DISCOVERIES = "uiap-discoveries"
"""The queue of discoveries. Only processes that can explore take from it."""
SCHEDULES_S = 10.0
"""How often a process looks for new schedules."""
MAX_RECOVERIES = 1_000_000
"""A run that waits for months is continued after every restart."""
QUEUE = "uiap-runs"
POLL_S = 0.5
"""How often a process looks for queued runs."""
OPEN_STATUSES = ("PENDING", "ENQUEUED", "DELAYED")
BROKEN_STATUSES = ("ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
"""DBOS ended the workflow. If its run had not ended by itself, it never will."""
SQLITE = "sqlite:///"
RETRY_S = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""How long a run waits after each failure of its database. The last one repeats."""
log = logging.getLogger("uiap.workflows")


class RunLimits(NamedTuple):
    """How many queued runs are executed at once: by one process, and in one application by all processes."""

    runs: int = 4
    per_application: int = 16
    per_minute: int | None = None
    """How many runs of one application may start within a minute, in all processes together."""


Explore: TypeAlias = Callable[[DiscoveryOrder], Awaitable[str]]
"""Carries out a queued discovery, or continues one that a lost process left behind, and returns its status."""


class _Runner(NamedTuple):
    """The services of the registered DBOS workflow; DBOS passes it only the terms of a run."""

    performers: PerformerFactory
    store: DatabaseRunStore
    clock: Clock
    publish: Publish
    explore: Explore | None = None


_runner: _Runner | None = None
_function: Callable[[str], Any] | None = None
"""`_run` as DBOS registered it."""
_tasks: set[asyncio.Task[Any]] = set()
"""The runs that this process executes."""


def dbos() -> Any:
    """Return the DBOS package. Raise Unavailable if it is not installed."""
    try:
        import dbos as package
    except ImportError:
        raise Unavailable("durable workflows need DBOS; install `uiap[workflows]`") from None
    return package


class StepNumbers:
    """The numbers under which DBOS records the steps of the current workflow."""

    def __init__(self) -> None:
        self._context = dbos()._context.get_local_dbos_context()

    @property
    def last(self) -> int:
        return int(self._context.function_id)

    async def reuse_after(self, number: int, name: str) -> None:
        """Use the number after `number` again, unless a failure is recorded under it.

        A number that is left out would be a hole. A replay would do work in its place, and read the wrong entries.
        """
        if not await self._has_failure(number + 1, name):
            self._context.function_id = number

    async def _has_failure(self, number: int, name: str) -> bool:
        database, run_id = _instance()._sys_db, self._context.workflow_id
        for wait_s in chain(RETRY_S, repeat(RETRY_S[-1])):
            try:
                found = await asyncio.to_thread(database.check_operation_execution, run_id, number, name)
                return found is not None and found["error"] is not None
            except STORE_FAILURES:
                await asyncio.sleep(wait_s)
        raise AssertionError("the waits never end")


class DbosJournal:
    """Records each answer as the output of one DBOS step."""

    def __init__(self, numbers: Callable[[], StepNumbers] = StepNumbers) -> None:
        self._dbos, self._numbers = dbos().DBOS, numbers()

    async def record(self, name: str, work: Work) -> RecordedEvent:
        """Record the answer. If the database fails, the run waits and records the same answer again.

        DBOS may have recorded the failure itself. A replay raises it again, and the entry after it has the answer.
        """
        done: RecordedEvent | None = None

        async def step() -> str:
            nonlocal done
            if done is None:  # the work is done once, also if its answer is recorded later
                done = await work()
            return msgspec.json.encode(done).decode()

        for wait_s in chain(RETRY_S, repeat(RETRY_S[-1])):
            number = self._numbers.last
            try:
                text = await self._dbos.run_step_async({"name": name}, step)
                return msgspec.json.decode(text, type=RecordedEvent)
            except STORE_FAILURES as error:
                log.error("the answer to %s cannot be recorded: %s", name, error)
            if done is not None:  # a replayed failure is in the past
                await asyncio.sleep(wait_s)
            await self._numbers.reuse_after(number, name)
        raise AssertionError("the waits never end")


async def _run(order: str) -> str:
    """The DBOS workflow: run the order to its end and return the final instance."""
    assert _runner is not None, "runs are executed between launch and close"
    decoded = msgspec.json.decode(order, type=RunOrder)
    task = asyncio.current_task()
    assert task is not None
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
    async with _runner.performers(decoded) as performer:
        executor = WorkflowExecutor(
            decoded.terms,
            performer,
            _runner.store,
            _runner.clock,
            journal=DbosJournal(),
            publish=_runner.publish,
        )
        return msgspec.json.encode(await executor.run()).decode()


async def _discover(order: str) -> str:
    """The DBOS workflow of a discovery. It is called again after a restart, and continues in its folder."""
    assert _runner is not None and _runner.explore is not None, "only processes that can explore take it"
    return await _runner.explore(msgspec.json.decode(order, type=DiscoveryOrder))


async def _scheduled(at: datetime, order: str) -> None:
    """The DBOS workflow of a schedule: put one run of its order into the queue."""
    assert _function is not None, "schedules run between launch and close"
    package, given = dbos(), msgspec.json.decode(order, type=RunOrder)
    id = f"{given.terms.instance_id}-{at:%Y%m%dT%H%M%S}"
    run = msgspec.structs.replace(given, terms=msgspec.structs.replace(given.terms, instance_id=id))
    key = origin_of(given.application.url)
    with package.SetWorkflowID(id), package.SetEnqueueOptions(queue_partition_key=key):
        await package.DBOS.enqueue_workflow_async(QUEUE, _function, _encoded(run))


class _DbosRuns:
    """The runs that processes have taken from the queue, as DBOS stores them."""

    def holders(self) -> dict[str, str]:
        found: Sequence[Any] = dbos().DBOS.list_workflows(
            status="PENDING", load_input=False, load_output=False
        )
        return {str(one.workflow_id): str(one.executor_id) for one in found}

    def executing(self) -> frozenset[str]:
        return frozenset(_instance()._active_workflows_set.activeList())

    def take_over(self, executor_id: str) -> None:
        """Put the runs of a lost process back into the queue. DBOS gives each of them to one process."""
        dbos().DBOS._recover_pending_workflows([executor_id])

    def put_back(self, run_id: str) -> None:
        instance = _instance()
        own = instance._sys_db.get_workflow_status(run_id)["executor_id"]
        instance._sys_db.reenqueue_for_recovery(run_id, [own], dbos()._utils.INTERNAL_QUEUE_NAME)


def _instance() -> Any:
    """Return the DBOS of this process. It has no public way to list or return the runs that it took."""
    return dbos()._dbos._get_dbos_instance()


class DurableRuns:
    """Workflow runs in a database: SQLite by default, PostgreSQL by URL.

    Args:
        database: `sqlite:///FILE` or `postgresql://…`. A SQLite file has one process that executes runs at a time.
        performers: Opens the application for each run that this process executes.
    """

    def __init__(
        self,
        database: str,
        performers: PerformerFactory,
        clock: Clock,
        *,
        publish: Publish = lambda _type, _payload: None,
        limits: RunLimits | None = None,
        explore: Explore | None = None,
    ) -> None:
        self._package, self._limits = dbos(), limits or RunLimits()
        self._lock = _lock(database)
        self._store = DatabaseRunStore(database)
        self._runner = _Runner(performers, self._store, clock, publish, explore)
        self._database = database
        # one process executes a SQLite file, so the next one continues in its place
        self._executor_id = "local" if self._lock is not None else new_secret("worker")
        self._presence = WorkerPresence(
            self._executor_id, self._store, clock, _DbosRuns(), alone=self._lock is not None
        )

    async def launch(self) -> None:
        """Execute runs in this process, and continue those that a process before it left behind."""
        global _runner, _function
        _runner = self._runner
        await self._presence.announce()  # before it can take a run
        logging.getLogger(
            "dbos"
        ).handlers.clear()  # DBOS keeps the stream of an earlier launch, which may be closed
        self._package.DBOS(
            config={
                "name": APPLICATION,
                "system_database_url": self._database,
                "application_version": FORMAT,
                "executor_id": self._executor_id,
                "log_level": "ERROR",
                "scheduler_polling_interval_sec": SCHEDULES_S,
            }
        )
        _function = self._package.DBOS.workflow(name=WORKFLOW, max_recovery_attempts=MAX_RECOVERIES)(_run)
        self._package.DBOS.workflow(name=SCHEDULED, max_recovery_attempts=MAX_RECOVERIES)(_scheduled)
        self._package.DBOS.workflow(name=DISCOVERY, max_recovery_attempts=MAX_RECOVERIES)(_discover)
        self._package.DBOS.listen_queues([QUEUE] if self._runner.explore is None else [QUEUE, DISCOVERIES])
        self._package.DBOS.launch()
        rate = self._limits.per_minute
        await self._package.DBOS.register_queue_async(
            QUEUE,
            worker_concurrency=self._limits.runs,
            partition_concurrency=self._limits.per_application,
            partition_limiter=None if rate is None else {"limit": rate, "period": 60.0},
            polling_interval_sec=POLL_S,
        )
        if self._runner.explore is not None:
            await self._package.DBOS.register_queue_async(
                DISCOVERIES, worker_concurrency=1, partition_concurrency=1, polling_interval_sec=POLL_S
            )
        self._presence.start()

    async def start(self, order: RunOrder) -> None:
        """Start a run. When this returns, the run is durable. The same instance id starts only once."""
        assert _function is not None, "launch before you start a run"
        with _storing("the run"), self._package.SetWorkflowID(order.terms.instance_id):
            await self._package.DBOS.start_workflow_async(_function, _encoded(order))

    async def result(self, instance_id: str) -> WorkflowInstance:
        """Wait until a run has ended, and return its final instance."""
        text = await self._package.DBOS.get_result_async(instance_id)
        return msgspec.json.decode(text, type=WorkflowInstance)

    async def close(self) -> None:
        """Stop. Open runs continue at the next launch."""
        global _runner
        await self._presence.stop()
        for task in _tasks:
            task.cancel()
        await asyncio.gather(*_tasks, return_exceptions=True)
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as own:
            await loop.run_in_executor(own, self._package.DBOS.destroy)
        loop.set_default_executor(ThreadPoolExecutor())  # DBOS shut down the one that it had set
        _runner = None
        self._store.close()
        if self._lock is not None:
            self._lock.close()


class RunRecords:
    """Reads durable runs and posts messages to them, from any process."""

    def __init__(self, database: str) -> None:
        package = dbos()
        self._errors = package.error.DBOSException
        self._store = DatabaseRunStore(database)
        if not self._store.has_table("workflow_status", None if database.startswith(SQLITE) else "dbos"):
            package.DBOS.migrate(database)  # a run may be queued before the first worker starts
        self._client = package.DBOSClient(system_database_url=database)

    def close(self) -> None:
        self._client.destroy()
        self._store.close()

    def is_reachable(self) -> bool:
        """Return whether the database answers."""
        return self._store.is_reachable()

    def instance_ids(self) -> list[str]:
        """Return the ids of all runs, newest first."""
        found: Sequence[Any] = self._client.list_workflows(name=WORKFLOW, sort_desc=True)
        return [str(one.workflow_id) for one in found]

    def open_ids(self) -> list[str]:
        """Return the ids of the runs that have not ended, oldest first."""
        found: Sequence[Any] = self._client.list_workflows(
            name=WORKFLOW, status=list(OPEN_STATUSES), load_input=False, load_output=False
        )
        return [str(one.workflow_id) for one in found]

    def replayed(self, instance_id: str) -> ReplayedRun | None:
        """Return a run as its recorded events make it; None if there is no such run."""
        found: Sequence[Any] = self._client.list_workflows(workflow_ids=[instance_id])
        if not found:
            return None
        (order,) = found[0].input["args"]
        recorded = self._recorded(instance_id)
        last_read = max((one.message for one in recorded), default=0)
        unread = [one.event for one in self._store.messages_after(instance_id, last_read)]
        return ReplayedRun(
            msgspec.json.decode(order, type=RunOrder),
            [one.event for one in recorded],
            unread=unread,
            fault="" if found[0].status not in BROKEN_STATUSES else str(found[0].error or found[0].status),
        )

    def enqueue(self, order: RunOrder) -> None:
        """Store a run for any worker. When this returns, the run is durable."""
        self._enqueue(QUEUE, WORKFLOW, order.terms.instance_id, order.application.url, _encoded(order))

    def enqueue_discovery(self, order: DiscoveryOrder) -> None:
        """Store a discovery for any worker. One application is explored by one worker at a time."""
        text = msgspec.json.encode(order).decode()
        self._enqueue(DISCOVERIES, DISCOVERY, order.id, order.url, text)

    def _enqueue(self, queue: str, workflow: str, id: str, url: str, order: str) -> None:
        options = {
            "queue_name": queue,
            "workflow_name": workflow,
            "workflow_id": id,
            "app_version": FORMAT,
            "queue_partition_key": origin_of(url),
        }
        with _storing("the run"):
            self._client.enqueue(options, order)

    def discoveries(self) -> list[QueuedDiscovery]:
        """Return the discoveries, newest first."""
        found: Sequence[Any] = self._client.list_workflows(name=DISCOVERY, sort_desc=True)
        return [_queued_discovery(one) for one in found]

    def schedule(self, name: str, cron: str, order: RunOrder, timezone: str | None = None) -> None:
        """Run an order again and again, at the times of a cron expression. Raise UiapError if it is not valid."""
        try:
            self._client.create_schedule(
                schedule_name=name,
                workflow_name=SCHEDULED,
                schedule=cron,
                context=_encoded(order),
                cron_timezone=timezone,
                application_name=APPLICATION,
            )
        except self._errors as error:
            raise UiapError(f"the schedule `{name}` cannot be stored: {error}") from None

    def schedules(self) -> list[RunSchedule]:
        found: Sequence[Any] = self._client.list_schedules()
        return [_schedule(one) for one in found if one["workflow_name"] == SCHEDULED]

    def unschedule(self, name: str) -> None:
        """Delete a schedule. Runs that it started go on."""
        if name not in [one.name for one in self.schedules()]:
            raise Unavailable(f"there is no schedule `{name}`; `uiap workflow schedules` lists them")
        self._client.delete_schedule(name)

    def post(self, instance_id: str, event: AnyEvent) -> None:
        """Store a message to a run. Its executor takes it at the next opportunity."""
        with _storing("the message to the run"):
            self._store.post(instance_id, event)

    def _recorded(self, instance_id: str) -> list[RecordedEvent]:
        steps: Sequence[Any] = self._client.list_workflow_steps(instance_id)
        outputs = (step["output"] for step in steps if isinstance(step["output"], str))
        return [msgspec.json.decode(output, type=RecordedEvent) for output in outputs]


class QueuedDiscovery(NamedTuple):
    """A discovery that was left to workers: queued, running, or the status it ended with."""

    id: str
    url: str
    out: str
    status: str


def _queued_discovery(found: Any) -> QueuedDiscovery:
    order = msgspec.json.decode(found.input["args"][0], type=DiscoveryOrder)
    status = {"ENQUEUED": "queued", "PENDING": "running", "SUCCESS": found.output}.get(found.status)
    return QueuedDiscovery(
        order.id, order.url, order.options.get("out", ""), status or f"failed: {found.error}"
    )


class RunSchedule(NamedTuple):
    """One schedule: when it runs which workflow, and when it ran last."""

    name: str
    cron: str
    timezone: str
    workflow_id: str
    version: str
    last: str = ""


def _schedule(found: Any) -> RunSchedule:
    definition = msgspec.json.decode(found["context"], type=RunOrder).terms.definition
    return RunSchedule(
        name=found["schedule_name"],
        cron=found["schedule"],
        timezone=found.get("cron_timezone") or "UTC",
        workflow_id=definition.id,
        version=definition.version,
        last=found.get("last_fired_at") or "",
    )


def _encoded(order: RunOrder) -> str:
    return msgspec.json.encode(order).decode()


@contextmanager
def _storing(what: str) -> Iterator[None]:
    """Report a failure of the database as Unavailable, without its statement."""
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or type(error).__name__).splitlines()[0]
        raise Unavailable(f"{what} could not be stored, so nothing was done: {reason}") from None


def _lock(database: str) -> Any:
    """Return a lock on a SQLite database, so that one process executes its runs. Raise Busy if it is taken."""
    if not database.startswith(SQLITE):
        return None
    file = Path(database.removeprefix(SQLITE))
    lock = file.with_name(file.name + ".lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise Busy(f"another process executes the runs in `{file}`; stop it, or use PostgreSQL") from None
    return lock
