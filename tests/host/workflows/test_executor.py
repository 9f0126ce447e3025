"""The executor: answers of a host, and a crash at every point of a run."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import msgspec
import pytest

from tests.workflow.simulated import DONE, ONCE, TOAST, definition, terms
from uiap.drivers.errors import ConnectionLost
from uiap.errors import InvalidPayload, Unavailable
from uiap.host.clock import FakeClock, SystemClock
from uiap.host.workflows.executor import MAX_PAGES_LOST, RecordedEvent, WorkflowExecutor
from uiap.host.workflows.performer import Observation, PagePosition
from uiap.host.workflows.run_store import MemoryRunStore
from uiap.instant import Instant
from uiap.spec.action import ActionRequestPayload, ActionResultPayload, VerificationOutcome
from uiap.workflow import events as when
from uiap.workflow.conditions.facts import ConditionFacts

AT = Instant(0.0, "2026-03-01T10:00:00.000Z")


class Crash(BaseException):
    """The process is killed here."""


class Counting:
    """An application that counts writes. It crashes when `points` is used up."""

    def __init__(self) -> None:
        self.writes: list[str] = []
        self.shown: list[str] = []
        self.points = 10**6
        self.refuse = False

    def point(self) -> None:
        self.points -= 1
        if self.points < 0:
            raise Crash

    async def position(self) -> PagePosition:
        return PagePosition("/")

    async def facts(self) -> ConditionFacts:
        return ConditionFacts(roles=frozenset({"editor"}))

    async def show(self, text: str, target: Any) -> None:
        self.shown.append(text)

    def changes(self) -> tuple[str, ...]:
        return ()

    async def act(self, request: ActionRequestPayload, _confirmation: Any = None) -> ActionResultPayload:
        if self.refuse:
            raise InvalidPayload("no such argument")
        self.point()
        self.writes.append(request.metadata["stepId"])  # type: ignore[index]
        self.point()
        return ActionResultPayload(
            action_handle="act_1",
            action_id=request.action_id,
            status="succeeded",
            side_effect_state="applied",
            verification=VerificationOutcome(passed=True, policy="none", observed=()),
        )

    async def reopen(self, url: str) -> str:
        return ""

    def lost(self) -> str:
        return ""

    async def discard(self) -> None:
        pass

    async def observe(self, signals: Any, policy: str, timeout_s: float | None) -> Observation:
        missing = tuple(index for index, one in enumerate(signals) if one.text not in self.writes)
        if missing and timeout_s is None:
            await asyncio.Event().wait()
        return Observation(not missing, missing)


class RememberedJournal:
    """A journal on a list that survives the executor, as a database does."""

    def __init__(self, entries: list[bytes], application: Counting) -> None:
        self._entries, self._application, self._next = entries, application, 0

    async def record(self, _name: str, work: Any) -> RecordedEvent:
        self._next += 1
        if self._next > len(self._entries):
            self._application.point()
            entry = msgspec.json.encode(await work())
            self._application.point()
            self._entries.append(entry)
            self._application.point()
        return msgspec.json.decode(self._entries[self._next - 1], type=RecordedEvent)


class CrashingStore(MemoryRunStore):
    def __init__(self, application: Counting) -> None:
        super().__init__()
        self._application = application

    def claim(self, *args: Any) -> Any:
        self._application.point()
        claimed = super().claim(*args)
        self._application.point()
        return claimed


class Restarted:
    """One run over any number of executors."""

    def __init__(self, run: Any) -> None:
        self.terms, self.application = run, Counting()
        self.entries: list[bytes] = []
        self.store = CrashingStore(self.application)
        self.published: list[str] = []
        self.asked = 0

    def executor(self) -> WorkflowExecutor:
        return WorkflowExecutor(
            self.terms,
            self.application,
            self.store,
            SystemClock(),
            journal=RememberedJournal(self.entries, self.application),
            publish=lambda type, payload: self.published.append(payload.status),  # type: ignore[attr-defined]
        )

    async def crash_after(self, points: int) -> None:
        self.application.points = points
        with pytest.raises(Crash):
            await self.executor().run()
        self.application.points = 10**6

    async def finish(self) -> str:
        """Run to the end. A person reports what the application has."""
        executor = self.executor()
        task = asyncio.ensure_future(executor.run())
        while not task.done():
            await asyncio.wait({task}, timeout=0.01)
            if executor.machine.instance.status == "waiting_for_user":
                done = executor.machine.instance.current_step_id in self.application.writes
                self.asked += 1
                self.store.post(self.terms.instance_id, when.HandedBack(at=AT, done=done))
        return task.result().status


PROOF = {"policy": "all", "signals": [{**TOAST, "text": "b"}]}
THREE = definition(
    {"id": "a", **ONCE, "onFailure": {"retry": {"max": 1}}},
    {"id": "b", **ONCE, "onFailure": {"retry": {"max": 1}}, "verification": PROOF},
    DONE,
)


@pytest.mark.requirement("WF-6b", "WF-5c")
async def test_a_crash_at_any_point_loses_nothing_and_repeats_nothing() -> None:
    points = 0
    handed_off = []
    while True:
        run = Restarted(terms(THREE))
        run.application.points = points
        try:
            await run.executor().run()
            break
        except Crash:
            run.application.points = 10**6
        assert await run.finish() == "succeeded"
        assert run.application.writes == ["a", "b"], f"a crash at point {points}"
        handed_off.append(run.asked > 0)
        points += 1
    assert points > 30
    assert any(handed_off) and not all(handed_off)


@pytest.mark.requirement("WF-6b")
async def test_two_crashes_in_a_row_repeat_nothing() -> None:
    for first in range(8, 20, 2):
        for second in range(0, 9, 2):
            run = Restarted(terms(THREE))
            await run.crash_after(first)
            run.application.points = second
            with contextlib.suppress(Crash, TimeoutError):
                await asyncio.wait_for(run.executor().run(), 0.02)
            run.application.points = 10**6
            assert await run.finish() == "succeeded"
            assert run.application.writes == ["a", "b"]


async def test_two_executors_of_one_run_dispatch_each_step_once() -> None:
    """F9: both replay the same journal; the claim of the intent decides."""
    run = Restarted(terms(THREE))
    await run.crash_after(8)
    others = Restarted(run.terms)
    others.application, others.store, others.entries = run.application, run.store, list(run.entries)
    await asyncio.gather(run.finish(), others.finish())
    assert sorted(run.application.writes) == ["a", "b"]


async def test_steps_of_the_journal_are_not_published_again() -> None:
    run = Restarted(terms(definition({"id": "a", "type": "instruction", "text": "one"}, DONE)))
    assert await run.finish() == "succeeded"
    first = list(run.published)
    assert await run.finish() == "succeeded"
    assert run.published == first and first[-1] == "succeeded"


async def test_an_intent_that_cannot_be_stored_prevents_the_action() -> None:
    run = Restarted(terms(definition({"id": "a", **ONCE}, DONE)))

    def full(*_args: Any) -> Any:
        raise OSError("disk full")

    run.store.claim = full  # type: ignore[method-assign]
    assert await run.finish() == "failed"
    assert run.application.writes == []


async def test_a_refused_request_had_no_effect_and_may_be_retried() -> None:
    run = Restarted(terms(definition({"id": "a", **ONCE, "onFailure": {"goto": "done"}}, DONE)))
    run.application.refuse = True
    assert await run.finish() == "succeeded"


# -- messages and time --------------------------------------------------------------------------------------


def waiting(clock: Any = None) -> tuple[WorkflowExecutor, MemoryRunStore]:
    step = {
        "id": "a",
        "type": "instruction",
        "text": "wait",
        "acknowledge": "user",
        "timeoutMs": 60_000,
        "onFailure": {"goto": "late"},
    }
    late = {"id": "late", "type": "complete", "outcome": "cancelled"}
    store = MemoryRunStore()
    run = terms(definition(step, DONE, late))
    return WorkflowExecutor(run, Counting(), store, clock or SystemClock()), store


async def test_a_message_wakes_a_waiting_run_and_others_are_passed_over() -> None:
    executor, store = waiting()
    store.post("wf_1", when.Granted(at=AT))
    task = asyncio.ensure_future(executor.run())
    while executor.machine.state != "AWAITING_ACKNOWLEDGEMENT":
        await asyncio.sleep(0)
    store.post("wf_1", when.InputProvided(at=AT, values={}))
    store.post("wf_1", when.Acknowledged(at=AT))
    assert (await asyncio.wait_for(task, 5)).status == "succeeded"


@pytest.mark.requirement("WF-6", "WF-6c")
async def test_pause_resume_and_cancel_arrive_as_messages() -> None:
    executor, store = waiting()
    for event in (when.Paused(at=AT), when.Resumed(at=AT), when.Cancelled(at=AT)):
        store.post("wf_1", event)
    assert (await asyncio.wait_for(executor.run(), 5)).status == "cancelled"


async def test_a_wait_ends_at_its_deadline_and_a_restart_does_not_prolong_it() -> None:
    clock = FakeClock()
    executor, store = waiting(clock)
    started = await executor._deadline(60_000)
    assert started == clock.now().mono + 60
    clock.advance(50)
    again = WorkflowExecutor(executor._terms, Counting(), store, clock)
    assert await again._deadline(60_000) == pytest.approx(clock.now().mono + 10)
    clock.advance(50)
    assert await again._deadline(60_000) == clock.now().mono, "it is over"


async def test_a_run_goes_on_when_the_deadline_of_a_wait_is_over() -> None:
    executor, _ = waiting()
    step = msgspec.structs.replace(executor._terms.definition.steps[0], timeout_ms=20)
    steps = (step, *executor._terms.definition.steps[1:])
    short = msgspec.structs.replace(executor._terms.definition, steps=steps)
    run = WorkflowExecutor(terms(short), Counting(), MemoryRunStore(), SystemClock())
    assert (await asyncio.wait_for(run.run(), 5)).status == "cancelled"


async def test_a_handoff_ends_when_its_signals_are_observed() -> None:
    step = {
        "id": "a",
        "type": "handoff",
        "handoff": {"reason": "other", "resumeOn": [{**TOAST, "text": "x"}]},
    }
    application = Counting()
    application.writes.append("x")
    executor = WorkflowExecutor(terms(definition(step, DONE)), application, MemoryRunStore(), SystemClock())
    assert (await asyncio.wait_for(executor.run(), 5)).status == "succeeded"


@pytest.mark.requirement("WF-5b")
async def test_conditions_are_judged_on_the_live_facts() -> None:
    editor, admin = ({"kind": "role", "role": role} for role in ("editor", "admin"))
    steps = [
        {"id": "a", "type": "instruction", "text": "for editors", "when": [editor]},
        {"id": "b", "type": "instruction", "text": "for admins", "when": [admin]},
    ]
    application = Counting()
    executor = WorkflowExecutor(terms(definition(*steps, DONE)), application, MemoryRunStore(), SystemClock())
    await executor.run()
    assert application.shown == ["for editors"]


# -- a page that is gone ------------------------------------------------------------------------------------


class Breaking(Counting):
    """An application whose page is lost in the given calls of `act`."""

    def __init__(self, *breaks: int) -> None:
        super().__init__()
        self.breaks, self.calls, self.reopened, self.discarded = breaks, 0, 0, 0

    async def act(self, request: Any, _confirmation: Any = None) -> Any:
        self.calls += 1
        if self.calls in self.breaks:
            raise ConnectionLost("the browser is gone")
        return await super().act(request)

    async def reopen(self, url: str) -> str:
        self.reopened += 1
        return ""

    async def discard(self) -> None:
        self.discarded += 1


REPEATABLE = {**ONCE, "metadata": {"repeatable": True}}


async def test_a_repeatable_step_is_done_again_on_a_new_page() -> None:
    application = Breaking(2)
    steps = [{"id": "a", **REPEATABLE}, {"id": "b", **REPEATABLE}, DONE]
    run = WorkflowExecutor(terms(definition(*steps)), application, MemoryRunStore(), SystemClock())
    assert (await run.run()).status == "succeeded"
    assert application.writes == ["a", "a", "b"]
    assert (application.reopened, application.discarded) == (1, 1)


async def test_a_page_that_is_lost_during_an_action_leaves_its_outcome_to_a_person() -> None:
    run = Restarted(terms(definition({"id": "a", **ONCE}, DONE)))
    run.application = Breaking(1)
    assert await run.finish() == "failed", "the person reports that it did not happen"
    assert (run.application.writes, run.asked) == ([], 1)


async def test_a_run_whose_page_is_lost_again_and_again_pauses() -> None:
    application = Breaking(*range(1, 100))
    store = MemoryRunStore()
    run = WorkflowExecutor(
        terms(definition({"id": "a", **REPEATABLE}, DONE)), application, store, SystemClock()
    )
    task = asyncio.ensure_future(run.run())
    async with asyncio.timeout(5):
        while run.machine.instance.status != "paused":
            await asyncio.sleep(0)
    store.post("wf_1", when.Cancelled(at=AT))
    assert (await asyncio.wait_for(task, 5)).status == "cancelled"
    assert application.discarded == MAX_PAGES_LOST + 1


class Dying(Counting):
    """An application whose page ends during the first call of one method, which then never returns or fails."""

    def __init__(self, method: str) -> None:
        super().__init__()
        self.method, self.gone, self.discarded = method, False, 0

    def lost(self) -> str:
        return "the browser has stopped" if self.gone else ""

    async def discard(self) -> None:
        self.gone, self.discarded = False, self.discarded + 1

    async def _end(self, method: str) -> bool:
        if self.method != method or self.discarded:
            return False
        self.gone = True
        return True

    async def act(self, request: Any, _confirmation: Any = None) -> Any:
        if await self._end("act"):
            await asyncio.Event().wait()
        return await super().act(request)

    async def observe(self, signals: Any, policy: Any, timeout_s: float | None) -> Any:
        if signals and await self._end("observe"):
            return Observation(False, (0,))
        return await super().observe(signals, policy, timeout_s)

    async def reopen(self, url: str) -> str:
        if await self._end("reopen"):
            return "the page ended during the navigation"
        return ""


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("LOOK_S", 0.001), ("GONE_S", 0.001), ("OPEN_RETRY_S", (0.0,))):
        monkeypatch.setattr(f"uiap.host.workflows.executor.{name}", value)


async def finished(application: Counting, *steps: Any) -> str:
    run = WorkflowExecutor(terms(definition(*steps, DONE)), application, MemoryRunStore(), SystemClock())
    return (await asyncio.wait_for(run.run(), 10)).status


@pytest.mark.usefixtures("impatient")
@pytest.mark.requirement("WF-6b")
async def test_a_step_whose_page_ended_is_not_waited_for_and_done_again() -> None:
    application = Dying("act")
    assert await finished(application, {"id": "a", **REPEATABLE}) == "succeeded"
    assert (application.writes, application.discarded) == (["a"], 1)


@pytest.mark.usefixtures("impatient")
async def test_a_signal_that_is_missing_because_the_page_ended_is_looked_for_again() -> None:
    application = Dying("observe")
    application.writes.append("x")
    ensure = {"id": "a", "type": "ensure", "signals": [{**TOAST, "text": "x"}]}
    assert await finished(application, ensure) == "succeeded"
    assert application.discarded == 1


@pytest.mark.usefixtures("impatient")
async def test_a_page_that_ends_while_it_opens_again_is_opened_once_more() -> None:
    class Twice(Dying):
        async def act(self, request: Any, _confirmation: Any = None) -> Any:
            if not self.discarded and self.writes:
                self.method = "none"
                await self.discard()
                self.method, self.discarded = "reopen", 0
                raise ConnectionLost("the browser is gone")
            return await super().act(request)

    application = Twice("none")
    steps = [{"id": "a", **REPEATABLE}, {"id": "b", **REPEATABLE}]
    assert await finished(application, *steps) == "succeeded"
    assert application.writes == ["a", "a", "b"]


@pytest.mark.usefixtures("impatient")
async def test_an_application_that_cannot_be_opened_is_tried_again_before_the_run_pauses() -> None:
    class Unopened(Counting):
        attempts = 0

        async def position(self) -> Any:
            self.attempts += 1
            if self.attempts <= 1:
                raise Unavailable("it could not be opened")
            return await super().position()

    application = Unopened()
    assert await finished(application, {"id": "a", **REPEATABLE}) == "succeeded"


async def test_pages_lost_at_different_steps_do_not_pause_a_run() -> None:
    """Steps are done again after a lost page, so `a` runs often; each other step loses its page once."""
    names = "abcdefghij"
    steps = [{"id": name, **REPEATABLE} for name in names]
    losses, call = [], 1
    for at in range(1, len(names)):
        losses.append(call + at)
        call += at + 1
    application = Breaking(*losses)
    run = WorkflowExecutor(terms(definition(*steps, DONE)), application, MemoryRunStore(), SystemClock())
    assert (await asyncio.wait_for(run.run(), 10)).status == "succeeded"
    assert application.discarded > MAX_PAGES_LOST


@pytest.mark.requirement("WF-6b")
async def test_an_action_that_failed_because_the_page_ended_is_left_to_a_person() -> None:
    class Ending(Counting):
        gone = ""

        def lost(self) -> str:
            return self.gone

        async def act(self, request: Any, _confirmation: Any = None) -> Any:
            result = await super().act(request)
            self.gone = "the browser has stopped"
            return msgspec.structs.replace(result, status="failed", side_effect_state="unknown")

        async def discard(self) -> None:
            self.gone = ""

    run = Restarted(terms(definition({"id": "a", **ONCE}, DONE)))
    run.application = Ending()
    assert await run.finish() == "succeeded", "the person reports that it happened"
    assert (run.application.writes, run.asked) == (["a"], 1)
