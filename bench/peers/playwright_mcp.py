"""Playwright MCP as a contestant."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from bench.peers.install import command, package
from bench.peers.peer import Reply, line_of
from bench.peers.stdio import McpPeer


class PlaywrightMcp(McpPeer):
    name = "Playwright MCP"

    def __init__(self, browser: Path, sandbox: list[str]) -> None:
        package("@playwright/mcp")
        program = str(command("playwright-mcp"))
        flags = ["--headless", "--isolated", *sandbox]
        super().__init__([program, "--executable-path", str(browser), *flags])
        self._seen = ""

    async def goto(self, url: str) -> None:
        await self.tool("browser_navigate", url=url)

    async def look(self) -> str:
        self._seen = (await self.tool("browser_snapshot")).text
        return self._seen

    def _ref(self, role: str, name: str, record: str | None) -> str:
        found = re.search(r"\[ref=(\w+)\]", line_of(self._seen, role, name, record))
        assert found is not None
        return found[1]

    async def press(self, role: str, name: str, record: str | None) -> Reply:
        target = self._ref(role, name, record)
        return self._text_of_result(await self.tool("browser_click", element=name, target=target))

    async def write(self, role: str, name: str, text: str) -> Reply:
        target = self._ref(role, name, None)
        return self._text_of_result(await self.tool("browser_type", element=name, target=target, text=text))

    def _text_of_result(self, reply: Reply) -> Reply:
        """Add the new snapshot: the tool writes it to a file and returns the name, and a model would read that file."""
        named = re.search(r"\[Snapshot\]\((.+?)\)", reply.text)
        snapshot = (self._folder / named[1]).read_text() if named else ""
        return Reply(reply.claimed, reply.text + snapshot)

    async def evaluate(self, expression: str) -> Any:
        answer = await self.tool("browser_evaluate", function=f"() => JSON.stringify(({expression}) ?? null)")
        result = answer.text.split("### Result")[1].strip().splitlines()[0]
        return json.loads(json.loads(result))
