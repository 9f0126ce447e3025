"""The session that the tools act in: in a new browser, in a resident session, or on a protocol server.

A new browser is served on a private socket like every resident session, so that the person can answer with
`uiap approve`. The tools connect to the same socket, as an agent.
"""

from __future__ import annotations

import asyncio
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
from uiap.errors import InvalidPayload, Timeout, UiapError, Unavailable
from uiap.host.bundles.bundle import Bundle
from uiap.host.consent.policy_file import GivenRules, rules_from
from uiap.host.handlers.session_files import read_state
from uiap.host.privacy.secrets import Secrets
from uiap.host.sessions.resident import Resident
from uiap.host.sessions.session_folder import SessionFolder
from uiap.settings import Settings
from uiap.timeouts import OPEN_S

AGENT = "mcp"
SessionFactory = Callable[[str | None], AbstractAsyncContextManager[Ui]]
"""Opens a session: with a browser, or with the application at the given address."""


class NoPageOpen(UiapError):
    code = "no_page"


@dataclass(frozen=True, kw_only=True)
class OwnBrowserOptions:
    """Options of a new browser."""

    settings: Settings
    folder: SessionFolder
    """The files of the session. Claim its name at once, so that no other server can take it."""
    headed: bool = False
    rules: GivenRules = "standard"
    uploads: tuple[Path, ...] = ()
    downloads: Path | None = None
    allow: tuple[str, ...] = ()
    """Private addresses that the agent may reach, besides the public internet."""
    state: Path | None = None
    """A saved login to start with."""
    states: Path | None = None
    """The folder in which the agent may save and load states by name."""
    bundle: Bundle | None = None
    """The application's bundle."""
    applications: tuple[str, ...] = ()
    """Applications that may be opened besides web pages, as `check_allowed` reads them."""


def own_browser(options: OwnBrowserOptions) -> SessionFactory:
    """Return a factory of sessions with a new browser."""

    @asynccontextmanager
    async def open_session(application: str | None) -> AsyncIterator[Ui]:
        async with AsyncExitStack() as stack:
            config = options.settings
            config.data.mkdir(mode=0o700, parents=True, exist_ok=True)
            rules = rules_from(options.rules)
            secrets = Secrets(config.environ)
            driver = await _driver(stack, options, secrets, application)
            folder = options.folder
            resident = Resident(
                folder,
                driver,
                rules=rules,
                store_url=config.store_url,
                secrets=secrets,
                bundle=options.bundle,
                states=options.states,
            )
            stack.push_async_callback(resident.close)
            resident.services.page.origins.hosts = options.allow
            await resident.services.start()
            if options.state is not None and application is None:
                await driver.storage.load(read_state(options.state))
            await resident.serve()
            yield await stack.enter_async_context(connect(f"unix:{folder.socket}", principal=AGENT))

    return open_session


async def _driver(
    stack: AsyncExitStack, options: OwnBrowserOptions, secrets: Secrets, application: str | None
) -> Driver:
    environ = options.settings.environ
    if application is not None:
        allowed = check_allowed(application, options.applications)
        driver = await open_application(allowed, environ=environ, secrets=secrets.reveal)
        stack.push_async_callback(driver.close)
        return driver
    browser = await ChromiumBrowser.launch(
        environ=environ, headless=not options.headed, reach=Reach(options.allow)
    )
    stack.push_async_callback(browser.close)
    context = ContextOptions(uploads=options.uploads, downloads=options.downloads)
    return ChromiumDriver(browser, context, secrets=secrets.reveal)


def existing_session(address: str, token: str | None = None) -> SessionFactory:
    """Return a factory that connects to a resident session (unix:…) or to a protocol server (ws:, http:)."""

    def open_session(application: str | None) -> AbstractAsyncContextManager[Ui]:
        if application is not None and address.startswith("unix:"):
            raise InvalidPayload("a person opened this session and its application; observe that one")
        return connect(address, token=token, principal=AGENT, application=application)

    return open_session


class AgentSession:
    """The tools' session, opened with the first page and again after it was lost."""

    def __init__(
        self,
        factory: SessionFactory,
        *,
        approve: str,
        at_once: bool = False,
        folder: SessionFolder | None = None,
        approval_page: Callable[[], str] | None = None,
        bundle: Bundle | None = None,
    ) -> None:
        self._factory, self.approve = factory, approve
        self.bundle = bundle
        """The bundle of the application, whose actions and workflows become tools."""
        self.folder = folder
        """The files of the session, if its questions may be asked through the client."""
        self.approval_page = approval_page
        """Opens the approval page and returns an address that works once; for clients that open addresses."""
        self._at_once = at_once
        """An existing session already shows a page, so it is opened by the first call of any tool."""
        self._stack: AsyncExitStack | None = None
        self._ui: Ui | None = None
        self._application: str | None = None

    async def ui(self) -> Ui:
        """Return the session, or raise NoPageOpen."""
        if self._ui is None and self._at_once:
            await self._enter()
        if self._ui is None:
            raise NoPageOpen("no page is open; open one first")
        return self._ui

    async def open(self, url: str) -> Result | None:
        """Go to a page, or open an application in a new session; return None for an application."""
        application = url if is_application(url) else None
        address = "" if application is not None else check_web_address(url)
        if self._ui is not None and (self._application is not None or application is not None):
            await self.close()
        if self._ui is None:
            await self._enter(application)
        assert self._ui is not None
        return await self._ui.navigate(address) if application is None else None

    async def _enter(self, application: str | None = None) -> None:
        """Open a session. Raise Timeout if the browser or application does not start in time."""
        try:
            async with asyncio.timeout(OPEN_S), AsyncExitStack() as stack:
                self._ui = await stack.enter_async_context(self._factory(application))
                self._stack, self._application = stack.pop_all(), application
        except TimeoutError:
            raise Timeout(f"nothing was open within {OPEN_S:g} s; try again, or tell the user") from None

    async def close(self) -> None:
        """Close the session; a new browser ends with it."""
        stack, self._stack, self._ui = self._stack, None, None
        if stack is not None:
            await stack.aclose()


def check_web_address(url: str) -> str:
    """Return the URL of a web page; files, scripts and browser pages are refused."""
    address = url if "://" in url or url.startswith(("data:", "about:", "javascript:")) else f"http://{url}"
    try:
        parts = urlsplit(address)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or any(c.isspace() for c in url):
        raise InvalidPayload("that is not the address of a web page; begin with http:// or https://")
    return address


def resident_address(runtime: Path, name: str) -> str:
    """Return the address of an open resident session."""
    socket = SessionFolder(runtime, name).socket
    if not socket.exists():
        raise Unavailable(f"no session `{name}` is open; start one with: uiap open URL --session {name}")
    return f"unix:{socket}"
