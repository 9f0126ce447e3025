"""`uiap.open` and `uiap.connect`: start a session with an application, or join one on a server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from uiap import settings
from uiap.api.ui import Ui
from uiap.client.caller import Caller
from uiap.drivers.address import is_application, open_application
from uiap.drivers.driver import Driver
from uiap.errors import Timeout, UiapError, Unavailable
from uiap.host.bundles.adapters import Adapter
from uiap.host.bundles.bundle import Bundle, Trust, open_bundle
from uiap.host.bundles.session_terms import running_context
from uiap.host.clock import Clock, SystemClock
from uiap.host.consent.policy_file import GivenRules, rules_for, rules_from
from uiap.host.consent.principals import principal_from as principal_of
from uiap.host.consent.principals import principal_under
from uiap.host.consent.webhook import attach_webhook
from uiap.host.execution.app_actions import Handler
from uiap.host.handlers.session_files import read_state
from uiap.host.loop.loop import HostLoop
from uiap.host.privacy.secrets import Secrets
from uiap.host.records.journal import Journal
from uiap.host.records.store import Store, sqlite_url
from uiap.host.records.writer import Writer
from uiap.host.sessions.session_services import SessionServices
from uiap.ids import new_secret
from uiap.origin import UserInfo, split_user_info
from uiap.policy.autonomy import Autonomy
from uiap.spec.authoring import BuildContext
from uiap.spec.core import ExtensionOffer, ParticipantInfo
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.versions import (
    DISCOVERY_EXTENSION,
    POLICY_EXTENSION,
    PROFILES,
    TOOLS_EXTENSION,
    WORKFLOW_EXTENSION,
)
from uiap.timeouts import OPEN_MS
from uiap.transports.memory import pair
from uiap.transports.transport import Transport

IN_PROCESS = {"heartbeat_s": 0, "idle_s": 0, "max_message_bytes": 256 * 1024 * 1024}
"""Limits in one process: no heartbeat, no idle timeout, and room for large graphs."""
_EXTENSIONS = (
    ExtensionOffer(id=TOOLS_EXTENSION, versions=("0.1",), required=True),
    ExtensionOffer(id=POLICY_EXTENSION, versions=("0.1",)),
    ExtensionOffer(id=DISCOVERY_EXTENSION, versions=("0.1",)),
    ExtensionOffer(id=WORKFLOW_EXTENSION, versions=("0.1",)),
)


class SessionOpener:
    """Opens a session when it is awaited or entered with `async with`."""

    def __init__(
        self, open_ui: Callable[[], Coroutine[Any, Any, Ui]], what: str = "", timeout_ms: float = OPEN_MS
    ) -> None:
        self._open_ui, self._what, self._timeout_s = open_ui, what, timeout_ms / 1000
        self._ui: Ui | None = None

    def __await__(self) -> Any:
        return self._open_in_time().__await__()

    async def __aenter__(self) -> Ui:
        self._ui = await self._open_in_time()
        return self._ui

    async def _open_in_time(self) -> Ui:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._open_ui()
        except TimeoutError:
            raise Timeout(
                f"`{self._what}` was not open within {self._timeout_s:g} s; check the address"
            ) from None

    async def __aexit__(self, *_: object) -> None:
        if self._ui is not None:
            await self._ui.close()


def open(
    url: str,
    *,
    headless: bool = True,
    browser: str | Path | None = None,
    autonomy: Autonomy | None = None,
    rules: GivenRules | None = None,
    principal: PolicyPrincipal | str = "python",
    store: str | Path | None = None,
    viewport: tuple[int, int] = (1280, 800),
    uploads: str | Path | Sequence[str | Path] = (),
    downloads: str | Path | None = None,
    state: str | Path | None = None,
    bundle: str | Path | Bundle | None = None,
    trust: Trust | None = None,
    allow_older: bool = False,
    handlers: Mapping[str, Handler] | None = None,
    adapters: Mapping[str, Adapter] | None = None,
    profile: str | None = None,
    tenant: str | None = None,
    environment: str | None = None,
    locale: str | None = None,
    app_version: str | None = None,
    timeout_ms: float = OPEN_MS,
) -> SessionOpener:
    """Open an application and return its session; use it with `async with`, or await it.

    Without `autonomy` the Python caller counts as the person (`trusted`), so no action waits for a confirmation. If an
    agent chooses the actions, use `autonomy="assist"` and `principal="agent:NAME"`.

    Args:
        url: The address of a web page. `desktop:COMMAND` starts an application on this X display, `desktop:@NAME` or
            `desktop:@PID` uses a running one, `android:PACKAGE@SERIAL` starts one on a device, and
            `appium:CAPABILITIES@SERVER` on an Appium server.
        headless: Start the browser without a window.
        browser: The path of the browser to start, or the address of a running one (`http://127.0.0.1:9222`, or its ws://
            endpoint). A running browser is used with its logins, in a new tab, and stays open when the session ends.
        autonomy: The steps that go without a question: `observe` reads, `ask` asks before every write, `assist` asks
            before what matters, `trusted` asks nothing. The variable UIAP_AUTONOMY is the highest level.
        rules: Policy documents, or the path of a policy file, instead of a level. With both, the stricter decides.
        principal: Who acts. `agent:NAME` makes this an agent's session: it cannot confirm anything, and `ui.person` is
            the session of the person who runs the program.
        store: The file or URL of journal and audit log; without it they end with the session.
        viewport: Width and height of the page in CSS pixels. In a visible window, the page has the size of the window.
        uploads: The folder, or the folders, whose files may be uploaded.
        downloads: The folder for downloads; without it downloads are refused.
        state: A file of `ui.save_state` or `uiap open --save-state`; the session starts logged in.
        bundle: The application's compiled bundle.
        trust: The public key that must have signed the bundle. Only such a bundle may lower a risk.
        allow_older: Accept a bundle that is older than the one used before.
        handlers: Functions of this program, offered as actions by their id; `ui.register` adds more.
        adapters: Functions that find elements for custom targets `ID:VALUE` and for matchers by adapter, by their id.
            Each gets the value, or the id of the binding, and the elements, and returns instance ids.
        profile: A principal profile of the application: the session has its roles, and at most its grants.
        tenant: The tenant of the application, for policies of the bundle that are for some tenants only.
        environment: The environment of the application. A bundle that was built for another one is refused.
        locale: The locale of the application, likewise.
        app_version: The version of the application, likewise.
        timeout_ms: Fail after this time, and end what was started.
    """

    async def open_ui() -> Ui:
        async with AsyncExitStack() as stack:
            application = is_application(url)
            address, sign_in = (url, None) if application else split_user_info(url)
            running = running_context(
                profile=profile,
                tenant=tenant,
                environment=environment,
                locale=locale,
                app_version=app_version,
            )
            verified = bundle_for(check_address(address), bundle, trust, allow_older, running)
            folders = _upload_folders(uploads)
            secrets = Secrets(settings.read().environ)
            if application:
                driver = await _application(stack, url, secrets)
            else:
                files = (folders, None if downloads is None else Path(downloads))
                driver = await open_chromium(
                    stack, headless, browser, viewport, files, secrets, sign_in=sign_in
                )
            ui = await start_session(
                stack,
                driver,
                rules=rules_for(autonomy, rules, ceiling=settings.read().autonomy, default="trusted"),
                principal=principal,
                bundle=verified,
                store=store,
                secrets=secrets,
                handlers=handlers,
                adapters=adapters,
            )
            if is_endpoint(browser):
                await driver.tabs.open()  # the existing tabs stay as they are
            if state is not None:
                await driver.storage.load(await asyncio.to_thread(read_state, Path(state)))
            arrived = None if application else await ui.navigate(check_url(address))
            if arrived is not None and not arrived:
                raise Unavailable(
                    f"`{address}` could not be opened: {arrived.error.message if arrived.error else 'unknown'}"
                )
            ui._stack = stack.pop_all()
            return ui

    return SessionOpener(open_ui, url, timeout_ms)


def connect(
    url: str,
    *,
    token: str | None = None,
    principal: str = "python",
    application: str | None = None,
    timeout_ms: float = OPEN_MS,
) -> SessionOpener:
    """Connect to a session on a server, or to a resident session, and return it.

    Args:
        url: The ws:// or http:// address of a server, or the socket of a resident session (`unix:PATH`).
        token: The bearer token of the server.
        principal: The name of this participant.
        application: An application that the server allows (`desktop:galculator`), instead of a browser.
        timeout_ms: Fail after this time.
    """

    async def open_ui() -> Ui:
        async with AsyncExitStack() as stack:
            caller = await Caller.open(
                await _transport(url, token),
                participant=ParticipantInfo(role="agent", id=principal),
                profiles=PROFILES,
                extensions=_EXTENSIONS,
                token=token,
                metadata={"application": application} if application else None,
            )
            stack.push_async_callback(caller.terminate)
            ui = Ui(caller, stack)
            ui._stack = stack.pop_all()
            return ui

    return SessionOpener(open_ui, url, timeout_ms)


def bundle_for(
    url: str,
    bundle: str | Path | Bundle | None,
    trust: Trust | None = None,
    allow_older: bool = False,
    running: BuildContext | None = None,
) -> Bundle | None:
    """Return the verified bundle for a session that runs there, or None if none is given."""
    if bundle is None:
        if running is not None and running != BuildContext():
            raise UiapError("a profile, tenant or other context is for a bundle; give the `bundle` too")
        if trust is not None:
            raise UiapError("`trust` names the key of a bundle; give the `bundle` too")
        return None
    last_versions = settings.read().data / "bundles.json"
    return open_bundle(bundle, url, trust=trust, running=running, seen=last_versions, allow_older=allow_older)


def check_address(url: str) -> str:
    """Return the URL of a web page, or the address of another application unchanged."""
    return url if is_application(url) else check_url(url)


def check_url(url: str) -> str:
    """Return a URL that a browser can open; a bare host gets http://."""
    if "://" in url or url.startswith(("data:", "about:")):
        scheme = url.partition(":")[0]
        if scheme not in ("http", "https", "file", "data", "about"):
            raise UiapError(f"`{url}` is not an address of a web page; begin with http:// or https://")
        if scheme in ("http", "https") and not urlsplit(url).netloc:
            raise UiapError(f"`{url}` names no host; write {scheme}://HOST/ with the name of the server")
        return url
    if not url or any(c.isspace() for c in url):
        raise UiapError(f"`{url}` is not an address of a web page; begin with http:// or https://")
    return f"http://{url}"


def is_endpoint(browser: object) -> bool:
    """Return whether `browser` is the address of a running browser and not a path."""
    return isinstance(browser, str) and browser.startswith(("ws://", "wss://", "http://", "https://"))


async def start_session(
    stack: AsyncExitStack,
    driver: Driver,
    *,
    rules: GivenRules,
    principal: PolicyPrincipal | str,
    bundle: Bundle | None = None,
    store: str | Path | None = None,
    secrets: Secrets | None = None,
    handlers: Mapping[str, Handler] | None = None,
    adapters: Mapping[str, Adapter] | None = None,
) -> Ui:
    """Start the driver and a session with it; closing `stack` ends both."""
    caller, clock = principal_under(bundle, principal_of(principal)), SystemClock()
    writer = stack.enter_context(_record_writer(store, clock))
    services = SessionServices(
        driver,
        rules=rules_from(rules),
        bundle=bundle,
        clock=clock,
        writer=writer,
        secrets=secrets,
        handlers=handlers,
        adapters=adapters,
    )
    attach_webhook(services.actions.approvals, clock, settings.read().environ, services.actions.obligations)
    stack.push_async_callback(services.close)
    await services.start()
    principals = (caller,) if caller.type == "user" else (caller, PolicyPrincipal(type="user", id="program"))
    callers = await stack.enter_async_context(in_process_sessions(services, principals))
    ui = Ui(callers[0], stack)
    ui._apps = services.actions.app_actions
    ui._use_bundle = partial(_use_bundle, services)
    if len(callers) > 1:
        ui.person = Ui(callers[1], AsyncExitStack())
    return ui


async def _use_bundle(
    services: SessionServices, source: str | Path | Bundle | None, trust: Trust | None, allow_older: bool
) -> None:
    """Verify a bundle for the page that is open now, and use it."""
    page = await services.page.wait_for_graph()
    running = None if source is None else services.running
    await services.use_bundle(bundle_for(page.store.route.url, source, trust, allow_older, running))


@contextmanager
def _record_writer(store: str | Path | None, clock: Clock) -> Iterator[Writer | None]:
    """Yield the writer of journal and audit log, or None without a store."""
    if store is None:
        yield None
        return
    opened = Store(store if isinstance(store, str) and "://" in store else sqlite_url(Path(store)))
    writer = Writer(opened, lambda: clock.now().wall)
    try:
        yield writer
    finally:
        writer.close()
        opened.close()


async def open_chromium(
    stack: AsyncExitStack,
    headless: bool,
    browser: str | Path | None,
    viewport: tuple[int, int],
    files: tuple[tuple[Path, ...], Path | None],
    secrets: Secrets,
    *,
    sign_in: UserInfo | None = None,
) -> Driver:
    from uiap.drivers.chromium.browser.browser import ChromiumBrowser
    from uiap.drivers.chromium.browser.context import ContextOptions
    from uiap.drivers.chromium.driver import ChromiumDriver

    uploads, downloads = files
    if is_endpoint(browser):
        return await running_chromium(stack, str(browser), uploads)
    environ = settings.read().environ
    started = await ChromiumBrowser.launch(
        environ=environ, executable=browser, headless=headless, sign_in=sign_in
    )
    stack.push_async_callback(started.close)
    # a page that is larger than the window is cut off, and a person cannot reach the rest
    size = viewport if headless else None
    options = ContextOptions(viewport=size, uploads=uploads, downloads=downloads)
    return ChromiumDriver(started, options, secrets=secrets.reveal)


async def _application(stack: AsyncExitStack, address: str, secrets: Secrets) -> Driver:
    driver = await open_application(address, environ=settings.read().environ, secrets=secrets.reveal)
    stack.push_async_callback(driver.close)
    return driver


async def running_chromium(stack: AsyncExitStack, endpoint: str, uploads: tuple[Path, ...] = ()) -> Driver:
    """Return a driver for the tabs of a running browser, which stays open when `stack` is closed."""
    from uiap.drivers.chromium.browser.browser import ChromiumBrowser
    from uiap.drivers.chromium.browser.context import ContextOptions
    from uiap.drivers.chromium.driver import ChromiumDriver
    from uiap.drivers.chromium.page.world import WorldConfig

    browser = await ChromiumBrowser.attach(endpoint)
    stack.push_async_callback(browser.close)
    world = WorldConfig(name=new_secret("uiap"))  # another session may drive the same tab
    options = ContextOptions(world=world, viewport=None, uploads=uploads, adopted=True)
    return ChromiumDriver(browser, options)


@asynccontextmanager
async def in_process_sessions(
    services: SessionServices, principals: Sequence[PolicyPrincipal], journal: Journal | None = None
) -> AsyncIterator[list[Caller]]:
    """Open sessions with a host loop in this process, over the in-memory transport."""
    async with in_process_loop(services, principals, journal) as (_host, callers):
        yield callers


@asynccontextmanager
async def in_process_loop(
    services: SessionServices, principals: Sequence[PolicyPrincipal], journal: Journal | None = None
) -> AsyncIterator[tuple[HostLoop, list[Caller]]]:
    """Open sessions as `in_process_sessions` does, and give their host loop too."""
    by_id = {one.id: one for one in principals}
    host = HostLoop(
        services.handlers,
        support=services.support,
        me=ParticipantInfo(role="bridge", id="uiap"),
        admit=lambda request, *_: by_id[request.participant.id],
        journal=journal,
        limits=IN_PROCESS,
    )
    host.session_end_hooks.append(services.end_session)
    callers: list[Caller] = []
    tasks: list[asyncio.Task[None]] = []
    try:
        for one in principals:
            ours, theirs = pair(max_bytes=IN_PROCESS["max_message_bytes"])
            tasks.append(asyncio.create_task(host.accept(theirs)))
            callers.append(
                await Caller.open(
                    ours,
                    participant=ParticipantInfo(role="user" if one.type == "user" else "agent", id=one.id),
                    profiles=services.support.profiles,
                    extensions=_EXTENSIONS,
                )
            )
        yield host, callers
        for caller in callers:
            await caller.terminate()
    finally:
        await host.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _transport(url: str, token: str | None) -> Transport:
    if url.startswith(("ws://", "wss://")):
        from uiap.transports.websocket import connect as connect_websocket

        return await connect_websocket(url, token=token)
    if url.startswith(("http://", "https://")):
        from uiap.transports.http import HttpTransport

        return HttpTransport(url, token=token)
    if url.startswith("unix:"):
        from uiap.transports.local import connect_unix

        path = Path(url.removeprefix("unix:"))
        return await connect_unix(path, max_bytes=IN_PROCESS["max_message_bytes"])
    raise UiapError(f"`{url}` is not the address of a session; use ws://, http:// or unix:")


def _upload_folders(given: str | Path | Sequence[str | Path]) -> tuple[Path, ...]:
    """Return the folders, with links resolved now. One path is one folder, although a text is a sequence too."""
    folders = (given,) if isinstance(given, str | Path) else tuple(given)
    for folder in folders:
        if not str(folder).strip() or not Path(folder).is_dir():
            raise Unavailable(f"`{folder}` is not a folder; name an existing folder for uploads")
    return tuple(Path(folder).resolve() for folder in folders)
