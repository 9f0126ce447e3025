"""The tool `workflow`: list the reviewed workflows of the application, run one, and answer or stop a run.

A run acts through the session of the agent, so policy and confirmations apply to each of its actions. Only a person
answers for a person.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from uiap.api.ui import Ui
from uiap.api.workflows import StartedWorkflow
from uiap.mcp_server.reply import ToolReply, failure
from uiap.spec.workflow import WorkflowResultPayload, WorkflowSummary
from uiap.workflow.texts import plain_text

WAIT_S = 60.0
MAX_LISTED = 20


class WorkflowTool:
    """The workflow runs of one session."""

    def __init__(self) -> None:
        self._runs: dict[str, StartedWorkflow] = {}

    async def call(self, ui: Ui, given: Mapping[str, Any]) -> ToolReply:
        if "run" in given:
            return await self._go_on(given)
        if "workflow" not in given:
            return await _listed(ui, given.get("goal"))
        run = await ui.workflows.start(given["workflow"], **given.get("inputs", {}))
        self._runs[run.id] = run
        return await self._wait(run, given)

    async def _go_on(self, given: Mapping[str, Any]) -> ToolReply:
        run = self._runs.get(given["run"])
        if run is None:
            return failure("not_found", detail="there is no such run in this session")
        if given.get("stop"):
            await run.cancel()
        elif given.get("inputs"):
            await run.resume(**given["inputs"])
        return await self._wait(run, given)

    async def _wait(self, run: StartedWorkflow, given: Mapping[str, Any]) -> ToolReply:
        """Wait for the result, up to the given seconds, or until the run waits for an answer."""
        left_s = float(given.get("seconds", WAIT_S))
        while left_s > 0:
            if (result := await run.wait(min(left_s, 0.5))) is not None:
                del self._runs[run.id]
                return _result(result)
            left_s -= 0.5
            status = (await run.status()).status
            if status != "running":
                return _waiting(run, status)
        return ToolReply(
            ok=False, code="timeout", say=f"it is still running; call workflow with run {run.id}"
        )


async def _listed(ui: Ui, goal: str | None) -> ToolReply:
    found = (await ui.workflows.list(goal))[:MAX_LISTED]
    listed = [_summary(one) for one in found]
    say = (
        f"{len(found)} workflows; run one with workflow and inputs" if found else "no workflow is known here"
    )
    return ToolReply(say=say, untrusted={"workflows": listed} if listed else {})


def _summary(one: WorkflowSummary) -> dict[str, Any]:
    missing = {"missing": list(one.missing)} if one.missing else {}
    return {"workflow": one.id, "title": plain_text(one.title), "startable": one.startable, **missing}


def _waiting(run: StartedWorkflow, status: str) -> ToolReply:
    if status == "waiting_for_input":
        names = ", ".join(one.name for one in run.asked)
        return ToolReply(
            ok=False, code="input_needed", say=f"call workflow with run {run.id} and inputs: {names}"
        )
    say = f"a person has to answer first; then call workflow with run {run.id}"
    return ToolReply(ok=False, code=status, say=say)


def _result(result: WorkflowResultPayload) -> ToolReply:
    ok = result.status == "succeeded"
    say = "the workflow succeeded; its success was observed" if ok else f"the workflow {result.status}"
    why = {"why": result.error.message} if result.error else {}
    return ToolReply(ok=ok, code=None if ok else result.status, say=say, untrusted=why)
