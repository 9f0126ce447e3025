"""Breakers of the action runtime that need no browser: reports, people, modes, recoveries, targets, messages."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from tests.broken.patching import change_result, handle, patch
from uiap.host.bundles import requests
from uiap.host.consent.approval import Approvals
from uiap.host.execution import app_actions
from uiap.host.handlers import action_requests
from uiap.host.loop.dispatch import Reply
from uiap.host.privacy.text_masking import TextMask
from uiap.host.records.trace import Recorder
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime import grant_terms, modes, permission, resolve, transitions
from uiap.runtime.check import NotReadyYet, OutOfView
from uiap.runtime.states import (
    awaiting_confirmation,
    checking_preconditions,
    executing,
    verifying,
    waiting_for_user,
)
from uiap.signals import change
from uiap.spec.action import ActionCancelledPayload

RESOLVE = "tests/runtime/test_resolve.py::test_"
WAITING = "tests/runtime/test_waiting_duties.py::test_"
HOST = "tests/host/handlers/test_action_duties.py::test_"
REQUESTS = "tests/host/bundles/test_requests.py::test_"
FEATURE = RESOLVE + "each_feature_alone_decides_between_two_candidates"


def _change_progress(**members: Any) -> None:
    """Change every progress report before it is sent."""
    original = transitions.progress

    def broken(*args: Any) -> Any:
        emit = original(*args)
        return do.Emit(emit.type, replace(emit.payload, **members))

    patch(transitions, "progress", broken)


def _accept_after_the_action() -> None:
    original = action_requests.ActionRequestHandler.requested

    async def broken(self: Any, call: Any) -> Any:
        answers: list[Any] = []
        answer = call.connection.answer
        call.connection.answer = lambda *args: answers.append(args)
        try:
            outcome = await original(self, call)
        finally:
            call.connection.answer = answer
        running = next(iter(self._actions._running.values()))
        running.done.add_done_callback(lambda _: [answer(*one) for one in answers])
        return outcome

    patch(action_requests.ActionRequestHandler, "requested", broken)


def _drop_the_reason_of_a_cancel() -> None:
    def reply(type: str, payload: Any) -> Any:
        bare = replace(payload, reason=UNSET) if isinstance(payload, ActionCancelledPayload) else payload
        return Reply(type, bare)

    patch(action_requests, "Reply", reply)


def _cancel_ended_actions() -> None:
    original = action_requests.ActionRequestHandler.cancel

    def broken(self: Any, call: Any) -> Any:
        handle_of = call.payload.action_handle
        if self._actions.running(handle_of) is not None:
            return original(self, call)
        payload = ActionCancelledPayload(action_handle=handle_of, status="cancelled")
        call.connection.answer(call.id, Reply("action.cancelled", payload))
        return None

    patch(action_requests.ActionRequestHandler, "cancel", broken)


def _drop_metadata() -> None:
    original = Recorder.__init__

    def broken(self: Any, handle_of: str, request: Any, *args: Any, **members: Any) -> None:
        original(self, handle_of, replace(request, metadata=UNSET), *args, **members)

    patch(Recorder, "__init__", broken)


def _wrong_route() -> None:
    patch(requests.RequestCompletion, "_route_address", lambda *_: "/videos")


def _never_resume(state: str, event: type[when.Event]) -> None:
    handle(state, event, lambda action, event: [])


def _perform_again(action: Any, event: Any) -> list[Any]:
    """Press once more whenever the effect is not there yet."""
    found = verifying.observed(action, event)
    if found or event.report.change:
        return found
    return [do.Perform(action.execution._plan[0], False, None, True)]


def _short(handoff: Any) -> Any:
    return lambda *args: replace(handoff(*args), timeout_s=1.0)


def _reverse_modes() -> None:
    original = modes.choose_mode
    patch(modes, "choose_mode", lambda primitive, *args, **members: original(
        dataclasses.replace(primitive, modes=primitive.modes[::-1]), *args, **members))  # fmt: skip


def _blind(fact: str, value: Any) -> None:
    """Check the preconditions as if one fact were always fine."""
    original = checking_preconditions.check
    patch(
        checking_preconditions,
        "check",
        lambda checks, seen, expected: original(checks, replace(seen, **{fact: value}), expected),
    )


def _no_scrolling() -> None:
    original = checking_preconditions.check

    def broken(*args: Any) -> Any:
        readiness = original(*args)
        return NotReadyYet(readiness.why) if isinstance(readiness, OutOfView) else readiness

    patch(checking_preconditions, "check", broken)


def _only_trusted(choose: Any) -> Any:
    def broken(*args: Any, **members: Any) -> Any:
        choice = choose(*args, **members)
        return choice if choice.mode == "externalDriver" else replace(choice, mode=None)

    return broken


ACTION_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "the-resolution-is-reported-without-its-target": (
        "ACT-5.2c", WAITING + "the_report_of_the_resolution_names_the_target",
        lambda: _change_progress(resolved_target=UNSET),
    ),
    "a-report-has-no-detail": (
        "ACT-5.2e", WAITING + "the_detail_of_a_report_says_what_the_stage_is_about",
        lambda: _change_progress(detail=UNSET),
    ),
    "the-reason-of-a-denial-is-dropped": (
        "ACT-5.5b", WAITING + "the_reason_of_a_denial_is_in_the_result",
        lambda: handle("AWAITING_CONFIRMATION", when.Denied, lambda action, event: (
            awaiting_confirmation.denied(action, replace(event, reason="")))),
    ),
    "a-target-is-swapped-after-the-preview": (
        "ACT-SEC.2b", WAITING + "a_target_that_changed_after_the_grant_is_asked_about_again[change0]",
        lambda: patch(grant_terms.GrantTerms, "covers", lambda *_: True),
    ),
    "the-step-of-the-person-is-not-noticed": (
        "ACT-14b", WAITING + "the_same_action_goes_on_after_the_step_of_the_person",
        lambda: _never_resume("WAITING_FOR_USER", when.Observed),
    ),
    "a-handoff-never-ends": (
        "ACT-14c", WAITING + "a_step_that_nobody_does_ends_after_the_configured_time",
        lambda: _never_resume("WAITING_FOR_USER", when.Woke),
    ),
    "a-handoff-is-a-code": (
        "ACT-14d", WAITING + "the_note_tells_the_person_what_to_do_and_where",
        lambda: patch(waiting_for_user, "summary", lambda *_: "user_activation_required"),
    ),
    "a-person-has-one-second": (
        "ACT-14e", WAITING + "without_configuration_a_person_has_more_than_a_minute",
        lambda: patch(waiting_for_user, "handoff", _short(waiting_for_user.handoff)),
    ),
    "a-refusing-mode-ends-the-action": (
        "ACT-7b", WAITING + "the_mode_that_worked_after_another_refused_is_in_the_result",
        lambda: patch(executing, "_try_other_mode", lambda *_: None),
    ),
    "the-default-order-of-modes-is-gone": (
        "ACT-7", "tests/runtime/test_modes.py::test_the_first_mode_that_action_driver_and_caller_share",
        _reverse_modes,
    ),
    "the-order-of-a-policy-is-ignored": (
        "ACT-7d", WAITING + "a_policy_sets_the_order_of_the_modes[order0]",
        lambda: patch(permission.Permission, "mode_order", property(lambda _: ())),
    ),
    "focus-is-not-needed": (
        "ACT-9.3b", WAITING + "a_field_that_cannot_take_the_focus_is_refused[ui.setValue-args2]",
        lambda: _blind("focusable", None),
    ),
    "a-recovery-is-not-recorded": (
        "ACT-13.1b", WAITING + "a_target_out_of_view_is_scrolled_to_and_acted_on_once",
        lambda: change_result(lambda result: replace(
            result, metadata={k: v for k, v in result.metadata.items() if k != "recovery"})),
    ),
    "a-target-out-of-view-is-given-up": (
        "ACT-13.1", WAITING + "a_target_out_of_view_is_scrolled_to_and_acted_on_once",
        _no_scrolling,
    ),
    "a-busy-target-is-pressed": (
        "ACT-13.1c", WAITING + "a_busy_target_is_waited_for_and_the_wait_is_bounded",
        lambda: _blind("busy", False),
    ),
    "a-press-is-repeated-to-verify": (
        "ACT-13.1d", WAITING + "an_effect_that_comes_later_is_judged_then_without_a_second_input",
        lambda: handle("VERIFYING", when.Observed, _perform_again),
    ),
    "a-failure-has-no-code": (
        "ACT-5.8e", WAITING + "a_failed_result_has_an_error_and_a_succeeded_one_has_none",
        lambda: change_result(lambda result: replace(result, error=UNSET)),
    ),
    "an-unknown-id-ends-the-search": (
        "ACT-8.1b", RESOLVE + "an_id_that_is_gone_is_found_by_the_expected_role_and_name_with_less_confidence",
        lambda: patch(resolve, "_by_semantics", lambda *_: []),
    ),
    "css-beats-role-and-name": (
        "ACT-8.1e", RESOLVE + "a_hint_is_used_only_where_the_expected_role_and_name_find_nothing[css:#drop]",
        lambda: patch(resolve, "_by_semantics", lambda *_: []),
    ),
    "nearness-weighs-nothing": ("ACT-8.2c", FEATURE + "[proximity]", lambda: patch(resolve, "NEAR", 0.0)),
    "the-role-weighs-nothing": (
        "ACT-8.2c", FEATURE + "[role]", lambda: patch(resolve, "fits_role", lambda *_: False)),
    "accepted-after-the-execution": (
        "ACT-5.1j", HOST + "the_acceptance_comes_before_every_report_and_every_input",
        _accept_after_the_action,
    ),
    "the-reason-of-a-cancel-is-dropped": (
        "ACT-5.6b", HOST + "the_reason_of_a_cancel_is_answered_and_an_ended_action_is_not_changed",
        _drop_the_reason_of_a_cancel,
    ),
    "an-ended-action-is-cancelled": (
        "ACT-5.6c", HOST + "the_reason_of_a_cancel_is_answered_and_an_ended_action_is_not_changed",
        _cancel_ended_actions,
    ),
    "metadata-is-dropped": ("ACT-5.1h", HOST + "the_metadata_of_a_request_is_in_its_trace", _drop_metadata),
    "the-value-of-a-handler-is-lost": (
        "ACT-5.8b", HOST + "the_return_value_is_the_one_of_the_handler_without_private_values",
        lambda: patch(app_actions, "return_value_of", lambda _: {"ok": True}),
    ),
    "a-private-value-is-returned": (
        "ACT-5.8b", HOST + "the_return_value_is_the_one_of_the_handler_without_private_values",
        lambda: patch(TextMask, "mask_payload", lambda _self, payload: payload),
    ),
    "a-moved-focus-is-a-change": (
        "ACT-12.2b", HOST + "each_kind_of_effect_alone_verifies_a_press_but_a_moved_focus_does_not[a moved focus]",
        lambda: (patch(change, "STATES", (*change.STATES, "focused")),
                 patch(change, "_is_relevant", lambda patch: True)),
    ),
    "only-this-process-can-answer": (
        "ACT-2b", HOST + "messages_are_enough_to_request_to_cancel_and_to_answer",
        lambda: patch(Approvals, "on_grant", lambda *_: None),
    ),
    "a-duty-needs-trusted-input": (
        "ACT-16", HOST + "the_minimum_scope_needs_one_mode_alone[semanticUi]",
        lambda: patch(checking_preconditions, "choose_mode", _only_trusted(checking_preconditions.choose_mode)),
    ),
    "a-target-beside-a-url-is-dropped": (
        "ACT-9.4d", HOST + "a_target_beside_a_url_is_refused",
        lambda: patch(requests.RequestCompletion, "navigation", lambda _self, _store, request: replace(
            request, target=UNSET)),
    ),
    "a-link-is-not-a-target": (
        "ACT-9.4b", REQUESTS + "a_link_on_the_page_names_an_address_too",
        lambda: patch(requests.RequestCompletion, "navigation", lambda _self, _store, request: request),
    ),
    "an-unknown-route-is-the-first-page": (
        "ACT-9.4c", REQUESTS + "a_target_without_an_address_is_refused_with_the_reason[target0-no route of the bundle]",
        _wrong_route,
    ),
    "a-registered-handler-is-not-tried": (
        "ACT-10.1b", "tests/host/handlers/test_action_requests.py::"
        "test_a_press_runs_the_default_action_of_the_element_where_a_function_is_registered",
        lambda: patch(app_actions.AppActions, "replaces_presses", property(lambda _: False)),
    ),
}  # fmt: skip
