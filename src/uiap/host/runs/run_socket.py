"""A private socket that controls a run from another process of the same user, as long as the run lasts.

It accepts the messages that pause, resume and cancel the run, and publishes its progress to every connection.
"""

from __future__ import annotations

import asyncio
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import msgspec

from uiap.host.clock import Clock
from uiap.host.loop.dispatch import Call
from uiap.host.loop.loop import HostLoop, SessionConnection
from uiap.host.runs.exploration import Exploration
from uiap.host.runs.run_handler import ManagedRun, RunHandler
from uiap.protocol.negotiation import Support
from uiap.spec.core import ExtensionOffer, ParticipantInfo, SessionInitializePayload
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.versions import DISCOVERY_EXTENSION
from uiap.transports.local import UnixListener
from uiap.transports.transport import Peer


def socket_path(runtime: Path, folder: Path) -> Path:
    """Return the socket of the run in this folder. A folder has at most one run at a time."""
    return runtime / f"discover-{sha256(str(folder.resolve()).encode()).hexdigest()[:16]}.sock"


class RunSocket(RunHandler):
    def __init__(self, exploration: Exploration, clock: Clock, path: Path) -> None:
        super().__init__(clock)
        self._managed = ManagedRun(exploration.run, connection="", exploration=exploration)
        self._last_progress: msgspec.Struct | None = None
        self._informed: set[str] = set()
        """Connections that got a progress message."""
        self._loop = HostLoop(
            self.rows,
            support=Support(extensions=(ExtensionOffer(id=DISCOVERY_EXTENSION, versions=("0.1",)),)),
            me=ParticipantInfo(role="bridge", id="discovery"),
            clock=clock,
            admit=self._admit,
            limits={"heartbeat_s": 0.0, "idle_s": 0.0, "resume_s": 0.0},
        )
        self._listener = UnixListener(self._loop.accept, path)

    async def __aenter__(self) -> Self:
        await self._listener.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._listener.stop()
        await self._loop.close()

    def publish_progress(self, _type: str, payload: Any) -> None:
        """Publish the progress to every connection."""
        self._last_progress = payload
        for connection in self._loop.connections.values():
            self._publish_last(connection)

    def _admit(self, request: SessionInitializePayload, _peer: Peer, _token: str | None) -> PolicyPrincipal:
        asyncio.get_running_loop().call_soon(self._inform_new_connections)
        return PolicyPrincipal(type="agent", id=request.participant.id)

    def _inform_new_connections(self) -> None:
        """Send the last progress to connections that opened after it."""
        for connection in self._loop.connections.values():
            if connection.id not in self._informed:
                self._publish_last(connection)

    def _publish_last(self, connection: SessionConnection) -> None:
        if self._last_progress is not None:
            self._informed.add(connection.id)
            connection.publish("uiap.discovery.progress", self._last_progress)

    def _find(self, _call: Call, run_id: str) -> ManagedRun | None:
        """Return the run. The socket is private, so every caller is the user who started it."""
        return self._managed if run_id == self._managed.run.plan.terms.run_id else None
