"""Discovery of an application in its own browsers, with one context for each principal.

package = await discover("http://localhost:8000", options=DiscoveryOptions(out=Path("found")))

run = plan("http://localhost:8000")     # nothing is opened yet
print(run.planned.estimated_seed_count)
run.start()
run.pause()                             # also resume() and cancel()
package = await run.package()

`session_discovery` explores the page of an open session instead.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from urllib.parse import urljoin

import msgspec

from uiap.api.absent import absent_for_none, none_for_absent
from uiap.api.discovery_browser import BrowserPageProvider
from uiap.api.discovery_options import DiscoveryOptions, Principal, environment
from uiap.discovery import events
from uiap.discovery.machine import Run
from uiap.discovery.plan.authorisation import authorisation_problem
from uiap.discovery.plan.plan import KnownAction, RunTerms
from uiap.discovery.plan.seeds import planned_payload, seed_key
from uiap.errors import Unavailable
from uiap.host.bundles.bundle import Bundle
from uiap.host.bundles.exploration_knowledge import knowledge_of
from uiap.host.clock import SystemClock
from uiap.host.runs.exploration import Exploration, ProgressListener
from uiap.host.runs.exploration_store import ExplorationStore, FolderExplorationStore, MemoryExplorationStore
from uiap.ids import new_secret
from uiap.spec.discovery import (
    DiscoveredWorkflowCandidate,
    DiscoveryEnvironment,
    DiscoveryPackage,
    DiscoveryPlannedPayload,
    DiscoveryProgressPayload,
    DiscoverySeed,
    DocumentationSeed,
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
    bundle: Bundle | None = None,
    options: DiscoveryOptions | None = None,
) -> DiscoveryPackage:
    """Explore an application and return its package. With `options.out`, files are written and a run can resume."""
    run = plan(where, seeds=seeds, known=known, documents=documents, bundle=bundle, options=options)
    run.start()
    return await run.package()


def plan(
    where: str | DiscoveryEnvironment,
    *,
    seeds: Sequence[DiscoverySeed] = (),
    known: Sequence[DiscoveryPackage] = (),
    documents: Mapping[str, str] | None = None,
    bundle: Bundle | None = None,
    options: DiscoveryOptions | None = None,
) -> DiscoveryRun:
    """Return a run that is not started. Raise `Unavailable` if nobody authorised exploring that host.

    The bundle's routes, actions and workflows are seeds and evidence, and its policy is in force.
    """
    options, known = options or DiscoveryOptions(), absent_for_none(tuple(known))
    target = environment(where, principals=options.principals) if isinstance(where, str) else where
    problem = authorisation_problem(target)
    if problem is not None:
        raise Unavailable(problem)
    if options.workers > 1 and target.safety and target.safety.default_mode == "sandbox_write":
        raise Unavailable("several workers would write at the same time; use one worker in sandbox_write")
    routes = {
        route.route_id: route.urls[0] for one in known for route in one.route_catalog.routes if route.urls
    }
    of_bundle = knowledge_of(bundle, target.base_url)
    routes |= of_bundle.routes
    of_packages = _seeds_of_packages(known)
    sources = dict.fromkeys(map(seed_key, of_packages), "package") | of_bundle.sources
    sources |= {seed_key(one): "documentation" for one in seeds if isinstance(one, DocumentationSeed)}
    terms = RunTerms(
        run_id=new_secret("disc"),
        environment=target,
        seeds=(*seeds, *of_bundle.seeds, *of_packages, *_sign_in_seeds(target.base_url, options.principals)),
        routes=routes,
        workflows=_workflow_urls(known, routes) | of_bundle.workflows,
        documents=dict(documents or {}),
        catalog=(
            *of_bundle.catalog,
            *(flow for one in known for flow in _workflows_of(one)),
        ),
        actions=_actions_of_packages(known, routes) | of_bundle.actions,
        sources=sources,
        workers=options.workers,
    )
    return DiscoveryRun(terms, options, bundle)


class DiscoveryRun:
    """One run in its own browsers: planned, then started, and controlled while it lasts."""

    def __init__(self, terms: RunTerms, options: DiscoveryOptions, bundle: Bundle | None = None) -> None:
        self._options, self._bundle = options, bundle
        self.clock = SystemClock()
        self.exploration = self._open_exploration(terms)
        self.run_id = self.exploration.run.plan.terms.run_id
        self.progress: DiscoveryProgressPayload | None = None
        self._listeners: list[ProgressListener] = []
        self._task: asyncio.Task[DiscoveryPackage] | None = None

    def _open_exploration(self, terms: RunTerms) -> Exploration:
        """Return a new exploration, or the interrupted one of the folder with its journal replayed."""
        options = self._options
        self._store: ExplorationStore = (
            FolderExplorationStore(options.out) if options.out is not None else MemoryExplorationStore()
        )
        interrupted = (
            self._store.read_terms()
            if options.resume and isinstance(self._store, FolderExplorationStore)
            else None
        )
        run = Run(interrupted or terms)
        self._is_new = interrupted is None
        exploration = Exploration(
            run,
            _page_providers(run, options, self._bundle),
            self.clock,
            self._store,
            self._publish,
            screenshots=options.screenshots,
            ax_trees=options.ax_trees,
        )
        if interrupted is not None and isinstance(self._store, FolderExplorationStore):
            exploration.replay(self._store.read_events())
        return exploration

    # -- state -----------------------------------------------------------------------------------

    @property
    def planned(self) -> DiscoveryPlannedPayload:
        """The seeds that will be followed, and the rejected ones with the reason."""
        plan = self.exploration.run.plan
        return none_for_absent(planned_payload(plan, plan.terms.seeds))

    @property
    def status(self) -> str:
        return self.exploration.run.status

    def listen(self, on_progress: ProgressListener) -> None:
        """Call the listener with the type and the payload of every progress message."""
        self._listeners.append(on_progress)

    # -- control --------------------------------------------------------------------------------

    def start(self) -> None:
        if self._task is not None:
            raise Unavailable(f"run `{self.run_id}` was started already; await `package()`")
        if self._is_new:
            self._store.write_terms(self.exploration.run.plan.terms)
        self._task = asyncio.create_task(self.exploration.explore(), name="uiap-discovering")

    def pause(self, reason: str | None = None) -> None:
        """Finish the current step and start no other until `resume`. Paused time does not count."""
        self.exploration.send(events.Paused(at=self.clock.now(), reason=reason))

    def resume(self) -> None:
        self.exploration.send(events.Resumed(at=self.clock.now()))

    def cancel(self, reason: str | None = None) -> None:
        """End the run. The package has everything found so far."""
        self.exploration.send(events.Cancelled(at=self.clock.now(), reason=reason))

    async def package(self) -> DiscoveryPackage:
        """Wait for the end and return the package. Cancelling the wait stops the run; a folder can be resumed."""
        if self._task is None:
            raise Unavailable(f"run `{self.run_id}` was not started; call `start()` first")
        try:
            return none_for_absent(await self._task)
        finally:
            self._task.cancel()
            await asyncio.wait([self._task])

    def _publish(self, type: str, payload: msgspec.Struct) -> None:
        shown = none_for_absent(payload)
        if isinstance(shown, DiscoveryProgressPayload):
            self.progress = shown
        for listener in (self._options.on_progress, *self._listeners):
            listener(type, shown)


def _page_providers(run: Run, options: DiscoveryOptions, bundle: Bundle | None) -> list[BrowserPageProvider]:
    """Return a provider for each worker. Each has its own browser, because a guard covers a whole browser."""
    further = replace(options, sitemap=False)  # the first worker reads the sitemap
    return [
        BrowserPageProvider(run.plan, further if number else options, bundle)
        for number in range(run.plan.terms.workers)
    ]


def _seeds_of_packages(known: Sequence[DiscoveryPackage]) -> tuple[DiscoverySeed, ...]:
    """Return a seed for each route that earlier packages found (DISC-9)."""
    return tuple(
        RouteSeed(route_id=route.route_id)
        for one in known
        for route in one.route_catalog.routes
        if route.urls
    )


def _sign_in_seeds(base: str, principals: Sequence[Principal]) -> tuple[DiscoverySeed, ...]:
    """Return a seed for each sign-in page, which a signed-in principal may not be able to visit."""
    urls = dict.fromkeys(urljoin(base, one.url) for one in principals if one.url and one.steps)
    return tuple(UrlSeed(url=url) for url in urls)


def _workflows_of(package: DiscoveryPackage) -> Sequence[DiscoveredWorkflowCandidate]:
    return package.workflow_candidates.workflows if package.workflow_candidates else ()


def _actions_of_packages(
    known: Sequence[DiscoveryPackage], routes: Mapping[str, str]
) -> dict[str, KnownAction]:
    """Return the actions that earlier packages found, with their elements and addresses."""
    return {
        one.id: KnownAction(
            urls=tuple(routes[id] for id in one.routes or () if id in routes),
            patterns=one.target_patterns or (),
        )
        for package in known
        for one in package.action_catalog.actions
        if one.kind != "primitive"
    }


def _workflow_urls(
    known: Sequence[DiscoveryPackage], routes: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    return {
        flow.id: tuple(routes[id] for id in flow.route_ids or () if id in routes)
        for one in known
        for flow in _workflows_of(one)
    }
