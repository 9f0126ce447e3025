"""The same tools where the task gives the names: one call acts on a page that the agent has not seen.

A tool that fails by name is used as in `tools`, by what its snapshot shows. All calls count.
"""

from __future__ import annotations

import json
import shlex

from bench.agent_tasks.task import AgentTask, Cost, Press, Stage, TaskField
from bench.agent_tasks.tools import PERSON, AgentBrowserBatch, OurShell, PlaywrightMcpTool, shell_steps


class ByNamesFailed(LookupError):
    """The tool found no element by the name of the task, or cannot address one by name."""


class OurShellByNames(OurShell):
    """`uiap do` over all pages of the task."""

    name = "uiap by names"

    async def run(self, task: AgentTask, cost: Cost) -> bool:
        stages = "; ".join(map(shell_steps, task.stages))
        return await self._call(("do", f"goto {task.path}; {stages}", *PERSON), cost)


class AgentBrowserByNames(AgentBrowserBatch):
    """`batch` with `find label` and `find role`, which know text fields and checkboxes, but no lists and no rows."""

    name = "agent-browser by names"

    async def run(self, task: AgentTask, cost: Cost) -> bool:
        try:
            steps = [step for stage in task.stages for step in self._by_names(stage)]
        except ByNamesFailed:  # an agent that knows the tool does not try
            return await self.see_and_do(task, cost)
        opened = f"open {self._base}{task.path}"
        if await self._batch([opened, *steps, "wait --load networkidle", "snapshot -i"], cost):
            return True
        return await self.see_and_do(task, cost)

    def _by_names(self, stage: Stage) -> list[str]:
        return [*map(_find_field, stage.fields), _find_press(stage.press)]


def _find_field(one: TaskField) -> str:
    if one.kind not in ("fill", "check"):
        raise ByNamesFailed(one.name)
    return shlex.join(["find", "label", one.name, one.kind, *([one.value] if one.value else [])])


def _find_press(press: Press) -> str:
    if press.near is not None:
        raise ByNamesFailed(press.near)
    return shlex.join(["find", "role", press.role, "click", "--name", press.name, "--exact"])


class PlaywrightCode(PlaywrightMcpTool):
    """Playwright MCP with `browser_run_code_unsafe`: the model writes a script."""

    name = "Playwright MCP by code"

    async def run(self, task: AgentTask, cost: Cost) -> bool:
        lines = [f"await page.goto({json.dumps(self._base + task.path)});"]
        lines += [line for stage in task.stages for line in _code(stage)]
        lines += ["await page.waitForLoadState();", "return await page.locator('body').ariaSnapshot();"]
        code = f"async (page) => {{ {' '.join(lines)} }}"
        if await self._call(cost, "browser_run_code_unsafe", code=code):
            return True
        return await self.see_and_do(task, cost)


def _code(stage: Stage) -> list[str]:
    return [*map(_code_of_field, stage.fields), _code_of_press(stage.press)]


def _code_of_field(one: TaskField) -> str:
    call = {"fill": "fill", "select": "selectOption", "check": "check", "uncheck": "uncheck"}[one.kind]
    return (
        f"await page.getByLabel({json.dumps(one.name)}).{call}({json.dumps(one.value) if one.value else ''});"
    )


def _code_of_press(press: Press) -> str:
    row = "" if press.near is None else f".getByRole('row', {{ name: {json.dumps(press.near)} }})"
    role, name = json.dumps(press.role), json.dumps(press.name)
    return f"await page{row}.getByRole({role}, {{ name: {name}, exact: true }}).click();"


BY_NAMES = (OurShellByNames, AgentBrowserByNames, PlaywrightCode)
