"""One browser of a discovery run: carries out the commands of one worker and returns what followed as events.

Here pages are loaded, actions dispatched, and settled pages observed in canonical form.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol

import msgspec
from msgspec import UNSET

from uiap.actions.registry import ACTIONS
from uiap.discovery import commands, events
from uiap.discovery.knowledge.canonical import canonical_page
from uiap.discovery.package import accessibility
from uiap.discovery.package.accessibility import readable_text
from uiap.discovery.plan.address import AllowedOrigins, path_pattern
from uiap.discovery.safety.redaction import mask_report
from uiap.drivers.errors import DriverError
from uiap.errors import UiapError
from uiap.graph.store import GraphStore
from uiap.host.clock import Clock
from uiap.host.observation.idle import IDLE_S, IdleWatch
from uiap.host.observation.page import Page
from uiap.host.observation.page_effects import GuardedRequests, PageEffects
from uiap.host.runs.exploration_store import ExplorationStore
from uiap.host.runs.storage_baseline import StorageBaseline
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, ActionTarget, VerificationSpec
from uiap.spec.capability import ActionDescriptor, InstanceIdRef
from uiap.spec.web import PageGraph

Dispatch = Callable[[ActionRequestPayload], Awaitable[ActionResultPayload]]
ReadRegistered = Callable[[], Awaitable[tuple[ActionDescriptor, ...]]]

VERIFY_TIMEOUT_MS, ACTION_TIMEOUT_MS, LOAD_TIMEOUT_MS = 500, 8000, 20_000
MAX_OBSERVATIONS = 12
MAX_LINK_S = 2.0
"""A link that changed nothing may still lead to its address within this time."""
# The idle time a page needs grows with the time since the load or action: 20 % of it, or 40 % of what exceeds 0.3 s.
IDLE_SHARE, SLOW_AFTER_S, SLOW_IDLE_SHARE, MAX_IDLE_S = 0.2, 0.3, 0.4, 2.0
IDLE_GROWTH_LIMIT = 1.5
"""If the needed idle time grew by this factor during the wait, the wait is repeated."""


@dataclass(frozen=True, kw_only=True)
class PreparedPage:
    """The page of a principal who is signed in, with the network guard active."""

    page: Page
    dispatch: Dispatch
    actions: tuple[str, ...]
    profiles: tuple[str, ...] = ()
    extensions: tuple[str, ...] = ()
    registered: ReadRegistered | None = None
    """Reads the actions that the page registered."""
    urls: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    sign_in_requests: tuple[str, ...] = ()


class PageProvider(Protocol):
    """Opens the pages that a run works on."""

    async def open(self, profile: str | None, *, anonymous: bool = False) -> PreparedPage:
        """Return a fresh page for this principal; the one before is closed."""
        ...

    async def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class WorkerTerms:
    """The parts that all workers of a run share."""

    clock: Clock
    store: ExplorationStore
    allowed_origins: AllowedOrigins
    screenshots: bool = False
    ax_trees: bool = True


class PageWorker:
    def __init__(self, pages: PageProvider, terms: WorkerTerms) -> None:
        self._pages, self._terms = pages, terms
        self._clock, self._store = terms.clock, terms.store
        self._prepared: PreparedPage | None = None
        self._idle: IdleWatch | None = None
        self._storage: StorageBaseline | None = None
        self._guarded: GuardedRequests | None = None
        self._live_ids: Mapping[str, str] = {}
        self._shown: PageGraph | None = None
        """The page as it was observed last."""

    async def carry_out(self, command: commands.Command) -> events.Event:
        """Carry the command out and return the event that answers it."""
        answer = await self._EXECUTORS[type(command)](self, command)
        return msgspec.structs.replace(answer, worker=command.worker)

    async def close(self) -> None:
        self._stop_watching()
        await self._pages.close()

    def _stop_watching(self) -> None:
        if self._idle is not None:
            self._idle.stop()
            self._idle = None
        if self._guarded is not None:
            self._guarded.stop()
            self._guarded = None

    # -- commands -------------------------------------------------------------------------------------------

    async def _prepare(self, command: commands.Prepare) -> events.Event:
        self._stop_watching()
        try:
            prepared = await self._pages.open(command.profile, anonymous=command.anonymous)
        except (UiapError, DriverError) as error:
            return events.Prepared(at=self._clock.now(), problem=f"could not prepare: {error}")
        self._prepared = prepared
        self._idle = IdleWatch(prepared.page, self._clock)
        self._guarded = GuardedRequests(prepared.page)
        self._storage = StorageBaseline(prepared.page.driver)
        await self._storage.record_load()
        return events.Prepared(
            at=self._clock.now(),
            actions=prepared.actions,
            profiles=prepared.profiles,
            extensions=prepared.extensions,
            registered=await self._read_registered(),
            urls=prepared.urls,
            notes=prepared.notes,
            sign_in_requests=prepared.sign_in_requests,
        )

    async def _load(self, command: commands.Load) -> events.Event:
        request = ActionRequestPayload(
            action_id="nav.navigate",
            args={"url": command.url},
            verification=VerificationSpec(policy="none"),  # the settled page is observed below
            timeout_ms=LOAD_TIMEOUT_MS,
        )
        prepared, storage = self._current(), self._storage
        assert storage is not None
        await storage.restore()
        begun_at = self._clock.now().mono
        with PageEffects(prepared.page, self._guarded) as recorder:
            try:
                result = await prepared.dispatch(request)
            except UiapError as error:
                return events.Arrived(at=self._clock.now(), problem=str(error), effects=recorder.effects())
            problem = None if result.status == "succeeded" else _failure_text(result)
            is_loaded = problem is None or self._shows_allowed_page(command.url)
            observed = await self._observe_settled(begun_at) if is_loaded else None
            await storage.record_load()
            await recorder.close_popups()
            return events.Arrived(
                at=self._clock.now(),
                observed=observed,
                registered=await self._read_registered() if observed is not None else (),
                problem=problem if observed is None else None,
                effects=recorder.effects(),
            )

    async def _read_registered(self) -> tuple[ActionDescriptor, ...]:
        read = self._current().registered
        return await read() if read is not None else ()

    def _shows_allowed_page(self, url: str) -> bool:
        """Whether a page of an allowed origin is shown, although the load was not verified."""
        current_url = self._current().page.tab().store.route.url
        allowed_origins = self._terms.allowed_origins
        return allowed_origins.allows(current_url) and allowed_origins.allows(url)

    async def _act(self, command: commands.Act) -> events.Event:
        prepared, storage = self._current(), self._storage
        assert storage is not None
        node = self._live_ids.get(command.node)
        if node is None:
            return events.Acted(at=self._clock.now(), status="failed", error="target_not_found")
        target = ActionTarget(ref=InstanceIdRef(value=node), expected_role=command.role)  # type: ignore[arg-type]
        request = ActionRequestPayload(
            action_id=command.action,
            target=target if command.action in ACTIONS else UNSET,  # an action of the application has its own
            args=command.args or UNSET,
            verification=VerificationSpec(timeout_ms=VERIFY_TIMEOUT_MS),
            timeout_ms=ACTION_TIMEOUT_MS,
        )
        begun_at, before = self._clock.now().mono, self._shown
        with PageEffects(prepared.page, self._guarded) as recorder:
            try:
                result = await prepared.dispatch(request)
            except UiapError as error:
                return events.Acted(
                    at=self._clock.now(), status="failed", error=str(error), effects=recorder.effects()
                )
            observed = await self._observe_settled(begun_at)
            is_pressed = result.error is UNSET or not result.error.code.startswith("target")
            if is_pressed and _is_still_on(before, observed, command.leads_to, recorder.effects()):
                observed = await self._await_address(begun_at) or observed
            storage_changed = await storage.check_action()
            await recorder.close_popups()
            return events.Acted(
                at=self._clock.now(),
                status=result.status,
                verified=result.verification.passed,
                error=result.error.code if result.error is not UNSET else None,
                evidence=_evidence_id(result),
                observed=observed,
                effects=recorder.effects(storage_changed=storage_changed),
            )

    async def _capture(self, _command: commands.Capture) -> events.Event:
        tree, screenshot = await asyncio.gather(
            self._read_evidence("ax", wanted=self._terms.ax_trees),
            self._read_evidence("screenshot", wanted=self._terms.screenshots),
        )
        readable = readable_text(self._current().page.tab().store)
        redacted = accessibility.redact_tree(tree, readable) if tree else None
        return events.Captured(
            at=self._clock.now(),
            screenshot=self._store.save_evidence(screenshot, "png") if screenshot else None,
            ax=self._store.save_evidence(redacted, "json") if redacted else None,
            ax_nodes=accessibility.named_nodes(redacted) if redacted else (),
        )

    async def _read_evidence(self, kind: Literal["ax", "screenshot"], *, wanted: bool) -> bytes | None:
        if wanted:
            with suppress(DriverError):
                return (await self._current().page.driver.evidence(kind)).data
        return None

    # -- observing ------------------------------------------------------------------------------------------

    async def _observe_settled(self, begun_at: float) -> events.ObservedGraph | None:
        """Return the page once it is idle and answers at once; None if it cannot be read.

        A page whose scripts keep it busy publishes no changes and only seems idle, so its answer must be quick.
        """
        page, idle = self._current().page, self._idle
        assert idle is not None
        graph = None
        try:
            for _ in range(MAX_OBSERVATIONS):
                idle_s = self._needed_idle_s(begun_at)
                is_idle = await idle.wait_until_idle(idle_s)
                if is_idle and self._needed_idle_s(begun_at) > IDLE_GROWTH_LIMIT * idle_s:
                    continue  # it took much longer to become idle than expected
                requested_at = self._clock.now().mono
                graph = await page.driver.observe()
                if (
                    not is_idle
                    or idle.is_unchanged_since(requested_at)
                    or await self._answers_at_once(idle, since=requested_at)
                ):
                    break
                idle.mark_busy(self._clock.now().mono)
            graph = graph if graph is not None else await page.driver.observe()
        except DriverError:
            return None
        page.tab().mark_reported()  # the next decisions are based on this graph
        canonical = canonical_page(GraphStore(graph))
        self._live_ids, self._shown = canonical.live_ids, canonical.graph
        return events.ObservedGraph(self._store.save_evidence(canonical.data, "json"), canonical.graph)

    async def _await_address(self, begun_at: float) -> events.ObservedGraph | None:
        """Return the page that a pressed link leads to after a while; None if the address stays the same."""
        page, idle = self._current().page, self._idle
        assert idle is not None
        url = page.tab().store.route.url
        if not await idle.wait_for(lambda: page.tab().store.route.url != url, MAX_LINK_S):
            return None
        return await self._observe_settled(begun_at)

    async def _answers_at_once(self, idle: IdleWatch, *, since: float) -> bool:
        """Whether a slow page is only large, not busy: a flush of an unchanged page is quick then."""
        if idle.changed_since(since):
            return False
        requested_at = self._clock.now().mono
        await self._current().page.flush(quick=True)
        return idle.is_unchanged_since(requested_at)

    def _needed_idle_s(self, begun_at: float) -> float:
        """Return the idle time a page needs. Large applications start in waves of half a second and more."""
        elapsed_s = self._clock.now().mono - begun_at
        slow_s = (elapsed_s - SLOW_AFTER_S) * SLOW_IDLE_SHARE
        return min(MAX_IDLE_S, max(IDLE_S, elapsed_s * IDLE_SHARE, slow_s))

    def _current(self) -> PreparedPage:
        assert self._prepared is not None, "a page is prepared before anything is done on it"
        return self._prepared

    _EXECUTORS: ClassVar[Mapping[type[commands.Command], Callable[[Any, Any], Awaitable[events.Event]]]] = (
        MappingProxyType(
            {
                commands.Prepare: _prepare,
                commands.Load: _load,
                commands.Act: _act,
                commands.Capture: _capture,
            }
        )
    )


def _is_still_on(
    before: PageGraph | None,
    observed: events.ObservedGraph | None,
    leads_to: str | None,
    effects: events.Effects,
) -> bool:
    """Whether the press of a link to another page changed nothing at all, as on a page that loads data first."""
    if before is None or observed is None or leads_to is None:
        return False
    had_effect = effects.popups or effects.blocked or effects.dialogs or effects.downloads
    is_same = observed.graph.route == before.route and observed.graph.elements == before.elements
    return is_same and not had_effect and path_pattern(leads_to) != path_pattern(before.route.url)


def _failure_text(result: ActionResultPayload) -> str:
    return result.error.message if result.error is not UNSET else result.status


def _evidence_id(result: ActionResultPayload) -> str | None:
    evidence = result.metadata.get("evidence") if result.metadata is not UNSET else None
    return mask_report(evidence) if isinstance(evidence, str) else None
