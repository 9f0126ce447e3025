"""The cause: each claimed effect must be caused by the action."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.playbook import ALREADY, CAUSED, UNMET, button
from uiap.actions.registry import ACTIONS
from uiap.runtime.expectation import expect
from uiap.runtime.judgement.answer import ObservedFacts, Passed, Waiting
from uiap.runtime.judgement.cause import claimed_effects
from uiap.signals.effect_report import EffectReport
from uiap.signals.verdict import Verdict
from uiap.spec.action import VerificationSpec
from uiap.spec.capability import RouteChanged, ToastContains

COINCIDENT = Verdict(True, attribution="coincident")
BACKGROUND = Verdict(True, attribution="background")
SIGNALS = (ToastContains(text="Saved"), RouteChanged())


def judged(action: str, policy: Any, *verdicts: Verdict, trifle: bool = False, causal: bool = True) -> bool:
    args = {"text": "x"} if action == "ui.enterText" else {}
    element = button(role="textbox") if action == "ui.enterText" else button()
    spec = VerificationSpec(policy=policy, signals=SIGNALS)
    expected = expect(spec, ACTIONS[action], element, args, causal=causal)
    own = (CAUSED,) * len(expected.own)
    report = EffectReport((*own, *verdicts), "pressed" if trifle else None, "caused" if trifle else None)
    return isinstance(claimed_effects(expected, report), Passed)


@pytest.mark.parametrize("action", ["ui.activate", "ui.enterText", "ui.toggle"])
@pytest.mark.parametrize("trifle", [False, True])
def test_a_foreign_toast_proves_nothing_even_next_to_a_small_caused_change(action: str, trifle: bool) -> None:
    assert not judged(action, "all", COINCIDENT, CAUSED, trifle=trifle)
    assert not judged(action, "any", COINCIDENT, UNMET, trifle=trifle)
    assert not judged(action, "any", BACKGROUND, UNMET, trifle=trifle)


def test_every_claimed_signal_must_be_caused_or_true_before() -> None:
    assert judged("ui.activate", "all", CAUSED, CAUSED)
    assert judged("ui.activate", "all", ALREADY, CAUSED)
    assert not judged("ui.activate", "all", ALREADY, ALREADY)
    assert not judged("ui.enterText", "all", ALREADY, ALREADY), "its own end state does not prove a claim"
    assert judged("ui.activate", "any", CAUSED, UNMET)


def test_without_attribution_a_new_signal_counts() -> None:
    assert judged("ui.activate", "all", COINCIDENT, COINCIDENT, causal=False)
    assert not judged("ui.activate", "all", ALREADY, ALREADY, causal=False)


def test_without_claims_some_caused_change_is_needed() -> None:
    expected = expect(None, ACTIONS["ui.activate"], button(), {})
    assert isinstance(claimed_effects(expected, EffectReport((), "text", "caused")), Passed)
    waiting = claimed_effects(expected, EffectReport((), "text", "coincident"))
    assert isinstance(waiting, Waiting) and "did not cause" in waiting.why
    complained = claimed_effects(expected, EffectReport(complaint="No such name"))
    assert isinstance(complained, Waiting) and "No such name" in complained.why


def test_a_change_beside_a_weak_read_back_is_no_claimed_effect() -> None:
    facts = ObservedFacts(gesture={"held": True, "weak": True})
    spec = VerificationSpec(policy="all", signals=SIGNALS[:1])
    claimed = expect(spec, ACTIONS["ui.choose"], button(role="combobox"), {"label": "Large"})
    report = EffectReport((UNMET,), "combobox value", "caused")
    assert isinstance(claimed_effects(claimed, report, facts), Waiting)
    plain = expect(None, ACTIONS["ui.choose"], button(role="combobox"), {"label": "Large"})
    assert isinstance(claimed_effects(plain, EffectReport((), "combobox value", "caused"), facts), Passed)
    assert isinstance(claimed_effects(plain, EffectReport(), facts), Waiting)
