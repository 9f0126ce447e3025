"""MCP over standard input and output, for the one client that started this process."""

from __future__ import annotations

import asyncio
import signal
from contextlib import suppress
from typing import Any

from mcp.server.stdio import stdio_server

from uiap.mcp_server.catalogue import Profile
from uiap.mcp_server.server import server
from uiap.mcp_server.tool_calls import ToolCalls


async def serve(calls: ToolCalls, profile: Profile) -> None:
    """Serve until the client closes the input or a signal stops the process."""
    app = server(calls, profile)
    task = asyncio.ensure_future(_run(app))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await task
    finally:
        await calls.close()


async def _run(app: Any) -> None:
    async with stdio_server() as (read, write):
        await app.run(read, write, app.create_initialization_options())
