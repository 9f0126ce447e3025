"""Durable workflow runs of a server: stored in a database, executed by workers, answered through any server.

A server with a database keeps nothing about a run. A client may start it here, ask for its status at another server,
and answer at a third one. `uiap worker` processes execute the runs. Definitions are listed by the session as always.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.host.bundles.bundle import Bundle
from uiap.host.clock import Clock
from uiap.host.consent.principals import NOBODY, effective_principal
from uiap.host.loop.dispatch import Call, Handler, Outcome, Reply, decline
from uiap.host.loop.loop import SessionConnection
from uiap.host.workflows.durable import RunRecords
from uiap.host.workflows.history import ENDED, ReplayedRun
from uiap.host.workflows.performer import RunApplication, RunOrder
from uiap.ids import new_secret
from uiap.policy.builtin import Rules
from uiap.server.tokens import Tokens
from uiap.spec import workflow as spec
from uiap.spec.policy import PolicyPrincipal
from uiap.workflow import events as when
from uiap.workflow.answers import go_on
from uiap.workflow.index import Situation
from uiap.workflow.recording import START_URL
from uiap.workflow.start import start_terms

FOLLOW_S = 0.5
"""How often the events of a run are read for a session that follows it."""
WAITS_FOR_PERSON = ("waiting_for_user", "waiting_for_confirmation")
log = logging.getLogger("uiap.server")


@dataclass(frozen=True, kw_only=True)
class RunDefaults:
    """The terms of all runs of a server: policy, bundle, and where the workers find the bundle."""

    rules: Rules = "standard"
    bundle: Bundle | None = None
    bundle_path: str | None = None


PageUrl: TypeAlias = Callable[[SessionConnection], str]
"""Returns the address of the page of a session, or an empty text if it has none."""


@dataclass
class _Followers:
    """The tasks that publish the events of runs to one session."""

    tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)


class DurableWorkflows:
    """Serves the messages about runs from a database. Tokens decide who may control a run."""

    def __init__(
        self,
        records: RunRecords,
        clock: Clock,
        defaults: RunDefaults,
        *,
        tokens: Tokens | None = None,
    ) -> None:
        self._records, self._clock, self._defaults, self._tokens = records, clock, defaults, tokens
        self.page_url: PageUrl = lambda _connection: ""
        self._followers: dict[str, _Followers] = {}

    @property
    def rows(self) -> Mapping[str, Handler]:
        return {
            "uiap.workflow.start": self.start,
            "uiap.workflow.pause": self.pause,
            "uiap.workflow.resume": self.resume,
            "uiap.workflow.input.provided": self.input_provided,
            "uiap.workflow.cancel": self.cancel,
            "uiap.workflow.status.get": self.status,
        }

    # -- start ----------------------------------------------------------------------------------------------

    async def start(self, call: Call) -> Outcome:
        """Store a run for any worker. It outlives this session and this server."""
        request: spec.WorkflowStartPayload = call.payload
        order = self._order(request, _principal(call), self.page_url(call.connection))
        if isinstance(order, spec.WorkflowErrorDescriptor):
            return _refuse(order.code, order.message)
        await asyncio.to_thread(self._records.enqueue, order)
        self._follow(call.connection, order.terms.instance_id)
        run = ReplayedRun(order, ())
        at = self._clock.now().wall
        instance = msgspec.structs.replace(run.instance, started_at=at, updated_at=at)
        return Reply("uiap.workflow.started", spec.WorkflowStartedPayload(instance=instance))

    def _order(
        self, request: spec.WorkflowStartPayload, principal: PolicyPrincipal, page_url: str
    ) -> RunOrder | spec.WorkflowErrorDescriptor:
        bundle, rules = self._defaults.bundle, self._defaults.rules
        known = effective_principal(principal, rules)
        here = Situation(
            grants=frozenset(known.grants or ()), roles=frozenset(known.roles or ()), route_id=None
        )
        definitions = () if bundle is None else bundle.workflows
        actions = () if bundle is None else bundle.capabilities.actions
        declared = tuple(one for one in actions if one.kind == "domain")
        terms = start_terms(definitions, request, new_secret("wf"), here, None, declared)
        if isinstance(terms, spec.WorkflowErrorDescriptor):
            return terms
        url = (terms.definition.metadata or {}).get(START_URL) or page_url
        if not isinstance(url, str) or not url.startswith(("http:", "https:")):
            message = f"`{terms.definition.id}` names no address to begin at; open its application first"
            return spec.WorkflowErrorDescriptor(code="entry_condition_failed", message=message)
        application = RunApplication(
            url=url,
            bundle=self._defaults.bundle_path,
            rules=rules if isinstance(rules, str) else "standard",
            documents=() if isinstance(rules, str) else rules,
            principal=f"{principal.type}:{principal.id}",
            admitted=principal,
        )
        return RunOrder(terms=msgspec.structs.replace(terms, repairs=True), application=application)

    # -- control --------------------------------------------------------------------------------------------

    async def status(self, call: Call) -> Outcome:
        """Return the state of a run, and publish its events to this session from now on."""
        run = await self._find(call, call.payload.instance_id)
        if run is None:
            return _unknown(call.payload.instance_id)
        self._follow(call.connection, call.payload.instance_id, len(run.history.timeline))
        return Reply("uiap.workflow.status", spec.WorkflowStatusPayload(instance=run.instance))

    async def pause(self, call: Call) -> Outcome:
        request: spec.WorkflowPausePayload = call.payload
        event = when.Paused(at=self._clock.now(), reason=request.reason or "")
        paused = spec.WorkflowPausedPayload(instance_id=request.instance_id, status="paused")
        return await self._post(call, lambda _run: event) or Reply("uiap.workflow.paused", paused)

    async def cancel(self, call: Call) -> Outcome:
        request: spec.WorkflowCancelPayload = call.payload
        event = when.Cancelled(at=self._clock.now(), reason=request.reason or "")
        cancelled = spec.WorkflowCancelledPayload(instance_id=request.instance_id, status="cancelled")
        return await self._post(call, lambda _run: event) or Reply("uiap.workflow.cancelled", cancelled)

    async def resume(self, call: Call) -> Outcome:
        request: spec.WorkflowResumePayload = call.payload
        by, values = _principal(call).id, request.parameters or {}
        resumed = spec.WorkflowResumedPayload(instance_id=request.instance_id, status="running")
        answer = await self._post(
            call, lambda run: go_on(run.expected, self._clock.now(), by, values), answers_for_person=True
        )
        return answer or Reply("uiap.workflow.resumed", resumed)

    async def input_provided(self, call: Call) -> Outcome:
        request: spec.WorkflowInputProvidedPayload = call.payload
        event = when.InputProvided(at=self._clock.now(), values=request.values)
        return await self._post(call, lambda _run: event) or Reply("uiap.workflow.input.provided", request)

    async def _post(
        self,
        call: Call,
        event_for: Callable[[ReplayedRun], when.AnyEvent],
        *,
        answers_for_person: bool = False,
    ) -> Outcome:
        """Store a message to a run; return a refusal if it is unknown or cannot use the message now."""
        id = call.payload.instance_id
        run = await self._find(call, id)
        if run is None:
            return _unknown(id)
        status = run.instance.status
        if answers_for_person and status in WAITS_FOR_PERSON and _principal(call).type != "user":
            return decline("forbidden", "the run waits for a person; only a person may answer")
        event = event_for(run)
        if not run.accepts(type(event)):
            return _refuse("invalid_transition", f"run `{id}` is {status}")
        await asyncio.to_thread(self._records.post, id, event)
        self._follow(call.connection, id, len(run.history.timeline))
        return None

    async def _find(self, call: Call, id: str) -> ReplayedRun | None:
        """Return a run that the caller may control: its own, or of an agent whom the caller answers for."""
        run = await asyncio.to_thread(self._records.replayed, id)
        if run is None:
            return None
        caller, (kind, owner) = _principal(call), _owner(run.order.application.principal)
        holder = None if self._tokens is None else self._tokens.by_principal(caller.id)
        answers = caller.type == "user" and holder is not None and owner in holder.answers_for
        own = caller.id == owner and kind in (caller.type, "")
        return run if own or answers else None

    # -- events ---------------------------------------------------------------------------------------------

    def _follow(self, connection: SessionConnection, id: str, shown: int = 0) -> None:
        """Publish the events of a run to a session, until the run or the session ends."""
        tasks = self._followers.setdefault(connection.id, _Followers()).tasks
        if id not in tasks or tasks[id].done():
            tasks[id] = asyncio.create_task(
                self._publish_events(connection, id, shown), name="uiap-follow-run"
            )

    async def _publish_events(self, connection: SessionConnection, id: str, shown: int) -> None:
        asked = ""
        while True:
            try:
                run = await asyncio.to_thread(self._records.replayed, id)
            except Exception:  # the database may be away for a while
                log.warning("run %s cannot be read", id, exc_info=True)
                run = None
            if run is not None:
                shown = self._publish_timeline(connection, run, shown)
                asked = _publish_question(connection, run, asked)
                if run.instance.status in ENDED:
                    connection.publish("uiap.workflow.result", _result(run))
                    return
            await asyncio.sleep(FOLLOW_S)

    def _publish_timeline(self, connection: SessionConnection, run: ReplayedRun, shown: int) -> int:
        timeline = run.history.timeline
        for entry in timeline[shown:]:
            payload = spec.WorkflowProgressPayload(
                instance_id=run.instance.instance_id,
                status=entry.status,  # type: ignore[arg-type]
                step_id=entry.step_id or UNSET,
                note=entry.note or UNSET,
            )
            connection.publish("uiap.workflow.progress", payload)
        return len(timeline)

    async def end(self, connection: SessionConnection) -> None:
        """Stop publishing to a session that ended. Its runs go on."""
        found = self._followers.pop(connection.id, _Followers()).tasks.values()
        for task in found:
            task.cancel()
        await asyncio.gather(*found, return_exceptions=True)


def _publish_question(connection: SessionConnection, run: ReplayedRun, asked: str) -> str:
    """Publish the values that a run asks for, once for each time that it asks."""
    question = run.history.question
    if question is None or question.kind != "input":
        return ""
    key = f"{question.step_id} {len(run.history.timeline)}"
    if key != asked:
        request = spec.WorkflowInputRequestPayload(
            instance_id=run.instance.instance_id, step_id=question.step_id, parameters=question.parameters
        )
        connection.publish("uiap.workflow.input.request", request)
    return key


def _result(run: ReplayedRun) -> spec.WorkflowResultPayload:
    instance = run.instance
    members: dict[str, Any] = {} if instance.error is UNSET else {"error": instance.error}
    return run.result or spec.WorkflowResultPayload(
        instance_id=instance.instance_id,
        workflow_id=instance.workflow_id,
        status=instance.status,  # type: ignore[arg-type]
        **members,
    )


def _owner(principal: str) -> tuple[str, str]:
    """Return the type and the id of a stored principal. An id may have colons; a type has none."""
    kind, separator, id = principal.partition(":")
    return (kind, id) if separator else ("", principal)


def _principal(call: Call) -> PolicyPrincipal:
    return call.connection.session.principal or NOBODY


def _refuse(code: str, message: str) -> Outcome:
    return decline(f"{spec.WORKFLOW_ERROR_PREFIX}{code}", message)


def _unknown(id: str) -> Outcome:
    return _refuse("unknown_instance", f"there is no run `{id}` that you may control")
