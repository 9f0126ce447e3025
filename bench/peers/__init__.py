"""The same hazards and clicks through uiap and three popular tools.

The peers are installed on demand with npm under `.uiap/peers`, at the versions pinned here. A peer that cannot be
installed is left out, and the reason is printed. None of their files are committed.
"""

from __future__ import annotations

import asyncio

SUMMARY = "hazards and clicks, compared with Playwright MCP, chrome-devtools-mcp and agent-browser"


def run(only: str = "") -> bool:
    """Run both parts, or only `--hazards` or `--speed`."""
    from bench.peers import hazards, speed

    parts = {"--hazards": hazards.run, "--speed": speed.run}
    if only and only not in parts:
        raise SystemExit(f"bench: `peers` has no option `{only}`; use {' or '.join(parts)}")
    met = [asyncio.run(part()) for name, part in parts.items() if only in ("", name)]
    return all(met)
