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

from tests.faults.household import Belongings, books, no_tab_left, nothing_held, tabs_of, until
from tests.faults.invariants import Witness
from tests.faults.site import Shop
from tests.faults.wire import wire
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
) -> AsyncIterator[tuple[ChromiumDriver, ActionHandler]]:
    """Every trial leaves through here: whatever happened, the audit is whole and nothing is left (B2.6, B2.7)."""
    with books() as kept:
        driver = ChromiumDriver(browser)
        page = Page(driver)
        before = await tabs_of(browser)
        await page.start()
        desk = ActionHandler(page, SystemClock(), kept.writer, rules=rules)
        kept.guard(driver, desk)
        try:
            await driver.navigate(url)
            await page.wait_for_graph()
            yield driver, desk
        finally:
            await desk.settle()
            await page.close()
            await nothing_held(desk)
            await no_tab_left(browser, before)
            kept.check()


async def run(
    desk: ActionHandler,
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
    belongings = Belongings()
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
        await belongings.check()


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
        "leave": chance.choice(["away", "back", "refresh", "form"]),
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


NETWORKS = ("refused", "cut", "late", "slow", "far", "lossy")


async def bad_network(browser: ChromiumBrowser, shop: Shop, seed: int) -> ActionResultPayload:
    """One of them by the seed."""
    return await network(browser, shop, NETWORKS[seed % len(NETWORKS)], seed)


async def network(browser: ChromiumBrowser, shop: Shop, kind: str, seed: int) -> ActionResultPayload:
    """What may have happened is `unknown`, never `none`, also when it comes about only later; and it is sent once."""
    chance, witness, before = random.Random(seed), Witness(), shop.orders
    delay = chance.choice([200, 400])
    how: dict[str, Any] = {
        "refused": {"status": chance.choice([500, 404, 503]), "delay": delay},
        "cut": {"cut": 1, "delay": delay},
        "late": {"delay": 2500},
    }.get(kind, {})
    patient = chance.random() < 0.3  # else it is given up before the answer can be there
    wanted = VerificationSpec(timeout_ms=9000 if patient else chance.choice([300, 800, 1500]))
    request = msgspec.structs.replace(ORDER, verification=wanted)
    with wire(shop.port) as line:
        port = line.port if kind in ("slow", "lossy") else None
        async with opened(browser, shop.page(port, **how)) as (driver, desk):
            if kind == "far":  # the browser's own: 50 kbit/s and 2 s
                await emulate(driver)
            elif kind == "slow":
                line.worsen(kbit=50, latency_s=2)
            elif kind == "lossy":
                line.worsen(loss=chance.choice([0.05, 0.4]), seed=seed)
            result = await run(desk, witness, request=request)
            witness.check(result, shop.orders - before, desk)
            if result.status == "failed":
                assert result.side_effect_state == "unknown", result
            refused = await run(desk, Witness(), request=request)
            if result.side_effect_state == "unknown":
                assert refused.error is not UNSET and refused.error.code == "unsafe_retry_refused"
            if kind in ("slow", "far"):  # it comes late, and was never said not to
                assert await until(lambda: shop.orders > before)
            if result.status == "failed":
                witness.check(result, shop.orders - before, desk)
            return result


async def emulate(driver: ChromiumDriver) -> None:
    rate = 50_000 / 8
    conditions = {"offline": False, "latency": 2000, "downloadThroughput": rate, "uploadThroughput": rate}
    await driver.context.tab(None).session.send("Network.emulateNetworkConditions", conditions)


# -- F14: cancelled at each stage -------------------------------------------------------------------------------


async def cancel(stage: str) -> ActionResultPayload:
    """With a scripted page whose input is held back where that is needed; the counter is the application's."""
    rules = "standard" if stage == "awaiting_confirmation" else "trusted"
    with books() as kept:
        kept.writer.close()  # the desk has one of its own
        async with running_handler(kept.store, rules=rules) as one:
            kept.guard(one.driver, one.desk)
            result = await _cancel(one, stage)
            await nothing_held(one.desk)
        kept.check()
        return result


async def _cancel(one: NotesHandler, stage: str) -> ActionResultPayload:
    witness, held = Witness(), asyncio.Event()
    name = "Nowhere" if stage == "recovering" else "Dead" if stage == "verifying" else "Save"
    if stage == "waiting_for_user":
        from uiap.drivers.driver import Dialog

        one.driver.inject(
            ScriptedFault(
                "click", before=lambda app: app.open_dialog(Dialog(kind="confirm", message="Sure?"))
            )
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
        one.driver.inject(
            ScriptedFault("click", before=lambda _app: loop.call_soon(stop) and None, wait_for=held)
        )

    def hear(type: str, payload: Any) -> None:
        witness.hear(type, payload)
        if isinstance(payload, ActionProgressPayload) and payload.stage == stage and not times:
            asyncio.get_running_loop().call_soon(stop)

    running.send = hear  # type: ignore[union-attr]
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
