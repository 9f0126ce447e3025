"""The application of a durable run: opened when a step first needs it, and opened again if it is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Literal, TypeAlias

from uiap import settings
from uiap.api.open_session import bundle_for, check_url, in_process_loop, open_chromium
from uiap.api.ui import Ui
from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.drivers.chromium.browser.context import ContextOptions
from uiap.drivers.driver import Driver
from uiap.drivers.reach import Reach
from uiap.errors import Unavailable
from uiap.host.clock import SystemClock
from uiap.host.consent.policy_file import rules_from
from uiap.host.consent.principals import principal_from
from uiap.host.handlers.session_files import read_state
from uiap.host.handlers.workflow_performer import SessionPerformer
from uiap.host.privacy.secrets import Secrets
from uiap.host.records.writer import Writer
from uiap.host.sessions.pool import BrowserPool
from uiap.host.sessions.session_services import SessionServices
from uiap.host.workflows.executor import Publish
from uiap.host.workflows.performer import Confirmation, Observation, PagePosition, RunApplication, RunOrder
from uiap.host.workflows.recorded_bindings import RunBindings, bundle_of_run
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, ActionTarget
from uiap.spec.authoring import ElementBinding
from uiap.spec.capability import SuccessSignal, TargetRef
from uiap.spec.workflow import WorkflowProgressPayload
from uiap.workflow.commands import ProposeRepair
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.repair import RepairProposal

OpenDriver: TypeAlias = Callable[[AsyncExitStack, RunApplication], Awaitable[Driver]]
VIEWPORT = (1280, 800)


async def launched_browser(stack: AsyncExitStack, application: RunApplication) -> Driver:
    """Start a browser for one run."""
    secrets = Secrets(settings.read().environ)
    return await open_chromium(stack, application.headless, None, VIEWPORT, ((), None), secrets)


class PooledBrowsers:
    """Gives each run its own context in one of a few browsers. A dead or hung browser is replaced."""

    def __init__(
        self,
        *,
        browsers: int,
        contexts: int,
        recycle: int,
        allow: tuple[str, ...],
        memory_mb: int | None = None,
    ) -> None:
        environ = settings.read().environ
        self._secrets = Secrets(environ)
        self._pool = BrowserPool(
            lambda: ChromiumBrowser.launch(environ=environ, reach=Reach(allow)),
            browsers=browsers,
            contexts=contexts,
            recycle=recycle,
            memory_mb=memory_mb,
        )

    async def open(self, stack: AsyncExitStack, _application: RunApplication) -> Driver:
        options = ContextOptions(viewport=VIEWPORT)
        lease = await self._pool.lease(options, self._secrets.reveal)
        stack.push_async_callback(lease.release)
        return lease.driver

    async def close(self) -> None:
        await self._pool.close()


class ApplicationPerformer:
    """Performs the steps of one run. A run that only waits for a person opens no browser."""

    def __init__(
        self, order: RunOrder, open_driver: OpenDriver, writer: Writer | None, publish: Publish
    ) -> None:
        self._order, self._open_driver, self._writer, self._publish = order, open_driver, writer, publish
        self._stack = AsyncExitStack()
        self._opened: SessionPerformer | None = None
        self._repairs: tuple[ElementBinding, ...] = ()

    async def _page(self) -> SessionPerformer:
        if self._opened is None:
            async with AsyncExitStack() as stack:
                self._opened = await self._open(stack)
                self._opened.use_repairs(self._repairs)
                self._stack = stack.pop_all()
        return self._opened

    async def _open(self, stack: AsyncExitStack) -> SessionPerformer:
        application = self._order.application
        opened = bundle_for(application.url, application.bundle)
        bundle = bundle_of_run(self._order.terms.definition, opened, application.url)
        driver = await self._open_driver(stack, application)
        services = SessionServices(
            driver,
            rules=application.documents or rules_from(application.rules),
            bundle=bundle,
            clock=SystemClock(),
            writer=self._writer,
            secrets=Secrets(settings.read().environ),
        )
        stack.push_async_callback(services.close)
        await services.start()
        principal = application.admitted or principal_from(application.principal)
        host, (caller,) = await stack.enter_async_context(in_process_loop(services, (principal,)))
        if application.state is not None:
            await driver.storage.load(await asyncio.to_thread(read_state, Path(application.state)))
        arrived = await Ui(caller, AsyncExitStack()).navigate(check_url(application.url))
        if not arrived:
            why = arrived.error.message if arrived.error else "unknown"
            raise Unavailable(f"`{application.url}` could not be opened: {why}")
        (connection,) = host.connections.values()
        assert isinstance(bundle.bindings, RunBindings)
        return await services.workflows.run_performer(
            connection, services.actions.approvals, self._say, bundle.bindings
        )

    def _say(self, text: str) -> None:
        instance_id = self._order.terms.instance_id
        note = WorkflowProgressPayload(instance_id=instance_id, status="running", note=text)
        self._publish("uiap.workflow.progress", note)

    def lost(self) -> str:
        return "" if self._opened is None else self._opened.lost()

    async def discard(self) -> None:
        self._opened, stack = None, self._stack
        self._stack = AsyncExitStack()
        with suppress(Exception):  # the page is gone, so closing it may fail in any way
            await stack.aclose()

    async def position(self) -> PagePosition:
        return await (await self._page()).position()

    async def facts(self) -> ConditionFacts:
        return await (await self._page()).facts()

    async def show(self, text: str, target: TargetRef | None) -> None:
        await (await self._page()).show(text, target)

    async def act(
        self, request: ActionRequestPayload, confirmation: Confirmation | None
    ) -> ActionResultPayload:
        return await (await self._page()).act(request, confirmation)

    def changes(self) -> tuple[str, ...]:
        return () if self._opened is None else self._opened.changes()

    async def observe(
        self, signals: tuple[SuccessSignal, ...], policy: Literal["any", "all"], timeout_s: float | None
    ) -> Observation:
        return await (await self._page()).observe(signals, policy, timeout_s)

    async def propose_repair(self, command: ProposeRepair) -> RepairProposal | None:
        return await (await self._page()).propose_repair(command)

    async def picture(self, target: ActionTarget) -> str:
        return await (await self._page()).picture(target)

    def use_repairs(self, repairs: tuple[ElementBinding, ...]) -> None:
        self._repairs = repairs
        if self._opened is not None:
            self._opened.use_repairs(repairs)

    async def reopen(self, url: str) -> str:
        return await (await self._page()).reopen(url)


class ApplicationOpener:
    """Makes the performer of each run that this process executes."""

    def __init__(
        self,
        open_driver: OpenDriver = launched_browser,
        *,
        writer: Writer | None = None,
        publish: Publish = lambda _type, _payload: None,
    ) -> None:
        self._open_driver, self._writer, self._publish = open_driver, writer, publish

    @asynccontextmanager
    async def __call__(self, order: RunOrder) -> AsyncIterator[ApplicationPerformer]:
        performer = ApplicationPerformer(order, self._open_driver, self._writer, self._publish)
        try:
            yield performer
        finally:
            await performer.discard()
