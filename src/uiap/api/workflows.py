"""The workflows of a session: list them, start one, follow its progress, answer it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator
from contextlib import suppress
from typing import Any

from msgspec import UNSET

from uiap.api.absent import none_for_absent
from uiap.client.caller import Caller
from uiap.spec.vocabulary import InteractionMode
from uiap.spec.workflow import (
    WorkflowCancelledPayload,
    WorkflowCancelPayload,
    WorkflowDefinition,
    WorkflowDefinitionPayload,
    WorkflowGetPayload,
    WorkflowInputRequestPayload,
    WorkflowInstance,
    WorkflowListedPayload,
    WorkflowListPayload,
    WorkflowParameter,
    WorkflowPausedPayload,
    WorkflowPausePayload,
    WorkflowProgressPayload,
    WorkflowRecordedPayload,
    WorkflowRecordPickedPayload,
    WorkflowRecordPickPayload,
    WorkflowRecordStartedPayload,
    WorkflowRecordStartPayload,
    WorkflowRecordStopPayload,
    WorkflowResultPayload,
    WorkflowResumedPayload,
    WorkflowResumePayload,
    WorkflowStartedPayload,
    WorkflowStartPayload,
    WorkflowStatusGetPayload,
    WorkflowStatusPayload,
    WorkflowSummary,
)


class StartedWorkflow:
    """One run. `async for progress in run` follows it; `await run` returns its result."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._reports: asyncio.Queue[WorkflowProgressPayload | None] = asyncio.Queue()
        self._result: asyncio.Future[WorkflowResultPayload] = asyncio.get_running_loop().create_future()
        self._early: list[WorkflowProgressPayload | WorkflowResultPayload] = []
        self.id = ""
        self.asked: tuple[WorkflowParameter, ...] = ()
        """The parameters that the run asked for last; answer with `resume`."""
        self._unsubscribe = [
            caller.listen("uiap.workflow.progress", self._receive),
            caller.listen("uiap.workflow.result", self._receive),
            caller.listen("uiap.workflow.input.request", self._on_asked),
        ]

    async def start(self, request: WorkflowStartPayload) -> StartedWorkflow:
        """Start the run. Reports that arrive before the answer are not lost."""
        try:
            reply = await self._caller.call("uiap.workflow.start", request, WorkflowStartedPayload)
        except BaseException:
            self._stop_listening()
            raise
        self.id = reply.instance.instance_id
        for payload in self._early:
            self._receive(payload)
        return self

    def _receive(self, payload: WorkflowProgressPayload | WorkflowResultPayload) -> None:
        if not self.id:
            self._early.append(payload)
        elif payload.instance_id == self.id and isinstance(payload, WorkflowProgressPayload):
            self._reports.put_nowait(none_for_absent(payload))
        elif payload.instance_id == self.id and isinstance(payload, WorkflowResultPayload):
            self._stop_listening()
            self._reports.put_nowait(None)
            if not self._result.done():
                self._result.set_result(none_for_absent(payload))

    def _on_asked(self, request: WorkflowInputRequestPayload) -> None:
        if request.instance_id == self.id or not self.id:
            self.asked = tuple(none_for_absent(one) for one in request.parameters)

    def _stop_listening(self) -> None:
        for unsubscribe in self._unsubscribe:
            unsubscribe()

    async def __aiter__(self) -> AsyncIterator[WorkflowProgressPayload]:
        while (report := await self._reports.get()) is not None:
            yield report

    def __await__(self) -> Generator[Any, None, WorkflowResultPayload]:
        return asyncio.shield(self._result).__await__()

    async def wait(self, timeout_s: float) -> WorkflowResultPayload | None:
        """Wait up to `timeout_s` for the result; None if the run goes on."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                return await self
        return None

    async def status(self) -> WorkflowInstance:
        request = WorkflowStatusGetPayload(instance_id=self.id)
        reply = await self._caller.call("uiap.workflow.status.get", request, WorkflowStatusPayload)
        return none_for_absent(reply.instance)

    async def pause(self, reason: str | None = None) -> None:
        """Start no further step until `resume`. A running action comes to its end."""
        request = WorkflowPausePayload(instance_id=self.id, reason=reason or UNSET)
        await self._caller.call("uiap.workflow.pause", request, WorkflowPausedPayload)

    async def resume(self, **parameters: Any) -> None:
        """Go on: after a pause, with the values that were asked for, or after a person did or confirms a step."""
        request = WorkflowResumePayload(instance_id=self.id, parameters=parameters or UNSET)
        await self._caller.call("uiap.workflow.resume", request, WorkflowResumedPayload)

    async def cancel(self, reason: str | None = None) -> None:
        request = WorkflowCancelPayload(instance_id=self.id, reason=reason or UNSET)
        await self._caller.call("uiap.workflow.cancel", request, WorkflowCancelledPayload)


class StartedRecording:
    """A recording of the session's page: what a person does there, and the actions of agents."""

    def __init__(self, caller: Caller, started: WorkflowRecordStartedPayload) -> None:
        self._caller, self.id, self.person = caller, started.recording_id, started.person

    async def pick(self, timeout_ms: float | None = None) -> str:
        """Wait until the person presses the element that proves success, and return its name."""
        request = WorkflowRecordPickPayload(recording_id=self.id, timeout_ms=timeout_ms or UNSET)
        picked = await self._caller.call("x.uiap.tools.record.pick", request, WorkflowRecordPickedPayload)
        return picked.name or picked.role

    async def peek(self) -> WorkflowDefinition:
        """Return the definition so far, and go on recording."""
        return await self._stop(WorkflowRecordStopPayload(recording_id=self.id, keep=True))

    async def stop(self, workflow_id: str | None = None, title: str | None = None) -> WorkflowDefinition:
        """End the recording, and return the definition that repeats it."""
        request = WorkflowRecordStopPayload(
            recording_id=self.id, workflow_id=workflow_id or UNSET, title=title or UNSET
        )
        return await self._stop(request)

    async def _stop(self, request: WorkflowRecordStopPayload) -> WorkflowDefinition:
        reply = await self._caller.call("x.uiap.tools.record.stop", request, WorkflowRecordedPayload)
        return reply.definition


class SessionWorkflows:
    """The workflows of the session's bundle."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    async def list(
        self, goal: str | None = None, *, mode: InteractionMode | None = None
    ) -> tuple[WorkflowSummary, ...]:
        """Return the workflows that fit, best first, each with what is missing to start it here."""
        request = WorkflowListPayload(goal=goal or UNSET, mode=mode or UNSET)
        reply = await self._caller.call("uiap.workflow.list", request, WorkflowListedPayload)
        return tuple(none_for_absent(one) for one in reply.workflows)

    async def get(self, workflow_id: str) -> WorkflowDefinition:
        request = WorkflowGetPayload(workflow_id=workflow_id)
        reply = await self._caller.call("uiap.workflow.get", request, WorkflowDefinitionPayload)
        return reply.definition

    async def start(
        self, workflow_id: str, *, mode: InteractionMode | None = None, **parameters: Any
    ) -> StartedWorkflow:
        """Start a run. It ends with the session."""
        request = WorkflowStartPayload(
            workflow_id=workflow_id, mode=mode or UNSET, parameters=parameters or UNSET
        )
        return await StartedWorkflow(self._caller).start(request)

    async def record(self) -> StartedRecording:
        """Record from now on: a person's inputs if this session is a person's, and the actions of agents."""
        request = WorkflowRecordStartPayload()
        reply = await self._caller.call("x.uiap.tools.record.start", request, WorkflowRecordStartedPayload)
        return StartedRecording(self._caller, reply)


class WorkflowCall:
    """A run that begins when it is awaited, or followed with `async for`."""

    def __init__(
        self,
        workflows: SessionWorkflows,
        workflow_id: str,
        mode: InteractionMode | None,
        parameters: dict[str, Any],
    ) -> None:
        self._workflows, self._workflow_id = workflows, workflow_id
        self._mode, self._parameters = mode, parameters

    def __await__(self) -> Generator[Any, None, WorkflowResultPayload]:
        return self._finish().__await__()

    async def _start(self) -> StartedWorkflow:
        return await self._workflows.start(self._workflow_id, mode=self._mode, **self._parameters)

    async def _finish(self) -> WorkflowResultPayload:
        return await (await self._start())

    async def __aiter__(self) -> AsyncIterator[WorkflowProgressPayload]:
        async for report in await self._start():
            yield report


class UiWorkflows:
    """The workflow part of a session."""

    _caller: Caller

    @property
    def workflows(self) -> SessionWorkflows:
        """The workflows of the bundle: `list`, `get`, `start`."""
        return SessionWorkflows(self._caller)

    def run(
        self, workflow_id: str, *, mode: InteractionMode | None = None, **parameters: Any
    ) -> WorkflowCall:
        """Run a workflow: `await` returns its result, `async for` follows its progress.

        Use `workflows.start` for a run that asks for values or waits for a person.
        """
        return WorkflowCall(self.workflows, workflow_id, mode, parameters)
