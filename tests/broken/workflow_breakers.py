"""Breakers of the workflow extension. `breakers` puts them into its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from uiap.workflow import events as when
from uiap.workflow import lifecycle, machine, transitions
from uiap.workflow.conditions import registry
from uiap.workflow.conditions.facts import TRUE
from uiap.workflow.run import WorkflowState
from uiap.workflow.states import acting, choosing, completing, control, starting

MACHINE = "tests/workflow/test_machine.py::test_"


def _handle(state: Any, event: type[when.Event], handler: Callable[..., Any]) -> None:
    """Replace the handler of one row of the table; the new one may move anywhere."""
    row = lifecycle.StepRow(handler, frozenset(get_args(WorkflowState)))
    lifecycle.TABLE = {**lifecycle.TABLE, (state, event): row}


def _begin(type: str, begin: Any) -> None:
    choosing.BEGIN = {**choosing.BEGIN, type: begin}


def _replace(owner: Any, name: str, value: Any) -> None:
    assert hasattr(owner, name), f"{owner!r} has no `{name}`"
    setattr(owner, name, value)


# requirement, test, lie
WORKFLOW_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "steps-run-in-array-order": (
        "WF-3",
        MACHINE + "a_run_follows_next_and_otherwise_the_order_of_the_steps",
        lambda: _replace(
            transitions,
            "next_step_id",
            lambda run, step: run.terms.definition.steps[run.terms.definition.steps.index(step) + 1].id,
        ),
    ),
    "ensure-always-passes": (
        "WF-3c",
        MACHINE + "ensure_passes_only_when_its_signals_are_observed",
        lambda: _handle("ENSURING", when.Observed, lambda run, event: transitions.step_done(run, event.at)),
    ),
    "the-first-branch-is-taken": (
        "WF-3d",
        MACHINE + "a_branch_takes_the_first_that_holds",
        lambda: _handle(
            "BRANCHING",
            when.Judged,
            lambda run, event: transitions.leave(run, event.at, run.current.branches[0].next),
        ),
    ),
    "complete-means-success": (
        "WF-3f",
        MACHINE + "complete_is_success_only_if_the_success_signals_were_observed",
        lambda: _begin("complete", lambda run, _step, at: completing.end(run, at, "succeeded")),
    ),
    "undecidable-counts-as-true": (
        "WF-5b",
        "tests/workflow/conditions/test_registry.py::test_an_undecidable_condition_is_false_and_warned_about",
        lambda: _replace(registry, "undecided", lambda _why: TRUE),
    ),
    "a-retry-places-a-second-order": (
        "WF-5c",
        MACHINE + "a_retry_repeats_an_action_only_if_it_had_no_effect",
        lambda: (
            _replace(transitions, "_may_retry", lambda _run: True),
            _replace(
                acting,
                "reverify",
                lambda run, _at: acting._dispatch(run, run.current, acting._request(run, run.current)),
            ),
        ),
    ),
    "pause-is-answered-and-ignored": (
        "WF-6",
        MACHINE + "a_pause_during_an_action_takes_effect_before_the_next_step",
        lambda: _handle("ACTING", when.Paused, lambda _run, _event: []),
    ),
    "repeated-after-the-restart": (
        "WF-6b",
        MACHINE + "a_lost_outcome_that_the_page_does_not_prove_is_left_to_a_person",
        lambda: _handle(
            "ACTING", when.OutcomeUnknown, lambda run, event: transitions.step_done(run, event.at)
        ),
    ),
    "a-cancelled-run-goes-on": (
        "WF-6c",
        MACHINE + "cancel_ends_the_run_in_every_open_state",
        lambda: [_handle(state, when.Cancelled, control.pause_later) for state in lifecycle.OPEN],
    ),
    "starts-and-fails-at-the-first-step": (
        "WF-9b",
        MACHINE + "a_run_that_cannot_start_does_nothing",
        lambda: _handle(
            "STARTING",
            when.Started,
            lambda run, event: starting.reach(run, event.at, run.terms.definition.initial_step_id),
        ),
    ),
    "guide-mode-clicks": (
        "WF-11",
        MACHINE + "guide_mode_acts_never_and_checks_the_signals",
        lambda: _replace(
            acting, "_guide", lambda run, step: acting._dispatch(run, step, acting._request(run, step))
        ),
    ),
    "assist-submits-unasked": (
        "WF-11b",
        MACHINE + "assist_mode_asks_before_an_action_that_needs_act",
        lambda: _replace(acting, "traits_of", lambda *_: transitions.ActionTraits(False, False)),
    ),
    "state-changes-are-not-reported": (
        "WF-10",
        MACHINE + "each_change_of_status_or_step_is_reported_and_one_result_ends_the_run",
        lambda: _replace(machine.WorkflowMachine, "_progress", lambda _self: []),
    ),
}
