"""`discover`: from an address to a discovery package, in browsers of its own, one context for each principal.

Every action of a run is a message of a session like any other; here are only the browsers, the sign-ins and the guard.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

import msgspec
from msgspec import UNSET

from uiap import settings
from uiap.api.opening import IN_PROCESS, check_url
from uiap.api.ui import Ui
from uiap.client.caller import Caller
from uiap.discovery import events as when
from uiap.discovery.authorisation import authorised
from uiap.discovery.candidates import asks_for_credentials
from uiap.discovery.machine import Run
from uiap.discovery.plan import Plan, Terms, listed
from uiap.drivers.network_rules import NetworkRules, ReadRequest
from uiap.errors import Unavailable
from uiap.graph.store import GraphStore
from uiap.host.clock import SystemClock
from uiap.host.exploration import Exploration, Floor
from uiap.host.exploration_store import FolderKeeper, MemoryKeeper
from uiap.host.hall import Hall
from uiap.host.sitemap import listed_addresses
from uiap.host.workplace import Workplace
from uiap.ids import new_secret
from uiap.spec.core import ExtensionOffer, ParticipantInfo
from uiap.spec.discovery import (
    DiscoveryBudget,
    DiscoveryEnvironment,
    DiscoveryMode,
    DiscoveryPackage,
    DiscoveryPrincipalProfile,
    DiscoverySafetyPolicy,
    DiscoverySeed,
    DiscoveryViewport,
    RouteSeed,
    UrlSeed,
)
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.versions import TOOLS_EXTENSION
from uiap.transports.memory import pair

if TYPE_CHECKING:
    from uiap.drivers.chromium.browser import ChromiumBrowser

Hear = Callable[[str, msgspec.Struct], None]


@dataclass(frozen=True, kw_only=True)
class Principal:
    """Who looks at the application, and how they sign in; without either, as nobody."""

    id: str
    roles: Sequence[str] = ()
    url: str | None = None
    """Opened before the guard is raised: a sign-in link, or the page the steps begin on."""
    steps: Sequence[Mapping[str, Any]] = ()
    """Actions that sign in: `{"action": "ui.enterText", "role": "textbox", "name": "Email", "args": {…}}`."""
    storage_state: Path | None = None
    """Cookies and storage saved before, as `Storage.save` and Playwright write them."""
    manual: bool = False
    """A person signs in, in the visible browser; `ready` is awaited."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a run is carried out, beside what its environment says."""

    out: Path | None = None
    principals: Sequence[Principal] = ()
    screenshots: bool = False
    ax_trees: bool = True
    sitemap: bool = True
    headless: bool = True
    browser: str | Path | None = None
    resume: bool = False
    hear: Hear = field(default=lambda _type, _payload: None)
    ready: Callable[[Principal], Any] | None = None
    """Awaited while a person signs in."""


def environment(
    url: str,
    *,
    mode: DiscoveryMode = "safe_explore",
    max_states: int | None = None,
    max_transitions: int | None = None,
    max_depth: int | None = None,
    max_runtime_s: float | None = None,
    max_per_route: int | None = None,
    origins: Sequence[str] = (),
    read_requests: Sequence[str] = (),
    principals: Sequence[Principal] = (),
    locale: str | None = None,
    viewport: tuple[int, int] | None = None,
    feature_flags: Mapping[str, bool | str | int | float] | None = None,
    authorised_by: str | None = None,
    **allowances: bool,
) -> DiscoveryEnvironment:
    """An environment as the spec has it; what v0.1 has no member for goes into its metadata."""
    more: dict[str, Any] = {}
    if origins:
        more["allowedOrigins"] = list(origins)
    if read_requests:
        more["readRequests"] = list(read_requests)
    if authorised_by:
        more["authorization"] = {"by": authorised_by}
    profiles = tuple(
        DiscoveryPrincipalProfile(id=one.id, roles=tuple(one.roles) or UNSET) for one in principals
    )
    reused = any(one.storage_state for one in principals)
    by_hand = any(one.manual for one in principals)
    mode_of = "session_reuse" if reused else "manual" if by_hand else "seeded"
    signed = any(one.url or one.steps or one.storage_state or one.manual for one in principals)
    return DiscoveryEnvironment(
        environment_id=_environment_id(url),
        base_url=check_url(url),
        locale=locale or UNSET,
        viewport=DiscoveryViewport(width=viewport[0], height=viewport[1]) if viewport else UNSET,
        auth_mode=mode_of if signed else UNSET,  # type: ignore[arg-type]
        principal_profiles=profiles or UNSET,
        feature_flags=dict(feature_flags) if feature_flags else UNSET,
        budgets=DiscoveryBudget(
            max_states=_given(max_states),
            max_transitions=_given(max_transitions),
            max_depth=_given(max_depth),
            max_runtime_ms=_given(max_runtime_s * 1000 if max_runtime_s is not None else None),
            max_per_route=_given(max_per_route),
        ),
        safety=DiscoverySafetyPolicy(
            default_mode=mode, **{key: value for key, value in allowances.items() if value}
        ),
        metadata=more or UNSET,
    )


async def discover(
    where: str | DiscoveryEnvironment,
    *,
    seeds: Sequence[DiscoverySeed] = (),
    known: Sequence[DiscoveryPackage] = (),
    documents: Mapping[str, str] | None = None,
    options: Options | None = None,
) -> DiscoveryPackage:
    """Explore, and give the package; with `options.out` also as files, from which a killed run goes on."""
    options = options or Options()
    asked = environment(where, principals=options.principals) if isinstance(where, str) else where
    problem = authorised(asked)
    if problem is not None:
        raise Unavailable(problem)
    keeper = FolderKeeper(options.out) if options.out is not None else MemoryKeeper()
    clock = SystemClock()
    run, first = _begin(asked, seeds, known, documents or {}, options, keeper)
    stage = BrowserStage(run.plan, options)
    exploration = Exploration(
        run,
        stage,
        clock,
        keeper,
        options.hear,
        screenshots=options.screenshots,
        ax_trees=options.ax_trees,
    )
    return await exploration.go(when.Interrupted(at=clock.now()) if first else None)


def _begin(
    asked: DiscoveryEnvironment,
    seeds: Sequence[DiscoverySeed],
    known: Sequence[DiscoveryPackage],
    documents: Mapping[str, str],
    options: Options,
    keeper: FolderKeeper | MemoryKeeper,
) -> tuple[Run, bool]:
    """A new run, or one that was begun in the folder and fed everything that happened."""
    kept = keeper.terms() if options.resume and isinstance(keeper, FolderKeeper) else None
    if kept is not None and isinstance(keeper, FolderKeeper):
        run = Run(kept)
        for event in keeper.events():
            run.handle(event)
        return run, run.started is not None
    routes = {
        route.route_id: route.urls[0] for one in known for route in one.route_catalog.routes if route.urls
    }
    terms = Terms(
        run_id=new_secret("disc"),
        environment=asked,
        seeds=(*seeds, *_earlier(known), *_entrances(asked.base_url, options.principals)),
        routes=routes,
        workflows=_workflows(known, routes),
        documents=dict(documents),
    )
    keeper.opened(terms)
    return Run(terms), False


def _earlier(known: Sequence[DiscoveryPackage]) -> tuple[DiscoverySeed, ...]:
    """DISC-9: what earlier packages found is where this one begins."""
    return tuple(
        RouteSeed(route_id=route.route_id)
        for one in known
        for route in one.route_catalog.routes
        if route.urls
    )


def _entrances(base: str, principals: Sequence[Principal]) -> tuple[DiscoverySeed, ...]:
    """The page somebody signs in on is a place too; whoever is signed in may not see it, nobody does."""
    urls = dict.fromkeys(urljoin(base, one.url) for one in principals if one.url and one.steps)
    return tuple(UrlSeed(url=url) for url in urls)


def _workflows(known: Sequence[DiscoveryPackage], routes: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    found = (one.workflow_candidates for one in known)
    return {
        flow.id: tuple(routes[id] for id in flow.route_ids or () if id in routes)
        for catalog in found
        if catalog
        for flow in catalog.workflows
    }


class BrowserStage:
    """One browser; a fresh context for each principal."""

    def __init__(self, plan: Plan, options: Options) -> None:
        self._plan, self._options = plan, options
        self._by_id = {one.id: one for one in options.principals}
        self._stack = AsyncExitStack()
        self._browser: ChromiumBrowser | None = None

    async def enter(self, profile: str | None, *, nobody: bool = False) -> Floor:
        await self._stack.aclose()
        async with AsyncExitStack() as stack:
            place = await self._place(stack)
            caller = await stack.enter_async_context(_session(place, profile or "discovery"))
            ui = Ui(caller, AsyncExitStack())
            notes = await self._sign_in(ui, place, None if nobody else self._by_id.get(profile or ""))
            await place.page.driver.guard_network(self._rules())
            if not nobody:  # an address may sign in by itself, and a run that goes on must be signed in again
                await ui.navigate(self._plan.environment.base_url)
            urls = await listed_addresses(self._plan.territory) if self._options.sitemap else ()
            actions = tuple(one.id for one in (await ui.capabilities()).actions)
            self._stack = stack.pop_all()
        agreed = ui.session
        return Floor(
            page=place.page,
            dispatch=ui._run,
            actions=actions,
            profiles=tuple(agreed.selected_profiles),
            extensions=tuple(one.id for one in agreed.selected_extensions),
            urls=urls,
            notes=notes,
        )

    async def leave(self) -> None:
        try:
            await self._stack.aclose()
        finally:
            await self._end_browser()

    async def _end_browser(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            await browser.close()

    async def _standing(self) -> ChromiumBrowser:
        """The browser of this run; another one if it ended by itself."""
        from uiap.drivers.chromium.browser import ChromiumBrowser

        asked, options = self._plan.environment, self._options
        if self._browser is not None and self._browser.session.ended is not None:
            await self._end_browser()
        if self._browser is None:
            self._browser = await ChromiumBrowser.launch(
                environ=settings.read().environ,
                executable=options.browser,
                headless=options.headless,
                args=(f"--accept-lang={asked.locale}", f"--lang={asked.locale}") if asked.locale else (),
            )
        return self._browser

    async def _place(self, stack: AsyncExitStack) -> Workplace:
        from uiap.drivers.chromium.context import ContextOptions
        from uiap.drivers.chromium.driver import ChromiumDriver

        view = self._plan.environment.viewport
        size = (int(view.width), int(view.height)) if view else (1280, 800)
        driver = ChromiumDriver(await self._standing(), ContextOptions(viewport=size))
        place = Workplace(driver, rules="trusted")
        stack.push_async_callback(place.close)
        await place.start()
        return place

    def _rules(self) -> NetworkRules:
        asked = self._plan.environment
        reads = tuple(ReadRequest.parse(text) for text in listed(asked, "readRequests"))
        sandbox = self._plan.safety.default_mode == "sandbox_write"
        return NetworkRules(origins=self._plan.territory.origins, writes=sandbox, reads=reads)

    async def _sign_in(self, ui: Ui, place: Workplace, who: Principal | None) -> tuple[str, ...]:
        """Before the guard is raised: signing in writes."""
        if who is None:
            return ()
        if who.storage_state is not None:
            state = msgspec.json.decode(who.storage_state.read_bytes())
            await place.page.driver.storage.load(state)
            return (f"`{who.id}` reuses a session",)
        if who.url is not None or who.manual:
            (await ui.navigate(self._plan.territory.resolve(who.url or ""))).check()
        for step in who.steps:
            done = await ui.act(**{**step, "action": step["action"]})
            if done.error is None or done.error.code != "verification_failed":
                done.check()
        if who.steps and asks_for_credentials(GraphStore(await place.page.driver.observe())):
            raise Unavailable(f"`{who.id}` is still asked for a password; mend the steps that sign in")
        if who.manual and self._options.ready is not None:
            await self._options.ready(who)
        return (f"`{who.id}` signed in",) if who.url or who.steps or who.manual else ()


@asynccontextmanager
async def _session(place: Workplace, principal: str) -> AsyncIterator[Caller]:
    """A session with the hall in this process: actions take the path every other door takes."""
    user = PolicyPrincipal(type="user", id=principal)
    me = ParticipantInfo(role="bridge", id="uiap")
    hall = Hall(place.handlers, support=place.support, me=me, admit=lambda *_: user, limits=IN_PROCESS)
    hall.settlers.append(place.settle)
    ours, theirs = pair(max_bytes=IN_PROCESS["max_message_bytes"])
    serving = asyncio.create_task(hall.accept(theirs))
    try:
        caller = await Caller.open(
            ours,
            participant=ParticipantInfo(role="user", id=principal),
            profiles=place.support.profiles,
            extensions=(ExtensionOffer(id=TOOLS_EXTENSION, versions=("0.1",), required=True),),
        )
        yield caller
        await caller.terminate()
    finally:
        await hall.close()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


def _given(value: Any) -> Any:
    return UNSET if value is None else value


def _environment_id(url: str) -> str:
    return check_url(url).partition("://")[2].partition("/")[0] or "local"
