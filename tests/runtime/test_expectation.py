"""The expectation comes from the request, else from the target's own signals, else from the minimum of the action."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import ALREADY, CAUSED, UNMET, button
from uiap.actions.registry import ACTIONS
from uiap.runtime.expectation import expect
from uiap.runtime.judgement.answer import Passed
from uiap.runtime.judgement.verification import first_two, judge
from uiap.signals.effect_report import EffectReport
from uiap.signals.verdict import Verdict
from uiap.spec.action import VerificationSpec
from uiap.spec.capability import RouteChanged, ToastContains

SAVED, LEFT = ToastContains(text="Saved"), RouteChanged()
PRESS = ACTIONS["ui.activate"]


@pytest.mark.requirement("ACT-12.1", "ACT-6.2")
def test_the_request_decides_then_the_target_then_the_minimum() -> None:
    declares = button(success=(LEFT,))
    asked = VerificationSpec(policy="all", signals=(SAVED,), timeout_ms=800)
    first = expect(asked, PRESS, declares, {})
    assert (first.signals, first.policy, first.timeout_s) == ((SAVED,), "all", 0.8)
    assert expect(None, PRESS, declares, {}).signals == (LEFT,)
    least = expect(None, PRESS, button(), {})
    assert least.signals == () and least.any_change
    assert expect(VerificationSpec(policy="none", signals=(SAVED,)), PRESS, declares, {}).signals == ()


@pytest.mark.requirement("ACT-12.3", "ACT-6.2")
@pytest.mark.parametrize(
    ("policy", "verdicts", "passes"),
    [
        ("all", (CAUSED, CAUSED), True),
        ("all", (CAUSED, UNMET), False),
        ("any", (CAUSED, UNMET), True),
        ("any", (UNMET, UNMET), False),
        ("capability-default", (CAUSED, UNMET), False),
        ("none", (UNMET, UNMET), True),
        ("all", (ALREADY, CAUSED), True),
        ("all", (ALREADY, ALREADY), False),
        ("any", (Verdict(True, attribution="background"), UNMET), False),
    ],
)
def test_policies_behave_as_named(policy: Any, verdicts: tuple[Verdict, ...], passes: bool) -> None:
    expected = expect(VerificationSpec(policy=policy, signals=(SAVED, LEFT)), PRESS, button(), {})
    report = EffectReport(verdicts if expected.signals else (), None, None, "rev_2", True)
    assert isinstance(first_two(expected, report, judge(expected, report)), Passed) is passes
