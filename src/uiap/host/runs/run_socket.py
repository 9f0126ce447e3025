"""The way to a run from another process of this user: a private socket for as long as it lasts.

It takes the messages that hold, go on with and end a run, and tells whoever comes how far it is.
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
    """One run in one folder at a time: its name is the folder's."""
    return runtime / f"discover-{sha256(str(folder.resolve()).encode()).hexdigest()[:16]}.sock"


class RunSocket(RunHandler):
    def __init__(self, exploration: Exploration, clock: Clock, path: Path) -> None:
        super().__init__(clock)
        self._of = ManagedRun(exploration.run, connection="", exploration=exploration)
        self._last: msgspec.Struct | None = None
        self._told: set[str] = set()
        self._hall = HostLoop(
            self.rows,
            support=Support(extensions=(ExtensionOffer(id=DISCOVERY_EXTENSION, versions=("0.1",)),)),
            me=ParticipantInfo(role="bridge", id="discovery"),
            clock=clock,
            admit=self._admit,
            limits={"heartbeat_s": 0.0, "idle_s": 0.0, "resume_s": 0.0},
        )
        self._listener = UnixListener(self._hall.accept, path)

    async def __aenter__(self) -> Self:
        await self._listener.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._listener.stop()
        await self._hall.close()

    def hear(self, _type: str, payload: Any) -> None:
        """What the run tells of itself."""
        self._last = payload
        for connection in self._hall.connections.values():
            self._tell(connection)

    def _admit(self, request: SessionInitializePayload, _peer: Peer, _token: str | None) -> PolicyPrincipal:
        asyncio.get_running_loop().call_soon(self._welcome)
        return PolicyPrincipal(type="agent", id=request.participant.id)

    def _welcome(self) -> None:
        """Who comes late hears what was said last."""
        for connection in self._hall.connections.values():
            if connection.id not in self._told:
                self._tell(connection)

    def _tell(self, connection: SessionConnection) -> None:
        if self._last is not None:
            self._told.add(connection.id)
            connection.publish("uiap.discovery.progress", self._last)

    def _known(self, _call: Call, run_id: str) -> ManagedRun | None:
        """Whoever reaches the socket is the user whose run it is."""
        return self._of if run_id == self._of.run.plan.terms.run_id else None
