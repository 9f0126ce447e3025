"""A resident session: one browser, served on a private socket until it is closed or idle for too long.

The socket carries one protocol envelope per line. Every client of the socket counts as an agent. The person who may
confirm proves their identity with a second secret.
"""

from __future__ import annotations

import asyncio
import signal
from hmac import compare_digest
from pathlib import Path

from uiap import settings
from uiap.drivers.driver import Driver
from uiap.host.bundles.bundle import Bundle
from uiap.host.clock import SystemClock
from uiap.host.consent.grants import Grants
from uiap.host.consent.principals import principal_under
from uiap.host.consent.webhook import attach_webhook
from uiap.host.loop.loop import Admission, HostLoop
from uiap.host.privacy.secrets import Secrets
from uiap.host.records.journal import Journal
from uiap.host.records.store import Store
from uiap.host.records.writer import Writer
from uiap.host.sessions.session_folder import SessionFolder
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.builtin import Rules
from uiap.spec.core import ErrorPayload, ParticipantInfo, SessionInitializePayload
from uiap.spec.policy import PolicyPrincipal
from uiap.transports.local import UnixListener
from uiap.transports.transport import Peer, Transport

IDLE_S = 30 * 60.0
PERSON = PolicyPrincipal(type="user", id="person")
"""The principal of a client that has the approval secret."""
MESSAGE_BYTES = 64 * 1024 * 1024


class Resident:
    """The services, the host loop and the lifetime of one resident session."""

    def __init__(
        self,
        folder: SessionFolder,
        driver: Driver,
        *,
        rules: Rules,
        store_url: str,
        idle_s: float = IDLE_S,
        bundle: Bundle | None = None,
        secrets: Secrets | None = None,
        states: Path | None = None,
    ) -> None:
        self._folder, self._idle_s = folder, idle_s
        self._claimed = folder.claim()  # before anything is written: the name may belong to another process
        self._secret = folder.write_secret()
        clock = SystemClock()
        self._store = Store(store_url)
        self._writer = Writer(self._store, lambda: clock.now().wall)
        grants = Grants(proof_required=True)
        grants.register_key(PERSON.id, self._secret)
        self.services = SessionServices(
            driver,
            clock=clock,
            writer=self._writer,
            rules=rules,
            bundle=bundle,
            grants=grants,
            secrets=secrets,
            states=states,
        )
        attach_webhook(
            self.services.actions.approvals, clock, settings.read().environ, self.services.actions.obligations
        )
        opened = rules if isinstance(rules, str) else ", ".join(one.id for one in rules)
        self.services.actions.audit.record("opened", by=folder.name, reason=f"rules: {opened}")
        self.host_loop = HostLoop(
            self.services.handlers,
            support=self.services.support,
            me=ParticipantInfo(role="bridge", id=f"resident:{folder.name}"),
            clock=clock,
            journal=Journal(self._writer),
            admit=self._admit,
            limits={"heartbeat_s": 0.0, "idle_s": 0.0, "resume_s": 0.0, "max_message_bytes": MESSAGE_BYTES},
        )
        self.host_loop.session_end_hooks.append(self.services.end_session)
        self._listener = UnixListener(self._accept, folder.socket, max_bytes=MESSAGE_BYTES)
        self._stopped = asyncio.Event()
        self._client_count = 0
        self._last_left = asyncio.get_running_loop().time()

    def _admit(self, request: SessionInitializePayload, _peer: Peer, token: str | None) -> Admission:
        if token is None:
            return principal_under(
                self.services.bundle, PolicyPrincipal(type="agent", id=request.participant.id)
            )
        if compare_digest(token, self._secret):
            return PERSON
        return ErrorPayload(
            code="unauthorized", message="the token is not the approval secret of this session"
        )

    async def _accept(self, transport: Transport) -> None:
        self._client_count += 1
        try:
            await self.host_loop.accept(transport)
        finally:
            self._client_count -= 1
            self._last_left = asyncio.get_running_loop().time()

    async def serve(self) -> None:
        """Accept clients. Call this after the services are started and show their page."""
        await self._listener.start()

    async def run_until_idle(self) -> None:
        """Return once the session is ended, the process is signalled to stop, or no client came for `idle_s`."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stopped.set)
        while not self._stopped.is_set():
            deadline = (
                self._last_left + self._idle_s if not self._client_count else loop.time() + self._idle_s
            )
            try:
                async with asyncio.timeout_at(deadline):
                    await self._stopped.wait()
            except TimeoutError:
                if not self._client_count and loop.time() >= self._last_left + self._idle_s:
                    return

    def end(self) -> None:
        self._stopped.set()

    async def close(self) -> None:
        await self._listener.stop()
        await self.host_loop.close()
        await self.services.close()
        self._writer.close()
        self._store.close()
        self._folder.remove_secret()
        if self._claimed:
            self._folder.release()
