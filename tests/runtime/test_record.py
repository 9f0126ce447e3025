"""The record of an action by RFC 005: intent, expected delta, sources of proof, passive targets, values and steps."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from tests.runtime.test_read_back import read_back
from tests.runtime.test_resolve import page
from tests.support.playbook import (
    UNMET,
    Playbook,
    action,
    button,
    found,
    lane_taken,
    observed,
    press,
    probed,
    request,
    started,
    until_acting,
    until_checked,
    until_verifying,
    watching,
    woke,
)
from uiap.actions.set_value import reachable_values
from uiap.runtime import commands as do
from uiap.runtime.record import expected_delta, intent_of
from uiap.runtime.resolve import Candidates, Resolved, gather, resolve
from uiap.spec.action import ActionProgressPayload, ActionRequestPayload, ActionTarget, VerificationSpec
from uiap.spec.capability import CustomRef, InstanceIdRef, SemanticRef, ToastContains
from uiap.spec.web import ElementNode, WebElementState

TOAST = VerificationSpec(policy="all", signals=(ToastContains(text="Saved"),), timeout_ms=800)


@pytest.mark.requirement("MDM-6b", "MDM-6")
def test_the_intent_is_fixed_with_the_request_and_has_no_values() -> None:
    typed = request("ui.enterText", name="PIN", args={"text": "4711"})
    assert intent_of(typed) == "ui.enterText button “PIN”"
    words = CustomRef(value='words:{"text":"PIN","role":"textbox","near":"Ada"}')
    by_words = ActionRequestPayload(
        action_id="ui.enterText", target=ActionTarget(ref=words), args={"text": "4711"}
    )
    assert intent_of(by_words) == "ui.enterText textbox “PIN” near “Ada”"
    assert intent_of(request("nav.navigate", None, args={"url": "/videos"})) == "nav.navigate /videos"
    for play in (
        Playbook(press()) >> started >> found(button(id="a"), button(id="b")),
        until_verifying(Playbook(press())).at(9) >> woke,
    ):
        assert play.metadata["intent"] == "ui.activate button “Save”"


@pytest.mark.requirement("MDM-6c", "MDM-6")
def test_the_expected_delta_is_reported_before_the_input_and_judged_by() -> None:
    play = until_checked(Playbook(press(verification=TOAST))) >> probed()
    (report,) = [one.payload for one in play.commands if isinstance(one, do.Emit)]
    assert isinstance(report, ActionProgressPayload) and report.detail is not UNSET
    delta = report.detail["expectedDelta"]
    assert delta["kinds"] == ["signals"] and delta["timeoutMs"] == 800
    assert delta["signals"] == [{"kind": "toast.contains", "text": "Saved"}]
    assert not any(isinstance(one, do.Perform) for one in play.commands)
    play >> lane_taken >> watching(UNMET)
    assert expected_delta(play.inside.expectation) == delta, "the verification is against the same delta"
    from tests.support.playbook import dispatched, recorded

    play >> recorded >> dispatched()
    play.at(0.5) >> observed("text", UNMET, complete=True, work=(), work_changed_at=1000.0)
    assert play.result.status == "failed", "another change is not the expected one"
    assert play.metadata["expectedDelta"] == delta


@pytest.mark.requirement("MDM-7.2")
@pytest.mark.parametrize("wait_ms", [700, 9000])
def test_each_action_has_its_own_window(wait_ms: int) -> None:
    spec = VerificationSpec(timeout_ms=wait_ms)
    play = until_verifying(Playbook(press(verification=spec, timeout_ms=60_000)))
    play.at(wait_ms / 1000 - 0.01) >> woke
    assert play.results == []
    play.at(wait_ms / 1000) >> woke
    assert play.result.error.code == "verification_failed"


@pytest.mark.requirement("MDM-8")
@pytest.mark.parametrize(("role", "affordances", "refused"), [
    ("label", ("read",), True), ("status", ("read",), True), ("label", ("read", "activate"), False),
    ("custom", ("read",), False), ("cell", ("read",), False),
])  # fmt: skip
def test_a_text_without_a_control_around_it_is_refused(role: str, affordances: Any, refused: bool) -> None:
    play = Playbook(press("Total")) >> started >> found(button("Total", role=role, affordances=affordances))
    assert bool(play.results) is refused
    if refused:
        assert play.result.error.code == "target_not_interactable" and "does not take" in play.message


@pytest.mark.requirement("MDM-8b")
def test_the_choice_between_nested_nodes_is_explained_and_the_alternate_named() -> None:
    card = button("Video 7", "card", role="link", affordances=("activate",))
    label = button("Intro", "label", role="label", affordances=("read",), parent_instance_id="card")
    target = ActionTarget(ref=InstanceIdRef(value="label"))
    candidates = gather(page(card, label), target, affordances=("activate",))
    assert isinstance(resolve(target, candidates, "ui.activate"), Resolved)
    play = Playbook(press(target=target, timeout_ms=500)) >> started
    play >> _found(candidates)
    play.at(1) >> woke
    resolution = play.metadata["resolution"]
    assert play.result.resolved_target.instance_id == "card"
    assert "the container of label that can be acted on" in resolution["reasons"]
    assert resolution["alternates"] == [
        {"instanceId": "label", "why": "it was named, and its container is acted on"}
    ]


def _found(candidates: Candidates) -> Any:
    from uiap.runtime import events as when

    return lambda at: when.Found(at=at, candidates=candidates)


def _slider(step: float = 2) -> ElementNode:
    state = WebElementState(visible=True, numeric_value=20, min=0, max=100, step=step)
    return button("Volume", role="slider", state=state)


@pytest.mark.requirement("MDM-9c")
def test_a_value_between_steps_fails_with_the_values_that_can_be_reached() -> None:
    asked = request(
        "ui.setValue", name="Volume", args={"value": 27}, preferred_execution_modes=("semanticUi",)
    )
    play = until_checked(Playbook(action(asked)), _slider()) >> probed(role="slider", name="Volume")
    play >> lane_taken >> watching() >> read_back(held=False, final=True, value=26, why="its value is 26")
    assert play.result.error.code == "verification_failed"
    assert play.detail["reachable"] == [26, 28] and "it can be 26 or 28" in play.message
    assert reachable_values(_slider(), {"value": 28}) == ()
    near = request("ui.setValue", name="Volume", args={"value": 27, "tolerance": 1})
    within = until_checked(Playbook(action(near)), _slider()) >> probed(role="slider", name="Volume")
    within >> lane_taken >> watching()
    (perform,) = [one for one in within.commands if isinstance(one, do.Perform)]
    assert perform.op.value in (26, 28)  # type: ignore[union-attr]


@pytest.mark.requirement("MDM-R8b")
@pytest.mark.parametrize(("id", "args"), [("x.uiap.longPress", {}), ("x.uiap.pinch", {"scale": 2})])
def test_a_long_press_or_a_pinch_without_an_effect_fails(id: str, args: dict[str, Any]) -> None:
    asked = request(id, args=args, verification=VerificationSpec(timeout_ms=600))
    dead = until_verifying(Playbook(action(asked)))
    dead.at(0.1) >> observed(None, complete=True, work=None)
    assert dead.results == []
    dead.at(0.7) >> woke
    assert dead.result.status == "failed" and dead.result.error.code == "verification_failed"
    good = until_verifying(Playbook(action(asked)))
    good.at(0.1) >> observed("text", complete=True, work=())
    assert good.result.status == "succeeded" and good.metadata["actionType"] == "gesture"


@pytest.mark.requirement("MDM-3")
def test_a_target_that_was_resolved_before_is_the_one_that_is_acted_on() -> None:
    app = page(button("Save", "a", record="note:1"), button("Save", "b", record="note:2"))
    first = ActionTarget(ref=SemanticRef(role="button", name="Save"))
    twins = gather(app, first, affordances=("activate",)).candidates
    assert len(twins) == 2, "both are found without acting"
    for one in twins:
        id = one.element.instance_id
        target = ActionTarget(ref=InstanceIdRef(value=id))
        play = Playbook(press(target=target)) >> started
        play >> _found(gather(app, target, affordances=("activate",)))
        play << f"progress checking_preconditions, Probe {id}"


def test_a_press_has_its_type_in_the_result() -> None:
    play = until_acting(Playbook(press())).at(60) >> woke
    assert play.metadata["actionType"] == "selection"
