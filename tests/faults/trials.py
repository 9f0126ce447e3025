"""One fault each, seeded and repeatable: what a test runs a few times and `make soak` as often as is stated."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from msgspec import UNSET

from tests.faults.invariants import Witness
from tests.faults.site import Shop
from tests.support.desks import desk_over
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.drivers.scripted import Fault
from uiap.host.actions import ActionDesk
from uiap.host.clock import SystemClock
from uiap.host.page import Page
from uiap.runtime import events as when
from uiap.spec.action import (
    ActionProgressPayload,
    ActionRequestPayload,
    ActionResultPayload,
    ActionTarget,
    VerificationSpec,
)
from uiap.spec.capability import SemanticRef, StatusContains

SECONDS = 30.0
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
async def opened(
    browser: ChromiumBrowser, url: str, rules: Any = "trusted"
) -> AsyncIterator[tuple[ChromiumDriver, ActionDesk]]:
    driver = ChromiumDriver(browser)
    page = Page(driver)
    await page.start()
    desk = ActionDesk(page, SystemClock(), rules=rules)
    try:
        await driver.navigate(url)
        await page.until_seen()
        yield driver, desk
    finally:
        await desk.settle()
        await page.close()


async def run(
    desk: ActionDesk,
    witness: Witness,
    hear: Callable[[str, Any], None] | None = None,
    request: ActionRequestPayload = ORDER,
) -> ActionResultPayload:
    def both(type: str, payload: Any) -> None:
        witness.hear(type, payload)
        if hear is not None:
            hear(type, payload)

    async with asyncio.timeout(SECONDS):
        return await desk.run(request, both)


# -- F1: the browser is killed ----------------------------------------------------------------------------------


async def kill_browser(stage: str, shop: Shop) -> ActionResultPayload:
    """SIGKILL when the action enters a stage, or right after its input went out."""
    browser = await ChromiumBrowser.launch(environ=os.environ)
    witness, before = Witness(), shop.orders
    rules = "standard" if stage == "awaiting_confirmation" else "trusted"
    try:
        async with opened(browser, shop.page(delay=300), rules) as (driver, desk):
            if stage == "dispatched":
                plain = driver.perform

                async def perform(*args: Any, **members: Any) -> Any:
                    outcome = await plain(*args, **members)
                    browser.process.kill()
                    return outcome

                driver.perform = perform  # type: ignore[method-assign]

            def hear(_type: str, payload: Any) -> None:
                if isinstance(payload, ActionProgressPayload) and payload.stage == stage:
                    browser.process.kill()

            result = await run(desk, witness, hear)
            witness.check(result, shop.orders - before, desk)
            assert result.status == "failed"
            if stage in KILLED_AT[:3]:
                assert result.side_effect_state == "none"
            return result
    finally:
        await browser.close()


# -- F2: the renderer crashes, the tab is closed ----------------------------------------------------------------


async def lose_tab(browser: ChromiumBrowser, shop: Shop, how: str, seed: int) -> ActionResultPayload:
    """At a random stage; another tab of the same browser goes on working."""
    chance = random.Random(seed)
    stage = chance.choice(["resolving_target", "executing", "verifying"])
    witness, before = Witness(), shop.orders
    async with (
        opened(browser, shop.page(delay=300)) as (driver, desk),
        opened(browser, shop.page()) as (_, other),
    ):
        doomed = driver.tabs.active
        losing: list[asyncio.Future[Any]] = []

        def hear(_type: str, payload: Any) -> None:
            if isinstance(payload, ActionProgressPayload) and payload.stage == stage and not losing:
                work: Any = (
                    driver.navigate("chrome://crash", tab=doomed, timeout=5)
                    if how == "crash"
                    else driver.tabs.close(doomed)
                )
                losing.append(asyncio.ensure_future(work))

        result = await run(desk, witness, hear)
        await asyncio.gather(*losing, return_exceptions=True)
        witness.check(result, shop.orders - before, desk)
        if result.status == "failed":
            assert result.error is not UNSET
            assert result.error.code in ("stale_target", "internal_runtime_error", "verification_failed"), (
                result
            )
        after = Witness()
        fine = await run(other, after)
        assert fine.status == "succeeded", "the other tab is not affected"
        return result


# -- F3: the page goes elsewhere during verification ------------------------------------------------------------


async def navigate_away(browser: ChromiumBrowser, shop: Shop, seed: int) -> ActionResultPayload:
    chance = random.Random(seed)
    how = {
        "leave": chance.choice(["away", "back"]),
        "after": chance.randrange(300),
        "delay": chance.choice([0, 100, 400]),
    }
    witness, before = Witness(), shop.orders
    async with opened(browser, shop.page(**how)) as (_driver, desk):
        old = next(e.instance_id for e in desk.page.tab().store if e.name == "Order")
        result = await run(
            desk, witness, request=ORDERED
        )  # leaving is an effect of the press, but not this one
        witness.check(result, shop.orders - before, desk)
        if desk.page.tab().store.element(old) is None:
            stale = ActionRequestPayload(
                action_id="ui.read",
                target=ActionTarget(ref=SemanticRef(role="button", name="Order")),
                timeout_ms=300,
            )
            gone = await desk.run(stale, Witness().hear)
            assert gone.status == "failed" or desk.page.tab().store.route.url.startswith(shop.page()[:21])
        return result


# -- F7: a network that is slow, fails, or answers too late -----------------------------------------------------


async def bad_network(browser: ChromiumBrowser, shop: Shop, seed: int) -> ActionResultPayload:
    """Late, refused or cut: what may have happened is `unknown`, never `none`, and it is sent once."""
    chance = random.Random(seed)
    how = chance.choice(
        [{"status": 500}, {"cut": 1}, {"delay": 2500}, {"delay": 400}, {"status": 404, "delay": 200}]
    )
    witness, before = Witness(), shop.orders
    async with opened(browser, shop.page(**how)) as (_driver, desk):
        result = await run(desk, witness)
        witness.check(result, shop.orders - before, desk)
        if result.status == "failed":
            assert result.side_effect_state == "unknown", result
        again = Witness()
        refused = await run(desk, again)
        if result.side_effect_state == "unknown":
            assert refused.error is not UNSET and refused.error.code == "unsafe_retry_refused"
        return result


# -- F14: cancelled at each stage -------------------------------------------------------------------------------


async def cancel(stage: str) -> ActionResultPayload | None:
    """With a scripted page whose input is held back where that is needed; the counter is the application's."""
    rules = "standard" if stage == "awaiting_confirmation" else "trusted"
    async with desk_over(rules=rules) as one:
        witness, held = Witness(), asyncio.Event()
        name = "Nowhere" if stage == "recovering" else "Dead" if stage == "verifying" else "Save"
        if stage == "waiting_for_user":
            from uiap.drivers.driver import Dialog

            one.driver.inject(
                Fault("click", before=lambda app: app.ask(Dialog(kind="confirm", message="Sure?")))
            )
        running = await one.desk.accept(one.request(name), witness.hear, "local")
        times = 0

        def stop() -> None:
            nonlocal times
            times += 1
            one.desk.hear(running.handle, when.Cancelled(at=one.desk.clock.now()))  # type: ignore[union-attr]
            if stage == "twice":
                one.desk.hear(running.handle, when.Cancelled(at=one.desk.clock.now()))  # type: ignore[union-attr]

        if stage in ("dispatched", "twice"):  # the input is on its way: it may still arrive after the cancel
            loop = asyncio.get_running_loop()
            one.driver.inject(Fault("click", before=lambda _app: loop.call_soon(stop) and None, held=held))

        def hear(type: str, payload: Any) -> None:
            witness.hear(type, payload)
            if isinstance(payload, ActionProgressPayload) and payload.stage == stage and not times:
                asyncio.get_running_loop().call_soon(stop)

        running.hear = hear  # type: ignore[union-attr]
        if stage == "received":
            stop()
        one.desk.start(running)  # type: ignore[arg-type]
        async with asyncio.timeout(SECONDS):
            result: ActionResultPayload = await running.done  # type: ignore[union-attr]
        held.set()
        if stage == "terminal":
            stop()
        await asyncio.gather(*one.desk._tasks, return_exceptions=True)
        witness.check(result, one.notes.saved, one.desk)
        assert result.status == ("succeeded" if stage == "terminal" else "cancelled"), result
        if stage in ("dispatched", "twice"):
            assert (result.side_effect_state, one.notes.saved) == ("unknown", 1)
        return result
