"""P7: nothing a page says of itself makes an action look less risky than it is."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from tests.attack.stage import Stage, staged
from uiap.drivers.scripted.app import ScriptedScope, Widget
from uiap.spec.capability import RiskDescriptor
from uiap.spec.policy import PolicyDocument

SAFE = {"risk": RiskDescriptor(level="safe")}
ALLOW_ALL = msgspec.convert(
    {"modelVersion": "0.1", "id": "lax", "defaults": {"onUnknownAction": "allow"}, "rules": [
        {"id": "all", "priority": 100, "match": {}, "effect": "allow"}]}, PolicyDocument
)  # fmt: skip


async def refused(stage: Stage, name: str, **members: object) -> str:
    """What policy did about pressing it; never that it was pressed."""
    pressed = asyncio.create_task(
        stage.agent.act("ui.activate", role="button", name=name, policy="none", **members)
    )
    async with asyncio.timeout(20):
        while not pressed.done():
            waiting = await stage.person.waiting()
            if waiting.details or waiting.handoffs:
                pressed.cancel()
                assert stage.performed == []
                return "confirm" if waiting.details else "handoff"
    result = pressed.result()
    assert stage.performed == []
    decided = [e.record.decision.effect for e in stage.trail if e.kind == "decision" and e.record]
    assert decided[-1] == result.error.detail["decision"]["effect"], "and it is written down"
    return str(result.error.detail["decision"]["effect"])


@pytest.mark.requirement("CAP-8.1", "CAP-SEC.3")
@pytest.mark.parametrize(
    ("name", "effect"),
    [
        ("Delete account", "deny"),
        ("Konto löschen", "deny"),
        ("D\u0435lete account", "deny"),  # a Cyrillic letter
        ("De\u200blete account", "deny"),  # an invisible one
        ("Pay now", "handoff"),
        ("Jetzt kostenpflichtig bestellen", "handoff"),
        ("Change password", "handoff"),
        ("Invite a person", "confirm"),
        ("Veröffentlichen", "confirm"),
        ("Settings", "confirm"),
    ],
)
async def test_a_risky_button_that_calls_itself_safe_is_still_risky(name: str, effect: str) -> None:
    async with staged(Widget("b", "button", name, node_fields=SAFE)) as stage:
        assert await refused(stage, name) == effect


async def test_a_harmless_label_in_a_dangerous_dialog_is_dangerous() -> None:
    dialog = ScriptedScope("d", "dialog", "Delete account?", modal=True)
    ok, cancel = (Widget(key, "button", key, scope="d", node_fields=SAFE) for key in ("OK", "Cancel"))
    async with staged(ok, cancel, scopes=[dialog]) as stage:
        assert await refused(stage, "OK") == "deny"
        assert await refused(stage, "Cancel") == "confirm"


async def test_what_is_seen_counts_as_much_as_what_is_said() -> None:
    async with staged(Widget("b", "button", "Continue", text="Delete everything")) as stage:
        assert await refused(stage, "Continue") == "deny"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("Next page", "Remove member", "it shows “Remove member” but is called “Next page”"),
        ("C\u0430ncel", "", "look-alike letters"),
        ("\u202eevaS", "Weiter", "it shows “Weiter”"),
    ],
    ids=["another label", "a Cyrillic letter", "turned around"],
)
async def test_a_name_that_deceives_asks_and_the_person_is_told_both(name: str, text: str, why: str) -> None:
    async with staged(Widget("b", "button", name, text=text or None, node_fields=SAFE)) as stage:
        pressed = asyncio.create_task(
            stage.agent.act("ui.activate", ref=stage.app.node_id("b"), policy="none")
        )
        (one,) = await stage.question()
        assert why in one.request.risk.reason
        if text:
            assert f"(shown as “{text}”)" in one.request.preview.summary
        await stage.person.deny(one.action_handle)
        await pressed
        assert stage.performed == []


async def test_the_applications_own_id_gives_it_away() -> None:
    async with staged(Widget("b", "button", "Go", stable_id="account.delete")) as stage:
        assert await refused(stage, "Go") == "deny"


@pytest.mark.requirement("CAP-8.2", "ACT-5.3")
@pytest.mark.parametrize(("level", "effect"), [("blocked", "handoff"), ("confirm", "confirm")])
async def test_no_rule_lowers_what_is_declared(level: str, effect: str) -> None:
    risk = {"risk": RiskDescriptor(level=level)}  # type: ignore[arg-type]
    async with staged(Widget("b", "button", "Go", node_fields=risk), rules=(ALLOW_ALL,)) as stage:
        assert await refused(stage, "Go") == effect


async def test_of_two_policies_that_disagree_the_stricter_counts() -> None:
    strict = msgspec.convert(
        {"modelVersion": "0.1", "id": "strict", "defaults": {}, "rules": [
            {"id": "no", "match": {"roles": ["button"]}, "effect": "deny"}]}, PolicyDocument
    )  # fmt: skip
    for rules in ((ALLOW_ALL, strict), (strict, ALLOW_ALL)):
        async with staged(Widget("b", "button", "Go"), rules=rules) as stage:
            assert await refused(stage, "Go") == "deny"


async def test_without_any_policy_nothing_is_done() -> None:
    async with staged(Widget("b", "button", "Go"), rules=()) as stage:
        assert await refused(stage, "Go") == "deny"


async def test_every_decision_names_what_decided_it() -> None:
    async with staged(Widget("b", "button", "Delete account")) as stage:
        result = await stage.agent.act("ui.activate", role="button", name="Delete account")
        assert result.metadata["policy"] == {
            "effect": "deny", "reason": "side_effect", "decidedBy": "side effect destructive"}  # fmt: skip
        advice = await stage.agent.preflight("ui.activate", role="button", name="Delete account")
        assert (advice.effect, advice.reason) == ("deny", "side_effect")
        assert (await stage.agent.preflight("bank.transfer")).reason == "unknown_action"
        assert stage.performed == []
