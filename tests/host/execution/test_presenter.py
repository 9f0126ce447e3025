"""The presenter is a role of its own: without one, or with a bad one, everything else goes as before."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.handlers import Notes, NotesHandler, running_handler
from uiap.drivers.errors import DriverError
from uiap.drivers.scripted import ScriptedDriver
from uiap.host.execution.presenter import Presenter
from uiap.spec.action import ActionResultPayload, PresentationHints

HINTS = PresentationHints(ghost_cursor=True, highlight="outline", narration="Now", pace="humanized")


class Showing(ScriptedDriver):
    """Its pictures can be asked for, and can fail or never come."""

    fails: BaseException | None = None
    hangs = False

    def __init__(self, *args: Any, **facts: Any) -> None:
        super().__init__(*args, **facts)
        self.shown: list[tuple[PresentationHints, str | None, float]] = []

    async def present(
        self, hints: PresentationHints, node: str | None, *, tab: str | None = None, seconds: float = 0.0
    ) -> None:
        self.shown.append((hints, node, seconds))
        if self.fails is not None:
            raise self.fails
        if self.hangs:
            await asyncio.Event().wait()


def shown_on(desk: NotesHandler) -> Showing:
    """The desk gets a presenter; executor and controller stay as they are."""
    driver = Showing(Notes().page())
    desk.handler._executor._presenter = Presenter(driver)
    return driver


def told(result: ActionResultPayload, desk: NotesHandler) -> tuple[Any, ...]:
    code = desk.code(result)
    return (
        result.status,
        code,
        result.side_effect_state,
        result.verification.passed,
        [type for type, _ in desk.messages],
    )


@pytest.mark.requirement("ACT-2", "ACT-3.6")
@pytest.mark.parametrize("name", ["Save", "Fails"])
async def test_outcome_and_messages_are_the_same_with_a_presenter_without_and_with_a_bad_one(
    name: str,
) -> None:
    seen = []
    for how in ("none", "absent", "good", "fails", "breaks", "hangs"):
        async with running_handler() as desk:
            if how not in ("none", "absent"):
                driver = shown_on(desk)
                driver.fails = {"fails": DriverError("gone"), "breaks": ValueError("bug")}.get(how)
                driver.hangs = how == "hangs"
            members = {} if how == "none" else {"presentation": HINTS, "timeout_ms": 3000}
            seen.append(told(await desk.act(name, **members), desk))
    assert seen == [seen[0]] * len(seen)


@pytest.mark.requirement("ACT-3.6", "ACT-5.1c")
async def test_it_is_shown_once_before_it_is_done_and_its_pace_is_bounded_by_the_actions_time() -> None:
    async with running_handler() as desk:
        driver = shown_on(desk)
        await desk.act("Save", presentation=HINTS, timeout_ms=2000)
        await desk.act("Save", presentation=PresentationHints(highlight="outline"))
        await desk.act("Save", presentation=PresentationHints(highlight="none"))
        assert [(hints, seconds) for hints, _, seconds in driver.shown] == [
            (HINTS, pytest.approx(0.1)),
            (PresentationHints(highlight="outline"), 0.0),
        ]
        assert all(node is not None for _, node, _ in driver.shown)
