"""A trial: one task on one page by the whole runtime, and the truth of the page afterwards."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET

from apps.hazards import Answer, Hazard, Server
from tests.browser.witness import witness
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.drivers.chromium.browser.context import ContextOptions
from uiap.graph.identity import enclosing_record_key
from uiap.host.clock import SystemClock
from uiap.host.handlers.actions import ActionHandler
from uiap.host.observation.page import Page
from uiap.policy.builtin import Rules
from uiap.spec.action import (
    ActionRequestPayload,
    ActionResultPayload,
    ActionTarget,
    PresentationHints,
    VerificationSpec,
)
from uiap.spec.capability import (
    ExecutionMode,
    InstanceIdRef,
    SemanticRef,
    StableIdRef,
    SuccessSignal,
    WebTargetRef,
)

Messages = list[tuple[str, msgspec.Struct]]


@dataclass
class Stage:
    """A browser context with a page, an action handler, and the server of the page."""

    driver: ChromiumDriver
    page: Page
    handler: ActionHandler
    server: Server
    messages: Messages
    profile: Path
    present: PresentationHints | None = None
    """The presentation hints of every action."""

    @staticmethod
    @asynccontextmanager
    async def opened(
        chromium: ChromiumBrowser,
        server: Server,
        rules: Rules = "trusted",
        uploads: tuple[Path, ...] = (),
    ) -> AsyncIterator[Stage]:
        driver = ChromiumDriver(chromium, ContextOptions(uploads=uploads))
        page = Page(driver)
        await page.start()
        try:
            profile = chromium.process.profile
            assert profile is not None
            handler = ActionHandler(page, SystemClock(), rules=rules)
            yield Stage(driver, page, handler, server, [], profile.path)
        finally:
            await page.close()

    async def goto(self, id: str) -> None:
        result = await self.act("nav.navigate", args={"url": self.server.page(id)})
        assert result.status == "succeeded", result

    async def act(
        self,
        action: str,
        *,
        ref: WebTargetRef | None = None,
        role: str | None = None,
        name: str | None = None,
        args: dict[str, Any] | None = None,
        expect: tuple[dict[str, Any], ...] = (),
        modes: tuple[ExecutionMode, ...] | None = None,
        timeout_ms: int | None = None,
    ) -> ActionResultPayload:
        if ref is None and role is not None:
            ref = SemanticRef(role=role, name=name or UNSET)  # type: ignore[arg-type]
        signals = tuple(msgspec.convert(one, SuccessSignal) for one in expect)
        request = ActionRequestPayload(
            action_id=action,
            target=ActionTarget(ref=ref) if ref is not None else UNSET,
            args=args or UNSET,
            preferred_execution_modes=modes or UNSET,
            presentation=self.present or UNSET,
            verification=VerificationSpec(
                policy="all" if signals else UNSET,
                signals=signals or UNSET,
                timeout_ms=timeout_ms or UNSET,
            ),
        )
        self.messages.clear()
        return await self.handler.run(request, lambda type, payload: self.messages.append((type, payload)))

    def has(self, name: str) -> bool:
        return any(element.name == name for element in self.page.tab().store)

    async def until(self, condition: Callable[[], bool], seconds: float = 10.0) -> None:
        """Wait for a condition; it is checked again after every event."""
        changed = asyncio.Event()
        unlisten = self.page.listen(lambda _: changed.set())
        try:
            async with asyncio.timeout(seconds):
                while not condition():
                    changed.clear()
                    await changed.wait()
        finally:
            unlisten()

    def button(self, name: str, record: str | None = None) -> str:
        """Return the reference that an agent would see."""
        store = self.page.tab().store
        found = [
            e.instance_id
            for e in store
            if e.name == name and (record is None or record in (enclosing_record_key(e) or ""))
        ]
        assert found, f"no `{name}` is on the page"
        return found[0]

    async def truth(self, key: str = "__truth") -> Any:
        """Return the truth of the page. An open dialog is dismissed first, because it blocks every answer."""
        if self.driver.dialog.current() is not None:
            await self.driver.dialog.answer(False)
        target = self.driver.context.tab(None).target_id
        async with witness(self.profile, target) as page:
            return msgspec.json.decode(await page.evaluate(f"JSON.stringify(window.{key} ?? {{}})"))


@dataclass
class Trial:
    result: ActionResultPayload
    truth: dict[str, Any]
    hits: Counter[str]
    messages: Messages


async def attempt(stage: Stage, hazard: Hazard, modes: tuple[ExecutionMode, ...] | None) -> Trial:
    """Perform the task of one hazard as an agent would: read the page, then act on an element of it."""
    await stage.goto(hazard.id)
    before = Counter(stage.server.hits)
    if hazard.by == "instance":
        await stage.until(lambda: stage.has(hazard.name))
    if hazard.by == "region":
        await stage.until(lambda: bool(stage.page.tab().store.opaque_regions))
    stage.page.tab().mark_reported()
    ref = _target_ref(stage, hazard)
    if hazard.between is not None:
        await stage.driver.evaluate(hazard.between)
        await stage.driver.flush()
    result = await stage.act(
        hazard.action,
        ref=ref,
        args=hazard.args,
        expect=hazard.expect,
        modes=modes,
        timeout_ms=hazard.timeout_ms,
    )
    messages = list(stage.messages)
    return Trial(result, await stage.truth(), stage.server.hits - before, messages)


def _target_ref(stage: Stage, hazard: Hazard) -> WebTargetRef:
    store = stage.page.tab().store
    if hazard.by == "instance":
        return InstanceIdRef(value=stage.button(hazard.name, hazard.record))
    if hazard.by == "stable":
        return StableIdRef(value=hazard.name)
    if hazard.by == "region":
        region = next(iter(store.opaque_regions.values()))
        return InstanceIdRef(value=region.host_instance_id or region.region_id)
    named = (
        s.scope_id for s in store.scopes.values() if hazard.scope and hazard.scope in (s.stable_id, s.name)
    )
    return SemanticRef(role=hazard.role, name=hazard.name, scope=next(named, UNSET))  # type: ignore[arg-type]


def is_expected(answer: Answer, result: ActionResultPayload) -> bool:
    """Return whether the result is this answer: code, side effect and detail count, not the message."""
    code = None if result.error is UNSET else result.error.code
    detail = {} if result.error is UNSET or result.error.detail is UNSET else result.error.detail
    return (
        result.status == answer.status
        and code == answer.code
        and (not answer.effects or result.side_effect_state in answer.effects)
        and all(detail.get(key) == value for key, value in answer.detail.items())
    )


def describe_result(result: ActionResultPayload) -> str:
    error = "" if result.error is UNSET else f"{result.error.code}: {result.error.message}"
    return f"{result.status} {result.side_effect_state} {error} {result.metadata}"
