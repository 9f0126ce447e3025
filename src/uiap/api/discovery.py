"""From an address to a discovery package, in browsers of its own, one context for each principal.

package = await discover("http://localhost:8000", options=DiscoveryOptions(out=Path("found")))

run = plan("http://localhost:8000")     # nothing is touched yet
print(run.planned.estimated_seed_count)
run.start()
run.pause()                             # and resume(), cancel()
package = await run.package()
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from urllib.parse import urljoin

import msgspec

from uiap.api.discovery_browser import BrowserPageProvider
from uiap.api.discovery_options import DiscoveryOptions, Principal, ProgressListener, environment
from uiap.discovery import events as when
from uiap.discovery.machine import Run
from uiap.discovery.plan import seeds as beginnings
from uiap.discovery.plan.authorisation import authorisation_problem
from uiap.discovery.plan.plan import RunTerms
from uiap.errors import Unavailable
from uiap.host.clock import SystemClock
from uiap.host.runs.exploration import Exploration
from uiap.host.runs.exploration_store import ExplorationStore, FolderExplorationStore, MemoryExplorationStore
from uiap.ids import new_secret
from uiap.spec.discovery import (
    DiscoveryEnvironment,
    DiscoveryPackage,
    DiscoveryPlannedPayload,
    DiscoveryProgressPayload,
    DiscoverySeed,
    RouteSeed,
    UrlSeed,
)

__all__ = ["DiscoveryOptions", "DiscoveryRun", "Principal", "discover", "environment", "plan"]


async def discover(
    where: str | DiscoveryEnvironment,
    *,
    seeds: Sequence[DiscoverySeed] = (),
    known: Sequence[DiscoveryPackage] = (),
    documents: Mapping[str, str] | None = None,
    options: DiscoveryOptions | None = None,
) -> DiscoveryPackage:
    """Explore, and give the package; with `options.out` also as files, from which a killed run goes on."""
    run = plan(where, seeds=seeds, known=known, documents=documents, options=options)
    run.start()
    return await run.package()


def plan(
    where: str | DiscoveryEnvironment,
    *,
    seeds: Sequence[DiscoverySeed] = (),
    known: Sequence[DiscoveryPackage] = (),
    documents: Mapping[str, str] | None = None,
    options: DiscoveryOptions | None = None,
) -> DiscoveryRun:
    """A run that has not begun. It is refused here where nobody allowed to explore that host."""
    options = options or DiscoveryOptions()
    asked = environment(where, principals=options.principals) if isinstance(where, str) else where
    problem = authorisation_problem(asked)
    if problem is not None:
        raise Unavailable(problem)
    routes = {
        route.route_id: route.urls[0] for one in known for route in one.route_catalog.routes if route.urls
    }
    terms = RunTerms(
        run_id=new_secret("disc"),
        environment=asked,
        seeds=(*seeds, *_seeds_of_packages(known), *_sign_in_seeds(asked.base_url, options.principals)),
        routes=routes,
        workflows=_workflow_urls(known, routes),
        documents=dict(documents or {}),
    )
    return DiscoveryRun(terms, options)


class DiscoveryRun:
    """One run: planned, then started, held, gone on with, ended."""

    def __init__(self, terms: RunTerms, options: DiscoveryOptions) -> None:
        self._options = options
        self.clock = SystemClock()
        self.exploration = self._prepared(terms)
        self.run_id = self.exploration.run.plan.terms.run_id
        self.progress: DiscoveryProgressPayload | None = None
        self._listeners: list[ProgressListener] = [options.hear]
        self._task: asyncio.Task[DiscoveryPackage] | None = None

    def _prepared(self, terms: RunTerms) -> Exploration:
        """A new run, or the one that was begun in the folder, fed everything that happened."""
        options = self._options
        self._keeper: ExplorationStore = (
            FolderExplorationStore(options.out) if options.out is not None else MemoryExplorationStore()
        )
        kept = (
            self._keeper.terms()
            if options.resume and isinstance(self._keeper, FolderExplorationStore)
            else None
        )
        run = Run(kept or terms)
        self._new = kept is None
        exploration = Exploration(
            run,
            BrowserPageProvider(run.plan, options),
            self.clock,
            self._keeper,
            self._hear,
            screenshots=options.screenshots,
            ax_trees=options.ax_trees,
        )
        if kept is not None and isinstance(self._keeper, FolderExplorationStore):
            exploration.replay(self._keeper.events())
        return exploration

    # -- what it is asked -----------------------------------------------------------------------------------

    @property
    def planned(self) -> DiscoveryPlannedPayload:
        """Which seeds will be followed, and why others not."""
        terms = self.exploration.run.plan.terms
        return beginnings.planned_payload(self.exploration.run.plan, terms.seeds)

    @property
    def status(self) -> str:
        return self.exploration.run.status

    def listen(self, hear: ProgressListener) -> None:
        """Be told of every step of it."""
        self._listeners.append(hear)

    # -- what it is told ------------------------------------------------------------------------------------

    def start(self) -> None:
        if self._task is not None:
            raise Unavailable(f"run `{self.run_id}` was started already; await its package")
        if self._new:
            self._keeper.opened(self.exploration.run.plan.terms)
        self._task = asyncio.create_task(self.exploration.go(), name="uiap-discovering")

    def pause(self, reason: str | None = None) -> None:
        """What is under way is ended, and nothing begun until it goes on; the time does not count."""
        self.exploration.tell(when.Paused(at=self.clock.now(), reason=reason))

    def resume(self) -> None:
        self.exploration.tell(when.Resumed(at=self.clock.now()))

    def cancel(self, reason: str | None = None) -> None:
        """End it where it is; what it found until then becomes its package."""
        self.exploration.tell(when.Cancelled(at=self.clock.now(), reason=reason))

    async def package(self) -> DiscoveryPackage:
        """Once it is over. Whoever stops waiting stops the run; with a folder, it can go on there."""
        if self._task is None:
            raise Unavailable(f"run `{self.run_id}` was not started")
        try:
            return await self._task
        finally:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _hear(self, type: str, payload: msgspec.Struct) -> None:
        if isinstance(payload, DiscoveryProgressPayload):
            self.progress = payload
        for hear in self._listeners:
            hear(type, payload)


def _seeds_of_packages(known: Sequence[DiscoveryPackage]) -> tuple[DiscoverySeed, ...]:
    """DISC-9: what earlier packages found is where this one begins."""
    return tuple(
        RouteSeed(route_id=route.route_id)
        for one in known
        for route in one.route_catalog.routes
        if route.urls
    )


def _sign_in_seeds(base: str, principals: Sequence[Principal]) -> tuple[DiscoverySeed, ...]:
    """The page somebody signs in on is a place too; whoever is signed in may not see it, nobody does."""
    urls = dict.fromkeys(urljoin(base, one.url) for one in principals if one.url and one.steps)
    return tuple(UrlSeed(url=url) for url in urls)


def _workflow_urls(
    known: Sequence[DiscoveryPackage], routes: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    found = (one.workflow_candidates for one in known)
    return {
        flow.id: tuple(routes[id] for id in flow.route_ids or () if id in routes)
        for catalog in found
        if catalog
        for flow in catalog.workflows
    }
