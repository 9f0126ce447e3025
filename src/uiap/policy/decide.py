"""The decision the runtime needs before every action: risk, side effect and who is calling, to one effect.

This is the built-in part of companions §5.6 (steps 3, 4 and 6) without rule documents, which compose on top of it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from uiap.spec.capability import RiskLevel
from uiap.spec.policy import POLICY_EFFECTS, SIDE_EFFECT_RULES, PolicyEffect, PolicyReason, SideEffectClass

Rules: TypeAlias = Literal["trusted", "standard"]
"""Who decides where no policy is given: the caller is the person (Python), or may be an agent (every other door)."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    action_id: str
    risk: RiskLevel
    side_effect: SideEffectClass
    declared_safe: bool = False
    """The risk was declared `safe`, not merely assumed: an inferred side effect then does not count (step 4b)."""
    rules: Rules = "standard"


class Answer(msgspec.Struct, frozen=True):
    effect: PolicyEffect
    reason: PolicyReason


def strictest(*answers: Answer) -> Answer:
    return max(answers, key=lambda answer: POLICY_EFFECTS.index(answer.effect))


def decide(question: Question) -> Answer:
    """Strictest wins; the floors stand below everything (CAP-8.2, ACT-5.3)."""
    risk = _by_risk(question.risk)
    effect = Answer(SIDE_EFFECT_RULES[question.side_effect].effect, "side_effect")
    if question.declared_safe and question.side_effect in ("data_write", "unknown"):
        effect = Answer("allow", "default")
    if question.rules == "trusted":
        # the caller is the person: what would ask it is granted by it, what is blocked stays blocked
        return risk if risk.effect in ("deny", "handoff") else Answer("allow", "default")
    return strictest(risk, effect)


def _by_risk(level: RiskLevel) -> Answer:
    if level == "blocked":
        return Answer("deny", "risk_blocked")
    if level == "confirm":
        return Answer("confirm", "risk_confirm")
    return Answer("allow", "default")
