"""One fault each on a real application, seeded by nothing: what a test runs once and `make soak` often."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.drivers.desktop.session import APPS
from tests.faults.household import books, nothing_held, until
from tests.faults.invariants import Witness
from uiap.drivers.desktop import DesktopDriver
from uiap.host.actions import ActionDesk
from uiap.host.clock import SystemClock
from uiap.host.page import Page
from uiap.policy.builtin import Rules
from uiap.runtime import events as when
from uiap.spec.action import (
    ActionProgressPayload,
    ActionRequestPayload,
    ActionResultPayload,
    ActionTarget,
    VerificationSpec,
)
from uiap.spec.capability import SemanticRef

SECONDS = 30.0
CANCELLED_AT = (
    "received", "resolving_target", "checking_preconditions", "awaiting_confirmation", "executing", "dispatched",
    "verifying", "terminal", "twice",
)  # fmt: skip
KILLED_AT = ("resolving_target", "executing", "dispatched")


@dataclass
class Shop:
    """The application, its page, and its own count of what was done in it."""

    driver: DesktopDriver
    page: Page
    file: Path

    @property
    def orders(self) -> int:
        return int(self.file.read_text() or 0) if self.file.exists() else 0

    @asynccontextmanager
    async def desk(self, rules: Rules = "trusted") -> AsyncIterator[ActionDesk]:
        """Whoever leaves here has a whole audit and holds nothing (B2.6, B2.7)."""
        plain = self.driver.perform
        with books() as kept:
            desk = ActionDesk(self.page, SystemClock(), kept.writer, rules=rules)
            kept.guard(self.driver, desk)
            try:
                yield desk
            finally:
                await desk.settle()
                await nothing_held(desk)
                self.driver.perform = plain  # type: ignore[method-assign]
                kept.check()


@asynccontextmanager
async def shop(environ: dict[str, str], file: Path) -> AsyncIterator[Shop]:
    address = f"desktop:/usr/bin/python3 {APPS / 'shop_gtk.py'} {file}"
    driver = await DesktopDriver.open(address, environ=environ)
    page = Page(driver)
    try:
        await page.start()
        await page.until_seen()
        yield Shop(driver, page, file)
    finally:
        await page.close()
    process = driver.application.process
    assert process is not None and process.returncode is not None, "B2.7 the application is still there"


def request(name: str = "Order") -> ActionRequestPayload:
    return ActionRequestPayload(
        action_id="ui.activate",
        target=ActionTarget(ref=SemanticRef(role="button", name=name)),
        verification=VerificationSpec(timeout_ms=1500),
    )


async def cancel(opened: Shop, stage: str) -> ActionResultPayload:
    rules: Rules = "standard" if stage == "awaiting_confirmation" else "trusted"
    before, times = opened.orders, 2 if stage == "twice" else 1
    async with opened.desk(rules) as desk:

        def stop(handle: str) -> None:
            for _ in range(times):
                desk.hear(handle, when.Cancelled(at=desk.clock.now()))

        result, witness = await _run(
            opened, desk, stage, stop, name="Dead" if stage == "verifying" else "Order"
        )
        if stage == "terminal":
            stop(result.action_handle)
    happened = opened.orders - before
    witness.check(result, happened, desk)
    assert result.status == ("succeeded" if stage == "terminal" else "cancelled"), (stage, result)
    if stage in ("dispatched", "twice"):
        assert result.side_effect_state == "unknown"
    return result


async def kill(opened: Shop, stage: str) -> ActionResultPayload:
    """SIGKILL when the action enters a stage, or right after its input went out."""
    async with opened.desk() as desk:
        result, witness = await _run(
            opened, desk, stage, lambda _: os.kill(opened.driver.application.pid, signal.SIGKILL)
        )
    witness.check(result, opened.orders, desk)
    if stage != "dispatched":
        assert (result.status, opened.orders) == ("failed", 0), result
    return result


async def _run(
    opened: Shop, desk: ActionDesk, stage: str, strike: Callable[[str], None], name: str = "Order"
) -> tuple[ActionResultPayload, Witness]:
    """Run it, and strike once when the stage is reached."""
    witness, struck = Witness(), False
    running: Any = await desk.accept(request(name), witness.hear, "local")

    def once() -> None:
        nonlocal struck
        if not struck:
            struck = True
            strike(running.handle)

    def hear(type: str, payload: Any) -> None:
        witness.hear(type, payload)
        if isinstance(payload, ActionProgressPayload) and payload.stage == stage:
            asyncio.get_running_loop().call_soon(once)

    running.hear = hear
    if stage in ("dispatched", "twice"):
        _after_input(opened, once)
    if stage == "received":
        once()
    desk.start(running)
    async with asyncio.timeout(SECONDS):
        result: ActionResultPayload = await running.done
    await asyncio.gather(*desk._tasks, return_exceptions=True)
    if stage in ("dispatched", "twice"):  # what is on its way arrives
        await until(lambda: opened.orders > 0, 2.0)
    return result, witness


def _after_input(opened: Shop, strike: Callable[[], None]) -> None:
    carried = opened.driver.perform

    async def perform(op: Any, **how: Any) -> Any:
        outcome = await carried(op, **how)
        if op.kind == "click":
            strike()
        return outcome

    opened.driver.perform = perform  # type: ignore[method-assign]
