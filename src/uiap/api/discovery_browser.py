"""The browser of a discovery run: a fresh context for each principal, guarded from the start and then signed in.

Every action of a run is a message of an ordinary session. This module only opens browsers, signs in and sets the guard.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from uiap import settings
from uiap.api.discovery_options import DiscoveryOptions, Principal
from uiap.api.open_session import IN_PROCESS
from uiap.api.ui import Ui
from uiap.client.caller import Caller
from uiap.discovery.knowledge.candidates import asks_for_credentials
from uiap.discovery.plan.conditions import flag_storage
from uiap.discovery.plan.plan import RunPlan, metadata_list
from uiap.drivers.network_rules import NetworkRules, ReadRequest
from uiap.errors import UiapError, Unavailable
from uiap.graph.store import GraphStore
from uiap.host.bundles.bundle import Bundle
from uiap.host.loop.loop import HostLoop
from uiap.host.observation.idle import IDLE_S, IdleWatch
from uiap.host.observation.page_effects import PermittedRequests
from uiap.host.runs.page_worker import PreparedPage
from uiap.host.runs.sitemap import sitemap_urls
from uiap.host.sessions.session_services import SessionServices
from uiap.spec.core import ExtensionOffer, ParticipantInfo
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.versions import TOOLS_EXTENSION
from uiap.transports.memory import pair

if TYPE_CHECKING:
    from uiap.drivers.chromium.browser.browser import ChromiumBrowser


class BrowserPageProvider:
    """Provides pages from one browser, with a fresh context for each principal."""

    def __init__(self, plan: RunPlan, options: DiscoveryOptions, bundle: Bundle | None = None) -> None:
        self._plan, self._options, self._bundle = plan, options, bundle
        self._principals = {one.id: one for one in options.principals}
        self._stack = AsyncExitStack()
        self._browser: ChromiumBrowser | None = None

    async def open(self, profile: str | None, *, anonymous: bool = False) -> PreparedPage:
        await self._stack.aclose()
        async with AsyncExitStack() as stack:
            services = await self._open_services(stack)
            caller = await stack.enter_async_context(_open_session(services, profile or "discovery"))
            ui = Ui(caller, AsyncExitStack())
            principal = None if anonymous else self._principals.get(profile or "")
            state, unapplied = flag_storage(self._plan.environment)
            if state is not None:
                await services.page.driver.storage.load(state)
            with PermittedRequests(services.page) as permitted:
                notes = (*unapplied, *await self._sign_in_guarded(ui, services, principal))
            if not anonymous:  # the first load may sign in by itself; a resumed run must be signed in again
                await ui.navigate(self._plan.environment.base_url)
            urls = await sitemap_urls(self._plan.allowed_origins) if self._options.sitemap else ()
            actions = tuple(one.id for one in (await ui.capabilities()).actions)
            self._stack = stack.pop_all()
        session = ui.session
        return PreparedPage(
            page=services.page,
            dispatch=ui._actions.run,
            actions=actions,
            registered=services.actions.app_actions.descriptors,
            profiles=tuple(session.selected_profiles),
            extensions=tuple(one.id for one in session.selected_extensions),
            urls=urls,
            notes=notes,
            sign_in_requests=permitted.requests,
        )

    async def close(self) -> None:
        try:
            await self._stack.aclose()
        finally:
            await self._close_browser()

    async def _close_browser(self) -> None:
        browser, self._browser = self._browser, None
        if browser is not None:
            await browser.close()

    async def _running_browser(self) -> ChromiumBrowser:
        """Return the browser of this run; launch another one if it ended by itself."""
        from uiap.drivers.chromium.browser.browser import ChromiumBrowser

        locale, options = self._plan.environment.locale, self._options
        if self._browser is not None and self._browser.session.ended is not None:
            await self._close_browser()
        if self._browser is None:
            self._browser = await ChromiumBrowser.launch(
                environ=settings.read().environ,
                executable=options.browser,
                headless=options.headless,
                args=(f"--accept-lang={locale}", f"--lang={locale}") if locale else (),
            )
        return self._browser

    async def _open_services(self, stack: AsyncExitStack) -> SessionServices:
        from uiap.drivers.chromium.browser.context import ContextOptions
        from uiap.drivers.chromium.driver import ChromiumDriver

        viewport = self._plan.environment.viewport
        size = (int(viewport.width), int(viewport.height)) if viewport else (1280, 800)
        driver = ChromiumDriver(await self._running_browser(), ContextOptions(viewport=size))
        services = SessionServices(driver, rules="trusted", bundle=self._bundle)
        stack.push_async_callback(services.close)
        await services.start()
        return services

    def _rules(self) -> NetworkRules:
        listed = metadata_list(self._plan.environment, "readRequests")
        reads = tuple(ReadRequest.parse(text) for text in listed)
        sandbox = self._plan.safety.default_mode == "sandbox_write"
        origins = self._plan.allowed_origins.origins
        return NetworkRules(origins=origins, writes=sandbox, sockets=sandbox, reads=reads)

    async def _sign_in_guarded(
        self, ui: Ui, services: SessionServices, principal: Principal | None
    ) -> tuple[str, ...]:
        """Sign in behind a guard that permits the posts of signing in, then permit only what the run may do.

        The page that signed in is left, because it may have work in progress.
        """
        driver, rules = services.page.driver, self._rules()
        if principal is None or not principal.signs_in:
            await driver.guard_network(rules)
            return ()
        await driver.guard_network(NetworkRules(anywhere=True, sign_in=True))
        notes = await self._sign_in(ui, services, principal)
        await self._wait_until_idle(services)
        await driver.guard_network(rules)
        await driver.navigate("about:blank")
        return notes

    async def _wait_until_idle(self, services: SessionServices) -> None:
        """Wait until the page that signs in has finished its requests and redirects."""
        idle = IdleWatch(services.page, services.clock)
        try:
            await idle.wait_until_idle(IDLE_S)
        finally:
            idle.stop()

    async def _sign_in(self, ui: Ui, services: SessionServices, principal: Principal) -> tuple[str, ...]:
        """Sign in and return notes about it."""
        if principal.storage_state is not None:
            state = msgspec.json.decode(principal.storage_state.read_bytes())
            await services.page.driver.storage.load(state)
            return (f"`{principal.id}` reuses a session",)
        if principal.url is not None or principal.manual:
            url = self._plan.allowed_origins.resolve(principal.url or "")
            opened = await ui.navigate(url)
            if opened.error is not None:
                raise Unavailable(sign_in_problem(principal, 0, opened.error.message))
        for number, step in enumerate(principal.steps, 1):
            await _take_sign_in_step(ui, principal, number, step)
        if principal.steps and asks_for_credentials(GraphStore(await services.page.driver.observe())):
            raise Unavailable(
                f"`{principal.id}` is still asked for a password after all {len(principal.steps)} steps; "
                "correct the values or the steps that sign in"
            )
        if principal.manual and self._options.ready is not None:
            await self._options.ready(principal)
        return (f"`{principal.id}` signed in",)


async def _take_sign_in_step(ui: Ui, principal: Principal, number: int, step: Mapping[str, Any]) -> None:
    """Take one step; say which one failed. A step whose effect was not seen may have worked."""
    try:
        result = await ui.act(**{**step, "action": step["action"]})
    except UiapError as error:
        raise Unavailable(sign_in_problem(principal, number, str(error))) from error
    if result.error is not None and result.error.code != "verification_failed":
        raise Unavailable(sign_in_problem(principal, number, result.error.message))


def sign_in_problem(principal: Principal, number: int, reason: str) -> str:
    """Return which step of signing in failed and why; step 0 opens the page. Values that are entered are left out."""
    if not number:
        return f"signing in `{principal.id}` failed: `{principal.url}` could not be opened: {reason}"
    step = principal.steps[number - 1]
    target = " ".join(str(step[part]) for part in ("role",) if step.get(part))
    name = f" `{step['name']}`" if step.get("name") else ""
    place = f"{step['action']} on {target or 'the page'}{name}"
    return (
        f"signing in `{principal.id}` failed at step {number} of {len(principal.steps)} ({place}): {reason}"
    )


@asynccontextmanager
async def _open_session(services: SessionServices, principal: str) -> AsyncIterator[Caller]:
    """Open a session with a host in this process, so that actions take the path of every other interface."""
    user = PolicyPrincipal(type="user", id=principal)
    me = ParticipantInfo(role="bridge", id="uiap")
    host_loop = HostLoop(
        services.handlers, support=services.support, me=me, admit=lambda *_: user, limits=IN_PROCESS
    )
    host_loop.session_end_hooks.append(services.end_session)
    ours, theirs = pair(max_bytes=IN_PROCESS["max_message_bytes"])
    serving = asyncio.create_task(host_loop.accept(theirs))
    try:
        caller = await Caller.open(
            ours,
            participant=ParticipantInfo(role="user", id=principal),
            profiles=services.support.profiles,
            extensions=(ExtensionOffer(id=TOOLS_EXTENSION, versions=("0.1",), required=True),),
        )
        yield caller
        await caller.terminate()
    finally:
        await host_loop.close()
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
