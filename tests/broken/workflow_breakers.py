"""Breakers of the workflow extension. `breakers` puts them into its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

from uiap.actions.ops import Click, Guard
from uiap.host.handlers import workflow_performer, workflows
from uiap.spec.action import ActionTarget
from uiap.spec.capability import SemanticRef
from uiap.workflow import automatic, lifecycle, machine, parameters, start, transitions, validation
from uiap.workflow import events as when
from uiap.workflow import run as run_data
from uiap.workflow.conditions import registry
from uiap.workflow.conditions.facts import TRUE
from uiap.workflow.index import WorkflowFit
from uiap.workflow.run import WorkflowState
from uiap.workflow.states import acting, choosing, completing, control, repairing, starting

MACHINE = "tests/workflow/test_machine.py::test_"
HANDLER = "tests/host/handlers/test_workflows.py::test_"
AUTOMATIC = "tests/host/handlers/test_automatic_workflows.py::test_"


def _handle(state: Any, event: type[when.Event], handler: Callable[..., Any]) -> None:
    """Replace the handler of one row of the table; the new one may move anywhere."""
    row = lifecycle.StepRow(handler, frozenset(get_args(WorkflowState)))
    lifecycle.TABLE = {**lifecycle.TABLE, (state, event): row}


def _begin(type: str, begin: Any) -> None:
    choosing.BEGIN = {**choosing.BEGIN, type: begin}


def _replace(owner: Any, name: str, value: Any) -> None:
    assert hasattr(owner, name), f"{owner!r} has no `{name}`"
    setattr(owner, name, value)


class _NewestSteps(dict[str, Any]):
    """The steps of the definition that a handler serves now."""

    def __init__(self, handler: Any, id: str) -> None:
        super().__init__()
        self._handler, self._id = handler, id

    def __getitem__(self, id: str) -> Any:
        (definition,) = (one for one in self._handler._definitions if one.id == self._id)
        return next(step for step in definition.steps if step.id == id)


def _follow_the_newest_definition() -> None:
    original = workflows.WorkflowHandler._executor

    def broken(self: Any, owner: Any, terms: Any, situation: Any) -> Any:
        executor = original(self, owner, terms, situation)
        executor.machine._run.steps = _NewestSteps(self, terms.definition.id)
        return executor

    workflows.WorkflowHandler._executor = broken  # type: ignore[method-assign]


def _call_the_driver() -> None:
    """Press a button without the action runtime; other actions run as always."""
    original = workflow_performer.SessionPerformer.act

    async def broken(self: Any, request: Any, confirmation: Any) -> Any:
        if request.action_id != "ui.activate":
            return await original(self, request, confirmation)
        tab = await self._page.wait_for_graph()
        (node,) = (one for one in tab.store.elements.values() if one.name == request.target.ref.name)
        await self._page.driver.perform(Click(guard=Guard(node=node.instance_id)))
        return await original(self, request, confirmation)

    workflow_performer.SessionPerformer.act = broken  # type: ignore[method-assign]


def _press_what_stands_there() -> None:
    """Replace the target of a press by the first button of the page."""
    original = workflow_performer.SessionPerformer.act

    async def broken(self: Any, request: Any, confirmation: Any) -> Any:
        request.target = ActionTarget(ref=SemanticRef(role="button"))
        return await original(self, request, confirmation)

    workflow_performer.SessionPerformer.act = broken  # type: ignore[method-assign]


def _accept_the_proposal(run: Any, event: Any) -> Any:
    run.proposal = event.proposal
    return repairing.accepted(run, when.RepairAccepted(at=event.at))


async def _show_nothing(*_: Any) -> None:
    return None


def _take_any_value(run: Any, event: Any) -> Any:
    run.parameters.update(event.values)
    return transitions.step_done(run, event.at)


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
    "a-cancelled-workflow-goes-on": (
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
    "offered-but-not-served": (
        "WF-1",
        HANDLER + "the_extension_is_offered_where_every_message_of_it_is_served",
        lambda: _replace(workflows.WorkflowHandler, "rows", property(lambda _self: {})),
    ),
    "the-definition-changes-under-a-run": (
        "WF-2",
        HANDLER + "a_run_stays_on_the_definition_it_started_with",
        _follow_the_newest_definition,
    ),
    "the-text-is-never-shown": (
        "WF-3a",
        HANDLER + "an_instruction_reaches_the_person_as_text_and_highlight",
        lambda: _replace(workflow_performer.SessionPerformer, "show", _show_nothing),
    ),
    "an-acknowledgement-is-not-waited-for": (
        "WF-3a",
        MACHINE + "an_instruction_shows_its_text_and_target_and_waits_if_asked",
        lambda: _begin("instruction", lambda run, _step, at: transitions.step_done(run, at)),
    ),
    "missing-input-is-enough": (
        "WF-3b",
        MACHINE + "collect_asks_only_for_missing_values_until_all_are_valid",
        lambda: _handle("COLLECTING", when.InputProvided, _take_any_value),
    ),
    "invalid-input-is-taken": (
        "WF-3b",
        HANDLER + "values_can_be_provided_as_the_answer_to_the_request",
        lambda: _handle("COLLECTING", when.InputProvided, _take_any_value),
    ),
    "a-handoff-goes-on-by-itself": (
        "WF-3e",
        MACHINE + "a_handoff_waits_for_the_person",
        lambda: _begin("handoff", lambda run, _step, at: transitions.step_done(run, at)),
    ),
    "a-step-calls-the-driver": (
        "WF-4",
        HANDLER + "every_action_step_has_a_handle_and_the_decision_of_the_policy",
        _call_the_driver,
    ),
    "an-unchecked-value-is-typed": (
        "WF-5",
        HANDLER + "a_value_that_breaks_its_rules_is_never_typed",
        lambda: _replace(parameters, "problem", lambda *_: None),
    ),
    "clicks-what-stands-there-now": (
        "WF-7",
        HANDLER + "a_target_that_is_gone_stops_the_run_and_nothing_else_is_pressed",
        _press_what_stands_there,
    ),
    "a-target-changes-silently": (
        "WF-7",
        "tests/workflow/test_drift.py::test_a_person_accepts_the_proposal_and_the_run_goes_on_from_there",
        lambda: _handle("SEARCHING_TARGET", when.RepairProposed, _accept_the_proposal),
    ),
    "suggested-starts-unasked": (
        "WF-8",
        AUTOMATIC + "nothing_else_starts_unasked",
        lambda: _replace(automatic, "STARTS_BY_ITSELF", ("manual", "suggested", "automatic")),
    ),
    "an-automatic-start-asks-no-policy": (
        "WF-8",
        AUTOMATIC + "an_automatic_workflow_that_policy_wants_confirmed_does_not_start",
        lambda: _replace(automatic, "may_start", lambda *_: True),
    ),
    "everything-is-startable": (
        "WF-9",
        "tests/workflow/test_index.py::test_what_is_missing_is_named",
        lambda: _replace(WorkflowFit, "startable", property(lambda _self: True)),
    ),
    "a-password-is-collected": (
        "WF-12",
        "tests/workflow/test_start.py::test_a_definition_that_collects_a_secret_does_not_start",
        lambda: _replace(validation, "HANDED_OFF", frozenset()),
    ),
    "private-values-leave-the-host": (
        "WF-12",
        MACHINE + "private_parameters_are_masked_outside_the_host",
        lambda: _replace(run_data, "masked", lambda _definition, values: dict(values)),
    ),
    "a-broken-next-is-found-while-running": (
        "WF-13",
        HANDLER + "a_broken_definition_is_refused_at_load_and_the_others_are_served",
        lambda: (
            _replace(start, "rule_violations", lambda _plain: []),
            _replace(workflows, "load_errors", lambda _definition: []),
        ),
    ),
}
