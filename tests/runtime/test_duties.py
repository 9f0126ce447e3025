"""Duties of the runtime that hold for every action: bounds, reports, results, conditions, declared success.

Each test proves one requirement. `tests/broken/breakers.py` shows that it fails when the requirement is broken.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.runtime.test_resolve import page
from tests.support.playbook import (
    CAUSED,
    UNMET,
    Playbook,
    action,
    button,
    found,
    lost,
    observed,
    press,
    probed,
    request,
    started,
    until_acting,
    until_checked,
    until_verifying,
    woke,
)
from uiap.actions.invoke import DeclaredAction, domain_action
from uiap.actions.registry import ACTIONS
from uiap.runtime import commands as do
from uiap.runtime.expectation import expect
from uiap.runtime.resolve import AmbiguousMatch, NoMatch, Resolved, gather, resolve
from uiap.spec.action import ActionProgressPayload, ActionRequestPayload, ActionTarget, VerificationSpec
from uiap.spec.capability import ActionDescriptor, InstanceIdRef, RiskDescriptor, SemanticRef, ToastContains
from uiap.spec.web import ElementNode

TOAST = (ToastContains(text="Saved"),)
SAVE = SemanticRef(role="button", name="Save")


# -- the request --------------------------------------------------------------------------------------------


@pytest.mark.requirement("ACT-5.1d")
@pytest.mark.parametrize(
    "contradiction",
    [
        {"expected_role": "link"},
        {"expected_name": "Delete"},
        {"expected_scope_id": "footer"},
        {"expected_document_id": "doc_2"},
    ],
)
def test_a_target_that_contradicts_one_expectation_is_never_acted_on(contradiction: dict[str, Any]) -> None:
    app = page(button("Save", "el_1", scope_id="form"), scopes=("form", "footer"))
    target = ActionTarget(ref=InstanceIdRef(value="el_1"))
    assert isinstance(resolve(target, gather(app, target), "ui.activate"), Resolved)
    contradicted = msgspec.structs.replace(target, **contradiction)
    assert isinstance(resolve(contradicted, gather(app, contradicted), "ui.activate"), NoMatch)


@pytest.mark.requirement("ACT-5.1e")
def test_nobody_can_ask_for_the_first_of_several_targets() -> None:
    plain = {"actionId": "ui.activate", "target": {"ref": {"by": "instanceId", "value": "el_1"}}}
    for allowed in (True, "yes", 1):
        asked = {**plain, "target": {**plain["target"], "allowAmbiguous": allowed}}
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(asked, ActionRequestPayload)
    refused = msgspec.convert(
        {**plain, "target": {**plain["target"], "allowAmbiguous": False}}, ActionRequestPayload
    )
    assert refused.target is not UNSET
    app = page(button("Save", "a"), button("Save", "b"))
    target = ActionTarget(ref=SAVE, allow_ambiguous=False)
    assert isinstance(resolve(target, gather(app, target), "ui.activate"), AmbiguousMatch)


@pytest.mark.requirement("ACT-5.1f")
def test_the_time_of_an_action_ends_it_with_a_code_that_fits_its_state() -> None:
    resolving = Playbook(press(timeout_ms=1000)) >> started >> found()
    resolving.at(1.1) >> woke
    assert resolving.result.error.code == "target_not_found" and resolving.result.side_effect_state == "none"
    acting = until_acting(Playbook(press(timeout_ms=1000)))
    acting.at(1.1) >> woke
    assert acting.result.error.code == "internal_runtime_error"
    assert acting.result.side_effect_state == "unknown"
    verifying = until_verifying(Playbook(press(timeout_ms=1000)))
    verifying.at(1.1) >> woke
    assert verifying.result.error.code == "verification_failed"
    assert verifying.result.side_effect_state == "unknown"


@pytest.mark.requirement("ACT-5.1i")
def test_the_first_available_preferred_mode_is_used_or_nothing_is_done() -> None:
    preferred = until_checked(Playbook(press(preferred_execution_modes=("visionAssist", "semanticUi"))))
    preferred >> probed()
    assert preferred.inside.mode == "semanticUi"
    none = until_checked(Playbook(press(preferred_execution_modes=("visionAssist",))))
    none >> probed()
    assert none.result.error.code == "execution_mode_unavailable" and none.result.side_effect_state == "none"
    assert not any(isinstance(command, do.Perform) for command in none.commands)


@pytest.mark.requirement("ACT-SEC.1b")
@pytest.mark.parametrize(
    ("id", "args", "fault"),
    [
        ("ui.enterText", {"text": 7}, "must be a string"),
        ("ui.enterText", {}, "is missing"),
        ("ui.read", {"what": "everything"}, "must be one of"),
    ],
)
def test_wrong_arguments_are_refused_before_the_page_is_touched(
    id: str, args: dict[str, Any], fault: str
) -> None:
    play = Playbook(action(request(id, args=args))) >> started
    assert play.result.error.code == "action_unsupported" and fault in play.message
    assert not any(isinstance(command, do.Find | do.Probe | do.Perform) for command in play.commands)


# -- reports and results ------------------------------------------------------------------------------------


def stages_of_a_press() -> list[tuple[str, str | None]]:
    """Return the stages that a verified press reports, with the mode that each report names."""
    play = Playbook(press())
    reports: list[tuple[str, str | None]] = []
    handle = play.action.handle

    def recording(event: Any) -> Any:
        commands = handle(event)
        reports.extend(
            (one.payload.stage, one.payload.chosen_execution_mode or None)
            for one in commands
            if isinstance(one, do.Emit) and isinstance(one.payload, ActionProgressPayload)
        )
        return commands

    play.action.handle = recording  # type: ignore[method-assign]
    until_verifying(play).at(0.01) >> observed("text", complete=True, work=())
    assert play.result.status == "succeeded"
    return reports


@pytest.mark.requirement("ACT-5.2b")
def test_each_stage_is_reported_once_in_the_order_it_was_entered() -> None:
    wanted = ["resolving_target", "checking_preconditions", "executing", "verifying"]
    assert [stage for stage, _ in stages_of_a_press()] == wanted


@pytest.mark.requirement("ACT-5.2d")
def test_the_report_of_the_execution_names_its_mode() -> None:
    assert dict(stages_of_a_press())["executing"] == "externalDriver"


@pytest.mark.requirement("ACT-5.8c")
def test_the_revision_of_a_result_is_the_one_it_was_decided_on() -> None:
    play = until_verifying(Playbook(press()))
    play.at(0.1) >> observed(None, work=None, revision="rev_5")
    play.at(0.2) >> observed("text", complete=True, work=(), revision="rev_9")
    assert play.result.state_revision == "rev_9"


@pytest.mark.requirement("ACT-5.8d")
def test_a_failure_before_the_verification_has_its_outcome_too() -> None:
    refused = Playbook(action(request("ui.enterText", args={}))) >> started
    assert refused.result.verification.passed is False
    lost_input = until_acting(Playbook(press())) >> lost()
    assert lost_input.result.verification.passed is False and lost_input.result.status == "failed"


@pytest.mark.requirement("ACT-6.2b")
@pytest.mark.parametrize("wait_ms", [700, 9000])
def test_the_time_for_the_signals_is_the_one_that_was_asked_for(wait_ms: int) -> None:
    spec = VerificationSpec(policy="all", signals=TOAST, timeout_ms=wait_ms)
    play = until_verifying(Playbook(press(verification=spec, timeout_ms=60_000)), None, UNMET)
    assert play.alarm == wait_ms / 1000
    play.at(wait_ms / 1000 + 0.01) >> woke
    assert play.result.verification.timeout_ms == wait_ms


@pytest.mark.requirement("ACT-6.3b")
def test_observed_and_missing_are_together_the_expected_signals() -> None:
    signals = (*TOAST, ToastContains(text="Sent"))
    spec = VerificationSpec(policy="all", signals=signals)
    play = until_verifying(Playbook(press(verification=spec)), None, UNMET, UNMET)
    play.at(0.1) >> observed("text", CAUSED, UNMET, complete=True, work=(), work_changed_at=1000.0)
    play.at(1.0) >> observed("text", CAUSED, UNMET, complete=True, work=(), work_changed_at=1000.0)
    outcome = play.result.verification
    assert outcome.observed == signals[:1] and outcome.missing == signals[1:]


# -- acting -------------------------------------------------------------------------------------------------


@pytest.mark.requirement("ACT-7c")
def test_no_second_mode_is_tried_once_the_first_may_have_had_an_effect() -> None:
    play = until_acting(Playbook(press())) >> lost("timeout")
    assert play.result.side_effect_state == "unknown"
    assert not any(isinstance(command, do.Perform) for command in play.commands)


CONDITIONS = [
    ({"visible": False}, "not visible"),
    ({"enabled": False}, "disabled"),
    ({"blocked": True}, "modal surface"),
    ({"stable": False}, "moving"),
    ({"in_viewport": False}, "out of view"),
    ({"obscured": True, "covering": "a banner"}, "a banner covers it"),
]


CHOICES = [button(role="option"), button(role="combobox"), button(role="listbox")]


@pytest.mark.requirement("ACT-9.2", "ACT-9.2b")
@pytest.mark.parametrize(("condition", "words"), CONDITIONS)
@pytest.mark.parametrize("id", ["ui.activate", "ui.toggle", "ui.choose"])
def test_each_broken_condition_stops_a_pointer_action_and_is_named(
    id: str, condition: dict[str, Any], words: str
) -> None:
    for target in CHOICES if id == "ui.choose" else [button()]:
        args = {"label": "Red"} if target.role in ("combobox", "listbox") else {}
        play = Playbook(action(request(id, timeout_ms=1000, args=args))) >> started >> found(target)
        _probe_until_refused(play, condition, target, words)


def _probe_until_refused(play: Playbook, condition: dict[str, Any], target: ElementNode, words: str) -> None:
    for tenth in range(60):
        if play.results:
            break
        play.at(tenth / 10) >> (probed(role=target.role, **condition) if tenth % 2 == 0 else woke)
        if play.action.state == "RESOLVING_TARGET":
            play >> found(target)
    assert play.result.error.code == "target_not_interactable" and words in play.message
    assert play.result.side_effect_state == "none"


# -- success that is declared -------------------------------------------------------------------------------


@pytest.mark.requirement("ACT-12.1b")
def test_the_declared_success_of_an_app_action_is_used_where_the_request_names_none() -> None:
    descriptor = ActionDescriptor(
        id="video.create",
        kind="domain",
        title="Create a video",
        target_kinds=("none",),
        required_affordances=(),
        execution_modes=("appAction",),
        args=(),
        idempotency="idempotent",
        risk=RiskDescriptor(level="safe"),
        success=TOAST,
    )
    declared = domain_action(DeclaredAction(descriptor=descriptor))
    expected = expect(None, declared, None, {})
    assert expected.signals == TOAST and not expected.needs_new
    own = expect(VerificationSpec(policy="any", signals=(ToastContains(text="Sent"),)), declared, None, {})
    assert own.signals == (ToastContains(text="Sent"),)


@pytest.mark.requirement("ACT-12.1c")
def test_the_declared_success_of_the_target_is_used_where_the_action_has_none() -> None:
    expected = expect(None, ACTIONS["ui.activate"], button(success=TOAST), {})
    assert expected.signals == TOAST and not expected.any_change
    play = until_verifying(Playbook(press()), button(success=TOAST), UNMET)
    play.at(0.1) >> observed("text", UNMET, complete=True, work=(), work_changed_at=1000.0)
    assert not play.results, "another change is not the declared success"
    play >> observed("text", CAUSED, complete=True, work=())
    assert play.result.status == "succeeded" and play.result.verification.observed == TOAST
