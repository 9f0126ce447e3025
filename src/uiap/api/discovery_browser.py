"""Where a run takes place: one browser, a fresh context for each principal, signed in and then guarded.

Every action of a run is a message of a session like any other; here are only the browsers, the sign-ins and the guard.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

import msgspec

from uiap import settings
from uiap.api.discovery_options import DiscoveryOptions, Principal
from uiap.api.open_session import IN_PROCESS
from uiap.api.ui import Ui
from uiap.client.caller import Caller
from uiap.discovery.knowledge.candidates import asks_for_credentials
from uiap.discovery.plan.plan import RunPlan, metadata_list
from uiap.drivers.network_rules import NetworkRules, ReadRequest
from uiap.errors import Unavailable
from uiap.graph.store import GraphStore
from uiap.host.loop.loop import HostLoop
from uiap.host.runs.exploration import PreparedPage
from uiap.host.runs.sitemap import sitemap_urls
from uiap.host.sessions.session_services import SessionServices
from uiap.spec.core import ExtensionOffer, ParticipantInfo
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.versions import TOOLS_EXTENSION
from uiap.transports.memory import pair

if TYPE_CHECKING:
    from uiap.drivers.chromium.browser.browser import ChromiumBrowser


class BrowserPageProvider:
    """One browser; a fresh context for each principal."""

    def __init__(self, plan: RunPlan, options: DiscoveryOptions) -> None:
        self._plan, self._options = plan, options
        self._by_id = {one.id: one for one in options.principals}
        self._stack = AsyncExitStack()
        self._browser: ChromiumBrowser | None = None

    async def enter(self, profile: str | None, *, anonymous: bool = False) -> PreparedPage:
        await self._stack.aclose()
        async with AsyncExitStack() as stack:
            place = await self._place(stack)
            caller = await stack.enter_async_context(_open_session(place, profile or "discovery"))
            ui = Ui(caller, AsyncExitStack())
            notes = await self._sign_in(ui, place, None if anonymous else self._by_id.get(profile or ""))
            await place.page.driver.guard_network(self._rules())
            if (
                not anonymous
            ):  # an address may sign in by itself, and a run that goes on must be signed in again
                await ui.navigate(self._plan.environment.base_url)
            urls = await sitemap_urls(self._plan.allowed_origins) if self._options.sitemap else ()
            actions = tuple(one.id for one in (await ui.capabilities()).actions)
            self._stack = stack.pop_all()
        agreed = ui.session
        return PreparedPage(
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
        from uiap.drivers.chromium.browser.browser import ChromiumBrowser

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

    async def _place(self, stack: AsyncExitStack) -> SessionServices:
        from uiap.drivers.chromium.browser.context import ContextOptions
        from uiap.drivers.chromium.driver import ChromiumDriver

        view = self._plan.environment.viewport
        size = (int(view.width), int(view.height)) if view else (1280, 800)
        driver = ChromiumDriver(await self._standing(), ContextOptions(viewport=size))
        place = SessionServices(driver, rules="trusted")
        stack.push_async_callback(place.close)
        await place.start()
        return place

    def _rules(self) -> NetworkRules:
        asked = self._plan.environment
        reads = tuple(ReadRequest.parse(text) for text in metadata_list(asked, "readRequests"))
        sandbox = self._plan.safety.default_mode == "sandbox_write"
        return NetworkRules(origins=self._plan.allowed_origins.origins, writes=sandbox, reads=reads)

    async def _sign_in(self, ui: Ui, place: SessionServices, who: Principal | None) -> tuple[str, ...]:
        """Before the guard is raised: signing in writes."""
        if who is None:
            return ()
        if who.storage_state is not None:
            state = msgspec.json.decode(who.storage_state.read_bytes())
            await place.page.driver.storage.load(state)
            return (f"`{who.id}` reuses a session",)
        if who.url is not None or who.manual:
            (await ui.navigate(self._plan.allowed_origins.resolve(who.url or ""))).check()
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
async def _open_session(place: SessionServices, principal: str) -> AsyncIterator[Caller]:
    """A session with the hall in this process: actions take the path every other door takes."""
    user = PolicyPrincipal(type="user", id=principal)
    me = ParticipantInfo(role="bridge", id="uiap")
    hall = HostLoop(place.handlers, support=place.support, me=me, admit=lambda *_: user, limits=IN_PROCESS)
    hall.session_end_hooks.append(place.end_session)
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
