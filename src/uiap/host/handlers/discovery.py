"""The messages of uiap.discovery: plan, start and control runs on the page of a session (DISC-14).

A run acts through an internal session of the connection that started it: the same dispatch table, behind the guard.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from msgspec import UNSET

from uiap.discovery import events
from uiap.discovery.machine import Run
from uiap.discovery.plan.authorisation import authorisation_problem
from uiap.discovery.plan.conditions import unapplied_in_session
from uiap.discovery.plan.plan import RunPlan, RunTerms, metadata, metadata_list
from uiap.discovery.plan.seeds import planned_payload
from uiap.drivers.errors import DriverError
from uiap.drivers.network_rules import NetworkRules, ReadRequest
from uiap.errors import Unavailable
from uiap.host.bundles.exploration_knowledge import knowledge_of
from uiap.host.bundles.in_use import BundleInUse
from uiap.host.clock import Clock
from uiap.host.loop.dispatch import Call, Handlers, Outcome, Reply, decline
from uiap.host.loop.internal_session import InternalSession
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page
from uiap.host.runs.exploration import Exploration
from uiap.host.runs.exploration_store import MemoryExplorationStore
from uiap.host.runs.page_worker import PreparedPage, ReadRegistered
from uiap.host.runs.run_handler import ManagedRun, RunHandler, unknown_run
from uiap.ids import IdMaker, new_seed
from uiap.origin import origin_of, same_origin
from uiap.spec.discovery import (
    DiscoveryEnvironment,
    DiscoveryPlanPayload,
    DiscoveryResultPayload,
    DiscoverySeed,
    DiscoveryStartedPayload,
    DiscoveryStartPayload,
)

MAX_RUNS = 16


class SessionPageProvider:
    """Provides the session's own page, with the network guard active as long as the run lasts."""

    def __init__(
        self,
        page: Page,
        plan: RunPlan,
        session: InternalSession,
        actions: tuple[str, ...],
        registered: ReadRegistered | None = None,
    ) -> None:
        self._page, self._plan, self._session, self._actions = page, plan, session, actions
        self._registered = registered

    async def open(self, profile: str | None, *, anonymous: bool = False) -> PreparedPage:
        if anonymous:
            raise Unavailable(
                "this session is signed in and cannot explore anonymously; open another session"
            )
        rules = NetworkRules(
            origins=self._plan.allowed_origins.origins,
            writes=self._plan.safety.default_mode == "sandbox_write",
            sockets=self._plan.safety.default_mode == "sandbox_write",
            reads=tuple(
                ReadRequest.parse(text) for text in metadata_list(self._plan.environment, "readRequests")
            ),
        )
        await self._page.driver.guard_network(rules)
        return PreparedPage(
            page=self._page,
            dispatch=self._session.run_action,
            actions=self._actions,
            registered=self._registered,
            profiles=(self._page.driver.facts.profile,),
            notes=unapplied_in_session(self._plan.environment),
        )

    async def close(self) -> None:
        with suppress(DriverError):  # the page may be closed, and its guard with it
            await self._page.driver.guard_network(None)


class DiscoveryHandler(RunHandler):
    def __init__(
        self,
        page: Page,
        clock: Clock,
        handlers: Callable[[], Handlers],
        actions: tuple[str, ...],
        registered: ReadRegistered | None = None,
        in_use: BundleInUse | None = None,
    ) -> None:
        super().__init__(clock)
        self._registered, self._in_use = registered, in_use or BundleInUse()
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
        request: DiscoveryPlanPayload = call.payload
        given = () if request.seeds is UNSET else request.seeds
        terms = self._terms(request.environment, given)
        refusal = authorisation_problem(request.environment) or self._agent_refusal(call, terms)
        if len(request.environment.principal_profiles or ()) > 1:
            text = "a session has one login; plan one run for each principal profile, each in its own session"
            return decline("invalid_payload", text)
        if refusal is not None:
            return decline("forbidden", refusal)
        run = Run(terms)
        self._runs[terms.run_id] = ManagedRun(run, call.connection.id)
        while len(self._runs) > MAX_RUNS:
            self._runs.pop(next(iter(self._runs)))
        return Reply("uiap.discovery.planned", planned_payload(run.plan, given))

    def _terms(self, environment: DiscoveryEnvironment, seeds: tuple[DiscoverySeed, ...]) -> RunTerms:
        """Return the terms with the documents of the request and the knowledge of the session's bundle."""
        known = knowledge_of(self._in_use.bundle, environment.base_url)
        documents = metadata(environment).get("documents")
        texts = documents if isinstance(documents, dict) else {}
        return RunTerms(
            run_id=self._ids.secret("disc"),
            environment=environment,
            seeds=(*seeds, *known.seeds),
            documents={str(name): str(text) for name, text in texts.items()},
            routes=known.routes,
            workflows=known.workflows,
            catalog=known.catalog,
            actions=known.actions,
            sources=known.sources,
        )

    def _agent_refusal(self, call: Call, terms: RunTerms) -> str | None:
        """Return why an agent may not plan this run: it must explore its own application and not write (DISC-SEC.1)."""
        principal = call.connection.session.principal
        if principal is not None and principal.type == "user":
            return None
        current_url = self._page.tab().store.route.url
        if current_url and not same_origin(current_url, terms.environment.base_url):
            return (
                f"this session is for `{origin_of(current_url)}`; open one for `{terms.environment.base_url}`"
            )
        plan = RunPlan(terms)
        if plan.safety.default_mode == "sandbox_write":
            return "only a person may start a run that writes; use safe_explore"
        return None

    def start(self, call: Call) -> Outcome:
        request: DiscoveryStartPayload = call.payload
        managed = self._find(call, request.run_id)
        if managed is None:
            return unknown_run(request.run_id)
        if managed.task is not None:
            return decline("invalid_state", f"run `{request.run_id}` was started already; plan another one")
        if any(one.task is not None and not one.task.done() for one in self._runs.values()):
            return decline("busy", "another run explores this page; wait for it, or cancel it")
        session = InternalSession(call.connection, self._handlers)
        session.refusal = "discovery does not confirm actions; a person must do it"
        pages = SessionPageProvider(self._page, managed.run.plan, session, self._actions, self._registered)
        managed.exploration = Exploration(
            managed.run, [pages], self._clock, MemoryExplorationStore(), call.connection.publish
        )
        managed.task = asyncio.create_task(
            self._run_and_publish(managed, call.connection), name="uiap-discovery-run"
        )
        return Reply(
            "uiap.discovery.started", DiscoveryStartedPayload(run_id=request.run_id, status="preparing")
        )

    async def _run_and_publish(self, managed: ManagedRun, connection: SessionConnection) -> None:
        assert managed.exploration is not None
        managed.package = package = await managed.exploration.explore()
        status = package.run.status
        assert status in ("completed", "failed", "cancelled")
        payload = DiscoveryResultPayload(run_id=package.run.run_id, status=status, package=package)
        connection.publish("uiap.discovery.result", payload)

    # -- runs -----------------------------------------------------------------------------------------------

    def _find(self, call: Call, run_id: str) -> ManagedRun | None:
        """Return the run if the caller's session planned it."""
        managed = self._runs.get(run_id)
        return managed if managed is not None and managed.connection == call.connection.id else None

    def end(self, connection: str) -> None:
        """Cancel the runs of a session that ended."""
        for managed in self._runs.values():
            if managed.connection == connection and managed.exploration is not None:
                managed.exploration.send(events.Cancelled(at=self._clock.now(), reason="the session ended"))

    async def settle(self) -> None:
        """Stop every run and wait until it has stopped."""
        tasks = [managed.task for managed in self._runs.values() if managed.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
