"""Carries out a discovery run: gives its machine events, does what it commands, keeps what was seen.

The machine decides; here pages are loaded, actions dispatched, requests guarded and graphs made canonical.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol

import msgspec
from msgspec import UNSET

from uiap.discovery import commands as do
from uiap.discovery import events as when
from uiap.discovery.knowledge.canonical import canonical_page
from uiap.discovery.machine import Run
from uiap.discovery.package import accessibility
from uiap.drivers.errors import DriverError
from uiap.errors import UiapError
from uiap.graph.store import GraphStore
from uiap.host.clock import Clock
from uiap.host.observation.idle import IDLE_S, IdleWatch
from uiap.host.observation.page import Page
from uiap.host.observation.page_effects import PageEffects
from uiap.host.runs.exploration_store import ExplorationStore
from uiap.host.runs.storage_baseline import StorageBaseline
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, ActionTarget, VerificationSpec
from uiap.spec.capability import InstanceIdRef
from uiap.spec.discovery import DiscoveryPackage

Dispatch = Callable[[ActionRequestPayload], Awaitable[ActionResultPayload]]
ProgressListener = Callable[[str, msgspec.Struct], None]
VERIFY_MS, ACT_MS, LOAD_MS, LOOKS = 500, 8000, 20_000, 12
CALM_SHARE, SLOW_S, SLOW_SHARE, CALM_MOST_S, LONGER = 0.2, 0.3, 0.4, 2.0, 1.5


@dataclass(frozen=True, kw_only=True)
class PreparedPage:
    """A principal's own interface, signed in and guarded."""

    page: Page
    dispatch: Dispatch
    actions: tuple[str, ...]
    profiles: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class PageProvider(Protocol):
    async def enter(self, profile: str | None, *, anonymous: bool = False) -> PreparedPage:
        """A fresh floor for this principal; the one before is left."""
        ...

    async def leave(self) -> None: ...


class Exploration:
    """One run under way."""

    def __init__(
        self,
        run: Run,
        stage: PageProvider,
        clock: Clock,
        keeper: ExplorationStore,
        hear: ProgressListener,
        *,
        screenshots: bool = False,
        ax_trees: bool = True,
    ) -> None:
        self.run = run
        self._stage, self._clock, self._keeper, self._hear = stage, clock, keeper, hear
        self._screenshots, self._ax = screenshots, ax_trees
        self._events: asyncio.Queue[when.Event] = asyncio.Queue()
        self._working: asyncio.Task[None] | None = None
        self._floor: PreparedPage | None = None
        self._quiet: IdleWatch | None = None
        self._memory: StorageBaseline | None = None
        self._live: Mapping[str, str] = {}
        self._replayed = False
        self._package: DiscoveryPackage | None = None

    # -- the loop -------------------------------------------------------------------------------------------

    async def go(self) -> DiscoveryPackage:
        """Carry the run out until it has its package, and leave the floor in any case."""
        if self._replayed:
            self.tell(when.Interrupted(at=self._clock.now()))
            self.tell(when.Resumed(at=self._clock.now()))  # if it was paused before, it is not any more
        else:
            self.tell(when.Started(at=self._clock.now()))
        try:
            while self._package is None:
                self._take(await self._events.get())
            self._keeper.finished(self._package)
            return self._package
        finally:
            await self._stop()

    def replay(self, events: Iterable[when.Event]) -> None:
        """Bring the machine to where an interrupted run was; its commands were carried out then."""
        self._replayed = True
        for event in events:
            for command in self.run.handle(event):
                if isinstance(command, do.Finish):
                    self._package = command.package

    def tell(self, event: when.Event) -> None:
        self._events.put_nowait(event)

    def _take(self, event: when.Event) -> None:
        self._keeper.stepped(event)
        for command in self.run.handle(event):
            if isinstance(command, do.Report):
                self._hear("uiap.discovery.progress", command.payload)
            elif isinstance(command, do.Finish):
                self._package = command.package
            else:
                self._working = asyncio.create_task(self._carry(command), name="uiap-discovery")

    async def _carry(self, command: do.Command) -> None:
        try:
            self.tell(await self._CARRY[type(command)](self, command))
        except Exception as error:  # whatever broke, the run owes its caller an end
            self.tell(when.Failed(at=self._clock.now(), problem=f"the run broke off: {error!r}"))
            raise

    async def _stop(self) -> None:
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
        self._leave()
        await self._stage.leave()

    def _leave(self) -> None:
        if self._quiet is not None:
            self._quiet.stop()
            self._quiet = None

    # -- what the machine asks for --------------------------------------------------------------------------

    async def _prepare(self, command: do.Prepare) -> when.Event:
        self._leave()
        try:
            floor = self._floor = await self._stage.enter(command.profile, anonymous=command.anonymous)
        except (UiapError, DriverError) as error:
            return when.Prepared(at=self._clock.now(), problem=f"could not prepare: {error}")
        self._quiet = IdleWatch(floor.page, self._clock)
        self._memory = StorageBaseline(floor.page.driver)
        await self._memory.loaded()
        return when.Prepared(
            at=self._clock.now(),
            actions=floor.actions,
            profiles=floor.profiles,
            extensions=floor.extensions,
            urls=floor.urls,
            notes=floor.notes,
        )

    async def _load(self, command: do.Load) -> when.Event:
        request = ActionRequestPayload(
            action_id="nav.navigate",
            args={"url": command.url},
            verification=VerificationSpec(policy="none"),  # that it came and rests is seen below, once
            timeout_ms=LOAD_MS,
        )
        floor, memory = self._on(), self._memory
        assert memory is not None
        await memory.put_back()
        begun = self._clock.now().mono
        with PageEffects(floor.page) as seen:
            try:
                result = await floor.dispatch(request)
            except UiapError as error:
                return when.Arrived(at=self._clock.now(), problem=str(error), effects=seen.effects())
            problem = None if result.status == "succeeded" else _failure_text(result)
            sight = await self._sight(begun) if problem is None or self._came(command.url) else None
            await memory.loaded()
            await seen.close_popups()
            return when.Arrived(
                at=self._clock.now(),
                observed=sight,
                problem=problem if sight is None else None,
                effects=seen.effects(),
            )

    def _came(self, url: str) -> bool:
        """Loading was not proved, yet a page of that origin is there: what matters is what it shows."""
        shown = self._on().page.tab().store.route.url
        return self.run.plan.allowed_origins.allows(shown) and self.run.plan.allowed_origins.allows(url)

    async def _act(self, command: do.Act) -> when.Event:
        floor, memory = self._on(), self._memory
        assert memory is not None
        node = self._live.get(command.node)
        if node is None:
            return when.Acted(at=self._clock.now(), status="failed", error="target_not_found")
        request = ActionRequestPayload(
            action_id=command.action,
            target=ActionTarget(ref=InstanceIdRef(value=node), expected_role=command.role),  # type: ignore[arg-type]
            args=command.args or UNSET,
            verification=VerificationSpec(timeout_ms=VERIFY_MS),
            timeout_ms=ACT_MS,
        )
        begun = self._clock.now().mono
        with PageEffects(floor.page) as seen:
            try:
                result = await floor.dispatch(request)
            except UiapError as error:
                return when.Acted(
                    at=self._clock.now(), status="failed", error=str(error), effects=seen.effects()
                )
            sight = await self._sight(begun)
            kept = await memory.acted()
            await seen.close_popups()
            return when.Acted(
                at=self._clock.now(),
                status=result.status,
                verified=result.verification.passed,
                error=result.error.code if result.error is not UNSET else None,
                evidence=_evidence_id(result),
                observed=sight,
                effects=seen.effects(storage_changed=kept),
            )

    async def _capture(self, command: do.Capture) -> when.Event:
        tree, shot = await asyncio.gather(
            self._evidence("ax") if self._ax else _nothing(),
            self._evidence("screenshot") if self._screenshots else _nothing(),
        )
        return when.Captured(
            at=self._clock.now(),
            screenshot=self._keeper.keep(shot, "png") if shot else None,
            ax=self._keeper.keep(accessibility.redact_tree(tree), "json") if tree else None,
        )

    async def _evidence(self, kind: Literal["ax", "screenshot"]) -> bytes | None:
        with suppress(DriverError):
            return (await self._on().page.driver.evidence(kind)).data
        return None

    async def _sight(self, begun: float) -> when.ObservedGraph | None:
        """The page once it rests and answers at once: a busy page shows nothing and only looks calm.

        What took long to come may take long to go on, so the rest it needs grows with the time since it `begun`.
        """
        page, quiet = self._on().page, self._quiet
        assert quiet is not None
        graph = None
        try:
            for _ in range(LOOKS):
                calm = self._calm(begun)
                rests = await quiet.until(calm)
                if rests and self._calm(begun) > LONGER * calm:
                    continue  # it took longer than it seemed it would
                asked = self._clock.now().mono
                graph = await page.driver.observe()
                if not rests or quiet.held(asked) or await self._answers(quiet, since=asked):
                    break
                quiet.busy_since(self._clock.now().mono)
            graph = graph if graph is not None else await page.driver.observe()
        except DriverError:
            return None
        page.tab().mark_reported()  # what is decided from now on is decided in view of this
        seen = canonical_page(GraphStore(graph))
        self._live = seen.live_ids
        return when.ObservedGraph(self._keeper.keep(seen.data, "json"), seen.graph)

    async def _answers(self, quiet: IdleWatch, *, since: float) -> bool:
        """It took long to read and did not change: a large page answers a glance at once, a busy one does not."""
        if quiet.changed(since):
            return False
        asked = self._clock.now().mono
        await self._on().page.driver.flush(quick=True)
        return quiet.held(asked)

    def _calm(self, begun: float) -> float:
        """Large applications start in waves, with timers of half a second and more between them."""
        spent = self._clock.now().mono - begun
        return min(CALM_MOST_S, max(IDLE_S, spent * CALM_SHARE, (spent - SLOW_S) * SLOW_SHARE))

    def _on(self) -> PreparedPage:
        assert self._floor is not None, "a floor is entered before anything is done on it"
        return self._floor

    _CARRY: ClassVar[Mapping[type[do.Command], Callable[[Any, Any], Awaitable[when.Event]]]] = (
        MappingProxyType({do.Prepare: _prepare, do.Load: _load, do.Act: _act, do.Capture: _capture})
    )


async def _nothing() -> None:
    return None


def _failure_text(result: ActionResultPayload) -> str:
    return result.error.message if result.error is not UNSET else result.status


def _evidence_id(result: ActionResultPayload) -> str | None:
    found = result.metadata.get("evidence") if result.metadata is not UNSET else None
    return found if isinstance(found, str) else None
