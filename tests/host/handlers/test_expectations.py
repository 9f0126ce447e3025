"""Expect and wait without acting, since a revision, including changes that already arrived."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import msgspec
import pytest
from msgspec import UNSET

from tests.support.handlers import NotesHandler, running_handler
from uiap.drivers.scripted import SCRIPTED_FACTS, App, Widget
from uiap.host.clock import SystemClock
from uiap.host.handlers.expectations import ExpectationHandler
from uiap.host.loop.dispatch import Call, Reply
from uiap.spec.core import ParticipantRef
from uiap.spec.tools import ToolsExpectedPayload, ToolsExpectPayload, ToolsWaitedPayload, ToolsWaitPayload

ME = ParticipantRef(role="agent", id="test")
SAVED = {"kind": "toast.contains", "text": "saved"}
READY = {"kind": "element.appeared", "target": {"by": "semantic", "role": "button", "name": "Ready"}}


async def call_handler(one: NotesHandler, method: str, payload: Any) -> Any:
    handler = ExpectationHandler(one.page, SystemClock())
    async with asyncio.timeout(30):
        reply = await getattr(handler, method)(Call(cast(Any, None), "1", "request", "x", payload, ME))
    assert isinstance(reply, Reply)
    return reply.payload


async def expect(one: NotesHandler, *signals: dict[str, Any], **members: Any) -> ToolsExpectedPayload:
    payload = msgspec.convert({"signals": list(signals), "timeoutMs": 200, **members}, ToolsExpectPayload)
    return cast(ToolsExpectedPayload, await call_handler(one, "expect", payload))


async def wait(one: NotesHandler, **members: Any) -> ToolsWaitedPayload:
    payload = msgspec.convert({"timeoutMs": 200, **members}, ToolsWaitPayload)
    return cast(ToolsWaitedPayload, await call_handler(one, "wait", payload))


def show_ready(app: App) -> None:
    app.add(Widget("ready", "button", "Ready"))


@pytest.mark.requirement("MDM-R1")
async def test_a_past_toast_counts_since_the_revision_before_it() -> None:
    async with running_handler() as one:
        before = one.page.tab().store.revision
        await one.act()
        seen = await expect(one, SAVED, since=before)
        assert seen.passed
        later = await expect(one, SAVED, since=seen.revision)
        assert not later.passed
        assert later.reason == "not seen: toast.contains"


@pytest.mark.requirement("MDM-R1")
async def test_without_a_revision_a_signal_is_judged_on_the_current_page() -> None:
    async with running_handler() as one:
        there = {"kind": "element.appeared", "target": {"by": "semantic", "role": "button", "name": "Save"}}
        gone = {**there, "kind": "element.disappeared"}
        route = {"kind": "route.changed", "pattern": "/"}
        assert (await expect(one, there, route)).passed
        assert not (await expect(one, gone)).passed
        assert not (await expect(one, READY)).passed
        assert (await expect(one, READY, there, policy="any")).passed


@pytest.mark.requirement("MDM-R1")
async def test_a_signal_that_already_held_at_the_revision_is_marked() -> None:
    async with running_handler() as one:
        await one.act("Title", "ui.enterText", args={"text": "Hi"})
        revision = one.page.tab().store.revision
        holds = {
            "kind": "value.equals",
            "target": {"by": "semantic", "role": "textbox", "name": "Title"},
            "value": "Hi",
        }
        seen = await expect(one, holds, since=revision)
        assert seen.passed
        assert seen.verdicts[0].already is True
        changed = await expect(one, READY, since=revision, timeoutMs=50)
        assert not changed.passed


async def test_an_element_present_at_the_revision_did_not_appear_since() -> None:
    async with running_handler() as one:
        there = {"kind": "element.appeared", "target": {"by": "semantic", "role": "button", "name": "Save"}}
        revision = one.page.tab().store.revision
        assert not (await expect(one, there, since=revision)).passed
        one.driver.change(show_ready)
        assert (await expect(one, READY, since=revision)).passed
        assert not (await expect(one, READY, since=one.page.tab().store.revision)).passed


@pytest.mark.requirement("MDM-R1")
async def test_an_expectation_that_becomes_true_while_waiting_is_met() -> None:
    async with running_handler() as one:
        waiting = asyncio.create_task(expect(one, READY, timeoutMs=20_000))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(one.driver.change, show_ready)
        assert (await waiting).passed


@pytest.mark.requirement("MDM-R3a")
async def test_a_change_that_already_arrived_ends_the_wait_at_once() -> None:
    async with running_handler() as one:
        before = one.page.tab().store.revision
        one.driver.change(lambda app: app.set("status", text="half way"))
        seen = await wait(one, since=before)
        assert seen.done and seen.changed
        assert "half way" in str(seen.changes)
        nothing = await wait(one, since=seen.revision)
        assert (nothing.done, nothing.changed, nothing.reason) == (False, False, "nothing changed")


@pytest.mark.requirement("MDM-R3a")
async def test_an_update_in_place_ends_the_wait() -> None:
    async with running_handler() as one:
        waiting = asyncio.create_task(wait(one, timeoutMs=20_000))
        await asyncio.sleep(0)
        loop = asyncio.get_running_loop()
        loop.call_soon(one.driver.change, lambda app: app.set("save", enabled=False))
        seen = await waiting
        assert seen.done
        assert "Save" in str(seen.changes)


async def test_a_revision_of_another_page_counts_as_changed() -> None:
    async with running_handler() as one:
        before = one.page.tab().store.revision
        await one.driver.navigate("http://notes.test/")
        assert (await wait(one, since=before)).changed


@pytest.mark.requirement("MDM-R3b")
async def test_idle_waits_for_busy_elements() -> None:
    async with running_handler() as one:
        one.driver.change(lambda app: app.set("status", busy=True))
        busy = await wait(one, idle=True)
        assert not busy.done
        assert busy.loading.busy == ("status",)
        assert busy.reason == "still busy: status"
        waiting = asyncio.create_task(wait(one, idle=True, timeoutMs=20_000))
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(
            one.driver.change, lambda app: app.set("status", text="done", busy=False)
        )
        seen = await waiting
        assert seen.done and seen.loading.idle


@pytest.mark.requirement("MDM-R3b")
async def test_idle_waits_for_requests_but_not_for_background_requests() -> None:
    async with running_handler() as one:
        traffic = one.page.tab().traffic
        traffic.request_sent("r1", "Fetch", "GET", "http://notes.test/poll", {}, 1.0)
        traffic.request_ended("r1", False, "", 1.1)
        traffic.request_sent("r2", "Fetch", "GET", "http://notes.test/poll", {}, 2.0)
        assert (await wait(one, idle=True)).done
        traffic.request_sent("r3", "Fetch", "POST", "http://notes.test/save", {}, 3.0)
        seen = await wait(one, idle=True)
        assert seen.loading.requests == ("POST /save",)
        traffic.response_received("r3", 201, 3.2)
        assert (await wait(one, idle=True)).done


async def test_a_driver_that_pushes_no_changes_is_polled() -> None:
    async with running_handler(facts=replace(SCRIPTED_FACTS, push=True)) as one:
        one.driver.facts = replace(SCRIPTED_FACTS, push=False, read_cost_s=0.01)
        flushes = 0
        plain = one.driver.flush

        async def flush(*, tab: str | None = None, quick: bool = False) -> int:
            nonlocal flushes
            flushes += 1
            if flushes == 3:
                one.driver.facts = SCRIPTED_FACTS
                one.driver.change(show_ready)
            return await plain(tab=tab, quick=quick)

        one.driver.flush = flush  # type: ignore[method-assign]
        assert (await expect(one, READY, timeoutMs=20_000)).passed
        assert flushes >= 3


async def test_until_names_signals_to_wait_for() -> None:
    async with running_handler() as one:
        before = one.page.tab().store.revision
        one.driver.change(lambda app: app.set("status", text="not yet"))
        early = await wait(one, since=before, until=[READY])
        assert not early.done and early.changed
        one.driver.change(show_ready)
        seen = await wait(one, since=before, until=[READY])
        assert seen.done
        assert seen.verdicts is not UNSET and seen.verdicts[0].holds


@pytest.mark.requirement("MDM-R3f")
async def test_a_wait_holds_on_a_page_that_is_rebuilt_all_the_time() -> None:
    async with running_handler() as one:
        before, ticks = one.page.tab().store.revision, 0

        def rebuild(app: App) -> None:
            app.remove("save")
            app.add(Widget("save", "button", "Save"))
            app.set("status", text=f"tick {ticks}")

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                one.driver.change(rebuild)
                await asyncio.sleep(0.002)

        ticking = asyncio.create_task(tick())
        try:
            early = await wait(one, since=before, until=[READY], timeoutMs=100)
            assert not early.done and early.changed, "it does not return at the first change"
            await asyncio.wait_for(wait(one, idle=True, timeoutMs=100), 20)
            waiting = asyncio.create_task(wait(one, since=before, until=[READY], timeoutMs=20_000))
            one.driver.change(show_ready)
            assert (await asyncio.wait_for(waiting, 20)).done
        finally:
            ticking.cancel()
