"""The same hazards and clicks through uiap and three popular tools.

The peers are installed on demand with npm under `.uiap/peers`, at the versions pinned here. A peer that cannot be
installed is left out, and the reason is printed. None of their files are committed.
"""

from __future__ import annotations

import asyncio

SUMMARY = "hazards and clicks, compared with Playwright MCP, chrome-devtools-mcp and agent-browser"


def run(only: str = "") -> bool:
    """Run all parts, or only `--hazards`, `--generated` or `--speed`. Hazards include the generated pages."""
    from bench.peers import generated, hazards, speed

    parts = [
        (hazards.run, ("--hazards",)),
        (generated.run, ("--hazards", "--generated")),
        (speed.run, ("--speed",)),
    ]
    known = list(dict.fromkeys(name for _, names in parts for name in names))
    if only and only not in known:
        raise SystemExit(f"bench: `peers` has no option `{only}`; use {', '.join(known[:-1])} or {known[-1]}")
    met = [asyncio.run(part()) for part, names in parts if not only or only in names]
    return all(met)
