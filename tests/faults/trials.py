"""Seeded, repeatable trials with one fault each. Tests run a few of them, `make soak` runs the full number."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec import UNSET

from tests.faults.cleanup_checks import (
    OpenResources,
    assert_no_action_left,
    assert_no_tab_left,
    audited_store,
    becomes_true,
    tabs_of,
)
from tests.faults.invariants import ActionMonitor
from tests.faults.relay import relay
from tests.faults.site import Shop
from tests.support.handlers import NotesHandler, running_handler
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.drivers.scripted import ScriptedFault
from uiap.host.clock import SystemClock
from uiap.host.handlers.actions import ActionHandler
from uiap.host.observation.page import Page
from uiap.runtime import events as when
from uiap.spec.action import (
    ActionProgressPayload,
    ActionRequestPayload,
    ActionResultPayload,
    ActionTarget,
    VerificationSpec,
)
from uiap.spec.capability import SemanticRef, StatusContains

TIMEOUT_S = 30.0
KILLED_AT = (
    "resolving_target",
    "checking_preconditions",
    "awaiting_confirmation",
    "executing",
    "dispatched",
    "verifying",
)
CANCELLED_AT = (
    "received", "resolving_target", "recovering", "checking_preconditions", "awaiting_confirmation",
    "executing", "dispatched", "verifying", "waiting_for_user", "terminal", "twice",
)  # fmt: skip
ORDER = ActionRequestPayload(
    action_id="ui.activate",
    target=ActionTarget(ref=SemanticRef(role="button", name="Order")),
    verification=VerificationSpec(timeout_ms=1500),
)
ORDERED = msgspec.structs.replace(
    ORDER,
    verification=VerificationSpec(policy="all", signals=(StatusContains(text="Ordered"),), timeout_ms=1500),
)


@asynccontextmanager
async def open_page(
    browser: ChromiumBrowser, url: str, rules: Any = "trusted"
) -> AsyncIterator[tuple[ChromiumDriver, ActionHandler]]:
    """Yield a driver and its handler. At the end check that the audit chain is intact and nothing is left."""
    with audited_store() as audited:
        driver = ChromiumDriver(browser)
        page = Page(driver)
        before = await tabs_of(browser)
        await page.start()
        handler = ActionHandler(page, SystemClock(), audited.writer, rules=rules)
        audited.check_each_input(driver, handler)
        try:
            await driver.navigate(url)
            await page.wait_for_graph()
            yield driver, handler
        finally:
            await handler.settle()
            await page.close()
            await assert_no_action_left(handler)
            await assert_no_tab_left(browser, before)
            audited.check()


async def run_action(
    handler: ActionHandler,
    witness: ActionMonitor,
    on_message: Callable[[str, Any], None] | None = None,
    request: ActionRequestPayload = ORDER,
) -> ActionResultPayload:
    def both(type: str, payload: Any) -> None:
        witness.on_message(type, payload)
        if on_message is not None:
            on_message(type, payload)

    async with asyncio.timeout(TIMEOUT_S):
        return await handler.run(request, both)


# -- F1: the browser is killed ----------------------------------------------------------------------------------


async def kill_browser(stage: str, shop: Shop) -> ActionResultPayload:
    """Kill the browser when the action enters a stage, or right after its input was sent."""
    resources = OpenResources()
    browser = await ChromiumBrowser.launch(environ=os.environ)
    witness, before = ActionMonitor(), shop.orders
    rules = "standard" if stage == "awaiting_confirmation" else "trusted"
    try:
        async with open_page(browser, shop.page(delay=300), rules) as (driver, handler):
            if stage == "dispatched":
                perform_input = driver.perform

                async def perform(*args: Any, **members: Any) -> Any:
                    outcome = await perform_input(*args, **members)
                    browser.process.kill()
                    return outcome

                driver.perform = perform  # type: ignore[method-assign]

            def hear(_type: str, payload: Any) -> None:
                if isinstance(payload, ActionProgressPayload) and payload.stage == stage:
                    browser.process.kill()

            result = await run_action(handler, witness, hear)
            witness.check(result, shop.orders - before, handler)
            assert result.status == "failed"
            if stage in KILLED_AT[:3]:
                assert result.side_effect_state == "none"
            return result
    finally:
        await browser.close()
        await resources.check()


# -- F2: the renderer crashes, the tab is closed ----------------------------------------------------------------


async def lose_tab(browser: ChromiumBrowser, shop: Shop, how: str, seed: int) -> ActionResultPayload:
    """Lose the tab at a random stage, and check that another tab of the browser still works."""
    chance = random.Random(seed)
    stage = chance.choice(["resolving_target", "executing", "verifying"])
    witness, before = ActionMonitor(), shop.orders
    async with (
        open_page(browser, shop.page(delay=300)) as (driver, handler),
        open_page(browser, shop.page()) as (_, other),
    ):
        lost_tab = driver.tabs.active
        losing: list[asyncio.Future[Any]] = []

        def hear(_type: str, payload: Any) -> None:
            if isinstance(payload, ActionProgressPayload) and payload.stage == stage and not losing:
                work: Any = (
                    driver.navigate("chrome://crash", tab=lost_tab, timeout=5)
                    if how == "crash"
                    else driver.tabs.close(lost_tab)
                )
                losing.append(asyncio.ensure_future(work))

        result = await run_action(handler, witness, hear)
        await asyncio.gather(*losing, return_exceptions=True)
        witness.check(result, shop.orders - before, handler)
        if result.status == "failed":
            assert result.error is not UNSET
            assert result.error.code in ("stale_target", "internal_runtime_error", "verification_failed"), (
                result
            )
        after = ActionMonitor()
        unaffected = await run_action(other, after)
        assert unaffected.status == "succeeded", "the other tab is not affected"
        return result


# -- F3: the page navigates during verification -----------------------------------------------------------------


async def navigate_away(browser: ChromiumBrowser, shop: Shop, seed: int) -> ActionResultPayload:
    chance = random.Random(seed)
    how = {
        "leave": chance.choice(["away", "back", "refresh", "form"]),
        "after": chance.randrange(300),
        "delay": chance.choice([0, 100, 400]),
    }
    witness, before = ActionMonitor(), shop.orders
    async with open_page(browser, shop.page(**how)) as (_driver, handler):
        old = next(e.instance_id for e in handler.page.tab().store if e.name == "Order")
        result = await run_action(
            handler, witness, request=ORDERED
        )  # navigation is an effect of the press, but not the expected one
        witness.check(result, shop.orders - before, handler)
        if handler.page.tab().store.element(old) is None:
            stale = ActionRequestPayload(
                action_id="ui.read",
                target=ActionTarget(ref=SemanticRef(role="button", name="Order")),
                timeout_ms=300,
            )
            gone = await handler.run(stale, ActionMonitor().on_message)
            assert gone.status == "failed" or handler.page.tab().store.route.url.startswith(shop.page()[:21])
        return result


# -- F7: a network that is slow, fails, or responds too late ----------------------------------------------------


NETWORKS = ("refused", "cut", "late", "slow", "far", "lossy")


async def bad_network(browser: ChromiumBrowser, shop: Shop, seed: int) -> ActionResultPayload:
    """Run the trial of one kind of network, chosen by the seed."""
    return await network(browser, shop, NETWORKS[seed % len(NETWORKS)], seed)


async def network(browser: ChromiumBrowser, shop: Shop, kind: str, seed: int) -> ActionResultPayload:
    """Check that an order whose response is missing has the outcome `unknown`, never `none`, and is sent once."""
    chance, witness, before = random.Random(seed), ActionMonitor(), shop.orders
    delay = chance.choice([200, 400])
    how: dict[str, Any] = {
        "refused": {"status": chance.choice([500, 404, 503]), "delay": delay},
        "cut": {"cut": 1, "delay": delay},
        "late": {"delay": 2500},
    }.get(kind, {})
    patient = chance.random() < 0.3  # otherwise the timeout ends before the response
    wanted = VerificationSpec(timeout_ms=9000 if patient else chance.choice([300, 800, 1500]))
    request = msgspec.structs.replace(ORDER, verification=wanted)
    with relay(shop.port) as slow_relay:
        port = slow_relay.port if kind in ("slow", "lossy") else None
        async with open_page(browser, shop.page(port, **how)) as (driver, handler):
            if kind == "far":  # the browser's own: 50 kbit/s and 2 s
                await emulate_slow_network(driver)
            elif kind == "slow":
                slow_relay.degrade(kbit=50, latency_s=2)
            elif kind == "lossy":
                slow_relay.degrade(loss=chance.choice([0.05, 0.4]), seed=seed)
            result = await run_action(handler, witness, request=request)
            witness.check(result, shop.orders - before, handler)
            if result.status == "failed":
                assert result.side_effect_state == "unknown", result
            refused = await run_action(handler, ActionMonitor(), request=request)
            if result.side_effect_state == "unknown":
                assert refused.error is not UNSET and refused.error.code == "unsafe_retry_refused"
            if kind in ("slow", "far"):  # the order arrives late, and was never reported as not done
                assert await becomes_true(lambda: shop.orders > before)
            if result.status == "failed":
                witness.check(result, shop.orders - before, handler)
            return result


async def emulate_slow_network(driver: ChromiumDriver) -> None:
    rate = 50_000 / 8
    conditions = {"offline": False, "latency": 2000, "downloadThroughput": rate, "uploadThroughput": rate}
    await driver.context.tab(None).session.send("Network.emulateNetworkConditions", conditions)


# -- F14: cancelled at each stage -------------------------------------------------------------------------------


async def cancel(stage: str) -> ActionResultPayload:
    """Cancel an action at a stage, on a scripted page that can delay its input and counts its effects itself."""
    rules = "standard" if stage == "awaiting_confirmation" else "trusted"
    with audited_store() as audited:
        audited.writer.close()  # the handler has its own writer
        async with running_handler(audited.store, rules=rules) as one:
            audited.check_each_input(one.driver, one.handler)
            result = await _cancel(one, stage)
            await assert_no_action_left(one.handler)
        audited.check()
        return result


async def _cancel(one: NotesHandler, stage: str) -> ActionResultPayload:
    witness, input_released = ActionMonitor(), asyncio.Event()
    name = "Nowhere" if stage == "recovering" else "Dead" if stage == "verifying" else "Save"
    if stage == "waiting_for_user":
        from uiap.drivers.driver import Dialog

        one.driver.inject(
            ScriptedFault(
                "click", before=lambda app: app.open_dialog(Dialog(kind="confirm", message="Sure?"))
            )
        )
    running = await one.handler.accept(one.request(name), witness.on_message, "local")
    times = 0

    def stop() -> None:
        nonlocal times
        times += 1
        one.handler.send_event(running.handle, when.Cancelled(at=one.handler.clock.now()))  # type: ignore[union-attr]
        if stage == "twice":
            one.handler.send_event(running.handle, when.Cancelled(at=one.handler.clock.now()))  # type: ignore[union-attr]

    if stage in ("dispatched", "twice"):  # the input was sent and may still arrive after the cancel
        loop = asyncio.get_running_loop()
        one.driver.inject(
            ScriptedFault("click", before=lambda _app: loop.call_soon(stop) and None, wait_for=input_released)
        )

    def hear(type: str, payload: Any) -> None:
        witness.on_message(type, payload)
        if isinstance(payload, ActionProgressPayload) and payload.stage == stage and not times:
            asyncio.get_running_loop().call_soon(stop)

    running.send = hear  # type: ignore[union-attr]
    if stage == "received":
        stop()
    one.handler.start(running)  # type: ignore[arg-type]
    async with asyncio.timeout(TIMEOUT_S):
        result: ActionResultPayload = await running.done  # type: ignore[union-attr]
    input_released.set()
    if stage == "terminal":
        stop()
    await asyncio.gather(*one.handler._tasks, return_exceptions=True)
    witness.check(result, one.notes.saved, one.handler)
    assert result.status == ("succeeded" if stage == "terminal" else "cancelled"), result
    if stage in ("dispatched", "twice"):
        assert (result.side_effect_state, one.notes.saved) == ("unknown", 1)
    return result
