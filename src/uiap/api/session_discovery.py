"""A discovery run on the page a session already has: started, followed and ended by messages, like everything else.

`discover` in `discovering` is the other way: browsers of its own, sign-ins, files.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from msgspec import UNSET

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
    """One run. `package` is there once it is over, also where it was stopped."""

    def __init__(self, caller: Caller, planned: DiscoveryPlannedPayload) -> None:
        self._caller, self.planned, self.run_id = caller, planned, planned.run_id
        self.status: str = "planned"
        self.progress: DiscoveryProgressPayload | None = None
        self.package: DiscoveryPackage | None = None
        self._over = asyncio.Event()
        self._stops = [
            caller.listen("uiap.discovery.progress", self._went_on),
            caller.listen("uiap.discovery.result", self._ended),
        ]

    @classmethod
    async def plan(
        cls, caller: Caller, environment: DiscoveryEnvironment, seeds: Sequence[DiscoverySeed] = ()
    ) -> SessionDiscovery:
        """Nothing is touched yet: `planned` says which seeds would be followed, and why others not."""
        asked = DiscoveryPlanPayload(environment=environment, seeds=tuple(seeds) or UNSET)
        return cls(caller, await caller.call("uiap.discovery.plan", asked, DiscoveryPlannedPayload))

    async def start(self) -> None:
        start = DiscoveryStartPayload(run_id=self.run_id)
        self.status = (await self._caller.call("uiap.discovery.start", start, DiscoveryStartedPayload)).status

    async def pause(self, reason: str | None = None) -> None:
        """What is under way is ended, and nothing begun until it goes on; the time does not count."""
        asked = DiscoveryPausePayload(run_id=self.run_id, reason=reason or UNSET)
        await self._caller.call("uiap.discovery.pause", asked, DiscoveryPausedPayload)

    async def resume(self) -> None:
        asked = DiscoveryResumePayload(run_id=self.run_id)
        await self._caller.call("uiap.discovery.resume", asked, DiscoveryResumedPayload)

    async def wait(self, timeout_s: float) -> bool:
        """Whether it is over, at most so much later."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                await self._over.wait()
        return self._over.is_set()

    async def stop(self) -> None:
        """End it where it is; what it found until then becomes its package."""
        if not self._over.is_set():
            asked = DiscoveryCancelPayload(run_id=self.run_id)
            await self._caller.call("uiap.discovery.cancel", asked, DiscoveryCancelledPayload)

    def _went_on(self, told: DiscoveryProgressPayload) -> None:
        if told.run_id == self.run_id:
            self.progress, self.status = told, told.status

    def _ended(self, told: DiscoveryResultPayload) -> None:
        if told.run_id != self.run_id:
            return
        self.status, self.package = told.status, told.package
        for stop in self._stops:
            stop()
        self._over.set()
