"""An agent that leaves the origins of its session asks a person, who reads both origins."""

from __future__ import annotations

import asyncio

from tests.attack.stage import open_stage
from uiap.drivers.scripted.app import Widget


async def test_going_to_another_origin_asks_and_names_both() -> None:
    async with open_stage(Widget("b", "button", "Go")) as stage:
        gone = asyncio.create_task(stage.agent.act("nav.navigate", args={"url": "https://evil.example/x"}))
        (one,) = await stage.pending()
        assert (
            "https://evil.example" in one.request.risk.reason
            and "http://bank.test" in one.request.risk.reason
        )
        decided = [
            e.record.decision.message for e in stage.audit_entries if e.kind == "decision" and e.record
        ]
        assert "https://evil.example" in decided[-1]
        await stage.person.deny(one.action_handle)
        assert (await gone).status == "cancelled"


async def test_the_origins_are_in_the_capability_document() -> None:
    async with open_stage(Widget("b", "button", "Go")) as stage:
        document = await stage.agent.capabilities()
        assert document.metadata["origins"] == {"act": ["http://bank.test"], "read": ["http://bank.test"]}
