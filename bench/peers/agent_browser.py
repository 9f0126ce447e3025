"""agent-browser as a contestant, through its command line, as its users drive it."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import re
import secrets
from pathlib import Path
from typing import Any

from bench.peers.install import Absent, package
from bench.peers.peer import Reply, line_of


class AgentBrowser:
    name = "agent-browser"

    def __init__(self, browser: Path, sandbox: list[str]) -> None:
        machine = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}.get(platform.machine(), "")
        program = package("agent-browser") / "bin" / f"agent-browser-{platform.system().lower()}-{machine}"
        if not program.exists():
            raise Absent(f"agent-browser has no program for {platform.system()} {platform.machine()}")
        program.chmod(0o755)
        self._program = str(program)
        self._session = f"bench-{secrets.token_hex(4)}"
        flags = ",".join([*sandbox, "--disable-gpu"])
        chosen = {"AGENT_BROWSER_EXECUTABLE_PATH": str(browser), "AGENT_BROWSER_ARGS": flags}
        self._env = {**os.environ, **chosen}
        self._snapshot = ""

    async def start(self) -> None:
        await self._run("open", "about:blank")

    async def goto(self, url: str) -> None:
        await self._run("open", url)

    async def look(self) -> str:
        self._snapshot = (await self._run("snapshot", "--delta", "--full")).text
        return self._snapshot

    def _ref(self, role: str, name: str, record: str | None) -> str:
        found = re.search(r"ref=(\w+)", line_of(self._snapshot, role, name, record))
        assert found is not None
        return f"@{found[1]}"

    async def press(self, role: str, name: str, record: str | None) -> Reply:
        return await self._with_changes(await self._run("click", self._ref(role, name, record)))

    async def write(self, role: str, name: str, text: str) -> Reply:
        return await self._with_changes(await self._run("fill", self._ref(role, name, None), text))

    async def _with_changes(self, reply: Reply) -> Reply:
        """Add the changes: the action itself prints only `Done`, so the next command asks for the new state."""
        changed = await self._run("snapshot", "--delta")
        return Reply(reply.claimed, f"{reply.text}\n{changed.text}")

    async def command(self, *arguments: str) -> Reply:
        """Run one command as its user types it."""
        return await self._run(*arguments)

    async def evaluate(self, expression: str) -> Any:
        answer = await self._run("eval", f"JSON.stringify(({expression}) ?? null)")
        return json.loads(json.loads(answer.text))

    async def close(self) -> None:
        await self._run("close")

    async def _run(self, *arguments: str) -> Reply:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(
            self._program, "--session", self._session, *arguments, stdout=pipe, stderr=pipe, env=self._env
        )
        async with asyncio.timeout(120):
            out, err = await process.communicate()
        return Reply(process.returncode == 0, (out or err).decode().strip())
