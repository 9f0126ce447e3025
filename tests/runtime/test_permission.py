"""Obligations of rules: limited execution modes, and a required verification."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.support.playbook import (
    PERSON,
    Playbook,
    action,
    observed,
    probed,
    request,
    until_checked,
    until_verifying,
)
from uiap.runtime.machine import ActionMachine
from uiap.signals.work import PendingWork
from uiap.spec.action import VerificationSpec
from uiap.spec.capability import ToastContains
from uiap.spec.policy import PolicyDocument

TOAST = (ToastContains(text="Saved"),)


def obliged(*obligations: dict[str, Any], **members: Any) -> ActionMachine:
    rule = {"id": "r", "match": {}, "effect": "allow", "obligations": list(obligations)}
    plain = {"modelVersion": "0.1", "id": "p", "defaults": {}, "rules": [rule]}
    return action(request(**members), rules=(msgspec.convert(plain, PolicyDocument),), principal=PERSON)


@pytest.mark.requirement("ACT-7")
def test_only_modes_that_the_rules_allow_are_used() -> None:
    play = (
        until_checked(Playbook(obliged({"kind": "limitExecutionModes", "modes": ["semanticUi"]}))) >> probed()
    )
    assert play.inside.mode == "semanticUi"
    none = (
        until_checked(Playbook(obliged({"kind": "limitExecutionModes", "modes": ["visionAssist"]})))
        >> probed()
    )
    assert none.result.error.code == "execution_mode_unavailable"


@pytest.mark.parametrize(
    ("asked", "demand", "policy"),
    [
        (VerificationSpec(policy="none"), "any", "capability-default"),
        (VerificationSpec(policy="none", signals=TOAST), "any", "any"),
        (VerificationSpec(policy="none", signals=TOAST), "all", "all"),
        (VerificationSpec(policy="any", signals=TOAST), "all", "all"),
        (VerificationSpec(policy="all", signals=TOAST), "any", "all"),
    ],
)
def test_a_rule_can_require_a_stricter_verification(
    asked: VerificationSpec, demand: str, policy: str
) -> None:
    made = obliged({"kind": "requireVerification", "policy": demand}, verification=asked)
    play = until_checked(Playbook(made)) >> probed()
    assert play.inside.expectation.policy == policy


@pytest.mark.parametrize(("rules", "status"), [((), "succeeded"), (("uiap.requireSettled",), "failed")])
def test_a_rule_can_demand_a_settled_end(rules: tuple[str, ...], status: str) -> None:
    made = obliged(*({"kind": "custom", "name": name} for name in rules))
    work = (PendingWork("timer", 1000.0, 9000),)
    play = until_verifying(Playbook(made)).at(0.1) >> observed("text", complete=True, work=work)
    assert play.result.status == status
    assert status == "succeeded" or "a timer of 9000 ms" in play.message
