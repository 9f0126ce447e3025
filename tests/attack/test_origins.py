"""An agent that acts outside the origins of its session asks a person, who reads both origins."""

from __future__ import annotations

import asyncio

import pytest

from tests.attack.stage import at_level, open_stage
from uiap.drivers.scripted.app import Widget
from uiap.policy.autonomy import Autonomy


@pytest.fixture(params=("ask", "assist"), autouse=True)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Autonomy:
    """Run every attack at each level at which an agent may act."""
    chosen: Autonomy = request.param
    at_level(chosen, monkeypatch, asks=False)
    return chosen


async def test_acting_on_another_origin_asks_and_names_both() -> None:
    async with open_stage(Widget("t", "textbox", "Title")) as stage:
        stage.services.page.origins.open("https://app.example/start")  # the person opened this
        writing = asyncio.create_task(
            stage.agent.act("ui.enterText", role="textbox", name="Title", args={"text": "Hello"})
        )
        (one,) = await stage.pending()
        reason = one.request.risk.reason
        assert "http://bank.test" in reason and "https://app.example" in reason
        decided = [
            e.record.decision.message for e in stage.audit_entries if e.kind == "decision" and e.record
        ]
        assert "http://bank.test" in decided[-1]
        await stage.person.deny(one.action_handle)
        assert (await writing).status == "cancelled"


async def test_a_question_with_another_reason_names_both_origins_too() -> None:
    async with open_stage(Widget("b", "button", "Send to everyone")) as stage:
        stage.services.page.origins.open("https://app.example/start")
        pressing = stage.press("Send to everyone")
        (one,) = await stage.pending()
        reason = one.request.risk.reason
        assert "http://bank.test" in reason and "https://app.example" in reason
        await stage.person.deny(one.action_handle)
        await pressing


async def test_the_origins_are_in_the_capability_document() -> None:
    async with open_stage(Widget("b", "button", "Go")) as stage:
        document = await stage.agent.capabilities()
        assert document.metadata["origins"] == {"act": ["http://bank.test"], "read": ["http://bank.test"]}
