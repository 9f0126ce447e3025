"""A page cannot make an action look less risky than it is."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from tests.attack.stage import Stage, at_level, open_stage
from uiap.drivers.scripted.app import ScriptedScope, Widget
from uiap.policy.autonomy import Autonomy
from uiap.spec.capability import RiskDescriptor
from uiap.spec.policy import PolicyDocument


@pytest.fixture(params=("ask", "assist"), autouse=True)
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Autonomy:
    """Run every attack at each level at which an agent may act."""
    chosen: Autonomy = request.param
    at_level(chosen, monkeypatch, asks=False)
    return chosen


SAFE = {"risk": RiskDescriptor(level="safe")}
ALLOW_ALL = msgspec.convert(
    {"modelVersion": "0.1", "id": "lax", "defaults": {"onUnknownAction": "allow"}, "rules": [
        {"id": "all", "priority": 100, "match": {}, "effect": "allow"}]}, PolicyDocument
)  # fmt: skip


async def decision_about(stage: Stage, name: str, **members: object) -> str:
    """Return the policy's effect on pressing a button, and check that it was not pressed."""
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
    decided = [e.record.decision.effect for e in stage.audit_entries if e.kind == "decision" and e.record]
    assert decided[-1] == result.error.detail["decision"]["effect"], "the audit log records the same effect"
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
async def test_a_risky_button_that_declares_itself_safe_is_still_risky(
    name: str, effect: str, level: Autonomy
) -> None:
    if level == "assist" and name == "Settings":
        return  # a routine step
    async with open_stage(Widget("b", "button", name, node_fields=SAFE)) as stage:
        assert await decision_about(stage, name) == effect


async def test_a_harmless_label_in_a_dangerous_dialog_is_dangerous() -> None:
    dialog = ScriptedScope("d", "dialog", "Delete account?", modal=True)
    ok, cancel = (Widget(key, "button", key, scope="d", node_fields=SAFE) for key in ("OK", "Cancel"))
    async with open_stage(ok, cancel, scopes=[dialog]) as stage:
        assert await decision_about(stage, "OK") == "deny"
        assert (await stage.agent.preflight("ui.activate", role="button", name="Cancel")).effect == "allow"


async def test_the_visible_text_counts_as_much_as_the_name() -> None:
    async with open_stage(Widget("b", "button", "Continue", text="Delete everything")) as stage:
        assert await decision_about(stage, "Continue") == "deny"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("Next page", "Remove member", "it shows “Remove member” but is called “Next page”"),
        ("C\u0430ncel", "", "look-alike letters"),
        ("\u202eevaS", "Weiter", "it shows “Weiter”"),
    ],
    ids=["another label", "a Cyrillic letter", "right to left"],
)
async def test_a_deceptive_name_needs_confirmation_and_the_person_reads_both_texts(
    name: str, text: str, why: str
) -> None:
    async with open_stage(Widget("b", "button", name, text=text or None, node_fields=SAFE)) as stage:
        pressed = asyncio.create_task(
            stage.agent.act("ui.activate", ref=stage.app.node_id("b"), policy="none")
        )
        (one,) = await stage.pending()
        assert why in one.request.risk.reason
        if text:
            assert f"(shown as “{text}”)" in one.request.preview.summary
        await stage.person.deny(one.action_handle)
        await pressed
        assert stage.performed == []


async def test_the_stable_id_reveals_the_risk() -> None:
    async with open_stage(Widget("b", "button", "Go", stable_id="account.delete")) as stage:
        assert await decision_about(stage, "Go") == "deny"


@pytest.mark.requirement("CAP-8.2", "ACT-5.3")
@pytest.mark.parametrize(("level", "effect"), [("blocked", "handoff"), ("confirm", "confirm")])
async def test_no_rule_lowers_a_declared_risk(level: str, effect: str) -> None:
    risk = {"risk": RiskDescriptor(level=level)}  # type: ignore[arg-type]
    async with open_stage(Widget("b", "button", "Go", node_fields=risk), rules=(ALLOW_ALL,)) as stage:
        assert await decision_about(stage, "Go") == effect


async def test_the_stricter_of_two_policies_decides() -> None:
    strict = msgspec.convert(
        {"modelVersion": "0.1", "id": "strict", "defaults": {}, "rules": [
            {"id": "no", "match": {"roles": ["button"]}, "effect": "deny"}]}, PolicyDocument
    )  # fmt: skip
    for rules in ((ALLOW_ALL, strict), (strict, ALLOW_ALL)):
        async with open_stage(Widget("b", "button", "Go"), rules=rules) as stage:
            assert await decision_about(stage, "Go") == "deny"


async def test_without_a_policy_every_action_is_denied() -> None:
    async with open_stage(Widget("b", "button", "Go"), rules=()) as stage:
        assert await decision_about(stage, "Go") == "deny"


async def test_every_decision_names_its_reason_and_rule() -> None:
    async with open_stage(Widget("b", "button", "Delete account")) as stage:
        result = await stage.agent.act("ui.activate", role="button", name="Delete account")
        assert result.metadata["policy"] == {
            "effect": "deny", "reason": "side_effect", "decidedBy": "side effect destructive"}  # fmt: skip
        advice = await stage.agent.preflight("ui.activate", role="button", name="Delete account")
        assert (advice.effect, advice.reason) == ("deny", "side_effect")
        assert (await stage.agent.preflight("bank.transfer")).reason == "unknown_action"
        assert stage.performed == []
