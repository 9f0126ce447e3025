"""A run that is under way, from outside: hold it, let it go on, end it, fetch what it found (DISC-14).

Who may do so is the matter of the desk that has the run.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from msgspec import UNSET

from uiap.discovery import events as when
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
    """One planned run and who planned it."""

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

    def _known(self, call: Call, run_id: str) -> ManagedRun | None:
        """The run of that id, if the caller may know of it."""
        raise NotImplementedError

    def _running(self, call: Call, run_id: str) -> ManagedRun | None:
        known = self._known(call, run_id)
        return None if known is None or known.run.status in TERMINAL else known

    def pause(self, call: Call) -> Outcome:
        asked: DiscoveryPausePayload = call.payload
        known = self._running(call, asked.run_id)
        if known is None or known.exploration is None:
            return unknown_run(asked.run_id)
        reason = None if asked.reason is UNSET else asked.reason
        known.exploration.tell(when.Paused(at=self._clock.now(), reason=reason))
        return Reply("uiap.discovery.paused", DiscoveryPausedPayload(run_id=asked.run_id, status="paused"))

    def resume(self, call: Call) -> Outcome:
        asked: DiscoveryResumePayload = call.payload
        known = self._running(call, asked.run_id)
        if known is None or known.exploration is None:
            return unknown_run(asked.run_id)
        known.exploration.tell(when.Resumed(at=self._clock.now()))
        payload = DiscoveryResumedPayload(run_id=asked.run_id, status=known.run.status)
        return Reply("uiap.discovery.resumed", payload)

    def cancel(self, call: Call) -> Outcome:
        asked: DiscoveryCancelPayload = call.payload
        known = self._running(call, asked.run_id)
        if known is None or known.exploration is None:
            return unknown_run(asked.run_id)
        reason = None if asked.reason is UNSET else asked.reason
        known.exploration.tell(when.Cancelled(at=self._clock.now(), reason=reason))
        payload = DiscoveryCancelledPayload(run_id=asked.run_id, status="cancelled")
        return Reply("uiap.discovery.cancelled", payload)

    def package(self, call: Call) -> Outcome:
        asked: DiscoveryPackageGetPayload = call.payload
        known = self._known(call, asked.run_id)
        if known is None:
            return unknown_run(asked.run_id)
        if known.package is None:
            return decline(
                "invalid_state", f"run `{asked.run_id}` is {known.run.status}; its package comes later"
            )
        return Reply("uiap.discovery.package", DiscoveryPackagePayload(package=known.package))


def unknown_run(run_id: str) -> Outcome:
    return decline("not_found", f"no run `{run_id}` is under way in this session; plan one first")
