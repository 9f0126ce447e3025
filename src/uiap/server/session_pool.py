"""Gives every session its own services and browser context on its first request, and releases them at its end.

One host loop serves all sessions. The session connection of a message decides which page it means, so that no session
reaches the page of another. Only a person sees other sessions: the confirmations of the agents they answer for.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from uiap import settings
from uiap.drivers.chromium.browser.context import ContextOptions
from uiap.drivers.chromium.driver import ChromiumDriver
from uiap.drivers.driver import Driver
from uiap.drivers.errors import DriverError, PageGone
from uiap.errors import Busy, UiapError
from uiap.host.bundles.bundle import Bundle
from uiap.host.clock import Clock, SystemClock
from uiap.host.consent.principals import principal_under
from uiap.host.consent.webhook import attach_webhook
from uiap.host.loop.dispatch import Call, Handler, Handlers, Outcome, Reply, decline
from uiap.host.loop.loop import Admission, HostLoop, SessionConnection
from uiap.host.records.journal import Journal
from uiap.host.records.writer import Writer
from uiap.host.sessions.pool import BrowserPool, Lease
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.builtin import Rules
from uiap.server.applications import AllowedApplications
from uiap.server.durable_workflows import DurableWorkflows
from uiap.server.tokens import TokenHolder, Tokens
from uiap.spec.core import ErrorPayload, ParticipantInfo, SessionInitializePayload
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.tools import ToolsPendingListedPayload
from uiap.timeouts import RESUME_S, SESSION_IDLE_S
from uiap.transports.transport import Peer, Transport

log = logging.getLogger("uiap.server")
ANSWER_TYPES = (
    "action.confirmation.grant",
    "action.confirmation.deny",
    "x.uiap.tools.pending.grant",
    "x.uiap.tools.handoff.end",
)
PENDING_LIST = "x.uiap.tools.pending.list"


@dataclass(frozen=True)
class SessionResources:
    """The services of one session and its browser context."""

    services: SessionServices
    lease: Lease | None
    """None for an application, which closes with its services."""

    async def release(self) -> None:
        """Return the browser context to the pool."""
        if self.lease is not None:
            await self.lease.release()


@dataclass(frozen=True, kw_only=True)
class SessionDefaults:
    """Policy rules, bundle and folders of every session."""

    rules: Rules = "standard"
    bundle: Bundle | None = None
    """The compiled bundle of the application."""
    uploads: tuple[Path, ...] = ()
    downloads: Path | None = None
    """Parent folder for downloads; each principal has its own folder below it."""

    def context_options(self, principal: str) -> ContextOptions:
        """Return the options of a browser context for this principal."""
        folder = (
            None if self.downloads is None else self.downloads / sha256(principal.encode()).hexdigest()[:16]
        )
        return ContextOptions(uploads=self.uploads, downloads=folder)


class SessionPool:
    """The host loop of a server, and the resources of its sessions."""

    def __init__(
        self,
        pool: BrowserPool,
        *,
        tokens: Tokens | None,
        writer: Writer | None = None,
        clock: Clock | None = None,
        max_sessions: int | None = None,
        idle_s: float = SESSION_IDLE_S,
        resume_s: float = RESUME_S,
        applications: AllowedApplications | None = None,
        defaults: SessionDefaults | None = None,
        runs: DurableWorkflows | None = None,
    ) -> None:
        self._runs = runs
        if runs is not None:
            runs.page_url = self._page_url
        self._defaults = defaults or SessionDefaults()
        self._pool, self._tokens, self._writer = pool, tokens, writer
        self._clock: Clock = clock or SystemClock()
        self.max_sessions = max_sessions or pool.capacity
        self._limits = {"idle_s": idle_s, "resume_s": resume_s}
        self._applications = applications or AllowedApplications()
        self._resources: dict[str, asyncio.Task[SessionResources]] = {}
        self._connection_tasks: set[asyncio.Task[None]] = set()
        self.counts: Counter[str] = Counter()
        self.closing = False
        self._host_loop: HostLoop | None = None

    @property
    def host_loop(self) -> HostLoop:
        assert self._host_loop is not None, "call start first"
        return self._host_loop

    async def start(self) -> None:
        """Start a browser, and read from its driver which messages the server can handle."""
        example = self._make_services(ChromiumDriver(await self._pool.warm()))
        handlers: Handlers = {type: self._route(type) for type in example.handlers}
        if self._runs is not None:
            handlers = {**handlers, **self._runs.rows}
        self._host_loop = HostLoop(
            handlers,
            support=self._applications.support(example.support),
            me=ParticipantInfo(role="bridge", id="server"),
            clock=self._clock,
            journal=Journal(self._writer) if self._writer is not None else None,
            admit=self._admit,
            limits=self._limits,
        )
        self._host_loop.session_end_hooks.append(self._settle)
        if self._runs is not None:
            self._host_loop.session_end_hooks.append(self._runs.end)

    async def accept(self, transport: Transport) -> None:
        """Serve one connection until it ends."""
        task = asyncio.current_task()
        assert task is not None
        self._connection_tasks.add(task)
        try:
            await self.host_loop.accept(transport)
        finally:
            self._connection_tasks.discard(task)

    def _admit(self, request: SessionInitializePayload, peer: Peer, _token: str | None) -> Admission:
        """Return the principal of a new session. The transport has already checked the token."""
        if self.closing or len(self.host_loop.connections) >= self.max_sessions:
            self.counts["sessions refused"] += 1
            message = "the server is stopping" if self.closing else "too many sessions; try again later"
            return ErrorPayload(code="busy", message=message, retryable=True)
        if (refused := self._applications.refusal(request)) is not None:
            self.counts["sessions refused"] += 1
            return refused
        self.counts["sessions opened"] += 1
        if self._tokens is None:
            agent = PolicyPrincipal(type="agent", id=request.participant.id)
            return principal_under(self._defaults.bundle, agent)
        holder = self._tokens.by_principal(peer.principal_id)
        if holder is None:
            return ErrorPayload(code="unauthorized", message="send a bearer token of this server")
        principal = holder.policy_principal
        return principal if principal.type == "user" else principal_under(self._defaults.bundle, principal)

    # -- messages -------------------------------------------------------------------------------------------

    def _route(self, type: str) -> Handler:
        async def handle(call: Call) -> Outcome:
            self.counts[f"message {type}"] += 1
            if type == PENDING_LIST and (pending := self._pending_for_person(call)) is not None:
                return pending
            try:
                services = self._services_waiting_for(call) if type in ANSWER_TYPES else None
                handler = (services or (await self._resources_of(call.connection)).services).handlers[type]
            except (UiapError, DriverError, TimeoutError) as error:
                return _open_failure(error)
            try:
                outcome = handler(call)
                return await outcome if inspect.isawaitable(outcome) else outcome
            except PageGone:
                raise
            except DriverError as error:  # the browser died during the request; the session is about to end
                log.info("%s: %s", call.connection.id, error.message)
                return decline("internal_error", "the browser of this session is gone; open another session")

        return handle

    async def _resources_of(self, connection: SessionConnection) -> SessionResources:
        """Return the resources of a session; open them on the first call."""
        opening = self._resources.get(connection.id)
        if opening is None:
            opening = self._resources[connection.id] = asyncio.ensure_future(self._open(connection))
        try:
            return await asyncio.shield(opening)
        except (UiapError, DriverError, TimeoutError):
            if self._resources.get(connection.id) is opening:  # the next message tries again
                del self._resources[connection.id]
            raise

    def _page_url(self, connection: SessionConnection) -> str:
        """Return the address of the page that a session has open, or an empty text."""
        opening = self._resources.get(connection.id)
        if opening is None or not opening.done() or opening.cancelled() or opening.exception() is not None:
            return ""
        try:
            return opening.result().services.page.live_tab().store.route.url
        except DriverError:
            return ""

    async def _open(self, connection: SessionConnection) -> SessionResources:
        async with AsyncExitStack() as stack:
            application = await self._applications.open(connection.session.metadata)
            if application is not None:
                services = self._make_services(application)
                attach_webhook(
                    services.actions.approvals,
                    self._clock,
                    settings.read().environ,
                    services.actions.obligations,
                )
                stack.push_async_callback(services.close)
                await services.start()
                stack.pop_all()
                return SessionResources(services, None)
            principal = connection.session.principal
            lease = await self._pool.lease(self._defaults.context_options(principal.id if principal else ""))
            stack.push_async_callback(lease.release)
            services = self._make_services(lease.driver)
            attach_webhook(
                services.actions.approvals, self._clock, settings.read().environ, services.actions.obligations
            )
            stack.push_async_callback(services.close)
            async with asyncio.timeout(30):
                await services.start()
            lease.on_lost = lambda: self._on_browser_lost(connection)
            stack.pop_all()
            return SessionResources(services, lease)

    def _make_services(self, driver: Driver) -> SessionServices:
        defaults = self._defaults
        return SessionServices(
            driver, clock=self._clock, writer=self._writer, rules=defaults.rules, bundle=defaults.bundle
        )

    def _on_browser_lost(self, connection: SessionConnection) -> None:
        """End a session whose browser died."""
        self.counts["browsers lost"] += 1
        if self._host_loop is not None and connection.id in self.host_loop.connections:
            self.host_loop.spawn(self.host_loop.end(connection, "error"))

    async def _settle(self, connection: SessionConnection) -> None:
        opening = self._resources.pop(connection.id, None)
        if opening is None:
            return
        try:
            resources = await opening
        except (UiapError, DriverError, TimeoutError):
            return
        await resources.services.end_session(connection)
        try:
            await resources.services.close()
        except DriverError as error:  # the browser died before it could be closed
            log.info("%s: %s", connection.id, error.message)
        finally:
            await resources.release()

    # -- confirmations answered by a person -------------------------------------------------------------------

    def _person(self, call: Call) -> TokenHolder | None:
        """Return the token owner if the session belongs to a person."""
        principal = call.connection.session.principal
        if self._tokens is None or principal is None or principal.type != "user":
            return None
        return self._tokens.by_principal(principal.id)

    def _answerable(self, holder: TokenHolder, own: SessionConnection) -> Iterator[SessionServices]:
        """Yield the services of sessions that the token holder may answer for."""
        for id, opening in self._resources.items():
            connection = self.host_loop.connections.get(id)
            principal = connection.session.principal if connection is not None else None
            may_answer = connection is own or (principal is not None and principal.id in holder.answers_for)
            if may_answer and opening.done() and not opening.cancelled() and opening.exception() is None:
                yield opening.result().services

    def _pending_for_person(self, call: Call) -> Outcome:
        """Return the confirmations that this person may answer; None if the caller is not a person."""
        holder = self._person(call)
        if holder is None:
            return None
        waiting = tuple(
            request
            for services in self._answerable(holder, call.connection)
            for request in services.actions.pending
        )
        return Reply("x.uiap.tools.pending.listed", ToolsPendingListedPayload(confirmations=waiting))

    def _services_waiting_for(self, call: Call) -> SessionServices | None:
        """Return the session whose action waits for this person's answer, or None for the caller's own session."""
        holder = self._person(call)
        if holder is None:
            return None
        handle = call.payload.action_handle

        def is_waiting(services: SessionServices) -> bool:
            pending = {request.action_handle for request in services.actions.pending}
            return handle in pending | {handoff.action_handle for handoff in services.actions.handoffs}

        return next(filter(is_waiting, self._answerable(holder, call.connection)), None)

    # -- shutdown ---------------------------------------------------------------------------------------------

    async def close(self, grace: float = 5.0) -> None:
        """End every session, which gives each accepted action its result; then close the browsers."""
        self.closing = True
        if self._host_loop is not None:
            await asyncio.gather(
                *(self.host_loop.end(s, "shutdown") for s in list(self.host_loop.connections.values()))
            )
            if self._connection_tasks:
                # the last messages are still being sent
                await asyncio.wait(self._connection_tasks, timeout=grace)
            await self.host_loop.close()
        await self._pool.close()


def _open_failure(error: Exception) -> ErrorPayload:
    if isinstance(error, Busy):
        return ErrorPayload(code="busy", message=error.message, retryable=True)
    log.warning("cannot open a session: %s", error)
    return decline("internal_error", "no browser could be opened for this session; try again")
