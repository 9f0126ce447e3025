"""Discovery of the page of an open session: the run is planned, started and controlled by messages of that session.

`discovery` explores in its own browsers instead, with sign-ins and files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from msgspec import UNSET

from uiap.api.absent import none_for_absent
from uiap.client.caller import Caller
from uiap.spec.discovery import (
    DiscoveryCancelledPayload,
    DiscoveryCancelPayload,
    DiscoveryEnvironment,
    DiscoveryPackage,
    DiscoveryPausedPayload,
    DiscoveryPausePayload,
    DiscoveryPlannedPayload,
    DiscoveryPlanPayload,
    DiscoveryProgressPayload,
    DiscoveryResultPayload,
    DiscoveryResumedPayload,
    DiscoveryResumePayload,
    DiscoverySeed,
    DiscoveryStartedPayload,
    DiscoveryStartPayload,
)


class SessionDiscovery:
    """One run on the page of a session. `package` is set once it is over, also if it was stopped."""

    def __init__(self, caller: Caller, planned: DiscoveryPlannedPayload) -> None:
        self._caller, self.planned, self.run_id = caller, none_for_absent(planned), planned.run_id
        self.status: str = "planned"
        self.progress: DiscoveryProgressPayload | None = None
        self.package: DiscoveryPackage | None = None
        self._ended = asyncio.Event()
        self._unsubscribe = [
            caller.listen("uiap.discovery.progress", self._on_progress),
            caller.listen("uiap.discovery.result", self._on_result),
        ]

    @classmethod
    async def plan(
        cls, caller: Caller, environment: DiscoveryEnvironment, seeds: Sequence[DiscoverySeed] = ()
    ) -> SessionDiscovery:
        """Plan a run without touching the page. `planned` has the accepted and the rejected seeds."""
        request = DiscoveryPlanPayload(environment=environment, seeds=tuple(seeds) or UNSET)
        return cls(caller, await caller.call("uiap.discovery.plan", request, DiscoveryPlannedPayload))

    async def start(self) -> None:
        request = DiscoveryStartPayload(run_id=self.run_id)
        started = await self._caller.call("uiap.discovery.start", request, DiscoveryStartedPayload)
        self.status = started.status

    async def pause(self, reason: str | None = None) -> None:
        """Finish the current step and start no other until `resume`. Paused time does not count."""
        request = DiscoveryPausePayload(run_id=self.run_id, reason=reason or UNSET)
        await self._caller.call("uiap.discovery.pause", request, DiscoveryPausedPayload)

    async def resume(self) -> None:
        request = DiscoveryResumePayload(run_id=self.run_id)
        await self._caller.call("uiap.discovery.resume", request, DiscoveryResumedPayload)

    async def wait(self, timeout_s: float) -> bool:
        """Wait up to `timeout_s` and return whether the run is over."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._ended.wait()
        return self._ended.is_set()

    async def stop(self) -> None:
        """End the run. The package has everything found so far."""
        if not self._ended.is_set():
            request = DiscoveryCancelPayload(run_id=self.run_id)
            await self._caller.call("uiap.discovery.cancel", request, DiscoveryCancelledPayload)

    def _on_progress(self, progress: DiscoveryProgressPayload) -> None:
        if progress.run_id == self.run_id:
            self.progress, self.status = none_for_absent(progress), progress.status

    def _on_result(self, result: DiscoveryResultPayload) -> None:
        if result.run_id != self.run_id:
            return
        self.status, self.package = result.status, none_for_absent(result.package)
        for unsubscribe in self._unsubscribe:
            unsubscribe()
        self._ended.set()
