"""chrome-devtools-mcp as a contestant."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bench.peers.install import command, package
from bench.peers.peer import Reply, line_of
from bench.peers.stdio import McpPeer


class ChromeDevtools(McpPeer):
    name = "chrome-devtools-mcp"

    def __init__(self, browser: Path, sandbox: list[str]) -> None:
        package("chrome-devtools-mcp")
        program = str(command("chrome-devtools-mcp"))
        flags = ["--headless", "--isolated", "--no-usage-statistics", "--no-page-id-routing"]
        arguments = [f"--chromeArg={flag}" for flag in sandbox]
        super().__init__([program, "--executablePath", str(browser), *flags, *arguments])
        self._snapshot = ""

    async def goto(self, url: str) -> None:
        await self.tool("navigate_page", type="url", url=url)

    async def look(self) -> str:
        self._snapshot = (await self.tool("take_snapshot")).text
        return self._snapshot

    def _uid(self, role: str, name: str, record: str | None) -> str:
        found = re.search(r"uid=(\S+)", line_of(self._snapshot, role, name, record))
        assert found is not None
        return found[1]

    async def press(self, role: str, name: str, record: str | None) -> Reply:
        return await self.tool("click", uid=self._uid(role, name, record), includeSnapshot=True)

    async def write(self, role: str, name: str, text: str) -> Reply:
        return await self.tool("fill", uid=self._uid(role, name, None), value=text, includeSnapshot=True)

    async def evaluate(self, expression: str) -> Any:
        answer = await self.tool("evaluate_script", function=f"() => JSON.stringify(({expression}) ?? null)")
        block = re.search(r"```json\n(.*?)\n```", answer.text, re.DOTALL)
        assert block is not None, answer.text
        return json.loads(json.loads(block[1]))
