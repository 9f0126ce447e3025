"""Messages that control a run: pause, resume, cancel, and fetch its package (DISC-14).

Subclasses decide which caller may control which run.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from msgspec import UNSET

from uiap.discovery import events
from uiap.discovery.lifecycle import TERMINAL
from uiap.discovery.machine import Run
from uiap.host.clock import Clock
from uiap.host.loop.dispatch import Call, Handlers, Outcome, Reply, decline
from uiap.host.runs.exploration import Exploration
from uiap.spec.discovery import (
    DiscoveryCancelledPayload,
    DiscoveryCancelPayload,
    DiscoveryPackage,
    DiscoveryPackageGetPayload,
    DiscoveryPackagePayload,
    DiscoveryPausedPayload,
    DiscoveryPausePayload,
    DiscoveryResumedPayload,
    DiscoveryResumePayload,
)


@dataclass
class ManagedRun:
    """A planned run and the connection that planned it."""

    run: Run
    connection: str
    exploration: Exploration | None = None
    task: asyncio.Task[None] | None = None
    package: DiscoveryPackage | None = None


class RunHandler:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    @property
    def rows(self) -> Handlers:
        return {
            "uiap.discovery.pause": self.pause,
            "uiap.discovery.resume": self.resume,
            "uiap.discovery.cancel": self.cancel,
            "uiap.discovery.package.get": self.package,
        }

    def _find(self, call: Call, run_id: str) -> ManagedRun | None:
        """Return the run with this id if the caller may control it."""
        raise NotImplementedError

    def _find_running(self, call: Call, run_id: str) -> Exploration | None:
        managed = self._find(call, run_id)
        return None if managed is None or managed.run.status in TERMINAL else managed.exploration

    async def pause(self, call: Call) -> Outcome:
        """Answer once the current step has ended: nothing is done to the application until the run is resumed."""
        request: DiscoveryPausePayload = call.payload
        exploration = self._find_running(call, request.run_id)
        if exploration is None:
            return unknown_run(request.run_id)
        reason = None if request.reason is UNSET else request.reason
        await exploration.apply(events.Paused(at=self._clock.now(), reason=reason))
        return Reply("uiap.discovery.paused", DiscoveryPausedPayload(run_id=request.run_id, status="paused"))

    def resume(self, call: Call) -> Outcome:
        request: DiscoveryResumePayload = call.payload
        exploration = self._find_running(call, request.run_id)
        if exploration is None:
            return unknown_run(request.run_id)
        exploration.send(events.Resumed(at=self._clock.now()))
        payload = DiscoveryResumedPayload(run_id=request.run_id, status=exploration.run.status)
        return Reply("uiap.discovery.resumed", payload)

    async def cancel(self, call: Call) -> Outcome:
        """Answer once the run has stopped: no further action follows."""
        request: DiscoveryCancelPayload = call.payload
        exploration = self._find_running(call, request.run_id)
        if exploration is None:
            return unknown_run(request.run_id)
        reason = None if request.reason is UNSET else request.reason
        await exploration.apply(events.Cancelled(at=self._clock.now(), reason=reason))
        payload = DiscoveryCancelledPayload(run_id=request.run_id, status="cancelled")
        return Reply("uiap.discovery.cancelled", payload)

    def package(self, call: Call) -> Outcome:
        request: DiscoveryPackageGetPayload = call.payload
        managed = self._find(call, request.run_id)
        if managed is None:
            return unknown_run(request.run_id)
        if managed.package is None:
            return decline(
                "invalid_state",
                f"run `{request.run_id}` is {managed.run.status} and has no package yet; wait for its result",
            )
        return Reply("uiap.discovery.package", DiscoveryPackagePayload(package=managed.package))


def unknown_run(run_id: str) -> Outcome:
    return decline("not_found", f"this session has no active run `{run_id}`; plan and start one first")
