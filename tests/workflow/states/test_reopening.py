"""A restart loses the page: the steps that a form needs are done again, and no action runs on an empty form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workflow.simulated import AT, DONE, ONCE, TOAST, SimulatedHost, definition, terms
from uiap.workflow import commands as do
from uiap.workflow import events as when

FILL: dict[str, Any] = {"type": "action", "actionId": "ui.enterText", "args": {"text": "x"}}
RETRY = {"onFailure": {"retry": {"max": 50}}}
FORM = definition(
    {"id": "open", **ONCE, "metadata": {"repeatable": True}, **RETRY},
    {"id": "title", **FILL, **RETRY},
    {"id": "text", **FILL, **RETRY},
    {"id": "save", **ONCE, **RETRY},
    {"id": "saved", "type": "ensure", "signals": [TOAST]},
    {"id": "tag", **FILL, **RETRY},
    {"id": "publish", **ONCE, **RETRY},
    DONE,
)
NEEDED = {"save": ["open", "title", "text"], "publish": ["tag"]}


class Restarting(SimulatedHost):
    """A host whose page forgets its form in a restart. A person looks at the application and answers."""

    def __init__(self, restarts: set[int], mode: str = "auto") -> None:
        super().__init__(terms(FORM, mode))
        self._restarts, self._count = restarts, 0
        self.form: list[str] = []
        self.written: list[str] = []
        self.wrong: list[str] = []
        self.reopened: list[str] = []

    def answer(self, command: do.Command) -> when.Event | None:
        self._count += 1
        if self._count in self._restarts:
            self.form.clear()
            if isinstance(command, do.Act) and command.once:
                self._restarts.add(self._count + 1)
                return when.OutcomeUnknown(at=AT, message="lost")
            return when.PageLost(at=AT)
        match command:
            case do.CheckMessages():
                return when.Checked(at=AT, route="/", url=f"https://a.test/{len(self.written)}")
            case do.Reopen():
                self.form.clear()
                self.reopened.append(command.url)
                return when.Reopened(at=AT)
            case do.Act():
                self._act(command.step_id)
            case do.AskConfirmation():
                return when.Granted(at=AT, by="ada")
            case do.HandOff():
                return when.HandedBack(at=AT, done=self.machine.instance.current_step_id in self.written)
        return super().answer(command)

    def _act(self, step_id: str) -> None:
        if step_id not in NEEDED:
            self.form = [*dict.fromkeys([*self.form, step_id])]
            return
        if self.form != NEEDED[step_id]:
            self.wrong.append(f"{step_id} with {self.form}")
        self.form, self.written = [], [*self.written, step_id]


@settings(max_examples=150, deadline=None)
@given(st.sets(st.integers(1, 60), max_size=4), st.sampled_from(["auto", "assist"]))
@pytest.mark.requirement("WF-6b")
def test_no_action_runs_on_a_form_that_lost_its_values(restarts: set[int], mode: str) -> None:
    host = Restarting(set(restarts), mode).run()
    assert host.wrong == []
    assert (host.status, host.written) in (("succeeded", ["save", "publish"]), ("failed", ["save"])), restarts


def test_the_steps_of_the_form_are_done_again_from_the_address_where_they_began() -> None:
    plain = Restarting(set()).run()
    position = next(i for i, one in enumerate(plain.commands) if isinstance(one, do.RecordIntent))
    answered = [one for one in plain.commands[:position] if not isinstance(one, do.Report)]
    host = Restarting({len(answered) + 1}).run()
    assert host.reopened == ["https://a.test/0"]
    assert host.acted == ["open", "title", "text", "open", "title", "text", "save", "tag", "publish"]


def test_a_message_that_passed_before_the_restart_is_asked_of_a_person() -> None:
    host = Restarting(set())
    host.answers["Observe"] = when.Observed(at=AT, passed=False, missing=(0,))
    host.run(limit=5000)
    assert host.status == "failed"
    again = Restarting(set())
    again.answers["Observe"] = lambda _: (
        when.Observed(at=AT, passed=False, missing=(0,)) if again.reopened else when.PageLost(at=AT)
    )
    assert again.run().status == "failed", "the person reports that it is not done"
    assert [one.step_id for one in again.of(do.HandOff)] == ["saved"]


def test_a_page_that_cannot_be_opened_again_fails_the_step() -> None:
    host = SimulatedHost(terms(definition({"id": "a", **ONCE}, DONE)))
    host.answers["Reopen"] = when.Reopened(at=AT, message="refused")
    host.send(when.Started(at=AT)).send(when.PageLost(at=AT)).go_on()
    assert (host.status, host.acted) == ("failed", [])
