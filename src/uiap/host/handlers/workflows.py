"""The messages of uiap.workflow: list, start and control workflow runs on the page of a session.

A run acts through an internal session of the connection that started it, so policy, confirmation and audit apply to
every action. It belongs to that connection and ends with it; durable runs are executed by `host/workflows/durable`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import msgspec
from msgspec import UNSET

from uiap.host.clock import Clock
from uiap.host.consent.approval import Approvals
from uiap.host.consent.principals import effective_principal
from uiap.host.handlers.automatic_workflows import AutomaticWorkflows
from uiap.host.handlers.expectations import ExpectationHandler
from uiap.host.handlers.state import RedactionFor
from uiap.host.handlers.workflow_performer import ConfirmedSession, SessionPerformer, WorkflowSession
from uiap.host.loop.dispatch import Call, Handlers, Outcome, Reply, decline
from uiap.host.loop.internal_session import InternalSession
from uiap.host.loop.loop import SessionConnection
from uiap.host.observation.page import Page
from uiap.host.workflows.executor import WorkflowExecutor
from uiap.host.workflows.recorded_bindings import RunBindings
from uiap.host.workflows.run_store import MemoryRunStore
from uiap.ids import new_secret
from uiap.policy.builtin import Rules
from uiap.policy.evaluate import PolicySet
from uiap.spec.capability import ActionDescriptor, SuccessSignal
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.workflow import (
    WORKFLOW_ERROR_PREFIX,
    WorkflowCancelledPayload,
    WorkflowCancelPayload,
    WorkflowDefinition,
    WorkflowDefinitionPayload,
    WorkflowErrorDescriptor,
    WorkflowGetPayload,
    WorkflowInputProvidedPayload,
    WorkflowInstance,
    WorkflowListedPayload,
    WorkflowListPayload,
    WorkflowPausedPayload,
    WorkflowPausePayload,
    WorkflowProgressPayload,
    WorkflowResumedPayload,
    WorkflowResumePayload,
    WorkflowStartedPayload,
    WorkflowStartPayload,
    WorkflowStatusGetPayload,
    WorkflowStatusPayload,
)
from uiap.workflow import automatic
from uiap.workflow import events as when
from uiap.workflow.answers import go_on
from uiap.workflow.conditions.facts import ConditionFacts
from uiap.workflow.index import Situation, fitting, summary
from uiap.workflow.run import WorkflowTerms
from uiap.workflow.start import load_errors, start_terms

MAX_RUNS = 64
Say: TypeAlias = Callable[[str], None]
"""Shows the text of a step."""


@dataclass
class SessionRun:
    """A run and the connection that started it."""

    connection: str
    executor: WorkflowExecutor
    task: asyncio.Task[WorkflowInstance]


class WorkflowHandler:
    """Serves the workflows of a bundle on one page."""

    def __init__(
        self,
        page: Page,
        clock: Clock,
        handlers: Callable[[], Handlers],
        expectations: ExpectationHandler,
        *,
        definitions: tuple[WorkflowDefinition, ...],
        actions: Callable[[], tuple[ActionDescriptor, ...]],
        rules: Rules,
        policies: Callable[[], PolicySet],
        redact: RedactionFor,
    ) -> None:
        self._page, self._clock, self._handlers, self._expectations = page, clock, handlers, expectations
        self._actions, self._rules = actions, rules
        self.use(definitions)
        self._policies, self._redact = policies, redact
        self._automatic = AutomaticWorkflows(page, self._start_due)
        self._store = MemoryRunStore()
        self._runs: dict[str, SessionRun] = {}

    def use(self, definitions: tuple[WorkflowDefinition, ...]) -> None:
        """Serve these definitions from now on. Runs stay on the definition they started with (WF-2)."""
        self._definitions = definitions
        self._valid = tuple(one for one in definitions if not load_errors(one))

    @property
    def rows(self) -> Handlers:
        return {
            "uiap.workflow.list": self.list,
            "uiap.workflow.get": self.get,
            "uiap.workflow.start": self.start,
            "uiap.workflow.pause": self.pause,
            "uiap.workflow.resume": self.resume,
            "uiap.workflow.input.provided": self.input_provided,
            "uiap.workflow.cancel": self.cancel,
            "uiap.workflow.status.get": self.status,
        }

    # -- definitions ----------------------------------------------------------------------------------------

    async def list(self, call: Call) -> Outcome:
        request: WorkflowListPayload = call.payload
        situation, facts = await self._situation(call.connection)
        if any(one.start_mode in automatic.STARTS_BY_ITSELF for one in self._valid):
            self._automatic.follow(call.connection)
        fits = fitting(self._valid, request, situation, facts)
        return Reply("uiap.workflow.listed", WorkflowListedPayload(workflows=tuple(map(summary, fits))))

    def get(self, call: Call) -> Outcome:
        request: WorkflowGetPayload = call.payload
        for one in self._valid:
            if one.id == request.workflow_id and request.version in (UNSET, one.version):
                return Reply("uiap.workflow.definition", WorkflowDefinitionPayload(definition=one))
        return _refuse("unknown_workflow", f"there is no workflow `{request.workflow_id}` here")

    async def _situation(self, connection: SessionConnection) -> tuple[Situation, ConditionFacts]:
        principal = effective_principal(connection.session.principal, self._rules)
        tab = await self._page.wait_for_graph()
        route_id = tab.store.route.route_id
        situation = Situation(
            grants=frozenset(principal.grants or ()),
            roles=frozenset(principal.roles or ()),
            route_id=route_id if isinstance(route_id, str) else None,
        )
        facts = ConditionFacts(
            page=tab.store, grants=situation.grants, roles=situation.roles, actions=self._action_ids
        )
        return situation, facts

    @property
    def _action_ids(self) -> frozenset[str]:
        return frozenset(one.id for one in self._actions())

    def _principal(self, call: Call) -> PolicyPrincipal:
        return effective_principal(call.connection.session.principal, self._rules)

    # -- runs -----------------------------------------------------------------------------------------------

    async def start(self, call: Call) -> Outcome:
        request: WorkflowStartPayload = call.payload
        situation, facts = await self._situation(call.connection)
        if sum(not one.task.done() for one in self._runs.values()) >= MAX_RUNS:
            return decline("busy", f"{MAX_RUNS} runs are open; end one first")
        terms = start_terms(
            self._definitions, request, new_secret("wf"), situation, facts, self._declared_actions
        )
        if isinstance(terms, WorkflowErrorDescriptor):
            return _refuse(terms.code, terms.message)
        instance = self._begin(call.connection, terms, situation).executor.machine.instance
        started = msgspec.structs.replace(
            instance, started_at=self._clock.now().wall, updated_at=self._clock.now().wall
        )
        return Reply("uiap.workflow.started", WorkflowStartedPayload(instance=started))

    def _begin(self, owner: SessionConnection, terms: WorkflowTerms, situation: Situation) -> SessionRun:
        executor = self._executor(owner, terms, situation)
        task = asyncio.create_task(executor.run(), name="uiap-workflow-run")
        run = self._runs[terms.instance_id] = SessionRun(owner.id, executor, task)
        return run

    async def _start_due(self, owner: SessionConnection, started: set[str]) -> None:
        """Start the automatic workflows that are due, if policy allows it (WF-8)."""
        situation, facts = await self._situation(owner)
        principal = effective_principal(owner.session.principal, self._rules)
        for one in automatic.due(self._valid, started, situation, facts):
            if not automatic.may_start(one, principal, self._policies()):
                continue
            request = WorkflowStartPayload(workflow_id=one.id, version=one.version)
            terms = start_terms(
                self._valid, request, new_secret("wf"), situation, facts, self._declared_actions
            )
            if isinstance(terms, WorkflowTerms):
                started.add(one.id)
                self._begin(owner, terms, situation)

    def _executor(
        self, owner: SessionConnection, terms: WorkflowTerms, situation: Situation
    ) -> WorkflowExecutor:
        """Return the executor of a run that acts, asks and reports through the connection of its owner."""
        session, publish = WorkflowSession(owner, self._handlers), owner.publish

        def say(text: str) -> None:
            instance = executor.machine.instance
            publish(
                "uiap.workflow.progress",
                WorkflowProgressPayload(
                    instance_id=instance.instance_id,
                    status=instance.status,
                    step_id=instance.current_step_id,
                    note=text,
                ),
            )

        performer = self._performer(owner, session, situation, say)
        executor = WorkflowExecutor(terms, performer, self._store, self._clock, publish=publish)
        return executor

    async def run_for_action(
        self, owner: SessionConnection, request: WorkflowStartPayload, success: tuple[SuccessSignal, ...]
    ) -> WorkflowInstance | WorkflowErrorDescriptor:
        """Run a workflow for an action of the bundle to its end. The signals of the action must hold as well."""
        situation, facts = await self._situation(owner)
        definitions = [_with_success(one, success) for one in self._definitions]
        mode = request.mode
        if mode is UNSET and any(
            one.id == request.workflow_id and "auto" in one.interaction_modes for one in definitions
        ):
            request = msgspec.structs.replace(request, mode="auto")
        terms = start_terms(definitions, request, new_secret("wf"), situation, facts, self._declared_actions)
        if isinstance(terms, WorkflowErrorDescriptor):
            return terms
        task = self._begin(owner, terms, situation).task
        try:
            return await task
        finally:
            task.cancel()

    def _performer(
        self,
        owner: SessionConnection,
        session: InternalSession,
        situation: Situation,
        say: Say,
        bindings: RunBindings | None = None,
    ) -> SessionPerformer:
        return SessionPerformer(
            self._page,
            session,
            self._expectations,
            situation,
            self._action_ids,
            say,
            lambda: self._redact(owner),
            bindings,
        )

    async def run_performer(
        self, owner: SessionConnection, approvals: Approvals, say: Say, bindings: RunBindings | None = None
    ) -> SessionPerformer:
        """Return the performer of a durable run, whose confirmations are part of its own records."""
        situation, _facts = await self._situation(owner)
        session = ConfirmedSession(owner, self._handlers, approvals)
        return self._performer(owner, session, situation, say, bindings)

    @property
    def _declared_actions(self) -> tuple[ActionDescriptor, ...]:
        return tuple(one for one in self._actions() if one.kind == "domain")

    def status(self, call: Call) -> Outcome:
        request: WorkflowStatusGetPayload = call.payload
        run = self._find(call, request.instance_id)
        if run is None:
            return _unknown(request.instance_id)
        return Reply("uiap.workflow.status", WorkflowStatusPayload(instance=run.executor.machine.instance))

    def pause(self, call: Call) -> Outcome:
        request: WorkflowPausePayload = call.payload
        event = when.Paused(at=self._clock.now(), reason=request.reason or "")
        paused = WorkflowPausedPayload(instance_id=request.instance_id, status="paused")
        return self._post(call, request.instance_id, event) or Reply("uiap.workflow.paused", paused)

    def cancel(self, call: Call) -> Outcome:
        request: WorkflowCancelPayload = call.payload
        event = when.Cancelled(at=self._clock.now(), reason=request.reason or "")
        cancelled = WorkflowCancelledPayload(instance_id=request.instance_id, status="cancelled")
        return self._post(call, request.instance_id, event) or Reply("uiap.workflow.cancelled", cancelled)

    def resume(self, call: Call) -> Outcome:
        """Go on: after a pause, with the values that were asked for, or after a person did a step or confirms it."""
        request: WorkflowResumePayload = call.payload
        run = self._find(call, request.instance_id)
        if run is None:
            return _unknown(request.instance_id)
        status, values = run.executor.machine.instance.status, request.parameters or {}
        if (
            status in ("waiting_for_user", "waiting_for_confirmation")
            and self._principal(call).type != "user"
        ):
            return decline("forbidden", "the run waits for a person; only a person may answer")
        event = go_on(run.executor.machine, self._clock.now(), self._principal(call).id, values)
        resumed = WorkflowResumedPayload(instance_id=request.instance_id, status="running")
        return self._post(call, request.instance_id, event) or Reply("uiap.workflow.resumed", resumed)

    def input_provided(self, call: Call) -> Outcome:
        """Take the values that `uiap.workflow.input.request` asked for."""
        request: WorkflowInputProvidedPayload = call.payload
        event = when.InputProvided(at=self._clock.now(), values=request.values)
        return self._post(call, request.instance_id, event) or Reply("uiap.workflow.input.provided", request)

    def _post(self, call: Call, instance_id: str, event: when.AnyEvent) -> Outcome:
        """Send an event to a run; return a refusal if it is unknown or cannot use the event now."""
        run = self._find(call, instance_id)
        if run is None:
            return _unknown(instance_id)
        if not run.executor.machine.accepts(type(event)):
            status = run.executor.machine.instance.status
            return _refuse("invalid_transition", f"run `{instance_id}` is {status}")
        self._store.post(instance_id, event)
        return None

    def _find(self, call: Call, instance_id: str) -> SessionRun | None:
        run = self._runs.get(instance_id)
        return run if run is not None and run.connection == call.connection.id else None

    def end(self, connection: str) -> None:
        """Cancel the runs of a session that ended."""
        self._automatic.end(connection)
        for instance_id, run in self._runs.items():
            if run.connection == connection and not run.task.done():
                self._store.post(
                    instance_id, when.Cancelled(at=self._clock.now(), reason="the session ended")
                )

    async def settle(self) -> None:
        """Stop every run and wait until it has stopped."""
        await self._automatic.settle()
        tasks = [run.task for run in self._runs.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _with_success(definition: WorkflowDefinition, more: tuple[SuccessSignal, ...]) -> WorkflowDefinition:
    own = definition.success or ()
    return msgspec.structs.replace(definition, success=(*own, *(one for one in more if one not in own)))


def _refuse(code: str, message: str) -> Outcome:
    return decline(f"{WORKFLOW_ERROR_PREFIX}{code}", message)


def _unknown(instance_id: str) -> Outcome:
    return _refuse("unknown_instance", f"this session has no run `{instance_id}`; start one first")
