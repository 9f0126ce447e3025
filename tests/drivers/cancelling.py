"""Cancel one action of an application that is not a web page, at a chosen stage.

Tests run each case once, `make soak` runs it often. The application's own count of orders is the ground truth.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tests.faults.cleanup_checks import assert_no_action_left, audited_store, becomes_true
from tests.faults.invariants import ActionMonitor
from uiap.drivers.driver import Driver
from uiap.host.clock import SystemClock
from uiap.host.handlers.actions import ActionHandler
from uiap.host.observation.page import Page
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

D = TypeVar("D", bound=Driver)
TIMEOUT_S = 60.0
CANCELLED_AT = (
    "received", "resolving_target", "checking_preconditions", "awaiting_confirmation", "executing", "dispatched",
    "verifying", "terminal", "twice",
)  # fmt: skip


@dataclass
class Shop(Generic[D]):
    """The application with the buttons Order and Dead, its page, and its own count of orders."""

    driver: D
    page: Page
    count: Callable[[], int]

    @property
    def orders(self) -> int:
        return self.count()

    @asynccontextmanager
    async def handler(self, rules: Rules = "trusted") -> AsyncIterator[ActionHandler]:
        """Yield an action handler; on exit check that its audit log is complete and that it holds no locks."""
        plain = self.driver.perform
        with audited_store() as kept:
            handler = ActionHandler(self.page, SystemClock(), kept.writer, rules=rules)
            kept.check_each_input(self.driver, handler)
            try:
                yield handler
            finally:
                await handler.settle()
                await assert_no_action_left(handler)
                self.driver.perform = plain  # type: ignore[method-assign]
                kept.check()


@asynccontextmanager
async def open_shop(driver: D, count: Callable[[], int]) -> AsyncIterator[Shop[D]]:
    """Start the driver's page and yield it as a shop."""
    page = Page(driver)
    try:
        await page.start()
        await page.wait_for_graph()
        yield Shop(driver, page, count)
    finally:
        await page.close()


async def cancel(opened: Shop[Any], stage: str) -> ActionResultPayload:
    """Cancel one action at the stage, check the invariants, and return its result."""
    rules: Rules = "standard" if stage == "awaiting_confirmation" else "trusted"
    before, times = opened.orders, 2 if stage == "twice" else 1
    async with opened.handler(rules) as handler:

        def stop(handle: str) -> None:
            for _ in range(times):
                handler.send_event(handle, when.Cancelled(at=handler.clock.now()))

        name = "Dead" if stage == "verifying" else "Order"
        result, witness = await run_and_strike(opened, handler, stage, stop, name=name)
        if stage == "terminal":
            stop(result.action_handle)
    happened = opened.orders - before
    witness.check(result, happened, handler)
    assert result.status == ("succeeded" if stage == "terminal" else "cancelled"), (stage, result)
    if stage in ("dispatched", "twice"):
        assert result.side_effect_state == "unknown"
    return result


async def count_endings(opened: Shop[Any], stage: str, times: int) -> Counter[str]:
    """Return how often each ending was reported."""
    results = [await cancel(opened, stage) for _ in range(times)]
    return Counter(f"{result.status} {result.side_effect_state}" for result in results)


async def run_and_strike(
    opened: Shop[Any], handler: ActionHandler, stage: str, strike: Callable[[str], None], name: str = "Order"
) -> tuple[ActionResultPayload, ActionMonitor]:
    """Run the action, and call `strike` once when it reaches the stage."""
    witness, done, before = ActionMonitor(), False, opened.orders
    running: Any = await handler.accept(_request(name), witness.on_message, "local")

    def once() -> None:
        nonlocal done
        if not done:
            done = True
            strike(running.handle)

    def hear(type: str, payload: Any) -> None:
        witness.on_message(type, payload)
        if isinstance(payload, ActionProgressPayload) and payload.stage == stage:
            asyncio.get_running_loop().call_soon(once)

    running.send = hear
    if stage in ("dispatched", "twice"):
        _after_input(opened, once)
    if stage == "received":
        once()
    handler.start(running)
    async with asyncio.timeout(TIMEOUT_S):
        result: ActionResultPayload = await running.done
    await asyncio.gather(*handler._tasks, return_exceptions=True)
    if stage in ("dispatched", "twice"):  # an input that was already sent still arrives
        await becomes_true(lambda: opened.orders > before, 2.0)
    return result, witness


def _request(name: str) -> ActionRequestPayload:
    return ActionRequestPayload(
        action_id="ui.activate",
        target=ActionTarget(ref=SemanticRef(role="button", name=name)),
        verification=VerificationSpec(timeout_ms=1500),
    )


def _after_input(opened: Shop[Any], strike: Callable[[], None]) -> None:
    original = opened.driver.perform

    async def perform(op: Any, **options: Any) -> Any:
        outcome = await original(op, **options)
        if op.kind == "click":
            strike()
        return outcome

    opened.driver.perform = perform
