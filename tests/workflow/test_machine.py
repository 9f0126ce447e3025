"""The workflow machine, as conversations of events and commands."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.workflow.simulated import AT, DONE, ONCE, TOAST, SimulatedHost, definition, ended, terms
from uiap.spec.workflow import WORKFLOW_INSTANCE_STATUSES, WORKFLOW_STEP_TYPES
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.lifecycle import ANSWERED_BY, FINAL, OPEN, TABLE
from uiap.workflow.run import STATUSES
from uiap.workflow.states.choosing import BEGIN, MAX_STEPS

CREATE = {"id": "create", **ONCE}


def host(*steps: Any, mode: str = "auto", parameters: Any = None, **answers: Any) -> SimulatedHost:
    members = answers.pop("members", {})
    return SimulatedHost(terms(definition(*steps, **members), mode, **(parameters or {})), **answers)


# -- the table ----------------------------------------------------------------------------------------------


@pytest.mark.requirement("WF-10")
def test_every_state_has_one_of_the_eight_statuses() -> None:
    assert {STATUSES.get(state, "running") for state in (*OPEN, *FINAL)} == set(WORKFLOW_INSTANCE_STATUSES)


def test_every_open_state_can_be_cancelled_and_no_final_one_is_left() -> None:
    assert {state for state, event in TABLE if event is when.Cancelled} == set(OPEN)
    assert not {state for state, _ in TABLE} & FINAL


def test_every_command_that_is_answered_is_in_the_table() -> None:
    assert {event for events in ANSWERED_BY.values() for event in events} <= {event for _, event in TABLE}
    assert set(BEGIN) == set(WORKFLOW_STEP_TYPES)


def test_every_command_with_a_timeout_can_be_answered_by_its_end() -> None:
    timed = {one for one in ANSWERED_BY if "timeout_ms" in one.__struct_fields__} - {do.Observe}
    assert {one for one in timed if when.Woke not in ANSWERED_BY[one]} == set()


# -- the graph of steps -------------------------------------------------------------------------------------


@pytest.mark.requirement("WF-3")
def test_a_run_follows_next_and_otherwise_the_order_of_the_steps() -> None:
    shown = host(
        {"id": "a", "type": "instruction", "text": "one", "next": "c"},
        {"id": "b", "type": "instruction", "text": "never"},
        {"id": "c", "type": "instruction", "text": "two", "modes": ["guide"]},
        {"id": "d", "type": "instruction", "text": "three", "when": [{"kind": "role", "role": "admin"}]},
        {"id": "e", "type": "instruction", "text": "four"},
        DONE,
    ).run()
    assert [one.text for one in shown.of(do.Show)] == ["one", "four"]
    assert shown.results == {
        "a": "succeeded",
        "c": "skipped",
        "d": "skipped",
        "e": "succeeded",
        "done": "succeeded",
    }
    assert shown.status == "succeeded"


@pytest.mark.requirement("WF-3a")
def test_an_instruction_shows_its_text_and_target_and_waits_if_asked() -> None:
    step = {
        "id": "hint",
        "type": "instruction",
        "text": "Press {{what}}",
        "acknowledge": "user",
        "target": {"by": "semantic", "role": "button", "name": "New"},
    }
    members = {"parameters": [{"name": "what", "type": "string"}]}
    run = host(step, DONE, parameters={"what": "New"}, members=members).run()
    (show,) = run.of(do.Show)
    assert (show.text, show.acknowledge, show.target.name) == ("Press New", True, "New")
    assert run.status == "waiting_for_user"
    assert run.send(when.Acknowledged(at=AT)).go_on().status == "succeeded"


@pytest.mark.requirement("WF-3b", "WF-5")
def test_collect_asks_only_for_missing_values_until_all_are_valid() -> None:
    parameters = [
        {"name": "title", "type": "string", "required": True, "min": 3},
        {"name": "kind", "type": "enum", "enum": ["short", "long"], "required": True},
        {"name": "owner", "type": "string"},
    ]
    step = {"id": "ask", "type": "collect", "parameterNames": ["title", "kind", "owner"]}
    run = host(step, DONE, parameters={"owner": "Ada"}, members={"parameters": parameters}).run()
    assert [one.name for one in run.of(do.AskInput)[0].parameters] == ["title", "kind"]
    assert run.status == "waiting_for_input"
    run.send(when.InputProvided(at=AT, values={"title": "ab", "kind": "short"}))
    assert run.of(do.AskInput)[-1].problems == ("`title` must be at least 3 characters",)
    run.send(when.InputProvided(at=AT, values={"title": "abc"}))
    assert run.of(do.AskInput)[-1].problems == ("`kind` is required",)
    run.send(when.InputProvided(at=AT, values={"kind": "huge"}))
    assert run.status == "waiting_for_input"
    assert run.send(when.InputProvided(at=AT, values={"kind": "long"})).go_on().status == "succeeded"


@pytest.mark.requirement("WF-3c")
@pytest.mark.parametrize("policy", ["all", "any"])
def test_ensure_passes_only_when_its_signals_are_observed(policy: str) -> None:
    step = {"id": "saved", "type": "ensure", "signals": [TOAST], "policy": policy, "timeoutMs": 50}
    run = host(step, DONE, Observe=when.Observed(at=AT, passed=False, missing=(0,))).run()
    (observe,) = run.of(do.Observe)
    assert (observe.policy, observe.timeout_ms) == (policy, 50)
    assert (run.status, run.error, run.results["saved"]) == ("failed", "step_failed", "failed")
    assert host(step, DONE).run().status == "succeeded"


@pytest.mark.requirement("WF-3d")
@pytest.mark.parametrize(
    ("members", "title", "path"),
    [
        ({}, "b", ["choose", "second", "done"]),
        ({"otherwise": "done"}, "c", ["choose", "done"]),
        ({"next": "done"}, "c", ["choose", "done"]),
        ({}, "c", []),
    ],
)
def test_a_branch_takes_the_first_that_holds(members: Any, title: str, path: list[str]) -> None:
    def equals(value: str) -> list[Any]:
        return [{"kind": "parameter", "name": "title", "op": "eq", "value": value}]

    branches = [
        {"when": equals("a"), "next": "first"},
        {"when": equals("b"), "next": "second"},
        {"when": [{"kind": "parameter", "name": "title", "op": "in", "value": ["a", "b"]}], "next": "first"},
    ]
    run = host(
        {"id": "choose", "type": "branch", "branches": branches, **members},
        {"id": "first", "type": "instruction", "text": "one", "next": "done"},
        {"id": "second", "type": "instruction", "text": "two", "next": "done"},
        DONE,
        parameters={"title": title},
        members={"parameters": [{"name": "title", "type": "string"}]},
    ).run()
    assert [*run.results] == (path or ["choose"])
    assert run.error == ("" if path else "no_branch")


@pytest.mark.requirement("WF-3e")
@pytest.mark.parametrize(
    "end",
    [when.HandedBack(at=AT, done=True), when.Observed(at=AT, passed=True)],
    ids=["reported", "observed"],
)
def test_a_handoff_waits_for_the_person(end: when.Event) -> None:
    step = {
        "id": "pay",
        "type": "handoff",
        "handoff": {"reason": "payment", "instructions": "Pay", "resumeOn": [TOAST]},
    }
    run = host(step, DONE).run()
    (asked,) = run.of(do.HandOff)
    assert (asked.reason, asked.instructions, len(asked.signals)) == ("payment", "Pay", 1)
    assert run.send(when.Observed(at=AT, passed=False)).status == "waiting_for_user"
    assert run.send(end).go_on().status == "succeeded"
    assert not run.acted


@pytest.mark.requirement("WF-3f")
def test_complete_is_success_only_if_the_success_signals_were_observed() -> None:
    lost = when.Observed(at=AT, passed=False, missing=(0,))
    run = host(DONE, members={"success": [TOAST]}, Observe=lost).run()
    assert (run.status, run.error) == ("failed", "step_failed")
    (finish,) = run.of(do.Finish)
    assert finish.payload.missing[0].text == "saved"
    run = host(DONE, members={"success": [TOAST]}).run()
    assert (run.status, run.of(do.Finish)[0].payload.observed[0].text) == ("succeeded", "saved")
    assert host({**DONE, "outcome": "cancelled"}).run().status == "cancelled"
    assert host({**DONE, "outcome": "failed"}).run().status == "failed"


# -- actions ------------------------------------------------------------------------------------------------


@pytest.mark.requirement("WF-4", "WF-5")
def test_an_action_step_is_a_request_to_the_action_runtime() -> None:
    step = {
        **CREATE,
        "target": {"by": "stableId", "value": "create"},
        "parameterNames": ["title", "owner"],
        "args": {
            "owner": {"$result": "first.user.name"},
            "note": "by {{title}}",
            "list": [{"$param": "title"}],
        },
        "verification": {"policy": "all", "signals": [TOAST]},
        "timeoutMs": 900,
    }
    first = ended("succeeded", "applied", return_value={"user": {"name": "Ada"}})
    run = host(
        {"id": "first", "type": "action", "actionId": "ui.read"},
        step,
        DONE,
        parameters={"title": "T", "owner": "x"},
        members={"parameters": [{"name": "title", "type": "string"}, {"name": "owner", "type": "string"}]},
        Act=first,
    ).run()
    request = run.of(do.Act)[1].request
    assert request.args == {"title": "T", "owner": "Ada", "note": "by T", "list": ["T"]}
    assert (request.target.ref.value, request.timeout_ms) == ("create", 900)
    assert request.verification.signals[0].text == "saved"
    assert run.status == "succeeded"


@pytest.mark.requirement("WF-5")
def test_a_step_without_its_value_is_not_dispatched() -> None:
    run = host({**CREATE, "args": {"id": {"$result": "later.id"}}}, {"id": "later", **ONCE}, DONE).run()
    assert (run.error, run.acted) == ("invalid_parameter", [])


def test_a_dispatch_that_must_not_happen_twice_follows_its_intent() -> None:
    run = host(CREATE, DONE).run()
    kinds = [type(one).__name__ for one in run.commands]
    assert kinds.index("RecordIntent") < kinds.index("Act")
    assert run.of(do.RecordIntent)[0].key == run.of(do.Act)[0].key
    assert run.of(do.Act)[0].once
    refused = host(CREATE, DONE, RecordIntent=when.IntentNotRecorded(at=AT, reason="disk full")).run()
    assert (refused.status, refused.acted) == ("failed", [])


@pytest.mark.requirement("WF-5c")
@pytest.mark.parametrize(("effect", "attempts"), [("none", 3), ("unknown", 1), ("applied", 1)])
def test_a_retry_repeats_an_action_only_if_it_had_no_effect(effect: str, attempts: int) -> None:
    step = {**CREATE, "onFailure": {"retry": {"max": 2, "delayMs": 5}}}
    run = host(step, DONE, Act=ended("failed", effect)).run()
    assert (len(run.acted), run.status) == (attempts, "failed")
    assert len({one.key for one in run.of(do.Act)}) == attempts


@pytest.mark.requirement("WF-5c")
@pytest.mark.parametrize(("comes", "status"), [(True, "succeeded"), (False, "failed")])
def test_a_proof_that_comes_late_is_waited_for_and_nothing_is_repeated(comes: bool, status: str) -> None:
    proof = {"policy": "all", "signals": [TOAST]}
    late = ended("failed", "unknown", message="not observed", late=True)
    step = {**CREATE, "verification": proof, "onFailure": {"retry": {"max": 2}}}
    run = host(step, DONE, Act=late, Observe=when.Observed(at=AT, passed=comes)).run()
    assert (run.status, len(run.acted), len(run.of(do.Observe))) == (status, 1, 1)


@pytest.mark.requirement("WF-5c")
def test_an_idempotent_action_is_repeated_whatever_its_effect() -> None:
    step = {"id": "go", "type": "action", "actionId": "nav.navigate", "args": {"url": "/videos"}}
    run = host({**step, "onFailure": {"retry": {"max": 2}}}, DONE, Act=ended("failed", "unknown")).run()
    assert len(run.acted) == 3


@pytest.mark.requirement("WF-5c")
def test_a_failed_step_jumps_hands_off_or_aborts() -> None:
    failed = ended("failed", "none", message="no")
    jump = host(
        {**CREATE, "onFailure": {"goto": "help", "handoff": {"reason": "other"}}},
        DONE,
        {"id": "help", "type": "complete", "outcome": "cancelled"},
        Act=failed,
    ).run()
    assert (jump.status, jump.results["create"]) == ("cancelled", "failed")
    handed = host({**CREATE, "onFailure": {"handoff": {"reason": "other"}}}, DONE, Act=failed).run()
    assert handed.status == "waiting_for_user"
    assert handed.send(when.HandedBack(at=AT, done=False)).status == "failed"
    assert host(CREATE, DONE, Act=failed).run().error == "step_failed"
    default = host(CREATE, DONE, members={"onFailure": {"goto": "done"}}, Act=failed).run()
    assert default.status == "succeeded"


@pytest.mark.requirement("WF-5c")
def test_a_jump_back_does_not_repeat_an_action_that_may_have_happened() -> None:
    step = {**CREATE, "onFailure": {"goto": "again"}}
    run = host(step, DONE, {"id": "again", "type": "instruction", "text": "again", "next": "create"})
    run.answers["Act"] = ended("failed", "unknown")
    assert run.run().status == "waiting_for_user"
    assert run.acted == ["create"]


# -- an outcome that is not known ---------------------------------------------------------------------------

VERIFIED = {**CREATE, "verification": {"policy": "all", "signals": [TOAST, {**TOAST, "text": "created"}]}}


@pytest.mark.requirement("WF-6b")
@pytest.mark.parametrize("lost", ["Act", "RecordIntent"])
def test_a_lost_outcome_is_verified_on_the_page(lost: str) -> None:
    run = host(VERIFIED, DONE, **{lost: when.OutcomeUnknown(at=AT, message="restarted", held=(0,))}).run()
    (observe,) = run.of(do.Observe)
    assert [one.text for one in observe.signals] == ["created"], "a signal that held before proves nothing"
    assert run.status == "succeeded"


@pytest.mark.requirement("WF-6b")
@pytest.mark.parametrize(
    ("step", "observed"), [(VERIFIED, False), (CREATE, True)], ids=["not observed", "nothing to observe"]
)
def test_a_lost_outcome_that_the_page_does_not_prove_is_left_to_a_person(step: Any, observed: bool) -> None:
    unknown = when.OutcomeUnknown(at=AT, message="restarted")
    run = host(step, DONE, Act=unknown, Observe=when.Observed(at=AT, passed=observed)).run()
    assert run.status == "waiting_for_user"
    run.send(when.Paused(at=AT)).send(when.Resumed(at=AT)).go_on()
    assert (run.status, run.acted) == ("waiting_for_user", ["create"])
    assert run.send(when.HandedBack(at=AT, done=True)).go_on().status == "succeeded"


@pytest.mark.requirement("WF-6b")
def test_a_person_who_says_that_nothing_happened_allows_the_retry_of_the_policy() -> None:
    run = host({**CREATE, "onFailure": {"retry": {"max": 1}}}, DONE)
    run.answers["Act"] = lambda command: (
        when.OutcomeUnknown(at=AT, message="restarted") if command.key.endswith(":1") else ended("succeeded")
    )
    run.run().send(when.HandedBack(at=AT, done=False)).go_on()
    assert (run.acted, run.status) == (["create", "create"], "succeeded")


def test_a_refusal_of_the_ledger_counts_as_an_unknown_outcome() -> None:
    run = host(CREATE, DONE, Act=ended("failed", "unknown", code="unsafe_retry_refused")).run()
    assert run.status == "waiting_for_user"


# -- pause, resume, cancel ----------------------------------------------------------------------------------


@pytest.mark.requirement("WF-6")
def test_a_pause_during_an_action_takes_effect_before_the_next_step() -> None:
    run = host(CREATE, {"id": "second", **ONCE}, DONE, Act=None).run()
    assert run.send(when.Paused(at=AT)).status == "running"
    assert run.send(ended("succeeded", "applied")).status == "paused"
    assert run.acted == ["create"]
    del run.answers["Act"]
    assert run.send(when.Resumed(at=AT)).go_on().status == "succeeded"
    assert run.acted == ["create", "second"]


@pytest.mark.requirement("WF-6")
def test_a_paused_run_does_nothing_until_it_is_resumed() -> None:
    run = host(CREATE, DONE, CheckMessages=when.Paused(at=AT, reason="lunch")).run(limit=5)
    assert run.status == "paused"
    for event in (ended("succeeded"), when.Checked(at=AT), when.Woke(at=AT), when.Granted(at=AT)):
        assert run.machine.handle(event) == []
    assert not run.acted


@pytest.mark.requirement("WF-6b")
def test_a_resumed_action_on_a_page_that_moved_is_not_done_blindly() -> None:
    routes = iter(["/videos", "/videos", "/elsewhere"])
    run = host({"id": "hint", "type": "instruction", "text": "x"}, CREATE, DONE, Act=None)
    run.answers["CheckMessages"] = lambda _: when.Checked(at=AT, route=next(routes, "/elsewhere"))
    run.run().send(when.Paused(at=AT)).send(ended("cancelled", "none"))
    run.send(when.Resumed(at=AT)).go_on()
    assert (run.status, run.error, len(run.acted)) == ("failed", "step_failed", 1)


@pytest.mark.requirement("WF-6b")
def test_a_resumed_action_goes_on_if_the_ensured_state_still_holds() -> None:
    routes = iter(["/videos", "/videos", "/elsewhere"])
    run = host({"id": "there", "type": "ensure", "signals": [TOAST]}, CREATE, DONE, Act=None)
    run.answers["CheckMessages"] = lambda _: when.Checked(at=AT, route=next(routes, "/elsewhere"))
    run.run().send(when.Paused(at=AT)).send(ended("cancelled", "none"))
    del run.answers["Act"]
    assert run.send(when.Resumed(at=AT)).go_on().status == "succeeded"


@pytest.mark.requirement("WF-6c")
def test_cancel_ends_the_run_in_every_open_state() -> None:
    waiting = host(CREATE, DONE, mode="assist").run()
    assert waiting.send(when.Cancelled(at=AT, reason="no")).status == "cancelled"
    assert [one.payload.status for one in waiting.of(do.Finish)] == ["cancelled"]
    assert waiting.machine.handle(when.Cancelled(at=AT)) == []


def test_a_cancelled_action_pauses_the_run() -> None:
    assert host(CREATE, DONE, Act=ended("cancelled", "none")).run().status == "paused"


# -- modes --------------------------------------------------------------------------------------------------


@pytest.mark.requirement("WF-11")
def test_guide_mode_acts_never_and_checks_the_signals() -> None:
    run = host(VERIFIED, DONE, mode="guide").run()
    assert (run.status, len(run.of(do.Guide)[0].signals)) == ("waiting_for_user", 2)
    run.answers["Observe"] = when.Observed(at=AT, passed=False, missing=(0,))
    assert run.send(when.HandedBack(at=AT, done=True)).go_on().status == "failed"
    watched = host(VERIFIED, DONE, mode="guide").run()
    assert watched.send(when.Observed(at=AT, passed=True)).go_on().status == "succeeded"
    assert not run.acted and not watched.acted


@pytest.mark.requirement("WF-11b")
def test_assist_mode_asks_before_an_action_that_needs_act() -> None:
    draft = {"id": "type", "type": "action", "actionId": "ui.enterText", "args": {"text": "x"}}
    run = host(draft, {**CREATE, "title": "Create it"}, DONE, mode="assist").run()
    assert (run.acted, run.status) == (["type"], "waiting_for_confirmation")
    assert run.of(do.AskConfirmation)[0].summary == "Create it"
    assert run.send(when.Granted(at=AT, by="ada")).go_on().status == "succeeded"
    assert host(CREATE, DONE, mode="auto").run().of(do.AskConfirmation) == []
    declined = host(CREATE, DONE, mode="assist").run().send(when.Denied(at=AT))
    assert (declined.status, declined.acted) == ("paused", [])


# -- start and end ------------------------------------------------------------------------------------------


@pytest.mark.requirement("WF-9b")
@pytest.mark.parametrize(
    ("mode", "members", "parameters", "code"),
    [
        ("guide", {"interactionModes": ["auto"]}, {}, "mode_not_allowed"),
        ("auto", {}, {"unknown": 1}, "invalid_parameter"),
        (
            "auto",
            {"parameters": [{"name": "title", "type": "string", "required": True}]},
            {},
            "invalid_parameter",
        ),
        ("auto", {"entryConditions": [{"kind": "role", "role": "admin"}]}, {}, "entry_condition_failed"),
    ],
)
def test_a_run_that_cannot_start_does_nothing(mode: str, members: Any, parameters: Any, code: str) -> None:
    run = host(CREATE, DONE, mode=mode, members=members, parameters=parameters).run()
    assert (run.status, run.error, run.acted) == ("failed", code, [])


@pytest.mark.requirement("WF-10")
def test_each_change_of_status_or_step_is_reported_and_one_result_ends_the_run() -> None:
    run = host(CREATE, DONE, mode="assist").run()
    run.send(when.Granted(at=AT)).go_on()
    assert [(one.payload.step_id, one.payload.status) for one in run.of(do.Report)] == [
        ("create", "running"),
        ("create", "waiting_for_confirmation"),
        ("create", "running"),
        ("done", "running"),
        ("done", "succeeded"),
    ]
    assert len(run.of(do.Finish)) == 1


def test_a_cycle_without_an_end_ends() -> None:
    always = {"kind": "not", "condition": {"kind": "role", "role": "x"}}
    run = host({"id": "a", "type": "branch", "branches": [{"when": [always], "next": "a"}]}, DONE).run()
    assert (run.status, run.error) == ("failed", "step_failed")
    assert run.machine.instance.error.message.startswith(f"the run did not end within {MAX_STEPS} steps")  # type: ignore[union-attr]


def test_the_timeout_of_the_definition_counts_working_time_alone() -> None:
    step = {"id": "hint", "type": "instruction", "text": "x", "acknowledge": "user"}
    later = msgspec.structs.replace(AT, mono=1000.0)
    run = host(step, DONE, members={"timeoutMs": 2000}).run()
    assert run.send(when.Acknowledged(at=later)).go_on().status == "succeeded"
    slow = host(CREATE, DONE, members={"timeoutMs": 2000}, Act=None).run()
    slow.send(msgspec.structs.replace(ended("succeeded", "applied"), at=later))
    assert slow.status == "failed"


@pytest.mark.requirement("WF-12")
def test_private_parameters_are_masked_outside_the_host() -> None:
    parameters = [
        {"name": "title", "type": "string"},
        {"name": "mail", "type": "string", "dataClass": "personal"},
        {"name": "odd", "type": "string", "dataClass": "x.unknown"},
    ]
    run = host(DONE, members={"parameters": parameters}, parameters={"title": "T", "mail": "a@b", "odd": "?"})
    assert run.run().machine.instance.parameters == {"title": "T", "mail": "•••", "odd": "•••"}
