"""The same hazards and the same clicks through ours and through three popular tools, side by side.

The peers are installed on demand with npm, at the versions pinned here, under `.uiap/peers`; one that cannot be had
is left out with its reason. Nothing about them is committed.
"""

from __future__ import annotations

import asyncio

SUMMARY = "hazards and clicks through Playwright MCP, chrome-devtools-mcp and agent-browser, beside ours"


def run(only: str = "") -> bool:
    """`--hazards` or `--speed` alone."""
    from bench.peers import hazards, speed

    parts = {"--hazards": hazards.run, "--speed": speed.run}
    if only and only not in parts:
        raise SystemExit(f"bench: peers has {' and '.join(parts)}, not `{only}`")
    kept = [asyncio.run(part()) for name, part in parts.items() if only in ("", name)]
    return all(kept)
