"""The built-in decision: the strictest wins, and who calls decides what needs asking."""

from __future__ import annotations

import pytest

from uiap.policy.decide import Answer, Question, decide, strictest
from uiap.spec.policy import POLICY_EFFECTS, SIDE_EFFECT_RULES, SideEffectClass


def question(**members: object) -> Question:
    return Question(**{"action_id": "ui.activate", "risk": "safe", "side_effect": "none", **members})  # type: ignore[arg-type]


@pytest.mark.parametrize("effect", SIDE_EFFECT_RULES)
def test_the_side_effect_decides_where_the_risk_is_low(effect: SideEffectClass) -> None:
    assert decide(question(side_effect=effect)).effect == SIDE_EFFECT_RULES[effect].effect


@pytest.mark.requirement("ACT-5.3")
@pytest.mark.parametrize(("risk", "least"), [("confirm", "confirm"), ("blocked", "deny")])
@pytest.mark.parametrize("effect", SIDE_EFFECT_RULES)
def test_risk_is_a_floor_that_no_side_effect_lowers(risk: str, least: str, effect: SideEffectClass) -> None:
    got = decide(question(risk=risk, side_effect=effect)).effect
    assert POLICY_EFFECTS.index(got) >= POLICY_EFFECTS.index(least)


def test_the_person_is_not_asked_what_it_said_itself_but_blocked_stays_blocked() -> None:
    assert decide(question(risk="confirm", rules="trusted")).effect == "allow"
    assert decide(question(side_effect="destructive", rules="trusted")).effect == "allow"
    assert decide(question(risk="blocked", rules="trusted")).effect == "deny"


def test_a_declared_safe_action_is_not_asked_about_an_inferred_write() -> None:
    assert decide(question(side_effect="unknown", declared_safe=True)).effect == "allow"
    assert decide(question(side_effect="destructive", declared_safe=True)).effect == "deny"


def test_the_strictest_of_several_answers_wins() -> None:
    answers = [Answer("allow", "default"), Answer("deny", "rule"), Answer("confirm", "rule")]
    assert strictest(*answers).effect == "deny"
