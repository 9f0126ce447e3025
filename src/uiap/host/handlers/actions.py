"""Runs actions: gives each request its machine, feeds it events, and has its commands carried out.

An intent that must not happen twice is durable before its gesture, and `accepted` is sent once its own record is. A
request that the ledger knows is answered without doing anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from time import thread_time
from typing import Any

import msgspec
from msgspec import UNSET

from uiap.actions.invoke import DeclaredAction
from uiap.drivers import events as seen
from uiap.drivers.errors import DriverError
from uiap.errors import fault
from uiap.host.bundles.in_use import BundleInUse
from uiap.host.clock import Clock
from uiap.host.consent.approval import Approvals
from uiap.host.consent.grants import Grants
from uiap.host.consent.obligations import Obligations
from uiap.host.consent.principals import effective_principal
from uiap.host.execution import handoff
from uiap.host.execution.app_actions import AppActions, Handler
from uiap.host.execution.dispatch_check import DispatchCheck
from uiap.host.execution.executor import Executor, RunWorkflow
from uiap.host.execution.running import ReplayedAction, RunningAction, Send
from uiap.host.loop.dispatch import decline
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page
from uiap.host.privacy.journal_masking import ActionJournal
from uiap.host.privacy.private_values import PrivateValues
from uiap.host.privacy.questions import asked_signals, private_question
from uiap.host.privacy.redaction import Redaction
from uiap.host.privacy.secrets import Secrets
from uiap.host.records import audit_records
from uiap.host.records.audit import Audit
from uiap.host.records.journal import Journal
from uiap.host.records.ledger import LedgerClaim, LedgerStore
from uiap.host.records.trace import Recorder, TraceStore
from uiap.host.records.writer import Writer
from uiap.host.workflows.recorder import ActionRecorders
from uiap.ids import IdMaker, new_seed
from uiap.policy.builtin import Rules, documents_of
from uiap.policy.evaluate import PolicySet
from uiap.runtime import commands as do
from uiap.runtime import events as when
from uiap.runtime.action import ActionTerms
from uiap.runtime.ledger import (
    ANY_REVISION,
    InProgress,
    KeyConflict,
    Replay,
    UnknownOutcome,
    UnknownOutcomes,
    replay_reason,
    replay_result,
)
from uiap.runtime.modes import Abilities
from uiap.runtime.outcome import Failure
from uiap.spec.action import (
    ActionConfirmationRequestPayload,
    ActionProgressPayload,
    ActionRequestPayload,
    ActionResultPayload,
)
from uiap.spec.core import ErrorPayload
from uiap.spec.policy import PolicyDocument, PolicyPrincipal
from uiap.spec.tools import PendingConfirmation, PendingHandoff
from uiap.spec.versions import POLICY_EXTENSION


class ActionHandler:
    """Runs all actions of one page."""

    def __init__(
        self,
        page: Page,
        clock: Clock,
        writer: Writer | None = None,
        *,
        rules: Rules = "standard",
        knowledge: BundleInUse | None = None,
        grants: Grants | None = None,
        secrets: Secrets | None = None,
        handlers: Mapping[str, Handler] | None = None,
    ) -> None:
        self.page, self.clock, self.rules = page, clock, rules
        self.policies = PolicySet(documents_of(rules), cpu_seconds=thread_time)
        self.decided_by: Rules = rules
        """The rules that decide; `rules` only says who calls."""
        self._running: dict[str, RunningAction] = {}
        self.audit = Audit(clock, writer)
        self.grants = grants or Grants()
        self.secrets = secrets or Secrets({}, keyring=False)
        self.approvals = Approvals(clock, self.audit, self.grants, self.running, self.send_event)
        values = self.private_values = PrivateValues(self.policies.documents, self.secrets.revealed_values)
        values.follow(page)
        self.ledger = LedgerStore(writer, clock)
        self.traces = TraceStore(page, clock, writer, self.private_values.records_redaction)
        self.obligations = Obligations(self.audit)
        self._check = DispatchCheck(clock, self.audit, self.grants, self.secrets, self.obligations)
        self._unknown = UnknownOutcomes()
        self.app_actions = AppActions(page.driver, handlers, knowledge, lambda: page.tab().store.route.url)
        self._executor = Executor(page, clock, self.ledger, self._check, knowledge, self.app_actions, values)
        self._journal = Journal(writer) if writer is not None else None
        self._ids = IdMaker(new_seed())
        self._tasks: set[asyncio.Task[None]] = set()
        self.recorders = ActionRecorders()
        page.listen(self._on_driver_event)

    # -- other handlers -------------------------------------------------------------------------------------

    def send_event(self, handle: str, event: when.Event) -> None:
        """Give an action an event from outside the page, such as a person's answer."""
        if (running := self._running.get(handle)) is not None:
            self._feed(running, event)

    def tighten(self, more: tuple[PolicyDocument, ...]) -> None:
        """Add policy documents. The strictest of all decides, so rules never become laxer."""
        together = (*self.policies.documents, *more)
        self.policies = PolicySet(together, cpu_seconds=thread_time)
        self.decided_by = together
        self.private_values.use_policies(together)
        self._check.revision = self.policies.revision
        self.audit.record(
            "rules", reason=f"now {', '.join(one.id for one in together)}: {self.policies.revision}"
        )

    def run_workflows_by(self, run: RunWorkflow) -> None:
        """Carry out the actions that a bundle implements by a workflow."""
        self._executor.run_workflow = run

    def allow_overlays(self, allowed: bool) -> None:
        """Set whether presentations may be drawn on the page."""
        self._executor.presenter.may_draw = allowed

    def redaction(self, connection: SessionConnection) -> Redaction:
        """Return the redaction for the principal of a connection."""
        return self.private_values.redaction_for(
            effective_principal(connection.session.principal, self.rules)
        )

    def masked_sender(self, connection: SessionConnection) -> Send:
        """Return a function that sends the messages of an action to the session, masked for its reader."""

        def send(type: str, payload: msgspec.Struct) -> None:
            agreed = connection.session.agreement
            if type.startswith("uiap.policy.") and (
                agreed is None or POLICY_EXTENSION not in agreed.canonical
            ):
                return
            connection.publish(type, self.redaction(connection).text_mask.mask_payload(payload))

        return send

    @asynccontextmanager
    async def hold_lane(self, tab: str) -> AsyncIterator[None]:
        """Hold the lane of a tab, so that no action acts on it meanwhile."""
        lane = self._executor.lane(tab)
        await lane.take()
        try:
            yield
        finally:
            lane.free()

    def running(self, handle: str) -> RunningAction | None:
        """Return the action with this handle, if it has no result yet."""
        return self._running.get(handle)

    def _missing_secret(self, running: RunningAction) -> Failure | None:
        args = running.terms.request.args
        why = self.secrets.missing({} if args is UNSET else args)
        if why is None:
            return None
        self.audit.record("secret", session=running.session, handle=running.handle, reason=why)
        return Failure("action_unsupported", why, "none", {"reason": "secret_missing"})

    # -- one action -----------------------------------------------------------------------------------------

    async def accept(
        self,
        request: ActionRequestPayload,
        send: Send,
        session: str,
        *,
        principal: PolicyPrincipal | None = None,
        declared: DeclaredAction | None = None,
    ) -> RunningAction | ReplayedAction | ErrorPayload:
        """Record the acceptance and return the running action, or answer the request from the ledger."""
        acting = effective_principal(principal, self.rules)
        store, reader = self.page.tab_for(request.action_id).store, self.private_values.redaction_for(acting)
        if (why := private_question(asked_signals(request), store, reader)) is not None:
            return decline("forbidden", why)
        claim = LedgerClaim(request, self.page.app_origin, acting.id, store.route.url)
        handle = self._ids.secret("act")
        row = claim.accepted_row(handle, session, self.clock.now().wall)
        admission = await self.ledger.admit(claim, handle, self._running, row)
        if isinstance(admission, Replay | InProgress):
            who = {"session": session, "handle": handle, "by": acting.id}
            self.audit.record("replayed", **who, reason=replay_reason(admission))
        match admission:
            case KeyConflict():
                key = request.idempotency_key
                return decline("conflict", f"`{key}` is the key of another request; use a new one")
            case Replay(result=result):
                known: asyncio.Future[ActionResultPayload] = asyncio.get_running_loop().create_future()
                known.set_result(result)
                return ReplayedAction(handle, send, known)
            case InProgress(handle=first):
                return ReplayedAction(handle, send, self._running[first].done)
        refused = admission.why if isinstance(admission, UnknownOutcome) else None
        terms = ActionTerms(
            handle=handle,
            request=request,
            abilities=self._abilities(declared),
            rules=self.decided_by,
            session=session,
            principal=acting,
            declared=declared,
            origins=self.page.session_origins,
            unknown_before=refused or self._unknown_before(claim),
        )
        causal = terms.abilities.attribution == "causal"
        recorder = Recorder(
            terms.handle, request, self.clock.now(), self.private_values.records_redaction, causal=causal
        )
        running = RunningAction(terms, self.policies, send, self.page, claim, recorder)
        self._running[handle] = running
        self.traces.start(running.recorder, running.tab.id)
        if self._journal is not None:
            running.journal = ActionJournal(self._journal, self.private_values, terms, self.clock.now())
        return running

    def _abilities(self, declared: DeclaredAction | None) -> Abilities:
        facts = self.page.driver.facts
        ours = declared is not None and declared.source in ("program", "workflow")  # these need no driver
        modes = tuple(dict.fromkeys(("appAction", *facts.modes))) if ours else facts.modes
        return Abilities(
            modes=(*modes, "visionAssist") if self._executor.vision.available else modes,
            trusted_input=facts.trusted_input,
            attribution=facts.attribution,
            atomic=facts.atomic,
            read_cost_s=0.0 if facts.push else facts.read_cost_s,
        )

    def _unknown_before(self, claim: LedgerClaim) -> str | None:
        """Return why the request is refused: the same one ended unknown, and the page was not observed since."""
        if claim.key is not None:
            return None
        return self._unknown.refusal(claim.owner, claim.digest_there, self.page.tab().reported)

    def start(self, taken: RunningAction | ReplayedAction, failure: Failure | None = None) -> None:
        """Start the action. `failure` is why its preparation failed, and ends the action at once."""
        if isinstance(taken, RunningAction):
            self.recorders.started(taken)
            failure = failure or self._missing_secret(taken)
            self._feed(taken, when.Started(at=self.clock.now(), failure=failure))
            return

        def tell(original: asyncio.Future[ActionResultPayload]) -> None:
            taken.send("action.result", replay_result(original.result(), taken.handle))

        if taken.original.done():
            tell(taken.original)
        else:
            taken.original.add_done_callback(tell)

    async def run(
        self,
        request: ActionRequestPayload,
        send: Send,
        session: str = "local",
        *,
        principal: PolicyPrincipal | None = None,
    ) -> ActionResultPayload:
        """Accept, start, and wait for the one result."""
        found = await self.app_actions.resolve(request)
        if isinstance(found, ErrorPayload):
            raise fault(str(found.code), found.message)
        taken = await self.accept(found.request, send, session, principal=principal, declared=found.declared)
        if isinstance(taken, ErrorPayload):
            raise fault(str(taken.code), taken.message)
        self.start(taken)
        if isinstance(taken, ReplayedAction):
            return replay_result(await taken.original, taken.handle)
        return await taken.done

    # -- events in, commands out ----------------------------------------------------------------------------

    def _feed(self, running: RunningAction, event: when.Event) -> None:
        """Give the machine an event, and carry its commands out. An event that a command causes waits for its turn."""
        running.events.append(event)
        if len(running.events) > 1:
            return
        while running.events:
            commands = running.machine.handle(running.events[0])
            running.steps += 1
            if running.journal is not None:
                running.journal.stepped(running.steps, running.events[0], commands)
            for command in commands:
                self._carry_out(running, command)
            running.events.popleft()

    def _carry_out(self, running: RunningAction, command: do.Command) -> None:
        match command:
            case do.Emit():
                self._emit(running, command)
            case do.UseTarget(element=element):
                running.use_target, running.target = command, element
                self.recorders.target_chosen(running, element)
            case do.RecordDecision():
                self._check.record_decision(running, command)
            case do.AskPerson():
                self._ask(running, command)
            case do.HandOff():
                running.handoff = command
                handoff.announce(running, command)
            case do.WakeAt():
                self._wake(running, command)
            case do.Finish():
                self._finish(running, command)
            case _:
                answer = self._executor.carry_out(running, command)
                if isinstance(answer, when.Event):
                    self._feed(running, answer)
                else:
                    self._feed_later(running, answer)

    def _feed_later(self, running: RunningAction, work: Awaitable[when.Event]) -> None:
        async def guarded() -> None:
            try:
                answer = await work
                self._feed(running, answer)
                if isinstance(answer, when.Dispatched) and self._may_observe(running):
                    # changes that the page made at once are here already
                    self._feed(running, self._executor.observation(running))
            except DriverError as error:
                self._feed(running, when.PageLost(at=self.clock.now(), cause=error.message))
            except Exception as error:  # a defect of ours still owes the caller its one result
                self._feed(running, when.PageLost(at=self.clock.now(), cause=f"defect: {error!r}"))
                raise

        self._spawn(guarded())

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _emit(self, running: RunningAction, command: do.Emit) -> None:
        payload = command.payload
        self._learn_typed(running)
        if isinstance(payload, ActionProgressPayload):
            running.stage = payload.stage
            running.recorder.record_stage(payload, self.clock.now().mono)
        if command.type != "action.cancelled":  # that one answers the cancel request itself
            running.send(command.type, payload)

    def _ask(self, running: RunningAction, command: do.AskPerson) -> None:
        self._learn_typed(running)
        running.question = command
        running.send("action.confirmation.request", command.payload)
        self.approvals.request_confirmation(running)

    def _learn_typed(self, running: RunningAction) -> None:
        """Remember typed values as private where their field is, before a message can repeat them."""
        args = running.terms.request.args
        self.private_values.learn_args({} if args is UNSET else args, running.target)

    def _wake(self, running: RunningAction, command: do.WakeAt) -> None:
        if running.alarm is not None:
            running.alarm.cancel()
        running.alarm = self.clock.call_at(
            command.mono, lambda: self._feed(running, when.Woke(at=self.clock.now()))
        )

    def _finish(self, running: RunningAction, command: do.Finish) -> None:
        tab, result, now = running.tab, command.result, self.clock.now()
        if running.alarm is not None:
            running.alarm.cancel()
        running.recorder.record_result(result, now.mono, tab.traffic.own_requests() if running.watch else [])
        if running.watch is not None:
            tab.end_action(result, now.mono)
            running.watch = None
        if not running.performing:  # otherwise the lane is freed once nothing more can reach the page
            running.free_lane()
        self._running.pop(running.handle, None)
        self.recorders.ended(running, result)
        id, terms = self.audit.new_id(), running.terms
        record = audit_records.result_record(id, terms, running.decision, result, now.wall)
        who = {"session": running.session, "handle": running.handle, "by": terms.principal.id}
        self.audit.record("result", **who, record=record)
        handoff.complete(running, result)
        stored = self._stored_result(running, result)
        self.ledger.record_outcome(running.claim, running.handle, stored, in_page=command.in_page)
        self._remember_unknown(running, command)
        if (work := self.traces.finish(running.recorder, tab)) is not None:
            self._spawn(work)
        if not running.done.done():
            running.done.set_result(result)

    def _stored_result(self, running: RunningAction, result: ActionResultPayload) -> ActionResultPayload:
        """Return the result as the ledger stores it, without values read from a private field."""
        target = running.target
        if result.return_value is not UNSET and target is not None and self.private_values.is_private(target):
            result = msgspec.structs.replace(result, return_value={"withheld": True})
        return self.private_values.records_redaction().text_mask.mask_payload(result)

    def _remember_unknown(self, running: RunningAction, command: do.Finish) -> None:
        """Refuse the same request until a later revision was observed, if its outcome is unknown now."""
        claim, tab = running.claim, running.tab
        if claim.key is not None or running.terms.unknown_before is not None:
            return
        revision = command.base_revision or tab.store.revision
        page = tab.reported._replace(revision=ANY_REVISION if command.conditional else revision)
        self._unknown.record(claim.owner, claim.digest_there, command.repeatable, page, command.entered_value)

    # -- events of the page -----------------------------------------------------------------------

    def _on_driver_event(self, event: seen.AnyEvent) -> None:
        """Pass the event on to the actions of its tab. Each machine decides by its state what it means."""
        tabs = {event.tab, self.page.opener_of(event)}
        for running in list(self._running.values()):
            if running.tab.id not in tabs:
                continue
            now = self.clock.now()
            if isinstance(event, seen.Crashed | seen.TabClosed):
                cause = "crashed" if isinstance(event, seen.Crashed) else "was closed"
                self._feed(running, when.PageLost(at=now, cause=f"the tab {cause}"))
            elif isinstance(event, seen.PageDialogClosed):
                self._feed(running, when.DialogAnswered(at=now, accepted=event.accepted))
            elif self._may_observe(running):
                self._feed(running, self._executor.observation(running))
            elif isinstance(event, seen.GraphChanged) and running.machine.accepts(when.PageChanged):
                self._feed(running, when.PageChanged(at=now))

    def _may_observe(self, running: RunningAction) -> bool:
        """Return whether an observation means anything now. Building one for nobody would be wasted."""
        return running.watch is not None and running.machine.accepts(when.Observed)

    @property
    def pending(self) -> tuple[ActionConfirmationRequestPayload, ...]:
        """The questions that wait for a person."""
        return tuple(
            r.question.payload for r in self._running.values() if r.awaits_confirmation and r.question
        )

    @property
    def pending_details(self) -> tuple[PendingConfirmation, ...]:
        """The same questions with what a person's channel needs to answer them."""
        waiting = (r for r in self._running.values() if r.awaits_confirmation)
        return tuple(found for r in waiting if (found := self.approvals.pending_confirmation(r)) is not None)

    @property
    def handoffs(self) -> tuple[PendingHandoff, ...]:
        """The steps that are handed off to a person."""
        running = self._running.values()
        return tuple(found for r in running if (found := self.approvals.pending_handoff(r)) is not None)

    def end(self, session: str) -> None:
        """Cancel the actions of a session that ended. Each gets its result."""
        self.approvals.end_session(session)
        for running in [r for r in self._running.values() if r.session == session and not r.kept]:
            self._feed(running, when.Cancelled(at=self.clock.now(), reason="the session ended"))

    async def settle(self) -> None:
        """Cancel all running actions. Each gets its result."""
        await self.approvals.close()
        for running in list(self._running.values()):
            self._feed(running, when.Cancelled(at=self.clock.now(), reason="the session ended"))
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
