"""Gives every session a workplace of its own when it first asks for something, and takes it back when it ends.

One hall serves all sessions; which page a message means is decided by the seat it came from, so that no session can
reach another's. Only a person may look across: at the confirmations of the agents they answer for.
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
from uiap.drivers.errors import DriverError
from uiap.errors import Busy, UiapError
from uiap.host.bundles.bundle import Bundle
from uiap.host.clock import Clock, SystemClock
from uiap.host.consent.webhook import attach_webhook
from uiap.host.loop.dispatch import Call, Handler, Handlers, Outcome, Reply, decline
from uiap.host.loop.loop import Admission, HostLoop, SessionConnection
from uiap.host.records.journal import Journal
from uiap.host.records.writer import Writer
from uiap.host.sessions.pool import BrowserPool, Lease
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.builtin import Rules
from uiap.server.applications import AllowedApplications
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
    """One session's workplace and the context it is in."""

    place: SessionServices
    lease: Lease | None
    """None where it is an application, which ends with its workplace."""

    async def give_back(self) -> None:
        if self.lease is not None:
            await self.lease.release()


@dataclass(frozen=True, kw_only=True)
class SessionDefaults:
    """What every session of a server is given."""

    rules: Rules = "standard"
    bundle: Bundle | None = None
    """The application's contract."""
    uploads: tuple[Path, ...] = ()
    downloads: Path | None = None
    """Each principal's land in a folder of its own below this one."""

    def context(self, principal: str) -> ContextOptions:
        folder = (
            None if self.downloads is None else self.downloads / sha256(principal.encode()).hexdigest()[:16]
        )
        return ContextOptions(uploads=self.uploads, downloads=folder)


class SessionPool:
    """The hall of a server, and the rooms of its sessions."""

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
        terms: SessionDefaults | None = None,
    ) -> None:
        self._terms = terms or SessionDefaults()
        self._pool, self._tokens, self._writer = pool, tokens, writer
        self._clock: Clock = clock or SystemClock()
        self.max_sessions = max_sessions or pool.capacity
        self._limits = {"idle_s": idle_s, "resume_s": resume_s}
        self._applications = applications or AllowedApplications()
        self._rooms: dict[str, asyncio.Task[SessionResources]] = {}
        self._visits: set[asyncio.Task[None]] = set()
        self.counts: Counter[str] = Counter()
        self.closing = False
        self._hall: HostLoop | None = None

    @property
    def hall(self) -> HostLoop:
        assert self._hall is not None, "start first"
        return self._hall

    async def start(self) -> None:
        """Make sure that there is a browser, and learn from its driver what can be asked."""
        pattern = self._workplace(ChromiumDriver(await self._pool.warm()))
        handlers: Handlers = {type: self._routed(type) for type in pattern.handlers}
        self._hall = HostLoop(
            handlers,
            support=self._applications.support(pattern.support),
            me=ParticipantInfo(role="bridge", id="server"),
            clock=self._clock,
            journal=Journal(self._writer) if self._writer is not None else None,
            admit=self._admit,
            limits=self._limits,
        )
        self._hall.session_end_hooks.append(self._settle)

    async def accept(self, transport: Transport) -> None:
        """Serve one connection until it ends."""
        task = asyncio.current_task()
        assert task is not None
        self._visits.add(task)
        try:
            await self.hall.accept(transport)
        finally:
            self._visits.discard(task)

    def _admit(self, request: SessionInitializePayload, peer: Peer, _token: str | None) -> Admission:
        """The transport's gate has looked at the token; here its owner becomes the session's principal."""
        if self.closing or len(self.hall.connections) >= self.max_sessions:
            self.counts["sessions refused"] += 1
            message = "the server is stopping" if self.closing else "too many sessions; try again later"
            return ErrorPayload(code="busy", message=message, retryable=True)
        if (refused := self._applications.refusal(request)) is not None:
            self.counts["sessions refused"] += 1
            return refused
        self.counts["sessions opened"] += 1
        if self._tokens is None:
            return PolicyPrincipal(type="agent", id=request.participant.id)
        holder = self._tokens.by_principal(peer.principal_id)
        if holder is None:
            return ErrorPayload(code="unauthorized", message="a bearer token of this server is needed")
        return holder.policy_principal

    # -- messages -------------------------------------------------------------------------------------------

    def _routed(self, type: str) -> Handler:
        async def handle(call: Call) -> Outcome:
            self.counts[f"message {type}"] += 1
            if type == PENDING_LIST and (across := self._looking_across(call)) is not None:
                return across
            try:
                place = self._answered_place(call) if type in ANSWER_TYPES else None
                handler = (place or (await self._room(call.connection)).place).handlers[type]
            except (UiapError, DriverError, TimeoutError) as error:
                return _open_failure(error)
            try:
                outcome = handler(call)
                return await outcome if inspect.isawaitable(outcome) else outcome
            except DriverError as error:  # the browser went while it was asked; the session is about to end
                log.info("%s: %s", call.connection.id, error.message)
                return decline("internal_error", "the browser of this session is gone; open another session")

        return handle

    async def _room(self, seat: SessionConnection) -> SessionResources:
        opening = self._rooms.get(seat.id)
        if opening is None:
            opening = self._rooms[seat.id] = asyncio.ensure_future(self._open(seat))
        try:
            return await asyncio.shield(opening)
        except (UiapError, DriverError, TimeoutError):
            if self._rooms.get(seat.id) is opening:  # the next message may find one
                del self._rooms[seat.id]
            raise

    async def _open(self, seat: SessionConnection) -> SessionResources:
        async with AsyncExitStack() as stack:
            application = await self._applications.opened(seat.session.metadata)
            if application is not None:
                place = self._workplace(application)
                attach_webhook(
                    place.actions.approvals, self._clock, settings.read().environ, place.actions.obligations
                )
                stack.push_async_callback(place.close)
                await place.start()
                stack.pop_all()
                return SessionResources(place, None)
            principal = seat.session.principal
            lease = await self._pool.lease(self._terms.context(principal.id if principal else ""))
            stack.push_async_callback(lease.release)
            place = self._workplace(lease.driver)
            attach_webhook(
                place.actions.approvals, self._clock, settings.read().environ, place.actions.obligations
            )
            stack.push_async_callback(place.close)
            async with asyncio.timeout(30):
                await place.start()
            lease.on_lost = lambda: self._browser_lost(seat)
            stack.pop_all()
            return SessionResources(place, lease)

    def _workplace(self, driver: Driver) -> SessionServices:
        terms = self._terms
        return SessionServices(
            driver, clock=self._clock, writer=self._writer, rules=terms.rules, bundle=terms.bundle
        )

    def _browser_lost(self, seat: SessionConnection) -> None:
        """The page is gone with all that was on it: the session says so by ending."""
        self.counts["browsers lost"] += 1
        if self._hall is not None and seat.id in self.hall.connections:
            self.hall.spawn(self.hall.end(seat, "error"))

    async def _settle(self, seat: SessionConnection) -> None:
        opening = self._rooms.pop(seat.id, None)
        if opening is None:
            return
        try:
            room = await opening
        except (UiapError, DriverError, TimeoutError):
            return
        await room.place.end_session(seat)
        try:
            await room.place.close()
        except DriverError as error:  # it died before it could be closed
            log.info("%s: %s", seat.id, error.message)
        finally:
            await room.give_back()

    # -- the person's view ------------------------------------------------------------------------------------

    def _holder(self, call: Call) -> TokenHolder | None:
        principal = call.connection.session.principal
        if self._tokens is None or principal is None or principal.type != "user":
            return None
        return self._tokens.by_principal(principal.id)

    def _watched(self, holder: TokenHolder, own: SessionConnection) -> Iterator[SessionServices]:
        for id, opening in self._rooms.items():
            seat = self.hall.connections.get(id)
            principal = seat.session.principal if seat is not None else None
            mine = seat is own or (principal is not None and principal.id in holder.answers_for)
            if mine and opening.done() and not opening.cancelled() and opening.exception() is None:
                yield opening.result().place

    def _looking_across(self, call: Call) -> Outcome:
        holder = self._holder(call)
        if holder is None:
            return None
        waiting = tuple(
            asked for place in self._watched(holder, call.connection) for asked in place.actions.pending
        )
        return Reply("x.uiap.tools.pending.listed", ToolsPendingListedPayload(confirmations=waiting))

    def _answered_place(self, call: Call) -> SessionServices | None:
        """Where the action is that a person answers; None means the caller's own."""
        holder = self._holder(call)
        if holder is None:
            return None
        handle = call.payload.action_handle

        def waits(place: SessionServices) -> bool:
            asked = {one.action_handle for one in place.actions.pending}
            return handle in asked | {one.action_handle for one in place.actions.handoffs}

        return next(filter(waits, self._watched(holder, call.connection)), None)

    # -- the end ----------------------------------------------------------------------------------------------

    async def close(self, grace: float = 5.0) -> None:
        """Every accepted action gets its result, every session its end; then the browsers go."""
        self.closing = True
        if self._hall is not None:
            await asyncio.gather(
                *(self.hall.end(s, "shutdown") for s in list(self.hall.connections.values()))
            )
            if self._visits:
                await asyncio.wait(self._visits, timeout=grace)  # what was said is still on its way
            await self.hall.close()
        await self._pool.close()


def _open_failure(error: Exception) -> ErrorPayload:
    if isinstance(error, Busy):
        return ErrorPayload(code="busy", message=error.message, retryable=True)
    log.warning("no room could be opened: %s", error)
    return decline("internal_error", "no browser could be opened for this session; try again")
