"""Properties of every run: generated definitions, hosts that answer anything, and restarts at any moment."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.workflow.simulated import AT, TOAST, definition, terms
from uiap.spec.workflow import WorkflowDefinition
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.machine import WorkflowMachine
from uiap.workflow.start import load_errors
from uiap.workflow.states import choosing

IDS = ["a", "b", "c", "d", "e"]
PARAMETERS = [{"name": "title", "type": "string"}, {"name": "count", "type": "number", "default": 2}]
quick = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))

conditions = st.recursive(
    st.sampled_from(
        [
            {"kind": "role", "role": "admin"},
            {"kind": "parameter", "name": "count", "op": "gt", "value": 1},
            {"kind": "custom", "name": "unknown"},
            {"kind": "result", "stepId": "a", "op": "exists"},
        ]
    ),
    lambda inner: (
        st.builds(lambda one: {"kind": "not", "condition": one}, inner)
        | st.builds(lambda many: {"kind": "any", "conditions": many}, st.lists(inner, max_size=2))
    ),
    max_leaves=3,
)
policies = st.fixed_dictionaries(
    {},
    optional={
        "retry": st.fixed_dictionaries({"max": st.integers(0, 2)}),
        "goto": st.sampled_from([*IDS, "done"]),
        "handoff": st.just({"reason": "other"}),
    },
)


def _steps(id: str) -> st.SearchStrategy[dict[str, Any]]:
    base: dict[str, Any] = {"id": st.just(id)}
    optional: dict[str, Any] = {
        "next": st.sampled_from([*IDS, "done"]),
        "when": st.lists(conditions, max_size=1),
        "modes": st.lists(st.sampled_from(["auto", "assist", "guide"]), min_size=1, max_size=2),
        "onFailure": policies,
    }

    def step(type: str, **members: Any) -> st.SearchStrategy[dict[str, Any]]:
        return st.fixed_dictionaries({**base, "type": st.just(type), **members}, optional=optional)

    return st.one_of(
        step("instruction", text=st.just("text"), acknowledge=st.sampled_from(["none", "user"])),
        step("collect", parameterNames=st.just(["title"]), onlyMissing=st.booleans()),
        step("action", actionId=st.sampled_from(["video.create", "ui.submit", "nav.navigate"])),
        step(
            "action",
            actionId=st.just("video.create"),
            verification=st.just({"policy": "all", "signals": [TOAST]}),
        ),
        step("ensure", signals=st.just([TOAST])),
        step(
            "branch",
            branches=st.lists(
                st.fixed_dictionaries(
                    {"when": st.lists(conditions, max_size=1), "next": st.sampled_from(IDS)}
                ),
                max_size=2,
            ),
        ),
        step("handoff", handoff=st.just({"reason": "other", "timeoutMs": 10})),
    )


definitions = st.builds(
    lambda steps: definition(*steps, {"id": "done", "type": "complete"}, parameters=PARAMETERS),
    st.tuples(*map(_steps, IDS)),
)
modes = st.sampled_from(["auto", "assist", "guide"])

ANSWERS: dict[type[do.Command], Any] = {
    do.CheckMessages: [lambda _: when.Checked(at=AT, route="/a"), lambda _: when.Paused(at=AT)],
    do.AwaitMessages: [lambda _: when.Resumed(at=AT), lambda _: when.Resumed(at=AT, parameters={"count": 3})],
    do.Judge: [
        lambda one: when.Judged(at=AT, holds=(True,) * len(one.groups)),
        lambda one: when.Judged(at=AT, holds=(False,) * len(one.groups)),
    ],
    do.Show: [lambda one: when.Acknowledged(at=AT) if one.acknowledge else when.Shown(at=AT)],
    do.AskInput: [lambda _: when.InputProvided(at=AT, values={"title": "T"}), lambda _: when.Woke(at=AT)],
    do.AskConfirmation: [lambda _: when.Granted(at=AT), lambda _: when.Denied(at=AT)],
    do.RecordIntent: [
        lambda _: when.IntentRecorded(at=AT),
        lambda _: when.IntentNotRecorded(at=AT, reason="full"),
        lambda _: when.OutcomeUnknown(at=AT, message="lost"),
    ],
    do.Act: [
        lambda _: when.ActionEnded(at=AT, status="succeeded", side_effect="applied"),
        lambda _: when.ActionEnded(at=AT, status="failed", side_effect="none"),
        lambda _: when.ActionEnded(at=AT, status="failed", side_effect="unknown"),
        lambda _: when.ActionEnded(at=AT, status="cancelled", side_effect="unknown"),
        lambda _: when.OutcomeUnknown(at=AT, message="lost"),
    ],
    do.Guide: [lambda _: when.HandedBack(at=AT, done=True), lambda _: when.Observed(at=AT, passed=True)],
    do.HandOff: [
        lambda _: when.HandedBack(at=AT, done=True),
        lambda _: when.HandedBack(at=AT, done=False),
        lambda _: when.Woke(at=AT),
    ],
    do.Observe: [
        lambda _: when.Observed(at=AT, passed=True),
        lambda _: when.Observed(at=AT, passed=False, missing=(0,)),
    ],
    do.Reopen: [lambda _: when.Reopened(at=AT), lambda _: when.Reopened(at=AT, message="no page")],
    do.Delay: [lambda _: when.Woke(at=AT)],
}
MAX_EVENTS = 1_000


@pytest.fixture(autouse=True)
def _short_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "MAX_STEPS", 40)


class Walk:
    """One run with a host that answers from a list of choices, over and over."""

    def __init__(self, workflow: WorkflowDefinition, mode: str, choices: list[int]) -> None:
        self.terms = terms(workflow, mode)
        self.machine = WorkflowMachine(self.terms)
        self.events: list[when.Event] = []
        self.commands: list[list[do.Command]] = []
        self._choices = choices or [0]

    def run(self) -> Walk:
        event: when.Event | None = when.Started(at=AT)
        while event is not None:
            self.events.append(event)
            self.commands.append(self.machine.handle(event))
            event = self._answer()
            assert len(self.events) < MAX_EVENTS, "the run does not end"
        return self

    def _answer(self) -> when.Event | None:
        if self.machine.finished:
            return None
        pending = [one for one in self.commands[-1] if type(one) in ANSWERS]
        assert len(pending) == 1, f"one command must be pending: {self.commands[-1]}"
        possible = ANSWERS[type(pending[0])]
        choice = self._choices[len(self.events) % len(self._choices)]
        answer: when.Event = possible[choice % len(possible)](pending[0])
        return answer


walks = st.builds(Walk, definitions, modes, st.lists(st.integers(0, 5), max_size=12))


@quick
@given(walks)
def test_every_run_ends_with_one_result_whatever_the_host_answers(walk: Walk) -> None:
    walk.run()
    finished = [one for batch in walk.commands for one in batch if isinstance(one, do.Finish)]
    assert len(finished) == 1 and isinstance(walk.commands[-1][-1], do.Finish)


@quick
@given(walks)
def test_no_step_is_dispatched_again_while_it_may_have_happened(walk: Walk) -> None:
    """An own account of each step: only a known outcome, or a person, allows the next dispatch."""
    walk.run()
    open_steps: set[str] = set()
    keys: list[str] = []
    recorded: set[str] = set()
    pending: do.Command | None = None
    handed: str | None = None
    for event, commands in zip(walk.events, walk.commands, strict=True):
        match event, pending:
            case when.IntentRecorded(), do.RecordIntent(key=key):
                recorded.add(key)
            case when.ActionEnded(side_effect="none"), do.Act(step_id=id):
                open_steps.discard(id)
            case when.ActionEnded(status="succeeded"), do.Act(step_id=id):
                open_steps.discard(id)
            case when.HandedBack(), do.HandOff(step_id=id):
                open_steps.discard(id)
            case when.Observed(passed=True), do.Observe() if handed is not None:
                open_steps.discard(handed)
        for one in commands:
            if isinstance(one, do.Report) and isinstance(one.payload.step_id, str):
                handed = one.payload.step_id
            if isinstance(one, do.Act) and one.once:
                assert one.step_id not in open_steps, (
                    f"{one.step_id} is dispatched while it may have happened"
                )
                assert one.key in recorded, "there is no intent"
                open_steps.add(one.step_id)
                keys.append(one.key)
            if type(one) in ANSWERS:
                pending = one
    assert len(keys) == len(set(keys)), "two dispatches share an intent"


@quick
@given(walks)
def test_replaying_the_recorded_events_gives_the_same_commands(walk: Walk) -> None:
    walk.run()
    recorded = msgspec.json.encode(walk.events)
    events = msgspec.json.decode(recorded, type=list[when.AnyEvent])
    again = WorkflowMachine(msgspec.json.decode(msgspec.json.encode(walk.terms), type=type(walk.terms)))
    assert [again.handle(event) for event in events] == walk.commands
    assert again.instance == walk.machine.instance


@quick
@given(walks, st.lists(st.sampled_from([*ANSWERS.values()]), min_size=1, max_size=4), st.integers(0, 40))
def test_events_nobody_waits_for_change_nothing(walk: Walk, strange: list[Any], position: int) -> None:
    """Only pause, resume and cancel may come at any time; every other event must answer a command."""
    walk.run()
    machine = WorkflowMachine(walk.terms)
    for number, event in enumerate(walk.events):
        if number == position:
            for answers in strange:
                extra = (
                    answers[0](do.Show(step_id="x", text="")) if answers is not ANSWERS[do.Judge] else None
                )
                if extra is not None and not machine.accepts(type(extra)):
                    assert machine.handle(extra) == []
        assert machine.handle(event) == walk.commands[number]


@quick
@given(definitions)
def test_a_definition_that_is_valid_has_no_step_without_a_way_on(workflow: WorkflowDefinition) -> None:
    if load_errors(workflow):
        return
    walk = Walk(workflow, "auto", [0]).run()
    error = walk.machine.instance.error
    assert error is msgspec.UNSET or "no step follows" not in error.message
