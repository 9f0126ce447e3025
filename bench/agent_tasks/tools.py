"""The tools as an agent uses them: see a page, fill in its fields and press, see the result.

The scripts use as few calls as a tool allows. A tool that can do several steps in one call does so: `do`, `batch`,
`browser_fill_form`, `fill_form`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shlex
import sys
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from bench.agent_tasks.task import ROLES, AgentTask, Cost, Press, Stage, TaskField
from bench.peers.agent_browser import AgentBrowser
from bench.peers.chrome_devtools import ChromeDevtools
from bench.peers.install import Absent, command, package
from bench.peers.peer import Reply
from bench.peers.playwright_mcp import PlaywrightMcp
from uiap.drivers.chromium.process.find import find_browser
from uiap.graph.outline import token_count

PERSON = ("--wait", "60")
"""The person is there, so a command of our shell waits for the answer itself."""


class AgentTool(Protocol):
    name: str

    async def start(self, base: str, sign_in: tuple[str, Stage] | None) -> None: ...

    async def run(self, task: AgentTask, cost: Cost) -> bool:
        """Do the task and show the result to the agent. Return whether the tool reported no failure."""
        ...

    async def close(self) -> None: ...


class _SeesFirst:
    """The part of all tools that see a page before they act on it."""

    async def visit(self, path: str, cost: Cost) -> bool:
        """Open a page and show it to the agent. Return whether the tool reported no failure."""
        raise NotImplementedError

    async def act(self, stage: Stage, cost: Cost) -> bool:
        """Fill in, press, and show the result to the agent."""
        raise NotImplementedError

    async def run(self, task: AgentTask, cost: Cost) -> bool:
        return await self.see_and_do(task, cost)

    async def see_and_do(self, task: AgentTask, cost: Cost) -> bool:
        if not await self.visit(task.path, cost):
            return False
        for stage in task.stages:
            if not await self.act(stage, cost):
                return False
        return True

    async def sign_in(self, sign_in: tuple[str, Stage] | None) -> None:
        """Sign in on the page of the application, if it has one. This is not counted."""
        if sign_in is not None:
            await self.visit(sign_in[0], Cost())
            await self.act(sign_in[1], Cost())


def browser_and_sandbox() -> tuple[Path, list[str]]:
    found = find_browser(environ=os.environ)
    if found is None:
        raise Absent("no browser found; run `make browser` first")
    return found.path, ["--no-sandbox"] if os.geteuid() == 0 else []


def count(cost: Cost, request: str, reply: str) -> None:
    cost.calls += 1
    cost.tokens += token_count(request) + token_count(reply)


def _same_words(one: str) -> str:
    return re.sub(r"[\W_]+", " ", one).strip().lower()


_LINE = re.compile(r'(?P<role>\w+) "(?P<name>(?:[^"\\]|\\.)*)"')


def ref_in(
    snapshot: str, pattern: str, roles: Sequence[str], name: str, near: str | None = None
) -> str | None:
    """Return the ref of an element: the same name first, then a name that contains it."""
    lines = snapshot.splitlines()
    begin = 0 if near is None else next((i for i, line in enumerate(lines) if near in line), len(lines))
    wanted, similar = _same_words(name), None
    for line in lines[begin:]:
        shown, ref = _LINE.search(line), re.search(pattern, line)
        if shown is None or ref is None or shown["role"].lower() not in roles:
            continue
        words = _same_words(shown["name"])
        if words == wanted:
            return ref[1]
        similar = similar or (ref[1] if wanted in words else None)
    return similar


class _ByRef(_SeesFirst):
    """The part that tools with refs share: the last snapshot, and the refs in it."""

    pattern = r"\[ref=(\w+)\]"
    seen = ""

    def field_ref(self, one: TaskField) -> str:
        return self._ref(ROLES[one.kind], one.name)

    def press_ref(self, press: Press) -> str:
        return self._ref((press.role,), press.name, press.near)

    def _ref(self, roles: Sequence[str], name: str, near: str | None = None) -> str:
        found = ref_in(self.seen, self.pattern, roles, name, near)
        if found is None:
            raise LookupError(f"`{name}` is not in the snapshot")
        return found


class OurShell(_SeesFirst):
    """Our shell at the autonomy that it starts with; the harness answers every question at once, as the person."""

    name = "uiap"

    _program = (sys.executable, "-m", "uiap.cli.main")

    def __init__(self) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="uiap-")
        self._environ = {**os.environ, "UIAP_HOME": self._home.name}

    async def start(self, base: str, sign_in: tuple[str, Stage] | None) -> None:
        if sign_in is None:
            await self._run("open", base)
            return
        path, stage = sign_in
        state = str(Path(self._home.name) / "login.json")
        await self._run("open", base + path, "--trusted", "--save-state", state)
        await self._run("do", shell_steps(stage))
        await self._run("close")
        await self._run("open", base, "--state", state)

    async def visit(self, path: str, cost: Cost) -> bool:
        return await self._call(("goto", path), cost)

    async def act(self, stage: Stage, cost: Cost) -> bool:
        return await self._call(("do", shell_steps(stage), *PERSON), cost)

    async def _call(self, words: tuple[str, ...], cost: Cost) -> bool:
        process = await asyncio.create_subprocess_exec(
            *self._program, *words, stdout=PIPE, stderr=PIPE, env=self._environ
        )
        assert process.stdout is not None and process.stderr is not None
        async with asyncio.timeout(120):
            printed, asked = await asyncio.gather(process.stdout.read(), self._answer(process.stderr, cost))
            code = await process.wait()
        count(cost, shlex.join(("uiap", *words)), asked + printed.decode())
        return code == 0

    async def _answer(self, errors: asyncio.StreamReader, cost: Cost) -> str:
        """Grant every question that the command prints, as the person, and return all that it printed there."""
        lines = ""
        async for line in errors:
            lines += line.decode()
            if b"uiap approve" in line:
                cost.questions += 1
                await self._run("approve", "--yes")
        return lines

    async def _run(self, *words: str) -> tuple[int, str]:
        return await run_program((*self._program, *words), self._environ)

    async def close(self) -> None:
        await self._run("close")
        self._home.cleanup()


def shell_steps(stage: Stage) -> str:
    steps = [_step(one) for one in stage.fields]
    near = f' --near "{stage.press.near}"' if stage.press.near else ""
    return "; ".join([*steps, f'click "{stage.press.name}"{near}'])


def _step(one: TaskField) -> str:
    return f'{one.kind} "{one.name}"' + (f'="{one.value}"' if one.value else "")


async def run_program(
    words: Sequence[str], environ: dict[str, str], cwd: str | None = None
) -> tuple[int, str]:
    """Run a program and return its exit code and output. A resident process that it starts keeps no pipe open."""
    with tempfile.TemporaryFile() as output:
        process = await asyncio.create_subprocess_exec(
            *words, stdout=output, stderr=output, env=environ, cwd=cwd
        )
        async with asyncio.timeout(120):
            code = await process.wait()
        output.seek(0)
        return code, output.read().decode()


class AgentBrowserBatch(_ByRef):
    """agent-browser by its command line, with `batch`: two calls for a form."""

    name = "agent-browser"
    pattern = r"ref=(\w+)"

    def __init__(self) -> None:
        self._peer = AgentBrowser(*browser_and_sandbox())
        self._base = ""

    async def start(self, base: str, sign_in: tuple[str, Stage] | None) -> None:
        self._base = base
        await self.sign_in(sign_in)

    async def visit(self, path: str, cost: Cost) -> bool:
        return await self._batch([f"open {self._base}{path}", "snapshot -i"], cost)

    async def act(self, stage: Stage, cost: Cost) -> bool:
        words = {"fill": "fill", "select": "select", "check": "check", "uncheck": "uncheck"}
        steps = [
            shlex.join([words[one.kind], f"@{self.field_ref(one)}", *([one.value] if one.value else [])])
            for one in stage.fields
        ]
        steps.append(f"click @{self.press_ref(stage.press)}")
        return await self._batch([*steps, "wait --load networkidle", "snapshot -i"], cost)

    async def _batch(self, steps: list[str], cost: Cost) -> bool:
        reply = await self._peer.command("batch", "--bail", *steps)
        count(cost, shlex.join(("agent-browser", "batch", "--bail", *steps)), reply.text)
        self.seen = reply.text
        return reply.claimed

    async def close(self) -> None:
        await self._peer.close()


class PlaywrightMcpTool(_ByRef):
    name = "Playwright MCP"

    def __init__(self) -> None:
        self._peer = _FullReplies(*browser_and_sandbox())
        self._base = ""

    async def start(self, base: str, sign_in: tuple[str, Stage] | None) -> None:
        self._base = base
        await self._peer.start()
        await self.sign_in(sign_in)

    async def visit(self, path: str, cost: Cost) -> bool:
        return await self._call(cost, "browser_navigate", url=self._base + path)

    async def act(self, stage: Stage, cost: Cost) -> bool:
        press = self.press_ref(stage.press)
        kinds = {"fill": "textbox", "select": "combobox", "check": "checkbox", "uncheck": "checkbox"}
        fields = [
            {
                "target": self.field_ref(one),
                "name": one.name,
                "type": kinds[one.kind],
                "value": one.value or str(one.kind == "check").lower(),
            }
            for one in stage.fields
        ]
        filled = not fields or await self._call(cost, "browser_fill_form", fields=fields)
        return filled and await self._call(cost, "browser_click", element=stage.press.name, target=press)

    async def _call(self, cost: Cost, tool: str, **arguments: Any) -> bool:
        reply = await self._peer.full(tool, **arguments)
        count(cost, json.dumps({"name": tool, "arguments": arguments}), reply.text)
        self.seen = reply.text
        return reply.claimed

    async def close(self) -> None:
        await self._peer.close()


class _FullReplies(PlaywrightMcp):
    """With the snapshot that the reply only names; reading that file is not counted as a call."""

    async def full(self, tool: str, **arguments: Any) -> Reply:
        return self._text_of_result(await self.tool(tool, **arguments))


class ChromeDevtoolsTool(_ByRef):
    name = "chrome-devtools-mcp"
    pattern = r"uid=(\S+)"

    def __init__(self) -> None:
        self._peer = ChromeDevtools(*browser_and_sandbox())
        self._base = ""

    async def start(self, base: str, sign_in: tuple[str, Stage] | None) -> None:
        self._base = base
        await self._peer.start()
        await self.sign_in(sign_in)

    async def visit(self, path: str, cost: Cost) -> bool:
        opened = await self._call(cost, "navigate_page", type="url", url=self._base + path)
        return opened and await self._call(cost, "take_snapshot")

    async def act(self, stage: Stage, cost: Cost) -> bool:
        press = self.press_ref(stage.press)
        fields = [
            {"uid": self.field_ref(one), "value": one.value or str(one.kind == "check").lower()}
            for one in stage.fields
        ]
        filled = not fields or await self._call(cost, "fill_form", elements=fields)
        return filled and await self._call(cost, "click", uid=press, includeSnapshot=True)

    async def _call(self, cost: Cost, tool: str, **arguments: Any) -> bool:
        reply = await self._peer.tool(tool, **arguments)
        count(cost, json.dumps({"name": tool, "arguments": arguments}), reply.text)
        self.seen = reply.text
        return reply.claimed

    async def close(self) -> None:
        await self._peer.close()


class PlaywrightShell(_ByRef):
    """Playwright's own command line: one command per field."""

    name = "Playwright CLI"

    def __init__(self) -> None:
        package("@playwright/cli")
        self._program = str(command("playwright-cli"))
        self._session = f"-s=bench{secrets.token_hex(3)}"
        self._folder = tempfile.TemporaryDirectory(prefix="uiap-peer-")
        self._base = ""

    async def start(self, base: str, sign_in: tuple[str, Stage] | None) -> None:
        self._base = base
        browser, sandbox = browser_and_sandbox()
        launch = {"executablePath": str(browser), "args": sandbox, "headless": True, "chromiumSandbox": False}
        config = Path(self._folder.name) / "config.json"
        config.write_text(json.dumps({"browser": {"browserName": "chromium", "launchOptions": launch}}))
        await self._run("open", base, f"--config={config}")
        await self.sign_in(sign_in)

    async def visit(self, path: str, cost: Cost) -> bool:
        return await self._call(cost, "goto", self._base + path)

    async def act(self, stage: Stage, cost: Cost) -> bool:
        press = self.press_ref(stage.press)
        commands = [
            (one.kind, self.field_ref(one), *([one.value] if one.value else [])) for one in stage.fields
        ]
        for words in (*commands, ("click", press)):
            if not await self._call(cost, *words):
                return False
        return True

    async def _call(self, cost: Cost, *words: str) -> bool:
        code, text = await self._run(*words)
        named = re.search(r"\[Snapshot\]\((.+?)\)", text)
        wanted = words[0] in ("goto", "click")  # an agent reads the page after a step that may change it
        snapshot = (Path(self._folder.name) / named[1]).read_text() if named and wanted else ""
        count(cost, shlex.join(("playwright-cli", *words)), text + snapshot)
        self.seen = snapshot or self.seen
        return code == 0 and "### Error" not in text

    async def _run(self, *words: str) -> tuple[int, str]:
        given = (self._program, self._session, *words)
        return await run_program(given, dict(os.environ), self._folder.name)

    async def close(self) -> None:
        await self._run("close")
        self._folder.cleanup()


SEE_FIRST = (OurShell, AgentBrowserBatch, PlaywrightMcpTool, ChromeDevtoolsTool, PlaywrightShell)
