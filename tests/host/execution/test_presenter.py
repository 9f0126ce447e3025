"""The presenter: without one, or with a failing one, the action itself is the same."""

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
    """A driver that records presentations; they can fail or hang."""

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


def shown_on(notes: NotesHandler) -> Showing:
    """Give the handler a presenter and return its driver."""
    driver = Showing(Notes().page())
    notes.handler._executor.presenter = Presenter(driver)
    return driver


def summary_of(result: ActionResultPayload, notes: NotesHandler) -> tuple[Any, ...]:
    code = notes.code(result)
    return (
        result.status,
        code,
        result.side_effect_state,
        result.verification.passed,
        [type for type, _ in notes.messages],
    )


@pytest.mark.requirement("ACT-2", "ACT-3.6")
@pytest.mark.parametrize("name", ["Save", "Fails"])
async def test_a_missing_or_failing_presenter_changes_neither_outcome_nor_messages(
    name: str,
) -> None:
    seen = []
    for how in ("none", "absent", "good", "fails", "breaks", "hangs"):
        async with running_handler() as notes:
            if how not in ("none", "absent"):
                driver = shown_on(notes)
                driver.fails = {"fails": DriverError("gone"), "breaks": ValueError("bug")}.get(how)
                driver.hangs = how == "hangs"
            members = {} if how == "none" else {"presentation": HINTS, "timeout_ms": 3000}
            seen.append(summary_of(await notes.act(name, **members), notes))
    assert seen == [seen[0]] * len(seen)


@pytest.mark.requirement("ACT-3.6", "ACT-5.1c")
async def test_an_action_is_presented_once_before_its_gesture_and_within_its_timeout() -> None:
    async with running_handler() as notes:
        driver = shown_on(notes)
        await notes.act("Save", presentation=HINTS, timeout_ms=2000)
        await notes.act("Save", presentation=PresentationHints(highlight="outline"))
        await notes.act("Save", presentation=PresentationHints(highlight="none"))
        assert [(hints, seconds) for hints, _, seconds in driver.shown] == [
            (HINTS, pytest.approx(0.1)),
            (PresentationHints(highlight="outline"), 0.0),
        ]
        assert all(node is not None for _, node, _ in driver.shown)


@pytest.mark.requirement("RUN-33")
async def test_nothing_is_drawn_where_the_application_forbids_overlays() -> None:
    async with running_handler() as notes:
        driver = shown_on(notes)
        notes.handler.allow_overlays(False)
        assert (await notes.act("Save", presentation=HINTS)).status == "succeeded"
        notes.handler.allow_overlays(True)
        assert driver.shown == []
        assert (await notes.act("Save", presentation=HINTS)).status == "succeeded"
        assert len(driver.shown) == 1
