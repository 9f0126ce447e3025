"""Breakers of the requirements from the roadmap and RFC 005 of mobile-debug-mcp."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from importlib import import_module
from typing import Any

from msgspec.structs import replace

from bench import capabilities
from tests.broken.patching import before, change_result, patch
from uiap.actions import primitive
from uiap.actions.ops import Focus
from uiap.actions.registry import ACTIONS
from uiap.cli import metrics, skill
from uiap.drivers.chromium.input import scales
from uiap.drivers.touchscreen.elements import ScreenLayout
from uiap.graph.store import GraphStore
from uiap.host.handlers import expectations
from uiap.host.records import trace_events
from uiap.host.records.trace import Recorder
from uiap.mcp_server import catalogue
from uiap.mcp_server.tool_calls import ToolCalls
from uiap.runtime import lifecycle, outcome, resolve
from uiap.runtime import result as runtime_result
from uiap.runtime.judgement import own_state
from uiap.runtime.states import checking_preconditions, executing
from uiap.runtime.transitions import succeed
from uiap.signals.verdict import Verdict
from uiap.spec.tools import TracePhase

RECORD = "tests/runtime/test_record.py::test_"
LIFECYCLE = "tests/host/records/test_lifecycle_record.py::test_"
TRACE = "tests/host/records/test_trace.py::test_"
EXPECT = "tests/host/handlers/test_expectations.py::test_"
STORE = "tests/graph/test_store.py::test_"
OUTCOME = "tests/runtime/test_outcome.py::test_"
WIDGET = "tests/browser/test_widgets.py::test_an_action_has_the_reported_effect_and_no_other"
FLOWS = "tests/browser/test_roadmap.py::test_each_capability_has_a_flow_with_a_figure"
SLIDER = "tests/browser/test_widgets.py::"
SLIDER += "test_a_slider_without_keyboard_support_is_dragged_and_the_method_is_reported"


def _without(name: str) -> None:
    """Leave one member out of the metadata of every result."""
    change_result(lambda result: replace(
        result, metadata={key: value for key, value in result.metadata.items() if key != name}))  # fmt: skip


def _believed(*ids: str) -> None:
    """Report success on dispatch."""
    for id in ids:
        ACTIONS[id] = dataclasses.replace(ACTIONS[id], proof=lambda *_: "none")  # type: ignore[index]


def _swallowed(id: str) -> None:
    """Dispatch nothing, and report success."""
    ACTIONS[id] = dataclasses.replace(  # type: ignore[index]
        ACTIONS[id],
        plan=lambda _mode, guard, *_: (Focus(guard=guard),),
        proof=lambda *_: "none",
        modes=("semanticUi",),
    )


def _first_of_the_same_name() -> None:
    original = resolve._candidate

    def broken(store: Any, target: Any, element: Any, by: Any, level: float) -> Any:
        same = next(one for one in store if one.name == element.name)
        return original(store, target, same if by == "instanceId" else element, by, level)

    patch(resolve, "_candidate", broken)


def _made_up_afterwards() -> None:
    original = Recorder.record_result
    patch(
        Recorder,
        "_enter",
        lambda self, phase, mono: self.__dict__.setdefault("_later", []).append((phase, mono)),
    )

    def broken(self: Any, *args: Any) -> None:
        original(self, *args)
        self._phases = [TracePhase(phase=phase, at_ms=self._events.ms(mono)) for phase, mono in self._later]

    patch(Recorder, "record_result", broken)


def _delta_afterwards() -> None:
    before(checking_preconditions, "plan_gestures", lambda _: None)
    patch(checking_preconditions, "expected_delta", lambda _: {"kinds": [], "timeoutMs": 0})


async def _no_keys(*_: Any) -> None:
    return None


def _scale_without(name: str) -> None:
    original = scales.ScaleAdjustment.outcome

    def broken(self: Any, mode: str, **more: Any) -> Any:
        made = original(self, mode, **more)
        return dataclasses.replace(made, detail={k: v for k, v in made.detail.items() if k != name})

    patch(scales.ScaleAdjustment, "outcome", broken)


def _any_base() -> None:
    original = GraphStore.apply
    patch(
        GraphStore, "apply", lambda self, delta: original(self, replace(delta, base_revision=self.revision))
    )


def _claim_without_figure() -> None:
    roadmap = import_module("tests.browser.test_roadmap")  # it reads the docs when it is imported
    patch(roadmap, "DOCS", roadmap.DOCS.replace("0 of 2 traces", "all traces"))


def _drop_flow(name: str) -> None:
    del capabilities.FLOWS[name]


def _no_release() -> None:
    original = metrics.compute_metrics
    patch(metrics, "compute_metrics", lambda done, tokens, release="": original(done, tokens, ""))


RECORD_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "every-expectation-holds": (
        "MDM-R1", EXPECT + "without_a_revision_a_signal_is_judged_on_the_current_page",
        lambda: patch(expectations, "judge_since", lambda *_: Verdict(True)),
    ),
    "any-delta-fits": (
        "MDM-R3c", STORE + "a_delta_from_another_revision_is_dropped_until_a_snapshot_as_new_arrives",
        _any_base,
    ),
    "a-change-costs-a-whole-page": (
        "MDM-R3d", "tests/graph/test_outline.py::test_a_thousand_rows_cost_few_tokens_and_an_edit_fewer",
        lambda: patch(GraphStore, "since", lambda *_: None),
    ),
    "waiting-is-not-explained": (
        "MDM-R3e", "tests/runtime/test_docs.py::test_the_skill_file_says_to_wait_for_what_the_page_shows",
        lambda: patch(skill, "SKILL", skill.SKILL.replace("never wait for a time", "wait")),
    ),
    "a-wait-ends-at-the-first-change": (
        "MDM-R3f", EXPECT + "a_wait_holds_on_a_page_that_is_rebuilt_all_the_time",
        lambda: patch(expectations, "judge_since", lambda *_: Verdict(True)),
    ),
    "a-reverted-value-is-success": (
        "MDM-R5", "tests/runtime/test_read_back.py::test_a_value_that_is_reverted_is_no_success",
        lambda: _believed("ui.setValue"),
    ),
    "a-composite-control-has-no-name": (
        "MDM-R6", "tests/drivers/touchscreen/test_graph.py::"
        "test_clickable_node_takes_name_and_role_from_its_content",
        lambda: patch(ScreenLayout, "_inner_name", lambda *_: ""),
    ),
    "parts-without-a-whole": (
        "MDM-R6b", "tests/drivers/touchscreen/test_graph.py::"
        "test_clickable_node_takes_name_and_role_from_its_content",
        lambda: patch(ScreenLayout, "_clickable_role", lambda *_: "label"),
    ),
    "a-cause-is-filtered-away": (
        "MDM-R7b", TRACE + "every_cause_in_a_noisy_log_is_kept_and_the_rest_is_counted",
        lambda: patch(trace_events, "relevance", lambda *_: 0.0),
    ),
    "a-long-press-is-not-held": ("MDM-R8", WIDGET + "[x.uiap.longPress Hold]", lambda: _swallowed("x.uiap.longPress")),
    "a-pinch-does-not-zoom": ("MDM-R9", WIDGET + "[x.uiap.pinch Map]", lambda: _swallowed("x.uiap.pinch")),
    "a-gesture-succeeds-on-dispatch": (
        "MDM-R8b", RECORD + "a_long_press_or_a_pinch_without_an_effect_fails[x.uiap.pinch-args1]",
        lambda: _believed("x.uiap.pinch", "x.uiap.longPress"),
    ),
    "a-trace-has-no-requests": (
        "MDM-R10", TRACE + "a_trace_holds_the_requests_signals_and_stages_of_its_action",
        lambda: patch(Recorder, "on_event", lambda *_: None),
    ),
    "another-element-than-the-resolved-one": (
        "MDM-3", RECORD + "a_target_that_was_resolved_before_is_the_one_that_is_acted_on",
        _first_of_the_same_name,
    ),
    "dispatched-is-verified": (
        "MDM-4", OUTCOME + "every_state_has_its_phase_and_only_success_is_verified",
        lambda: patch(lifecycle, "PHASES", {**lifecycle.PHASES, "EXECUTING": "verified"}),
    ),
    "phases-are-not-recorded": (
        "MDM-4b", LIFECYCLE + "each_action_passes_its_phases_with_times",
        lambda: patch(Recorder, "_enter", lambda *_: None),
    ),
    "one-type-for-all": (
        "MDM-5", "tests/actions/test_types.py::test_every_action_has_one_canonical_type_in_its_descriptor",
        lambda: patch(primitive.Primitive, "type", property(lambda _: "input")),
    ),
    "a-type-that-nothing-emits": (
        "MDM-5b", LIFECYCLE + "actions_of_every_type_carry_it_and_pass_the_same_phases",
        lambda: _without("actionType"),
    ),
    "an-action-without-a-title": (
        "MDM-6", RECORD + "the_expected_delta_is_reported_before_the_input_and_judged_by",
        lambda: _without("expectedDelta"),
    ),
    "an-action-without-an-intent": (
        "MDM-6b", RECORD + "the_intent_is_fixed_with_the_request_and_has_no_values",
        lambda: _without("intent"),
    ),
    "the-delta-is-filled-in-afterwards": (
        "MDM-6c", RECORD + "the_expected_delta_is_reported_before_the_input_and_judged_by",
        _delta_afterwards,
    ),
    "an-outcome-is-missing": (
        "MDM-7", OUTCOME + "the_mapping_reaches_all_outcomes_and_all_failure_classes",
        lambda: patch(outcome, "classify", lambda *_: "success"),
    ),
    "one-source-does-it-all": (
        "MDM-7b", LIFECYCLE + "each_source_of_proof_verifies_an_action_alone[ui.enterText-Title-args3-signals]",
        lambda: patch(own_state, "_counts", lambda _: False),
    ),
    "one-window-for-all": (
        "MDM-7.2", RECORD + "each_action_has_its_own_window[700]",
        lambda: before(executing, "begin_verifying", lambda action: setattr(
            action.verification, "expectation", replace(action.expectation, timeout_s=5.0))),
    ),
    "a-passive-label-is-pressed": (
        "MDM-8", RECORD + "a_text_without_a_control_around_it_is_refused[label-affordances0-True]",
        lambda: patch(primitive.Primitive, "accepts", lambda *_: True),
    ),
    "a-choice-is-not-explained": (
        "MDM-8b", RECORD + "the_choice_between_nested_nodes_is_explained_and_the_alternate_named",
        lambda: patch(runtime_result, "_alternates", lambda _: []),
    ),
    "the-value-before-is-missing": ("MDM-9", SLIDER, lambda: _scale_without("before")),
    "a-slider-is-dragged-first": ("MDM-9b", SLIDER, lambda: patch(scales, "_by_keys", _no_keys)),
    "a-value-between-steps-is-success": (
        "MDM-9c", RECORD + "a_value_between_steps_fails_with_the_values_that_can_be_reached",
        lambda: patch(executing, "_read_back", lambda action, event, _more: succeed(action, event.at, "applied")),
    ),
    "a-failure-has-no-class": (
        "MDM-10", OUTCOME + "each_failure_has_its_class[<lambda>-target_resolution-ui_failure]",
        lambda: _without("failureClass"),
    ),
    "a-trace-is-made-up-afterwards": (
        "MDM-10b", LIFECYCLE + "a_phase_is_recorded_when_it_is_entered", _made_up_afterwards),
    "a-class-for-all-failures": (
        "MDM-11", OUTCOME + "the_mapping_reaches_all_outcomes_and_all_failure_classes",
        lambda: patch(outcome, "failure_class", lambda *_, **__: "dispatch"),
    ),
    "a-screen-loses-its-texts": (
        "MDM-P1", "tests/drivers/touchscreen/test_graph.py::"
        "test_every_text_and_control_of_a_recorded_screen_is_an_element[quick-settings]",
        lambda: patch(ScreenLayout, "_role", lambda *_: None),
    ),
    "a-documented-tool-is-not-there": (
        "MDM-P2", "tests/drivers/test_parity.py::test_every_tool_has_a_row_that_names_existing_counterparts",
        lambda: patch(catalogue, "TOOLS", catalogue.TOOLS[1:]),
    ),
    "a-failure-has-no-root-cause": (
        "MDM-M", "tests/cli/test_metrics.py::test_a_failure_is_counted_by_its_root_cause_with_the_time_to_find_it",
        lambda: patch(metrics, "Counter", lambda _: {}),
    ),
    "figures-without-a-release": (
        "MDM-Mb", "tests/cli/test_metrics.py::test_the_figures_of_two_releases_are_compared",
        _no_release,
    ),
    "a-listed-tool-cannot-be-called": (
        "MDM-P2b", "tests/mcp_server/test_tool_calls.py::"
        "test_every_listed_tool_can_be_called_and_its_answer_fits_its_schema",
        lambda: patch(ToolCalls, "TOOLS", {k: v for k, v in ToolCalls.TOOLS.items() if k != "trace"}),
    ),
    "waits-are-not-measured": ("MDM-R3g", FLOWS, lambda: _drop_flow("R3 waiting and focused snapshots")),
    "containers-are-not-compared": (
        "MDM-R4c", FLOWS, lambda: patch(resolve, "_executable", lambda _s, _t, found, _a: found)),
    "steps-are-not-counted": ("MDM-R5b", FLOWS, lambda: _without("gesture")),
    "a-capability-without-a-flow": ("MDM-X", FLOWS, lambda: _drop_flow("R10 trace correlation")),
    "complete-without-a-figure": (
        "MDM-S", "tests/browser/test_roadmap.py::"
        "test_a_capability_is_complete_only_with_a_figure_and_a_test",
        _claim_without_figure,
    ),
    "everything-since-the-last-action": (
        "MDM-R10b", LIFECYCLE + "overlapping_actions_keep_their_own_requests_and_signals",
        lambda: (patch(trace_events, "cause", lambda _: "caused"), patch(trace_events, "relevance", lambda _: 1.0)),
    ),
}  # fmt: skip
