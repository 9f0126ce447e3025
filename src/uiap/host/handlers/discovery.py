"""uiap.discovery: plan, start, pause, resume, cancel and fetch runs on the page of a session (DISC-14).

A run acts on an errand of the session that started it, through the same dispatch table, and behind the network guard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from msgspec import UNSET

from uiap.discovery import events as when
from uiap.discovery.machine import Run
from uiap.discovery.plan import seeds
from uiap.discovery.plan.authorisation import authorisation_problem
from uiap.discovery.plan.plan import RunPlan, RunTerms, metadata_list
from uiap.drivers.errors import DriverError
from uiap.drivers.network_rules import NetworkRules, ReadRequest
from uiap.errors import Unavailable
from uiap.host.clock import Clock
from uiap.host.loop.dispatch import Call, Handlers, Outcome, Reply, decline
from uiap.host.loop.internal_session import InternalSession
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page
from uiap.host.runs.exploration import Exploration, PreparedPage
from uiap.host.runs.exploration_store import MemoryExplorationStore
from uiap.host.runs.run_handler import ManagedRun, RunHandler, unknown_run
from uiap.ids import IdMaker, new_seed
from uiap.origin import origin_of, same_origin
from uiap.spec.discovery import (
    DiscoveryPlanPayload,
    DiscoveryResultPayload,
    DiscoveryStartedPayload,
    DiscoveryStartPayload,
)

MAX_RUNS = 16


class SessionPageProvider:
    """The page the session has, guarded for as long as the run lasts."""

    def __init__(self, page: Page, plan: RunPlan, errand: InternalSession, actions: tuple[str, ...]) -> None:
        self._page, self._plan, self._errand, self._actions = page, plan, errand, actions

    async def enter(self, profile: str | None, *, anonymous: bool = False) -> PreparedPage:
        if anonymous:
            raise Unavailable("this session cannot look at the application as nobody; open another one")
        asked = self._plan.environment
        rules = NetworkRules(
            origins=self._plan.allowed_origins.origins,
            writes=self._plan.safety.default_mode == "sandbox_write",
            reads=tuple(ReadRequest.parse(text) for text in metadata_list(asked, "readRequests")),
        )
        await self._page.driver.guard_network(rules)
        return PreparedPage(
            page=self._page,
            dispatch=self._errand.run_action,
            actions=self._actions,
            profiles=(self._page.driver.facts.profile,),
        )

    async def leave(self) -> None:
        with suppress(DriverError):  # the interface may be gone, and its guard with it
            await self._page.driver.guard_network(None)


class DiscoveryHandler(RunHandler):
    def __init__(
        self, page: Page, clock: Clock, handlers: Callable[[], Handlers], actions: tuple[str, ...]
    ) -> None:
        super().__init__(clock)
        self._page, self._handlers, self._actions = page, handlers, actions
        self._ids = IdMaker(new_seed())
        self._runs: dict[str, ManagedRun] = {}

    @property
    def rows(self) -> Handlers:
        return {
            "uiap.discovery.plan": self.plan,
            "uiap.discovery.start": self.start,
            **super().rows,
        }

    # -- messages -------------------------------------------------------------------------------------------

    def plan(self, call: Call) -> Outcome:
        asked: DiscoveryPlanPayload = call.payload
        given = () if asked.seeds is UNSET else asked.seeds
        terms = RunTerms(run_id=self._ids.secret("disc"), environment=asked.environment, seeds=given)
        refusal = authorisation_problem(asked.environment) or self._not_ours(call, terms)
        if refusal is not None:
            return decline("forbidden", refusal)
        run = Run(terms)
        self._runs[terms.run_id] = ManagedRun(run, call.connection.id)
        while len(self._runs) > MAX_RUNS:
            self._runs.pop(next(iter(self._runs)))
        return Reply("uiap.discovery.planned", seeds.planned_payload(run.plan, given))

    def _not_ours(self, call: Call, terms: RunTerms) -> str | None:
        """DISC-SEC.1: an agent explores the application its session was opened for, and writes nothing."""
        principal = call.connection.session.principal
        if principal is not None and principal.type == "user":
            return None
        here = self._page.tab().store.route.url
        if here and not same_origin(here, terms.environment.base_url):
            return f"this session is for `{origin_of(here)}`; open one for `{terms.environment.base_url}`"
        plan = RunPlan(terms)
        if plan.safety.default_mode == "sandbox_write":
            return "only a person may start a run that writes; use safe_explore"
        return None

    def start(self, call: Call) -> Outcome:
        asked: DiscoveryStartPayload = call.payload
        known = self._known(call, asked.run_id)
        if known is None:
            return unknown_run(asked.run_id)
        if known.task is not None:
            return decline("invalid_state", f"run `{asked.run_id}` was started already")
        if any(one.task is not None and not one.task.done() for one in self._runs.values()):
            return decline("busy", "another run explores this page; wait for it or cancel it")
        errand = InternalSession(call.connection, self._handlers)
        errand.refusal = "discovery does not confirm; the action was left to a person"
        stage = SessionPageProvider(self._page, known.run.plan, errand, self._actions)
        known.exploration = Exploration(
            known.run, stage, self._clock, MemoryExplorationStore(), call.connection.publish
        )
        known.task = asyncio.create_task(self._finish(known, call.connection), name="uiap-discovery-run")
        return Reply(
            "uiap.discovery.started", DiscoveryStartedPayload(run_id=asked.run_id, status="preparing")
        )

    async def _finish(self, known: ManagedRun, connection: SessionConnection) -> None:
        assert known.exploration is not None
        known.package = package = await known.exploration.go()
        status = package.run.status
        assert status in ("completed", "failed", "cancelled")
        payload = DiscoveryResultPayload(run_id=package.run.run_id, status=status, package=package)
        connection.publish("uiap.discovery.result", payload)

    # -- runs -----------------------------------------------------------------------------------------------

    def _known(self, call: Call, run_id: str) -> ManagedRun | None:
        """A run belongs to the session that planned it."""
        known = self._runs.get(run_id)
        return known if known is not None and known.connection == call.connection.id else None

    def end(self, connection: str) -> None:
        """The session is over: its runs stop where they are."""
        for known in self._runs.values():
            if known.connection == connection and known.exploration is not None:
                cancelled = when.Cancelled(at=self._clock.now(), reason="the session ended")
                known.exploration.tell(cancelled)

    async def settle(self) -> None:
        tasks = [known.task for known in self._runs.values() if known.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
