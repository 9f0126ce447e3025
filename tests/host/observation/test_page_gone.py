"""A page whose tab crashed, or whose browser has stopped, is reported as gone and never read from memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.attack.stage import Stage, open_stage
from uiap.api import signals
from uiap.api.ui import Ui
from uiap.drivers import events as seen
from uiap.drivers.errors import TargetGone
from uiap.drivers.scripted.app import Widget
from uiap.errors import InvalidState

READS: dict[str, Callable[[Ui], Awaitable[Any]]] = {
    "observe": lambda ui: ui.observe(),
    "outline": lambda ui: ui.outline(),
    "find": lambda ui: ui.find("Go"),
    "expect": lambda ui: ui.expect([signals.status_contains("x")], timeout_ms=50),
    "wait": lambda ui: ui.wait(timeout_ms=50),
    "screenshot": lambda ui: ui.screenshot(),
    "read": lambda ui: ui.act("ui.read", role="button", name="Go"),
    "press": lambda ui: ui.act("ui.activate", role="button", name="Go"),
}


def crash(stage: Stage) -> None:
    tab = stage.services.page.tab()
    stage.services.page.receive(seen.Crashed(tab=tab.id, at=0.0))


class NoTabs:
    """The tabs of a browser that has stopped."""

    @property
    def active(self) -> str:
        raise TargetGone("no tab is open; open one first")


@pytest.mark.parametrize("read", READS.values(), ids=READS)
async def test_every_read_of_a_crashed_tab_says_so(read: Callable[[Ui], Awaitable[Any]]) -> None:
    async with open_stage(Widget("go", "button", "Go")) as stage:
        await stage.person.observe()
        crash(stage)
        with pytest.raises(InvalidState, match="the tab crashed"):
            await read(stage.person)


@pytest.mark.parametrize("read", READS.values(), ids=READS)
async def test_every_read_of_a_stopped_browser_says_so(
    read: Callable[[Ui], Awaitable[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage(Widget("go", "button", "Go")) as stage:
        await stage.person.observe()
        with monkeypatch.context() as stopped:
            stopped.setattr(type(stage.driver), "tabs", property(lambda _: NoTabs()))
            with pytest.raises(InvalidState, match="the browser has stopped"):
                await read(stage.person)


async def test_a_tab_that_shows_a_page_again_can_be_read() -> None:
    async with open_stage(Widget("go", "button", "Go")) as stage:
        await stage.person.observe()
        crash(stage)
        page = stage.services.page
        graph = page.tab().store.snapshot()
        page.receive(
            seen.GraphChanged(tab=page.tab().id, at=0.0, revision=graph.revision, seq=graph.seq, graph=graph)
        )
        assert "Go" in await stage.person.outline()
