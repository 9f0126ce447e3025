"""A minimal MCP client over stdio, to drive the peers that are MCP servers."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.peers.peer import Reply

PATIENCE_S = 120.0


class McpPeer:
    """A server process; `tool` calls one of its tools."""

    def __init__(self, command: Sequence[str], env: dict[str, str] | None = None) -> None:
        self._command, self._env = command, env
        self._process: asyncio.subprocess.Process | None = None
        self._last = 0
        self._kept = tempfile.TemporaryDirectory(prefix="uiap-peer-")
        self._folder = Path(self._kept.name)
        """The working folder of the server, for the files that it writes."""
        self.listed = ""
        """The text of tools/list: the tokens that a model pays before its first call."""

    async def start(self) -> None:
        pipe, nowhere = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            stdin=pipe,
            stdout=pipe,
            stderr=nowhere,
            env=self._env,
            limit=1 << 26,
            cwd=self._folder,
        )
        client = {"name": "bench", "version": "1"}
        await self._ask(
            "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        )
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.listed = json.dumps((await self._ask("tools/list", {}))["tools"], separators=(",", ":"))

    async def tool(self, name: str, **arguments: Any) -> Reply:
        result = await self._ask("tools/call", {"name": name, "arguments": arguments})
        text = "\n".join(part.get("text", "") for part in result["content"])
        return Reply(not result.get("isError", False), text)

    async def close(self) -> None:
        if self._process is not None and self._process.returncode is None:
            assert self._process.stdin is not None
            self._process.stdin.close()
            try:
                await asyncio.wait_for(self._process.wait(), 10)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
        self._kept.cleanup()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")

    async def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        assert self._process is not None
        assert self._process.stdout is not None
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        async with asyncio.timeout(PATIENCE_S):
            while line := await self._process.stdout.readline():
                message = json.loads(line)
                if message.get("id") == self._last:
                    result: dict[str, Any] = message.get("result") or {
                        "isError": True,
                        "content": [{"text": json.dumps(message.get("error"))}],
                    }
                    return result
        raise ConnectionError(f"{self._command[0]} ended")
