"""Breakers: each breaks one requirement in one line, and the test that cites it must then fail (`make prove`)."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from tests.broken.action_breakers import ACTION_BREAKERS
from tests.broken.authoring_breakers import AUTHORING_BREAKERS
from tests.broken.cap_breakers import CAP_BREAKERS
from tests.broken.chain_breakers import CHAIN_BREAKERS
from tests.broken.discovery_breakers import DISCOVERY_BREAKERS
from tests.broken.knowledge_breakers import KNOWLEDGE_BREAKERS
from tests.broken.live_breakers import LIVE_BREAKERS
from tests.broken.part_breakers import PART_BREAKERS
from tests.broken.patching import after as _after
from tests.broken.patching import before as _before
from tests.broken.patching import change_result as _change_result
from tests.broken.patching import handle as _handle
from tests.broken.patching import patch as _replace
from tests.broken.record_breakers import RECORD_BREAKERS
from tests.broken.workflow_breakers import WORKFLOW_BREAKERS
from uiap import ids
from uiap.actions.invoke import domain_action
from uiap.actions.ops import Click, Focus, Scroll
from uiap.actions.registry import ACTIONS
from uiap.drivers.chromium.input import perform
from uiap.host.consent import grants
from uiap.host.execution import app_actions, dispatch_check, executor, presenter
from uiap.host.handlers import expectations
from uiap.host.observation import vision
from uiap.host.records import trace_events
from uiap.runtime import action as runtime_action
from uiap.runtime import events as when
from uiap.runtime import (
    expectation,
    grant_terms,
    ledger,
    lifecycle,
    outcome,
    permission,
    resolve,
    transitions,
)
from uiap.runtime.check import Ready
from uiap.runtime.commands import Emit, WakeAt
from uiap.runtime.expectation import Expectation
from uiap.runtime.judgement import cause, verification
from uiap.runtime.judgement.answer import Passed
from uiap.runtime.states import (
    awaiting_confirmation,
    checking_preconditions,
    every,
    executing,
    received,
    resolving_target,
    verifying,
)
from uiap.signals import change, element, watch
from uiap.signals.verdict import Verdict
from uiap.spec.action import ActionProgressPayload


class Breaker(NamedTuple):
    requirement: str
    test: str
    apply: Callable[[], Any]
    """Break the requirement in this process."""


def _always_permit(self: Any, matter: Any, at: Any) -> Any:
    original(self, matter, at)
    return permission.Proceed()


original = permission.Permission.decide


def _count_focus() -> None:
    change.STATES = (*change.STATES, "focused")  # type: ignore[assignment]
    change._is_relevant = lambda patch: True


def _only_focus(id: str) -> None:
    """Make the action only set the focus, and report success."""
    ACTIONS[id] = dataclasses.replace(
        ACTIONS[id],
        plan=lambda mode, guard, *_: (Focus(guard=guard),),
        proof=lambda *_: "none",
        modes=("semanticUi",),
    )


def _believe_trusted_input() -> None:
    _handle("EXECUTING", when.Dispatched, lambda action, event: (
        verifying.verified(action, event.at, "assumed") if action.mode == "externalDriver"
        else executing.dispatched(action, event)))  # fmt: skip


def _without_stage(stage: str) -> None:
    """Leave out the report of one stage."""
    original = transitions.progress
    transitions.progress = lambda action, note=None, detail=None: (  # type: ignore[assignment]
        WakeAt(action.deadline) if action.state.lower() == stage else original(action, note, detail)
    )


def _blind(fact: str, value: bool) -> None:
    """Check the preconditions as if one fact were always fine."""
    original = checking_preconditions.check
    checking_preconditions.check = lambda checks, seen, expected: original(  # type: ignore[assignment]
        checks, replace(seen, **{fact: value}), expected
    )


async def _nothing(*_: Any) -> None:
    return None


ACTION_HANDLER = "tests/host/handlers/test_actions.py::test_"
RESOLVE = "tests/runtime/test_resolve.py::test_"
VERIFY = "tests/runtime/test_expectation.py::test_"
MACHINE = "tests/runtime/test_machine.py::test_"
APP = "tests/host/execution/test_app_actions.py::test_"
DUTY = "tests/runtime/test_duties.py::test_"
PRESENTER = "tests/host/execution/test_presenter.py::test_"
WATCH = "tests/signals/test_watch.py::test_"
PRIMITIVE = "tests/browser/test_primitives.py::test_a_primitive_has_the_reported_effect"
WIDGET = "tests/browser/test_widgets.py::test_an_action_has_the_reported_effect_and_no_other"

BREAKERS: dict[str, Breaker] = {
    "success-is-assumed": Breaker(
        "ACT-3.4", MACHINE + "a_change_that_only_coincides_is_no_success",
        lambda: _replace(verification, "first_two", lambda *_: Passed("assumed")),
    ),
    "performed-without-an-intent-on-disk": Breaker(
        "ACT-3.2", MACHINE + "an_intent_that_cannot_be_stored_is_not_carried_out",
        lambda: _handle("EXECUTING", when.IntentNotRecorded, executing.intent_recorded),
    ),
    "a-move-that-is-not-in-the-spec": Breaker(
        "ACT-4", "tests/runtime/test_lifecycle.py::test_recovering_is_never_entered_from_executing",
        lambda: _replace(lifecycle, "MOVES", {**lifecycle.MOVES, "EXECUTING": frozenset({"RECOVERING"})}),
    ),
    "nobody-is-asked": Breaker(
        "ACT-5.3", MACHINE + "risk_confirm_asks_and_pauses",
        lambda: _replace(permission.Permission, "decide", _always_permit),
    ),
    "one-grant-for-everything": Breaker(
        "ACT-5.4", MACHINE + "a_grant_is_not_valid_for_another_element",
        lambda: _replace(grant_terms.GrantTerms, "covers", lambda *_: True),
    ),
    "a-no-is-a-yes": Breaker(
        "ACT-5.5", MACHINE + "a_denial_cancels",
        lambda: _handle("AWAITING_CONFIRMATION", when.Denied, lambda action, event: awaiting_confirmation.granted(
            action, when.Granted(at=event.at, by=event.by))),
    ),
    "cancelled-means-nothing-happened": Breaker(
        "ACT-5.6", MACHINE + "cancelling_reports_the_true_side_effect",
        lambda: _before(every, "cancel", lambda action: setattr(action.execution, "acting", False)),
    ),
    "the-first-of-two-equals": Breaker(
        "ACT-8.2b", MACHINE + "two_equal_targets_are_refused_not_guessed",
        lambda: _replace(resolve, "LEAD", -1.0),
    ),
    "stale-for-ever": Breaker(
        "ACT-8.3", MACHINE + "a_target_that_is_stale_twice_is_stale_target",
        lambda: _after(
            checking_preconditions, "may_resolve_again", lambda action: setattr(action, "re_resolved", False)),
    ),
    "always-ready": Breaker(
        "ACT-9.2", MACHINE + "a_target_that_is_not_ready_is_waited_for_and_then_refused",
        lambda: _replace(checking_preconditions, "check", lambda *_: Ready()),
    ),
    "text-goes-anywhere": Breaker(
        "ACT-9.3", MACHINE + "text_is_not_entered_into_an_element_that_is_not_editable",
        lambda: _replace(checking_preconditions, "check", lambda *_: Ready()),
    ),
    "a-refused-press-is-final-success": Breaker(
        "ACT-9.5", MACHINE + "a_press_that_would_hit_something_else_is_checked_again_and_never_sent_twice",
        lambda: _handle(
            "EXECUTING", when.Refused, lambda action, event: verifying.begin_verifying(action, event.at)),
    ),
    "reaching-into-other-origins": Breaker(
        "ACT-13.2", MACHINE + "a_target_in_an_opaque_region_is_refused_with_its_own_code",
        lambda: _replace(resolving_target, "opaque_region", lambda _: outcome.Failure("target_not_found", "not seen")),
    ),
    "dialogs-are-ignored": Breaker(
        "ACT-14", MACHINE + "a_dialog_of_the_page_waits_for_a_person_and_then_fails_cleanly",
        lambda: _replace(
            executing, "wait_for_dialog", lambda action, event: verifying.begin_verifying(action, event.at)),
    ),
    "focus-is-an-effect": Breaker(
        "ACT-12.2", WATCH + "focus_hover_cover_and_busy_are_never_effects",
        _count_focus,
    ),
    "a-revision-is-not-needed": Breaker(
        "ACT-12.4", MACHINE + "a_required_revision_is_waited_for",
        lambda: _replace(verification, "first_two", lambda *_: Passed("no matter")),
    ),
    "a-gesture-is-believed-whatever-it-read-back": Breaker(
        "ACT-11.12", "tests/runtime/test_read_back.py::test_scrolling_the_page_succeeds_only_if_it_moved",
        lambda: _replace(
            executing, "_read_back", lambda action, event, _more: verifying.begin_verifying(action, event.at)),
    ),
    "a-highlight-is-an-effect": Breaker(
        "ACT-11.3", "tests/runtime/test_read_back.py::test_a_highlight_claims_nothing",
        lambda: ACTIONS.update({"ui.highlight": ACTIONS["ui.focus"]}),
    ),
    "arguments-are-not-read": Breaker(
        "ACT-SEC.1", MACHINE + "wrong_arguments_are_refused_before_anything_happens",
        lambda: _replace(received, "argument_faults", lambda *_: []),
    ),
    "what-held-before-is-new": Breaker(
        "ACT-6.3", "tests/signals/test_kinds.py::test_a_state_that_held_before_is_no_evidence",
        lambda: _replace(
            element.judge_end_state, "__code__",
            (lambda before, now, log: Verdict(bool(now and now[1]), attribution="caused")).__code__,
        ),
    ),
    "everything-after-us-is-ours": Breaker(
        "ACT-SEC.3", WATCH + "a_clock_beside_a_dead_button_never_counts",
        lambda: _replace(watch.EffectWatch, "_is_background", lambda *_: False),
    ),
    "more-than-one-result": Breaker(
        "ACT-3.1", "tests/runtime/test_walk.py::test_the_invariants_are_true_for_any_order_of_events",
        lambda: _after(transitions, "_end", lambda action: setattr(action, "state", "VERIFYING")),
    ),
    "no-reason-is-given-for-a-target": Breaker(
        "ACT-3.3", RESOLVE + "each_feature_counts",
        lambda: _replace(resolve, "_score", lambda _t, candidate, _a: resolve.ScoredCandidate(candidate, 50.0, ())),
    ),
    "what-is-shown-is-believed": Breaker(
        "ACT-3.6", ACTION_HANDLER + "presentation_changes_no_outcome",
        lambda: _after(
            checking_preconditions, "plan_gestures",
            lambda action: action.terms.request.presentation is not UNSET and setattr(
                action, "verification", verification.Verification(Expectation(policy="none")))),
    ),
    "actions-that-are-not-there": Breaker(
        "ACT-5.1a", ACTION_HANDLER + "a_request_is_accepted_or_refused_and_a_refused_one_has_no_result",
        lambda: ACTIONS.__setitem__("ui.fly", ACTIONS["ui.activate"]),
    ),
    "one-handle-for-all": Breaker(
        "ACT-5.1b", ACTION_HANDLER + "every_action_has_a_handle_of_its_own",
        lambda: _replace(ids.IdMaker, "secret", lambda _self, prefix: f"{prefix}_1"),
    ),
    "keys-are-not-read": Breaker(
        "ACT-5.1c", ACTION_HANDLER + "a_key_of_another_request_is_a_conflict_on_the_wire",
        lambda: _replace(ledger, "admit", lambda *_: ledger.Fresh(claimed=True)),
    ),
    "unknown-may-be-tried-again": Breaker(
        "ACT-13.3",
        "tests/host/records/test_ledger.py::test_without_a_key_an_unknown_outcome_is_refused_until_the_page_is_read_again",
        lambda: _replace(ledger.UnknownOutcomes, "refusal", lambda *_: None),
    ),
    "progress-is-made-up": Breaker(
        "ACT-5.2", MACHINE + "a_press_with_an_observed_effect_succeeds",
        lambda: _replace(transitions, "progress", lambda *_: Emit("action.progress", ActionProgressPayload(
            action_handle="act_1", stage="verifying"))),
    ),
    "a-result-without-its-revision": Breaker(
        "ACT-5.8", MACHINE + "a_press_with_an_observed_effect_succeeds",
        lambda: _change_result(lambda result: replace(result, state_revision=UNSET)),
    ),
    "a-target-without-its-origin": Breaker(
        "ACT-6.1", "tests/runtime/test_exchange.py::test_the_submit_button_of_section_17",
        lambda: _change_result(lambda result: replace(result, resolved_target=UNSET)),
    ),
    "verification-is-optional": Breaker(
        "ACT-6.2", VERIFY + "the_request_decides_then_the_target_then_the_minimum",
        lambda: _replace(expectation, "expect", lambda *_, **__: Expectation(policy="none")),
    ),
    "codes-are-missing": Breaker(
        "ACT-6.4",
        "tests/runtime/test_outcome.py::test_all_fifteen_codes_are_in_the_mapping_and_the_mapping_is_in_the_docs",
        lambda: _replace(outcome, "ENDINGS", outcome.ENDINGS[:5]),
    ),
    "stable-ids-are-not-stable": Breaker(
        "ACT-8.1", RESOLVE + "a_stable_id_comes_first_then_semantics_then_annotations_then_hints",
        lambda: _replace(resolve, "_by_stable_id", lambda *_: []),
    ),
    "the-focus-does-not-count": Breaker(
        "ACT-8.2a", RESOLVE + "nearness_to_the_focus_does_not_decide_within_a_part_of_the_page",
        lambda: _replace(resolve, "_proximity", lambda *_: 0.0),
    ),
    "opaque-is-like-anything-else": Breaker(
        "ACT-9.1", MACHINE + "a_target_in_an_opaque_region_is_refused_with_its_own_code",
        lambda: outcome.OPAQUE_ERRORS.clear(),
    ),
    "nowhere-is-a-place": Breaker(
        "ACT-9.4", ACTION_HANDLER + "an_address_that_cannot_be_loaded_is_refused_and_nothing_remains",
        lambda: _handle(
            "EXECUTING", when.Refused, lambda action, event: verifying.verified(action, event.at, "assumed")),
    ),
    "nobody-is-needed": Breaker(
        "ACT-10.2c", MACHINE + "a_dialog_of_the_page_waits_for_a_person_and_then_fails_cleanly",
        lambda: _handle(
            "WAITING_FOR_USER", when.Woke, lambda action, event: verifying.begin_verifying(action, event.at)),
    ),
    "reading-returns-nothing": Breaker(
        "ACT-11.1", ACTION_HANDLER + "reading_returns_the_requested_value_and_never_a_masked_one",
        lambda: _replace(executor, "read_element", lambda *_: {}),
    ),
    "focus-is-assumed": Breaker(
        "ACT-11.2", ACTION_HANDLER + "focus_succeeds_only_when_the_focus_is_there",
        lambda: _replace(verification, "first_two", lambda *_: Passed("assumed")),
    ),
    "what-the-target-declares-is-not-read": Breaker(
        "ACT-12.1", VERIFY + "the_request_decides_then_the_target_then_the_minimum",
        lambda: _replace(expectation, "_declared", lambda *_: ()),
    ),
    "any-is-all": Breaker(
        "ACT-12.3", VERIFY + "policies_behave_as_named",
        lambda: setattr(cause, "all", any),
    ),
    "one-code-for-everything": Breaker(
        "ACT-15", MACHINE + "a_missing_target_is_target_required",
        lambda: _replace(received, "fail", lambda action, at, code, message, detail=None, *, effect="none": (
            transitions.fail_with(action, at, outcome.Failure("internal_runtime_error", message, effect)))),
    ),
    "the-exchange-ends-early": Breaker(
        "ACT-17", "tests/runtime/test_exchange.py::test_the_submit_button_of_section_17",
        lambda: _replace(verification.Verification, "observed", lambda *_: verification.Verified("assumed")),
    ),
    "a-container-is-a-leaf": Breaker(
        "MDM-R4a", RESOLVE + "the_container_that_can_be_pressed_is_preferred_over_the_leaf_that_was_named",
        lambda: _replace(resolve, "_executable", lambda _s, _t, found, _a: found),
    ),
    "unsure-is-sure": Breaker(
        "MDM-R4b", RESOLVE + "a_confidence_too_low_for_the_risk_is_refused_and_reported",
        lambda: _replace(resolve, "SURE", dict.fromkeys(resolve.SURE, 0.0)),
    ),
    "waiting-starts-now": Breaker(
        "MDM-R3a", "tests/host/handlers/test_expectations.py::test_a_change_that_already_arrived_ends_the_wait_at_once",
        lambda: _replace(expectations.ExpectationBaseline, "changed", property(lambda _: False)),
    ),
    "a-declared-action-needs-a-target": Breaker(
        "ACT-10.1", APP + "a_declared_action_runs_without_a_target_and_is_verified_by_the_expected_signals",
        lambda: _replace(runtime_action, "domain_action", lambda declared: dataclasses.replace(
            domain_action(declared), needs_target=True)),
    ),
    "a-declared-action-is-not-run": Breaker(
        "ACT-11.15", APP + "a_request_for_the_id_itself_is_the_same_operation",
        lambda: _replace(app_actions, "_run", _nothing),
    ),
    "made-up-events-are-the-default": Breaker(
        "ACT-10.2b", "tests/runtime/test_modes.py::"
        "test_synthetic_events_are_used_only_on_request",
        lambda: ACTIONS.__setitem__(
            "ui.activate", dataclasses.replace(ACTIONS["ui.activate"], modes=("inputSynthesis",))),
    ),
    "a-script-may-do-what-is-critical": Breaker(
        "ACT-10.4", "tests/runtime/test_modes.py::"
        "test_a_critical_action_never_uses_synthetic_events_even_on_request",
        lambda: _replace(checking_preconditions, "script_gate", lambda *_: None),
    ),
    "a-bad-picture-is-a-failure": Breaker(
        "ACT-3.6", PRESENTER + "a_missing_or_failing_presenter_changes_neither_outcome_nor_messages",
        lambda: _replace(presenter, "suppress", lambda *_: contextlib.nullcontext()),
    ),
    "the-presenter-decides": Breaker(
        "ACT-2", PRESENTER + "a_missing_or_failing_presenter_changes_neither_outcome_nor_messages",
        lambda: _replace(presenter, "_any", lambda hints: 1 // 0),
    ),
    "going-nowhere": Breaker(
        "ACT-11.14", "tests/browser/test_navigation.py::"
        "test_navigation_changes_the_route_of_every_kind_of_router",
        lambda: _replace(executor, "urljoin", lambda base, url: base),
    ),
    "made-up-events-are-a-persons-own": Breaker(
        "ACT-3.5", "tests/drivers/chromium/input/test_perform.py::test_click_is_trusted_and_complete",
        lambda: perform._HANDLERS.__setitem__((Click, "externalDriver"), perform.Performer.call_setter),
    ),
    "trusted-input-needs-no-proof": Breaker(
        "ACT-10.3", "tests/runtime/test_modes.py::"
        "test_every_mode_has_the_same_lifecycle_and_proof",
        _believe_trusted_input,
    ),
    "vision-comes-first": Breaker(
        "ACT-10.5", "tests/runtime/test_painted_text.py::"
        "test_vision_is_used_only_if_nothing_in_the_graph_fits_and_the_caller_allows_it",
        lambda: _replace(resolving_target, "may_use_vision", lambda _: True),
    ),
    "paint-never-changes": Breaker(
        "ACT-10.5", "tests/browser/test_vision.py::"
        "test_a_painted_button_is_pressed_only_while_it_is_at_its_position",
        lambda: _replace(vision, "still_there", lambda *_: True),
    ),
    "a-press-presses-nothing": Breaker(
        "ACT-11.4", "tests/api/test_ui.py::test_a_form_is_filled_and_sent_and_the_server_agrees",
        lambda: _only_focus("ui.activate"),
    ),
    "text-is-not-written": Breaker("ACT-11.5", PRIMITIVE + "[ui.enterText Count]", lambda: _only_focus("ui.enterText")),
    "text-is-not-emptied": Breaker("ACT-11.6", PRIMITIVE + "[ui.clearText Count]", lambda: _only_focus("ui.clearText")),
    "nothing-is-chosen": Breaker("ACT-11.7", WIDGET + "[ui.choose Fruit0]", lambda: _only_focus("ui.choose")),
    "nothing-is-switched": Breaker("ACT-11.8", WIDGET + "[ui.toggle Night]", lambda: _only_focus("ui.toggle")),
    "what-is-closed-is-closed-again": Breaker(
        "ACT-11.9", "tests/browser/test_primitives.py::"
        "test_a_state_that_is_already_reached_is_left_unchanged[ui.collapse-button-More-]",
        lambda: ACTIONS.__setitem__(
            "ui.collapse", dataclasses.replace(ACTIONS["ui.collapse"], proof=lambda *_: "change")),
    ),
    "nothing-opens": Breaker("ACT-11.10", WIDGET + "[ui.open Settings]", lambda: _only_focus("ui.open")),
    "nothing-comes-into-view": Breaker(
        "ACT-11.11", PRIMITIVE + "[ui.scrollIntoView Deep]",
        lambda: ACTIONS.__setitem__("ui.scrollIntoView", dataclasses.replace(
            ACTIONS["ui.scrollIntoView"], plan=lambda *_: (Scroll(mode="semanticUi", dy=1),), proof=lambda *_: "none")),
    ),
    "a-form-is-not-sent": Breaker(
        "ACT-11.13", "tests/browser/test_widgets.py::test_a_form_is_submitted_only_when_it_is_valid[None-button-Join]",
        lambda: _only_focus("ui.submit"),
    ),
    "done-before-it-is-decided": Breaker(
        "ACT-SEC.3", "tests/faults/test_faults.py::"
        "test_navigation_during_verification_is_no_false_success[1]",
        lambda: _replace(dispatch_check.DispatchCheck, "record_decision", lambda *_: None),
    ),
    "anybody-may-grant": Breaker(
        "ACT-SEC.2", "tests/attack/test_grants.py::test_a_signature_that_is_not_the_persons_is_refused[ask-x]",
        lambda: _replace(grants, "signed_by", lambda *_: True),
    ),
    "an-expectation-of-the-target-is-ignored": Breaker(
        "ACT-5.1d", DUTY + "a_target_that_contradicts_one_expectation_is_never_acted_on[contradiction2]",
        lambda: _replace(resolve, "is_inside_scope", lambda *_: True),
    ),
    "the-first-candidate-is-taken": Breaker(
        "ACT-5.1e", DUTY + "nobody_can_ask_for_the_first_of_several_targets",
        lambda: _replace(resolve, "LEAD", -1.0),
    ),
    "the-time-is-read-but-not-enforced": Breaker(
        "ACT-5.1f", DUTY + "the_time_of_an_action_ends_it_with_a_code_that_fits_its_state",
        lambda: _handle("RECEIVED", when.Started, lambda action, event: (
            received.started(action, event), setattr(action, "deadline", float("inf")))[0]),
    ),
    "a-preferred-mode-is-ignored": Breaker(
        "ACT-5.1i", DUTY + "the_first_available_preferred_mode_is_used_or_nothing_is_done",
        lambda: _replace(runtime_action.Action, "preferred_modes", property(lambda _: ())),
    ),
    "a-wrong-value-reaches-the-page": Breaker(
        "ACT-SEC.1b", DUTY + "wrong_arguments_are_refused_before_the_page_is_touched[ui.read-args2-must be one of]",
        lambda: _replace(received, "argument_faults", lambda *_: []),
    ),
    "a-stage-is-left-out": Breaker(
        "ACT-5.2b", DUTY + "each_stage_is_reported_once_in_the_order_it_was_entered",
        lambda: _without_stage("executing"),
    ),
    "a-report-without-its-mode": Breaker(
        "ACT-5.2d", DUTY + "the_report_of_the_execution_names_its_mode",
        lambda: _replace(transitions, "progress", lambda action, note=None, detail=None: Emit(
            "action.progress", ActionProgressPayload(action_handle="act_1", stage=action.state.lower()))),
    ),
    "the-revision-before": Breaker(
        "ACT-5.8c", DUTY + "the_revision_of_a_result_is_the_one_it_was_decided_on",
        lambda: _change_result(lambda result: replace(result, state_revision="rev_1")),
    ),
    "a-result-without-verification": Breaker(
        "ACT-5.8d", DUTY + "a_failure_before_the_verification_has_its_outcome_too",
        lambda: _change_result(lambda result: replace(result, verification=replace(result.verification, passed=True))),
    ),
    "one-fixed-window": Breaker(
        "ACT-6.2b", DUTY + "the_time_for_the_signals_is_the_one_that_was_asked_for[700]",
        lambda: _before(executing, "begin_verifying", lambda action: setattr(
            action.verification, "expectation", replace(action.expectation, timeout_s=5.0))),
    ),
    "nothing-is-ever-missing": Breaker(
        "ACT-6.3b", DUTY + "observed_and_missing_are_together_the_expected_signals",
        lambda: _change_result(
            lambda result: replace(result, verification=replace(result.verification, missing=UNSET))),
    ),
    "a-second-mode-after-an-unknown-end": Breaker(
        "ACT-7c", DUTY + "no_second_mode_is_tried_once_the_first_may_have_had_an_effect",
        lambda: _handle("EXECUTING", when.OutcomeLost, lambda action, event: executing._try_other_mode(
            action, "it was lost") or []),
    ),
    "a-covered-target-is-pressed": Breaker(
        "ACT-9.2",
        DUTY + "each_broken_condition_stops_a_pointer_action_and_is_named[ui.activate-condition5-a banner covers it]",
        lambda: _blind("obscured", False),
    ),
    "a-list-is-chosen-from-unseen": Breaker(
        "ACT-9.2b",
        DUTY + "each_broken_condition_stops_a_pointer_action_and_is_named[ui.choose-condition0-not visible]",
        lambda: _blind("visible", True),
    ),
    "a-declared-success-is-dropped": Breaker(
        "ACT-12.1b", DUTY + "the_declared_success_of_an_app_action_is_used_where_the_request_names_none",
        lambda: _replace(expectation, "_declared", lambda *_: ()),
    ),
    "the-success-of-the-target-is-ignored": Breaker(
        "ACT-12.1c", DUTY + "the_declared_success_of_the_target_is_used_where_the_action_has_none",
        lambda: _replace(expectation, "_declared", lambda *_: ()),
    ),
    "noise-is-an-effect": Breaker(
        "MDM-R7", "tests/host/records/test_trace.py::test_events_that_the_page_repeats_by_itself_are_noise",
        lambda: _replace(trace_events, "relevance", lambda *_: 1.0),
    ),
}  # fmt: skip
for table in (
    ACTION_BREAKERS,
    LIVE_BREAKERS,
    RECORD_BREAKERS,
    WORKFLOW_BREAKERS,
    KNOWLEDGE_BREAKERS,
    AUTHORING_BREAKERS,
    DISCOVERY_BREAKERS,
    CAP_BREAKERS,
    PART_BREAKERS,
    CHAIN_BREAKERS,
):
    BREAKERS |= {name: Breaker(*lie) for name, lie in table.items()}
