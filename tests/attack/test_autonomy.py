"""The gate holds at every level of autonomy: a level lets routine steps go, and nothing else."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from tests.attack.stage import Stage, open_stage
from uiap.drivers.scripted.app import ScriptedScope, Widget
from uiap.policy.autonomy import LEVELS, Autonomy, rules_at
from uiap.spec.policy import PolicyDocument

FORM = ScriptedScope("f", "form", "Settings")
SUBMIT = {"affordances": ("read", "focus", "activate", "submit")}
AGENT_LEVELS: tuple[Autonomy, ...] = ("observe", "ask", "assist")
ASKS = msgspec.convert(
    {"modelVersion": "0.1", "id": "asks", "defaults": {}, "rules": [
        {"id": "buttons", "match": {"roles": ["button"]}, "effect": "confirm"},
        {"id": "never", "priority": 9, "match": {"stableIds": ["never"]}, "effect": "deny"}]}, PolicyDocument
)  # fmt: skip


async def effect_of(stage: Stage, name: str) -> str:
    return (await stage.agent.preflight("ui.activate", role="button", name=name)).effect


@pytest.mark.requirement("CAP-8.2", "ACT-5.3")
@pytest.mark.parametrize(
    ("name", "ask"),
    [
        ("Delete account", "deny"),
        ("Konto löschen", "deny"),
        ("D\u0435lete account", "deny"),
        ("Pay now", "handoff"),
        ("Change password", "handoff"),
        ("Invite a person", "confirm"),
        ("Grant access", "handoff"),
        ("I agree", "confirm"),
        ("Frobnicate", "confirm"),
        ("Approve", "confirm"),
    ],
)
@pytest.mark.parametrize("level", AGENT_LEVELS)
async def test_what_matters_is_never_pressed_without_a_person(name: str, ask: str, level: Autonomy) -> None:
    button = Widget("b", "button", name, scope="f", node_fields=SUBMIT)
    async with open_stage(button, scopes=[FORM], rules=rules_at(level)) as stage:
        assert await effect_of(stage, name) == ("deny" if level == "observe" else ask)
        pressed = stage.press(name, timeout_ms=300)
        async with asyncio.timeout(20):
            while not pressed.done():
                waiting = await stage.person.waiting()
                for one in waiting.details or ():
                    await stage.person.deny(one.action_handle)
                for step in waiting.handoffs or ():
                    await stage.person.hand_back(step.action_handle, done=False)
        assert not pressed.result().ok and stage.performed == []


@pytest.mark.parametrize("level", LEVELS)
async def test_a_denial_of_a_person_stays_a_denial_at_every_level(level: Autonomy) -> None:
    never = Widget("n", "button", "Next", stable_id="never")
    async with open_stage(never, rules=rules_at(level, (ASKS,))) as stage:
        assert await effect_of(stage, "Next") == "deny"
        assert not (await stage.press("Next")).ok and stage.performed == []


@pytest.mark.requirement("ACT-SEC.2")
@pytest.mark.parametrize("level", ["ask", "assist", "trusted"])
async def test_an_agent_answers_no_question_at_any_level(level: Autonomy) -> None:
    async with open_stage(Widget("b", "button", "Next"), rules=rules_at(level, (ASKS,))) as stage:
        pressed = stage.press("Next")
        (one,) = await stage.pending()
        await stage.agent.grant(one.action_handle)
        await stage.agent.waiting()
        assert not pressed.done() and len(stage.rejected) == 1
        await stage.person.deny(one.action_handle)
        assert not (await pressed).ok


@pytest.mark.parametrize("level", ["ask", "assist"])
async def test_acting_on_another_origin_asks_at_every_level(level: Autonomy) -> None:
    async with open_stage(Widget("t", "textbox", "Title"), rules=rules_at(level)) as stage:
        stage.services.page.origins.open("https://app.example/start")  # the person opened this
        writing = asyncio.create_task(
            stage.agent.act("ui.enterText", role="textbox", name="Title", args={"text": "Hello"})
        )
        (one,) = await stage.pending()
        assert "https://app.example" in one.request.risk.reason
        await stage.person.deny(one.action_handle)
        assert (await writing).status == "cancelled" and stage.performed == []


async def test_a_routine_step_goes_only_at_assist_and_above() -> None:
    for level, effect in zip(LEVELS, ("deny", "confirm", "allow", "allow"), strict=True):
        async with open_stage(Widget("b", "button", "Next"), rules=rules_at(level)) as stage:
            assert await effect_of(stage, "Next") == effect
