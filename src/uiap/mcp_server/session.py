"""The one session the tools act in, and the three ways to have it: a browser of our own, a resident, a server.

Our own browser is served on a private socket like every resident session, so that the person has a channel of their
own (`uiap approve`); the tools come in over that same socket, as an agent.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from uiap.api.open_session import connect
from uiap.api.result import Result
from uiap.api.ui import Ui
from uiap.drivers.address import check_allowed, is_application, open_application
from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.drivers.chromium.browser.context import ContextOptions
from uiap.drivers.chromium.driver import ChromiumDriver
from uiap.drivers.driver import Driver
from uiap.drivers.reach import Reach
from uiap.errors import InvalidPayload, UiapError, Unavailable
from uiap.host.bundles.bundle import Bundle
from uiap.host.consent.policy_file import GivenRules, rules_from
from uiap.host.handlers.session_files import read_state
from uiap.host.privacy.secrets import Secrets
from uiap.host.sessions.resident import Resident, SessionFolder
from uiap.settings import Settings

AGENT = "mcp"
SessionFactory = Callable[[str | None], AbstractAsyncContextManager[Ui]]
"""Into a session; with an application's address, into one with that."""


class NoPageOpen(UiapError):
    code = "no_page"


@dataclass(frozen=True, kw_only=True)
class OwnBrowserOptions:
    """How a browser of our own is started."""

    settings: Settings
    name: str
    headed: bool = False
    rules: GivenRules = "standard"
    uploads: tuple[Path, ...] = ()
    downloads: Path | None = None
    allow: tuple[str, ...] = ()
    """Addresses inside this network that the agent may go to, besides the public internet."""
    state: Path | None = None
    """Who is logged in from the beginning."""
    states: Path | None = None
    """The folder in which the agent may keep and find states by name."""
    bundle: Bundle | None = None
    """The application's contract."""
    applications: tuple[str, ...] = ()
    """What may be opened besides web pages, as `check_allowed` reads it."""


def own_browser(how: OwnBrowserOptions) -> SessionFactory:
    @asynccontextmanager
    async def way(application: str | None) -> AsyncIterator[Ui]:
        async with AsyncExitStack() as stack:
            known = how.settings
            known.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            rules = rules_from(how.rules)
            secrets = Secrets(known.environ)
            driver = await _driver(stack, how, secrets, application)
            place = SessionFolder(known.runtime, how.name)
            resident = Resident(
                place,
                driver,
                rules=rules,
                store_url=known.store_url,
                secrets=secrets,
                bundle=how.bundle,
                states=how.states,
            )
            stack.push_async_callback(resident.close)
            await resident.services.start()
            if how.state is not None and application is None:
                await driver.storage.load(read_state(how.state))
            await resident.serve()
            yield await stack.enter_async_context(connect(f"unix:{place.socket}", principal=AGENT))

    return way


async def _driver(
    stack: AsyncExitStack, how: OwnBrowserOptions, secrets: Secrets, application: str | None
) -> Driver:
    environ = how.settings.environ
    if application is not None:
        allowed = check_allowed(application, how.applications)
        driver = await open_application(allowed, environ=environ, secrets=secrets.reveal)
        stack.push_async_callback(driver.close)
        return driver
    browser = await ChromiumBrowser.launch(environ=environ, headless=not how.headed, reach=Reach(how.allow))
    stack.push_async_callback(browser.close)
    options = ContextOptions(uploads=how.uploads, downloads=how.downloads)
    return ChromiumDriver(browser, options, secrets=secrets.reveal)


def existing_session(address: str, token: str | None = None) -> SessionFactory:
    """A resident session (unix:…), which shows what it shows, or a protocol server (ws:, http:)."""

    def way(application: str | None) -> AbstractAsyncContextManager[Ui]:
        if application is not None and address.startswith("unix:"):
            raise InvalidPayload("this session was opened by a person on what it shows; observe that")
        return connect(address, token=token, principal=AGENT, application=application)

    return way


def unused_session_name(runtime: Path, wanted: str) -> str:
    """The name if nobody serves under it, else one of this process alone."""
    return f"{wanted}-{os.getpid()}" if (runtime / f"{wanted}.sock").exists() else wanted


class AgentSession:
    """Opens the session when a page is first asked for, and again after it was lost."""

    def __init__(self, way: SessionFactory, *, approve: str, at_once: bool = False) -> None:
        self._way, self.approve = way, approve
        self._at_once = at_once
        """A session elsewhere shows a page already: it is joined at the first question."""
        self._stack: AsyncExitStack | None = None
        self._ui: Ui | None = None
        self._application: str | None = None

    async def ui(self) -> Ui:
        if self._ui is None and self._at_once:
            await self._enter()
        if self._ui is None:
            raise NoPageOpen("no page is open")
        return self._ui

    async def open(self, url: str) -> Result | None:
        """Go to a page; or to an application, which is a session of its own and needs no way to it."""
        application = url if is_application(url) else None
        address = "" if application is not None else check_web_address(url)
        if self._ui is not None and (self._application is not None or application is not None):
            await self.close()
        if self._ui is None:
            await self._enter(application)
        assert self._ui is not None
        return await self._ui.navigate(address) if application is None else None

    async def _enter(self, application: str | None = None) -> None:
        async with AsyncExitStack() as stack:
            self._ui = await stack.enter_async_context(self._way(application))
            self._stack, self._application = stack.pop_all(), application

    async def close(self) -> None:
        """Leave the session; a browser of our own ends with it."""
        stack, self._stack, self._ui = self._stack, None, None
        if stack is not None:
            await stack.aclose()


def check_web_address(url: str) -> str:
    """An agent goes to web pages: no files, no scripts, no browser pages (robustness P11)."""
    address = url if "://" in url or url.startswith(("data:", "about:", "javascript:")) else f"http://{url}"
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or any(c.isspace() for c in url):
        raise InvalidPayload("that is not the address of a web page; begin with http:// or https://")
    return address


def resident_address(runtime: Path, name: str) -> str:
    socket = SessionFolder(runtime, name).socket
    if not socket.exists():
        raise Unavailable(f"no session `{name}` is open; start one with: uiap open URL --session {name}")
    return f"unix:{socket}"
