"""Carries out the commands of one workflow machine, one at a time, and feeds the answers back.

Each answer goes through a journal before the machine sees it. A journal that remembers answers makes the run durable:
after a restart it returns the recorded answers, and the machine is where it was. Work that was interrupted is done
again, except the dispatch of an action whose intent was claimed: its outcome is reported as unknown.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.drivers.errors import DriverError, PageGone
from uiap.errors import UiapError, Unavailable
from uiap.host.clock import Clock
from uiap.host.workflows.evidence import evidence_of, proof_is_late
from uiap.host.workflows.performer import Confirmation, ConfirmationMissing, Observation, StepPerformer
from uiap.host.workflows.run_store import STORE_FAILURES, RunStore
from uiap.host.workflows.waiting_store import WaitingStore
from uiap.ids import new_secret
from uiap.spec.action import ActionResultPayload
from uiap.spec.capability import SuccessSignal
from uiap.spec.workflow import WorkflowInputRequestPayload, WorkflowInstance
from uiap.workflow import commands as do
from uiap.workflow import events as when
from uiap.workflow.conditions.registry import judge_groups
from uiap.workflow.lifecycle import ANSWERED_BY
from uiap.workflow.machine import WorkflowMachine
from uiap.workflow.run import WorkflowTerms

log = logging.getLogger("uiap.workflows")
MAX_PAGES_LOST = 5
"""A run pauses after its page was lost this often at one step, in one process."""
OPEN_RETRY_S = (0.5, 2.0, 5.0)
"""How long a run waits before it opens the application again. A browser may die while it opens a page."""
LOOK_S = 1.0
"""How often a run checks whether the page that it waits for still exists."""
GONE_S = 5.0
"""How long an answer may still take after its page is gone."""
WITHOUT_PAGE = (do.AwaitMessages, do.AskInput, do.AskConfirmation, do.AskRepair, do.Delay)
"""Commands that wait for a person or for time. They do not depend on a page."""


class RecordedEvent(msgspec.Struct, frozen=True):
    """One entry of a journal: the answer to a command, and the last message that was read for it."""

    event: when.AnyEvent
    message: int = 0


Work: TypeAlias = Callable[[], Awaitable[RecordedEvent]]
Publish: TypeAlias = Callable[[str, msgspec.Struct], None]


class RunJournal(Protocol):
    async def record(self, name: str, work: Work) -> RecordedEvent:
        """Do the work and record its answer, or return the recorded answer without doing it."""
        ...


class MemoryJournal:
    """A journal of a run that does not survive this process."""

    async def record(self, name: str, work: Work) -> RecordedEvent:
        return await work()


class WorkflowExecutor:
    """Runs one workflow. `run` returns when it has ended.

    Args:
        publish: Receives the events `uiap.workflow.progress`, `.input.request` and `.result`. Replayed steps are not
            published again.
    """

    def __init__(
        self,
        terms: WorkflowTerms,
        performer: StepPerformer,
        store: RunStore,
        clock: Clock,
        *,
        journal: RunJournal | None = None,
        publish: Publish = lambda _type, _payload: None,
    ) -> None:
        self.machine = WorkflowMachine(terms)
        self._terms, self._performer, self._store, self._clock = terms, performer, store, clock
        self._records = WaitingStore(store, terms.instance_id)
        self._journal, self._publish = journal or MemoryJournal(), publish
        self._token = new_secret("exec")
        self._number = 0
        """Numbers the journal entries of this run."""
        self._pages_lost: Counter[str] = Counter()
        """How often each step lost its page."""
        self._not_opened, self._last_fault = 0, ""
        self._message = 0
        self._live = False
        """Whether the last answer was found now and not in the journal."""
        self._page_lost = False
        """The page is not the one of the recorded answers, and the machine has not heard of it."""
        self._answers: Mapping[type[do.Command], Callable[[Any], Awaitable[RecordedEvent]]] = {
            do.CheckMessages: self._check_messages,
            do.AwaitMessages: self._wait,
            do.Judge: self._judge,
            do.Show: self._show,
            do.AskInput: self._wait,
            do.AskConfirmation: self._wait,
            do.RecordIntent: self._record_intent,
            do.Act: self._act,
            do.Guide: self._guide,
            do.HandOff: self._wait,
            do.ProposeRepair: self._propose_repair,
            do.AskRepair: self._wait,
            do.Observe: self._observe,
            do.Reopen: self._reopen,
            do.Delay: self._wait,
        }

    async def run(self) -> WorkflowInstance:
        """Run to the end and return the final instance."""
        commands = await self._step("start", self._started)
        pending: do.Command | None = None
        while not self.machine.finished:
            pending = next((one for one in commands if type(one) in ANSWERED_BY), pending)
            assert pending is not None, "an open run waits for something"
            answer, command = self._answers[type(pending)], pending
            commands = await self._step(type(command).__name__, lambda: self._on_page(command, answer))  # noqa: B023
        return self.machine.instance

    async def _step(self, name: str, work: Work) -> list[do.Command]:
        async def do_now() -> RecordedEvent:
            self._live = True
            return await work()

        self._live = False
        self._number += 1
        recorded = await self._journal.record(name, do_now)
        self._page_lost = self._page_lost or not self._live
        self._message = max(self._message, recorded.message)
        commands = self.machine.handle(recorded.event)
        if self._live:
            self._publish_all(commands)
        return commands

    def _publish_all(self, commands: list[do.Command]) -> None:
        for command in commands:
            if isinstance(command, do.Report):
                self._publish("uiap.workflow.progress", command.payload)
            elif isinstance(command, do.AskInput):
                request = WorkflowInputRequestPayload(
                    instance_id=self._terms.instance_id,
                    step_id=command.step_id,
                    parameters=command.parameters,
                )
                self._publish("uiap.workflow.input.request", request)
            elif isinstance(command, do.Finish):
                self._publish("uiap.workflow.result", command.payload)

    async def _on_page(
        self, command: do.Command, answer: Callable[[Any], Awaitable[RecordedEvent]]
    ) -> RecordedEvent:
        """Answer a command. If the page is gone, report that, or that the outcome of an action is not known."""
        if self._page_lost and not await self._may_have_acted(command):
            self._page_lost = False
            return RecordedEvent(when.PageLost(at=self._clock.now()), self._message)
        lost = self._pages_lost[self._step_id]
        if lost > MAX_PAGES_LOST and isinstance(command, do.CheckMessages):
            return self._paused(f"its page was lost {lost} times: {self._last_fault}")
        try:
            return await self._answer_of_page(command, answer)
        except STORE_FAILURES:
            raise  # the journal waits for the database and asks again; the page is as it was
        except Exception as error:  # an unexpected fault must not end the run without a report
            if not isinstance(error, UiapError):
                log.exception("a step of run %s failed", self._terms.instance_id)
            return await self._replace_page(command, error)

    @property
    def _step_id(self) -> str:
        return self.machine.instance.current_step_id or ""

    async def _answer_of_page(
        self, command: do.Command, answer: Callable[[Any], Awaitable[RecordedEvent]]
    ) -> RecordedEvent:
        """Return the answer. Raise PageGone if the page ended meanwhile, so that its answer means nothing."""
        task = asyncio.ensure_future(answer(command))
        try:
            while not (await asyncio.wait({task}, timeout=LOOK_S))[0]:
                if self._page_gone(command) and not (await asyncio.wait({task}, timeout=GONE_S))[0]:
                    raise PageGone(self._performer.lost())
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        found = task.result()
        if _depends_on_page(found.event) and self._page_gone(command):
            raise PageGone(self._performer.lost())
        return found

    def _page_gone(self, command: do.Command) -> bool:
        return not isinstance(command, WITHOUT_PAGE) and bool(self._performer.lost())

    async def _may_have_acted(self, command: do.Command) -> bool:
        if isinstance(command, do.Act):
            return command.once
        if not isinstance(command, do.RecordIntent):
            return False
        return await self._records.claim_of(command.key) is not None

    async def _replace_page(self, command: do.Command, error: Exception) -> RecordedEvent:
        await self._performer.discard()
        self._last_fault = str(error)
        if isinstance(command, do.Act) and command.once:
            self._page_lost = True
            claim = await self._records.claim_of(command.key)
            return self._unknown(command.key, () if claim is None else claim.held)
        if isinstance(command, do.CheckMessages) and isinstance(error, Unavailable):
            return await self._wait_for_application()
        self._pages_lost[self._step_id] += 1
        if self._pages_lost[self._step_id] > MAX_PAGES_LOST and not isinstance(command, do.CheckMessages):
            await asyncio.sleep(OPEN_RETRY_S[0])  # a step that waits for a person cannot be paused for this
        return RecordedEvent(when.PageLost(at=self._clock.now()), self._message)

    async def _wait_for_application(self) -> RecordedEvent:
        """Wait before the application is opened again. After a few attempts, leave it to a person."""
        if self._not_opened == len(OPEN_RETRY_S):
            self._not_opened = 0
            return self._paused(f"the application cannot be opened: {self._last_fault}")
        self._not_opened += 1
        await asyncio.sleep(OPEN_RETRY_S[self._not_opened - 1])
        return RecordedEvent(when.PageLost(at=self._clock.now()), self._message)

    def _paused(self, reason: str) -> RecordedEvent:
        self._pages_lost.clear()
        return RecordedEvent(when.Paused(at=self._clock.now(), reason=reason), self._message)

    # -- answers that take no time --------------------------------------------------------------------------

    async def _started(self) -> RecordedEvent:
        return RecordedEvent(when.Started(at=self._clock.now()))

    async def _check_messages(self, _command: do.CheckMessages) -> RecordedEvent:
        found = await self._next_message()
        if found is not None and found.event is not None:
            return RecordedEvent(found.event, found.number)
        route, revision, url = await self._performer.position()
        self._not_opened = 0
        checked = when.Checked(at=self._clock.now(), route=route, revision=revision, url=url)
        return RecordedEvent(checked, self._message if found is None else found.number)

    async def _next_message(self) -> _Found | None:
        """Return the first message that means something now; messages before it are passed over."""
        last = 0
        for message in await self._records.messages_after(self._message):
            last = message.number
            if self.machine.accepts(type(message.event)):
                return _Found(last, msgspec.structs.replace(message.event, at=self._clock.now()))
        return _Found(last, None) if last else None

    async def _judge(self, command: do.Judge) -> RecordedEvent:
        live = await self._performer.facts()
        facts = dataclasses.replace(live, parameters=command.parameters, results=command.results)
        holds, warnings = judge_groups(command.groups, facts)
        return RecordedEvent(when.Judged(at=self._clock.now(), holds=holds, warnings=warnings))

    # -- actions --------------------------------------------------------------------------------------------

    async def _record_intent(self, command: do.RecordIntent) -> RecordedEvent:
        observation = await self._performer.observe(command.signals, "all", 0.0)
        held = tuple(i for i in range(len(command.signals)) if i not in observation.missing)
        try:
            claim = await self._records.claim(command.key, self._token, held)
        except Exception as error:  # any failure of the store means: do not act
            return RecordedEvent(when.IntentNotRecorded(at=self._clock.now(), reason=str(error)))
        if claim.token != self._token:
            return self._unknown(command.key, claim.held)
        return RecordedEvent(when.IntentRecorded(at=self._clock.now(), held=claim.held))

    async def _act(self, command: do.Act) -> RecordedEvent:
        claim = None
        if command.once:
            claim = await self._records.claim_of(command.key)
        if command.once and (claim is None or claim.token != self._token):
            return self._unknown(command.key, () if claim is None else claim.held)
        request = command.request
        if command.repairs:
            self._performer.use_repairs(command.repairs)
        picture = await self._first_picture(command)
        if command.once:
            request = msgspec.structs.replace(request, idempotency_key=command.key)
        try:
            result = await self._performer.act(request, _confirmation(command))
        except DriverError:
            raise
        except ConfirmationMissing as error:
            return RecordedEvent(when.ConfirmationNeeded(at=self._clock.now(), summary=error.message))
        except UiapError as error:  # refused before it was accepted: nothing happened
            refused = when.ActionEnded(
                at=self._clock.now(), status="failed", code=error.code, message=error.message
            )
            return RecordedEvent(refused)
        if result.status != "succeeded" and self._performer.lost():
            raise PageGone(
                self._performer.lost()
            )  # it failed because the page ended, not as the policy means it
        if picture and result.status == "succeeded":
            with contextlib.suppress(Exception):  # it happened; a picture that is not stored changes nothing
                await self._records.keep_picture(self._picture_key(command.step_id), picture)
        url = await self._url()
        return RecordedEvent(self._ended(result, url, self._performer.changes()))

    def _picture_key(self, step_id: str) -> str:
        definition = self._terms.definition
        return f"{definition.id}@{definition.version}:{step_id}"

    async def _first_picture(self, command: do.Act) -> str:
        """Return a picture of the target, if no run of this definition has one. A proposal shows it later."""
        target = command.request.target
        if target is UNSET or command.step_id in self.machine.repairs:
            return ""
        try:
            wanted = await self._records.wants_picture(self._picture_key(command.step_id))
            return await self._performer.picture(target) if wanted else ""
        except Exception:  # a picture helps a person later; the action does not depend on it
            log.debug("no picture of %s", command.step_id, exc_info=True)
            return ""

    async def _propose_repair(self, command: do.ProposeRepair) -> RecordedEvent:
        proposal = await self._performer.propose_repair(command)
        if proposal is not None:
            before = await self._records.picture(self._picture_key(command.step_id))
            proposal = msgspec.structs.replace(proposal, picture_before=before)
        return RecordedEvent(when.RepairProposed(at=self._clock.now(), proposal=proposal))

    async def _url(self) -> str:
        """Return the address after an action. A page that is gone does not change the result of the action."""
        try:
            return (await self._performer.position()).url
        except (DriverError, UiapError):
            return ""

    def _unknown(self, key: str, held: tuple[int, ...]) -> RecordedEvent:
        message = f"the run was interrupted during `{key}`; it is not known whether it happened"
        return RecordedEvent(when.OutcomeUnknown(at=self._clock.now(), message=message, held=held))

    def _ended(self, result: ActionResultPayload, url: str, changes: tuple[str, ...]) -> when.ActionEnded:
        error = None if result.error is UNSET else result.error
        return when.ActionEnded(
            at=self._clock.now(),
            status=result.status,
            side_effect="unknown" if result.side_effect_state is UNSET else result.side_effect_state,
            code="" if error is None else error.code,
            message="" if error is None else error.message,
            handle=result.action_handle,
            return_value=None if result.return_value is UNSET else result.return_value,
            url=url,
            evidence=evidence_of(result, changes),
            late=proof_is_late(result),
        )

    async def _observe(self, command: do.Observe) -> RecordedEvent:
        passed, missing = await self._performer.observe(
            command.signals, command.policy, command.timeout_ms / 1000
        )
        return RecordedEvent(when.Observed(at=self._clock.now(), passed=passed, missing=missing))

    async def _reopen(self, command: do.Reopen) -> RecordedEvent:
        """Open an address again. A page may be lost while it opens, so a few attempts are made."""
        message = await self._reopen_once(command.url)
        for wait_s in OPEN_RETRY_S:
            if not message:
                break
            await self._performer.discard()
            await asyncio.sleep(wait_s)
            message = await self._reopen_once(command.url)
        return RecordedEvent(when.Reopened(at=self._clock.now(), message=message))

    async def _reopen_once(self, url: str) -> str:
        """Return why the address could not be opened, or an empty text."""
        try:
            return await self._performer.reopen(url) or self._performer.lost()
        except UiapError as error:
            return error.message

    # -- answers of a person --------------------------------------------------------------------------------

    async def _show(self, command: do.Show) -> RecordedEvent:
        await self._performer.show(command.text, command.target)
        if not command.acknowledge:
            return RecordedEvent(when.Shown(at=self._clock.now()))
        return await self._wait(command)

    async def _guide(self, command: do.Guide) -> RecordedEvent:
        await self._performer.show(command.text, command.target)
        return await self._wait(command)

    async def _wait(self, command: Any) -> RecordedEvent:
        """Wait for a message, for the signals of the command, or for its deadline."""
        deadline = await self._deadline(getattr(command, "timeout_ms", None))
        signals: tuple[SuccessSignal, ...] = getattr(command, "signals", ())
        watch = asyncio.ensure_future(self._performer.observe(signals, "all", None)) if signals else None
        try:
            return await self._first_answer(watch, deadline)
        finally:
            if watch is not None:
                watch.cancel()

    async def _first_answer(
        self, watch: asyncio.Future[Observation] | None, deadline: float | None
    ) -> RecordedEvent:
        while True:
            changed = self._store.changed()  # before the messages are read, so that none is missed
            try:
                answer = await self._answer_now(watch, deadline)
                if answer is not None:
                    return answer
                left_s = self._store.poll_s
                if deadline is not None:
                    left_s = min(left_s, deadline - self._clock.now().mono)
                waited: set[asyncio.Future[Any]] = {changed}
                if watch is not None and not watch.done():
                    waited.add(watch)
                await asyncio.wait(waited, timeout=max(left_s, 0.0), return_when="FIRST_COMPLETED")
            finally:
                changed.cancel()

    async def _answer_now(
        self, watch: asyncio.Future[Observation] | None, deadline: float | None
    ) -> RecordedEvent | None:
        """Return the answer that is there already: a message, an observation, or the end of the wait."""
        if (found := await self._next_message()) is not None:
            self._message = found.number
            if found.event is not None:
                return RecordedEvent(found.event, found.number)
        if watch is not None and watch.done() and watch.result().passed:
            observed = when.Observed(at=self._clock.now(), passed=True)
            return RecordedEvent(observed, self._message)
        if deadline is not None and self._clock.now().mono >= deadline:
            return RecordedEvent(when.Woke(at=self._clock.now()), self._message)
        return None

    async def _deadline(self, timeout_ms: float | None) -> float | None:
        """Return the monotonic deadline. It is stored as wall time, so that a restart does not prolong the wait."""
        if timeout_ms is None:
            return None
        now = self._clock.now()
        wall_s = datetime.fromisoformat(now.wall).timestamp()
        key = f"{self._terms.instance_id}:{self._number}"
        left_s = await self._records.deadline(key, wall_s + timeout_ms / 1000) - wall_s
        return now.mono + min(max(left_s, 0.0), timeout_ms / 1000)


def _depends_on_page(event: when.AnyEvent) -> bool:
    """Return whether an answer is only as good as the page that it was read from."""
    return isinstance(event, when.Judged) or (isinstance(event, when.Observed) and not event.passed)


def _confirmation(command: do.Act) -> Confirmation | None:
    return Confirmation(command.confirmed, command.confirmed_by) if command.confirmed else None


class _Found(msgspec.Struct, frozen=True):
    """The number of the last message that was read, and its event if it means something now."""

    number: int
    event: when.AnyEvent | None
