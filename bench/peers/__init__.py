"""The same hazards and the same clicks through ours and through three popular tools, side by side.

The peers are installed on demand with npm, at the versions pinned here, under `.uiap/peers`; one that cannot be had
is left out with its reason. Nothing about them is committed.
"""

from __future__ import annotations

import asyncio

SUMMARY = "hazards and clicks through Playwright MCP, chrome-devtools-mcp and agent-browser, beside ours"


def run() -> bool:
    from bench.peers import hazards, speed

    return all([asyncio.run(hazards.run()), asyncio.run(speed.run())])
