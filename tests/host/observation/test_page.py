"""A flushed page is complete: the store has every change that the page made before the flush."""

from __future__ import annotations

import asyncio
import threading

import pytest

from tests.attack.stage import open_stage
from uiap.drivers.scripted.app import ScriptedPage, Widget
from uiap.host.observation import page as observed

NEXT = "http://bank.test/next"


async def test_a_flush_ends_only_after_a_large_graph_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_stage(Widget("go", "button", "Go")) as stage:
        await stage.person.observe()
        page, released = stage.services.page, threading.Event()
        monkeypatch.setattr(observed, "LARGE_LOAD", -1)  # every graph is loaded in a thread
        page.preparations.append(lambda _: released.wait(20) and None)
        stage.driver.pages[NEXT] = ScriptedPage(NEXT, (Widget("other", "button", "Other"),))
        await stage.driver.navigate(NEXT)
        flushing = asyncio.create_task(page.flush())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not flushing.done()
        released.set()
        await flushing
        assert page.tab().store.route.url == NEXT
