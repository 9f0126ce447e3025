"""Breakers of requirements with several parts: each is wrong about one part that no other breaker touches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from tests.broken.patching import change_result, handle, patch
from uiap.actions import primitive
from uiap.actions.registry import ACTIONS
from uiap.host.execution.app_actions import AppActions
from uiap.host.handlers import action_requests, tools
from uiap.host.records.trace import Recorder
from uiap.mcp_server.tool_calls import ToolCalls
from uiap.runtime import disambiguation, machine, permission, resolve
from uiap.runtime import events as when
from uiap.runtime.judgement import verification
from uiap.runtime.judgement.answer import Passed
from uiap.runtime.states import executing, resolving_target

HOST = "tests/host/handlers/test_action_duties.py::test_"
MEMBER = HOST + "each_member_of_a_request_has_its_effect"
MACHINE = "tests/runtime/test_machine.py::test_"
LIFECYCLE = "tests/host/records/test_lifecycle_record.py::test_"
TARGET_MEMBERS = ("ref", "expected_role", "expected_name", "expected_scope_id", "expected_document_id")
REQUEST_MEMBERS = (
    "args",
    "preferred_execution_modes",
    "verification",
    "presentation",
    "timeout_ms",
    "idempotency_key",
    "metadata",
)


def _drop_member(name: str) -> Callable[[], None]:
    """Ignore one member of every request that arrives."""

    def apply() -> None:
        own = action_requests.ActionRequestHandler.requested

        async def broken(self: Any, call: Any) -> Any:
            request = call.payload
            if name in TARGET_MEMBERS:
                target = request.target and replace(request.target, **{name: UNSET})
                request = replace(request, target=target)
            else:
                request = replace(request, **{name: UNSET})
            return await own(self, call._replace(payload=request))

        patch(action_requests.ActionRequestHandler, "requested", broken)

    return apply


def _press_again() -> None:
    """Press once more where it is not known whether the first press arrived."""
    pressed: list[Any] = []
    own = executing._perform

    def perform(action: Any) -> list[Any]:
        pressed[:] = own(action)
        return list(pressed)

    patch(executing, "_perform", perform)
    handle("EXECUTING", when.OutcomeLost, lambda _action, _event: list(pressed))


def _reach_into_frames() -> None:
    """Act on the host of a frame that cannot be read."""
    own = resolving_target._take

    def broken(action: Any, event: Any, match: Any) -> Any:
        winner = replace(match.winner, candidate=replace(match.winner.candidate, opaque=None))
        return own(action, event, replace(match, winner=winner))

    patch(resolving_target, "_take", broken)
    patch(primitive.Primitive, "accepts", lambda *_: True)


def _permit_everything() -> None:
    own = permission.Permission.decide

    def broken(self: Any, matter: Any, at: Any) -> Any:
        own(self, matter, at)
        return permission.Proceed()

    patch(permission.Permission, "decide", broken)


async def _no_function(_self: Any, _id: str) -> None:
    return None


def _enter_verified(own: Any) -> Any:
    def enter(self: Any, phase: Any, *rest: Any) -> Any:
        return own(self, "verified" if phase == "dispatched" else phase, *rest)

    return enter


def _first_of_the_same_name() -> None:
    original = resolve._candidate

    def broken(store: Any, target: Any, element: Any, by: Any, level: float) -> Any:
        same = next(one for one in store if one.name == element.name)
        return original(store, target, same if by == "instanceId" else element, by, level)

    patch(resolve, "_candidate", broken)


def _one_code() -> None:
    """Give every failure the same code."""
    change_result(
        lambda result: (
            result
            if result.error is UNSET
            else replace(result, error=replace(result.error, code="internal_runtime_error"))
        )
    )


def _without_metadata(*names: str) -> None:
    change_result(
        lambda result: replace(
            result, metadata={key: value for key, value in result.metadata.items() if key not in names}
        )
    )


def _explain_without_score() -> None:
    own = disambiguation.explain
    patch(disambiguation, "explain", lambda one: {k: v for k, v in own(one).items() if k != "score"})


PART_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    f"the-member-{name.replace('_', '-')}-is-ignored": ("ACT-5.1c", f"{MEMBER}[{name}]", _drop_member(name))
    for name in (*TARGET_MEMBERS, *REQUEST_MEMBERS)
}

LOST = MACHINE + "a_driver_that_cannot_tell_whether_it_dispatched_leaves_an_unknown_outcome"
PASSES = LIFECYCLE + "each_action_passes_its_phases_with_times"
RECORDED = LIFECYCLE + "a_record_has_target_type_phases_verification_and_the_class_of_its_failure"
CODES = {
    "target-required": MACHINE + "a_missing_target_is_target_required",
    "verification-failed": MACHINE + "no_effect_in_time_is_verification_failed",
    "execution-mode-unavailable": MACHINE + "no_permitted_mode_is_execution_mode_unavailable",
    "unsafe-retry-refused": "tests/host/records/test_ledger.py"
    "::test_an_unknown_outcome_refuses_its_key_permanently[sqlite]",
    "cross-origin-unavailable": MACHINE
    + "a_target_in_an_opaque_region_is_refused_with_its_own_code[cross_origin_frame-cross_origin_unavailable]",
    "closed-shadow-unavailable": MACHINE
    + "a_target_in_an_opaque_region_is_refused_with_its_own_code[closed_shadow-closed_shadow_unavailable]",
}


PART_BREAKERS |= {
    f"{name}-has-no-code-of-its-own": ("ACT-15", test, _one_code) for name, test in CODES.items()
}
PART_BREAKERS |= {
    "a-lost-press-is-pressed-again": ("ACT-3.2", LOST, _press_again),
    "a-lost-press-is-repeated": ("ACT-13.2", LOST, _press_again),
    "a-confirmation-is-skipped": ("ACT-13.2", MACHINE + "risk_confirm_asks_and_pauses", _permit_everything),
    "the-host-of-a-frame-is-pressed": (
        "ACT-13.2",
        MACHINE
        + "a_target_in_an_opaque_region_is_refused_with_its_own_code[cross_origin_frame-cross_origin_unavailable]",
        _reach_into_frames,
    ),
    "an-illegal-move-is-made-silently": (
        "ACT-4",
        "tests/runtime/test_lifecycle.py::test_a_handler_that_moves_where_its_row_does_not_lead_is_stopped",
        lambda: patch(machine, "is_legal", lambda *_: True),
    ),
    "a-result-without-its-value": (
        "ACT-5.8",
        HOST + "the_return_value_is_the_one_of_the_handler_without_private_values",
        lambda: change_result(lambda result: replace(result, return_value=UNSET)),
    ),
    "a-candidate-has-no-score": (
        "ACT-8.2b",
        MACHINE + "two_equal_targets_are_refused_not_guessed",
        _explain_without_score,
    ),
    "an-action-that-nobody-knows-is-accepted": (
        "ACT-9.1",
        "tests/host/handlers/test_actions.py"
        "::test_a_request_is_accepted_or_refused_and_a_refused_one_has_no_result",
        lambda: ACTIONS.__setitem__("ui.fly", ACTIONS["ui.activate"]),
    ),
    "a-policy-that-denies-is-not-asked": (
        "ACT-9.1",
        MACHINE + "policy_denial_after_resolution_is_action_unsupported",
        _permit_everything,
    ),
    "a-press-never-tries-its-function": (
        "ACT-11.4",
        "tests/host/handlers/test_action_requests.py"
        "::test_a_press_runs_the_default_action_of_the_element_where_a_function_is_registered",
        lambda: patch(AppActions, "replacement", _no_function),
    ),
    "another-element-than-the-found-one": (
        "MDM-3",
        HOST + "a_found_element_is_the_one_that_is_acted_on_and_finding_touches_nothing",
        _first_of_the_same_name,
    ),
    "a-search-presses-what-it-finds": (
        "MDM-3",
        HOST + "a_found_element_is_the_one_that_is_acted_on_and_finding_touches_nothing",
        lambda: patch(tools, "_matches", lambda *_: []),
    ),
    "a-dispatched-action-is-recorded-as-verified": (
        "MDM-4",
        PASSES,
        lambda: patch(Recorder, "_enter", _enter_verified(Recorder._enter)),
    ),
    "a-dead-button-is-a-success": (
        "MDM-7",
        PASSES,
        lambda: patch(verification, "first_two", lambda *_: Passed("assumed")),
    ),
    "a-record-has-no-target": (
        "MDM-10",
        RECORDED,
        lambda: change_result(lambda result: replace(result, resolved_target=UNSET)),
    ),
    "a-record-has-no-type": ("MDM-10", RECORDED, lambda: _without_metadata("actionType")),
    "a-record-has-no-passage": ("MDM-10", RECORDED, lambda: patch(Recorder, "_enter", lambda *_: None)),
    "a-record-has-no-verification": (
        "MDM-10",
        RECORDED,
        lambda: change_result(
            lambda result: replace(result, verification=replace(result.verification, missing=UNSET))
        ),
    ),
    "a-record-has-no-failure": ("MDM-10", RECORDED, lambda: _without_metadata("failureClass")),
    "a-listed-tool-does-nothing": (
        "MDM-P2",
        "tests/mcp_server/test_tool_calls.py"
        "::test_every_listed_tool_can_be_called_and_its_answer_fits_its_schema",
        lambda: patch(ToolCalls, "TOOLS", {k: v for k, v in ToolCalls.TOOLS.items() if k != "find"}),
    ),
}
