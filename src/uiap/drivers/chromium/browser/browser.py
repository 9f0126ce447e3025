"""A browser we talk to, and the isolated contexts we made in it.

Every new page of our contexts is attached before its first script runs; pages of anybody else are let go.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from uiap.drivers.chromium.browser.adopted import AdoptedContext, own_context
from uiap.drivers.chromium.browser.context import Context, ContextOptions
from uiap.drivers.chromium.process.find import find_browser
from uiap.drivers.chromium.process.install import FIXES
from uiap.drivers.chromium.process.launch import BrowserProcess, attach, launch
from uiap.drivers.egress import EgressProxy
from uiap.drivers.errors import BrowserUnavailable
from uiap.drivers.events import Sink
from uiap.drivers.reach import Reach

C = TypeVar("C", bound=Context)


class ChromiumBrowser:
    """One running browser and its contexts."""

    def __init__(self, process: BrowserProcess, egress: EgressProxy | None = None) -> None:
        self.process, self.egress = process, egress
        self.session = process.connection.browser
        self._contexts: dict[str, Context] = {}
        self.guarded = False
        """A network guard judges all of its requests: it is no longer for anybody else."""
        self._keys = itertools.count(1)
        self.session.on("Target.attachedToTarget", self._attached)

    @classmethod
    async def launch(
        cls,
        *,
        environ: Mapping[str, str],
        executable: str | os.PathLike[str] | None = None,
        headless: bool = True,
        args: Sequence[str] = (),
        profile_parent: Path | None = None,
        reach: Reach | None = None,
    ) -> ChromiumBrowser:
        """Find a browser and start it; with `reach`, it gets out only where that admits."""
        found = find_browser(executable, environ=environ)
        if found is None:
            raise BrowserUnavailable(FIXES)
        egress = await EgressProxy(reach).start() if reach is not None else None
        try:
            process = await launch(
                found,
                environ=environ,
                headless=headless,
                args=[*args, *(egress.flags if egress is not None else ())],
                profile_parent=profile_parent,
            )
        except BaseException:
            if egress is not None:
                await egress.close()
            raise
        return await cls(process, egress).ready()

    @classmethod
    async def attach(cls, endpoint: str) -> ChromiumBrowser:
        """Use a running browser by its WebSocket endpoint; it stays when we go."""
        return await cls(await attach(endpoint)).ready()

    async def ready(self) -> ChromiumBrowser:
        await self.session.send(
            "Target.setAutoAttach",
            {
                "autoAttach": True,
                "waitForDebuggerOnStart": True,
                "flatten": True,
                "filter": [{"type": "page"}],
            },
        )
        return self

    async def new_context(self, emit: Sink, options: ContextOptions) -> Context:
        """A fresh context: its own cookies, storage, tabs and downloads."""
        made = await self.session.send("Target.createBrowserContext", {"disposeOnDetach": True})
        context = Context(self.session, made["browserContextId"], emit, options, next_key=self.next_key)
        return await self.enter(context)

    async def adopt(self, emit: Sink, options: ContextOptions) -> AdoptedContext:
        """The browser's own context with the tabs that are open in it; they stay when we go."""
        own = await own_context(self.session)
        return await self.enter(AdoptedContext(self.session, own, emit, options, next_key=self.next_key))

    async def enter(self, context: C) -> C:
        """Hear of the pages of `context` from now on, and start it."""
        self._contexts[context.id] = context
        await context.start()
        return context

    @property
    def shared(self) -> bool:
        """Whether more than one session is in it now."""
        return len(self._contexts) > 1

    def next_key(self) -> str:
        """A name for a document that no other document of this browser has."""
        return f"d{next(self._keys)}"

    async def close_context(self, context: Context) -> None:
        await context.close()
        self._contexts.pop(context.id, None)

    async def close(self) -> None:
        for context in list(self._contexts.values()):
            context.end()
        self._contexts.clear()
        await self.process.close()
        if self.egress is not None:
            await self.egress.close()

    def _attached(self, event: dict[str, Any]) -> None:
        target, session = event["targetInfo"], self.session.sibling(event["sessionId"])
        context = self._contexts.get(target.get("browserContextId", ""))
        if context is not None and target["type"] == "page" and context.takes(target):
            context.attached(target, session)
            return
        session.tell("Runtime.runIfWaitingForDebugger")
        self.session.tell("Target.detachFromTarget", {"sessionId": session.id})
