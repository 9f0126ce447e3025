"""A running browser and the isolated contexts that we created in it.

We attach to every new page of our contexts before its first script runs, and detach from all other pages.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from uiap.drivers.chromium.browser.adopted import AdoptedContext, default_context_id
from uiap.drivers.chromium.browser.context import BrowserContext, ContextOptions
from uiap.drivers.chromium.browser.http_sign_in import answer_challenges
from uiap.drivers.chromium.page.connection_script import start_worker
from uiap.drivers.chromium.process.find import find_browser
from uiap.drivers.chromium.process.install import INSTALL_HINT
from uiap.drivers.chromium.process.launch import BrowserProcess, attach, launch
from uiap.drivers.egress import EgressProxy
from uiap.drivers.errors import BrowserUnavailable
from uiap.drivers.events import Sink
from uiap.drivers.reach import Reach
from uiap.origin import UserInfo

C = TypeVar("C", bound=BrowserContext)


class ChromiumBrowser:
    """One running browser and its contexts."""

    def __init__(self, process: BrowserProcess, egress: EgressProxy | None = None) -> None:
        self.process, self.egress = process, egress
        self.session = process.connection.browser
        self._contexts: dict[str, BrowserContext] = {}
        self.guarded = False
        """A network guard checks all requests of this browser, so no other session may use it."""
        self._keys = itertools.count()  # the blank document of the first tab is d0, the first page d1
        self.session.on("Target.attachedToTarget", self._on_attached)

    @classmethod
    async def launch(
        cls,
        *,
        environ: Mapping[str, str],
        executable: str | os.PathLike[str] | None = None,
        headless: bool = True,
        sign_in: UserInfo | None = None,
        args: Sequence[str] = (),
        profile_parent: Path | None = None,
        reach: Reach | None = None,
    ) -> ChromiumBrowser:
        """Find a browser and start it; with `reach`, it connects only to addresses that it admits.

        `sign_in` is the name and password that the browser gives to an origin that asks for HTTP authentication.
        """
        found = find_browser(executable, environ=environ)
        if found is None:
            raise BrowserUnavailable(INSTALL_HINT)
        egress = await EgressProxy(reach).start() if reach is not None else None
        try:
            process = await launch(
                found,
                environ=environ,
                headless=headless,
                http_sign_in=sign_in is not None,
                args=[*args, *(egress.flags if egress is not None else ())],
                profile_parent=profile_parent,
            )
        except BaseException:
            if egress is not None:
                await egress.close()
            raise
        browser = await cls(process, egress).enable_auto_attach()
        if sign_in is not None:
            await answer_challenges(browser.session, sign_in)
        return browser

    @classmethod
    async def attach(cls, endpoint: str) -> ChromiumBrowser:
        """Connect to a running browser by its WebSocket endpoint; closing does not end it."""
        return await cls(await attach(endpoint)).enable_auto_attach()

    async def enable_auto_attach(self, *, workers: bool = False) -> ChromiumBrowser:
        """Attach to every new page before it runs, and with `workers` also to service and shared workers."""
        types = ("page", "service_worker", "shared_worker") if workers else ("page",)
        await self.session.send(
            "Target.setAutoAttach",
            {
                "autoAttach": True,
                "waitForDebuggerOnStart": True,
                "flatten": True,
                "filter": [{"type": one} for one in types],
            },
        )
        return self

    async def new_context(self, emit: Sink, options: ContextOptions) -> BrowserContext:
        """Create a context with its own cookies, storage, tabs and downloads."""
        created = await self.session.send("Target.createBrowserContext", {"disposeOnDetach": True})
        context = BrowserContext(
            self.session, created["browserContextId"], emit, options, next_key=self.next_key
        )
        return await self.start_context(context)

    async def adopt(self, emit: Sink, options: ContextOptions) -> AdoptedContext:
        """Adopt the browser's default context with its open tabs; closing leaves them open."""
        context_id = await default_context_id(self.session)
        return await self.start_context(
            AdoptedContext(self.session, context_id, emit, options, next_key=self.next_key)
        )

    async def start_context(self, context: C) -> C:
        """Register `context` for new pages, and start it."""
        self._contexts[context.id] = context
        await context.start()
        return context

    @property
    def is_shared(self) -> bool:
        """Whether more than one session uses this browser now."""
        return len(self._contexts) > 1

    def next_key(self) -> str:
        """Return a document id that is unique in this browser."""
        return f"d{next(self._keys)}"

    async def close_context(self, context: BrowserContext) -> None:
        await context.close()
        self._contexts.pop(context.id, None)

    async def close(self) -> None:
        for context in list(self._contexts.values()):
            context.end()
        self._contexts.clear()
        await self.process.close()
        if self.egress is not None:
            await self.egress.close()

    def _on_attached(self, event: dict[str, Any]) -> None:
        target, session = event["targetInfo"], self.session.sibling(event["sessionId"])
        context = self._contexts.get(target.get("browserContextId", ""))
        if context is not None and target["type"] == "page" and context.accepts(target):
            context.on_attached(target, session)
            return
        if context is not None and target["type"] in ("service_worker", "shared_worker"):
            start_worker(session, context.guard_script)
            return
        session.send_and_forget("Runtime.runIfWaitingForDebugger")
        self.session.send_and_forget("Target.detachFromTarget", {"sessionId": session.id})
