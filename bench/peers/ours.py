"""uiap as a contestant, through its public Python API."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import uiap
from bench.peers.peer import Reply


class Ours:
    name = "uiap"

    def __init__(self, browser: Path, sandbox: list[str]) -> None:
        self._folder = TemporaryDirectory()
        self._opened = uiap.open("about:blank", downloads=self._folder.name)
        self._ref: str | None = None
        self._revision = ""

    async def start(self) -> None:
        self._ui = await self._opened.__aenter__()

    async def goto(self, url: str) -> None:
        result = await self._ui.navigate(url)
        assert result.status == "succeeded", result

    async def look(self) -> str:
        graph = await self._ui.observe()
        self._revision = graph.revision
        return graph.outline()

    async def press(self, role: str, name: str, record: str | None) -> Reply:
        target: dict[str, Any] = {"role": role, "name": name}
        if self._ref is not None:
            target, self._ref = {"ref": self._ref}, None
        return await self._act("ui.activate", target)

    async def point_at(self, name: str, role: Any, record: str | None) -> None:
        """Take the reference of the current element; the next press uses it."""
        self._ref = (await self._ui.find(name, role=role, near=record))[0].instance_id

    async def write(self, role: str, name: str, text: str) -> Reply:
        return await self._act("ui.enterText", {"role": role, "name": name}, {"text": text})

    async def _act(self, action: str, target: dict[str, Any], args: dict[str, Any] | None = None) -> Reply:
        result = await self._ui.act(action, **target, args=args)
        error = "" if result.error is None else f"{result.error.code}: {result.error.message}\n"
        changed = await self._ui.outline(since=self._revision)
        self._revision = result.revision or self._revision
        return Reply(result.status == "succeeded", f"{result.status} {error}{changed}")

    async def evaluate(self, expression: str) -> Any:
        return json.loads(await self._ui.evaluate(f"JSON.stringify(({expression}) ?? null)"))

    async def close(self) -> None:
        await self._opened.__aexit__(None, None, None)
        self._folder.cleanup()
