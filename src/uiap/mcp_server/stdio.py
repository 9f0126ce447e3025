"""MCP over standard input and output: one client, which started us and with whom we end."""

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
    """Until the client closes our input, or we are told to stop."""
    app = server(calls, profile)
    task = asyncio.ensure_future(_talk(app))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, task.cancel)
    try:
        with suppress(asyncio.CancelledError):
            await task
    finally:
        await calls.close()


async def _talk(app: Any) -> None:
    async with stdio_server() as (read, write):
        await app.run(read, write, app.create_initialization_options())
