"""The chapter of the demo about workflows: record a task, replay it with other data, repair it after a redesign."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, Protocol

import uiap
from uiap.api.workflow_application import ApplicationOpener, PooledBrowsers
from uiap.api.workflow_runs import WorkflowRuns, application_of, run_order
from uiap.host.workflows.durable import DurableRuns
from uiap.host.workflows.history import RunHistory
from uiap.spec.workflow import ActionStep, WorkflowDefinition


class Chapter(Protocol):
    """Prints the steps of the demo and runs their checks."""

    def step(self, title: str) -> None: ...
    def print(self, text: str) -> None: ...
    def check(self, passed: bool, description: str) -> None: ...
    def server_truth(self) -> dict[str, Any]: ...
    def set_knob(self, name: str, value: Any) -> None: ...


class _Runs(NamedTuple):
    stored: WorkflowRuns
    executing: DurableRuns

    async def run(self, definition: WorkflowDefinition, **parameters: Any) -> RunHistory:
        """Run until the end or a question."""
        application, actions = application_of(definition, None, rules="trusted")
        order = run_order(definition, application, parameters, actions=actions)
        await self.executing.start(order)
        return await self.follow(order.terms.instance_id)

    async def follow(self, instance_id: str) -> RunHistory:
        async for _ in self.stored.follow(instance_id):
            pass
        return await self.stored.history(instance_id)


async def show_workflows(chapter: Chapter, ui: uiap.Ui) -> None:
    """Show the chapter. The session records, and the runs have a browser of their own."""
    definition = await _record(chapter, ui)
    browsers = PooledBrowsers(browsers=1, contexts=1, recycle=100, allow=("private",))
    with TemporaryDirectory(prefix="uiap-") as folder:
        stored = WorkflowRuns(Path(folder) / "workflows.sqlite3")
        try:
            async with stored, stored.executing(ApplicationOpener(browsers.open)) as executing:
                await _replay_and_repair(chapter, _Runs(stored, executing), definition)
        finally:
            await browsers.close()


async def _record(chapter: Chapter, ui: uiap.Ui) -> WorkflowDefinition:
    chapter.step("It does a task once, and the recording is a workflow that runs without a model")
    await ui.goto("/videos/new?as=admin&lang=en")
    recording = await ui.workflows.record()
    await ui.fill("Title", "A recorded video")
    await ui.click("Create video", expect=[uiap.route_changed("/videos/:id")])
    definition = await recording.stop("video.create", "Create a video")
    steps = [one for one in definition.steps if isinstance(one, ActionStep)]
    chapter.print("\n".join(f"{one.id}: {one.action_id}" for one in steps))
    names = ", ".join(one.name for one in definition.parameters or ())
    chapter.check(
        bool(steps) and names == "title", f"{len(steps)} steps; the entered text is the parameter `{names}`"
    )
    return definition


async def _replay_and_repair(chapter: Chapter, runs: _Runs, definition: WorkflowDefinition) -> None:
    chapter.step("The workflow runs with other data, as a durable run that proves each step")
    created = _counter(chapter)
    history = await runs.run(definition, title="A replayed video")
    chapter.check(
        history.instance.status == "succeeded" and created() == 1, f"{history.instance.status}; 1 new video"
    )

    chapter.step("The application is redesigned: the run stops before it acts, and proposes a repair")
    chapter.set_knob("redesign", True)
    created = _counter(chapter)
    history = await runs.run(definition, title="After the redesign")
    question, run_id = history.question, history.instance.instance_id
    chapter.print(question.text if question is not None else history.instance.status)
    chapter.check(question is not None and question.kind == "repair" and created() == 0, "nothing was done")

    chapter.step("A person accepts the repair, and the run goes on; the next run needs no repair")
    if question is None:
        chapter.check(False, "there is nothing to accept")
        return
    await runs.stored.accept_repair(run_id)
    history = await runs.follow(run_id)
    repaired = await runs.stored.repaired_definition(run_id)
    again = await runs.run(repaired, title="With the repaired workflow")
    chapter.print(f"{run_id}: {history.instance.status}; version {repaired.version}: {again.instance.status}")
    done = (history.instance.status, again.instance.status) == ("succeeded", "succeeded")
    chapter.check(done and created() == 2, "the server agrees: 2 new videos")
    chapter.set_knob("redesign", False)


def _counter(chapter: Chapter) -> Callable[[], int]:
    """Return a function that counts the videos that the server created since now."""
    before: int = chapter.server_truth()["videos"]
    return lambda: int(chapter.server_truth()["videos"]) - before
