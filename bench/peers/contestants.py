"""The contestants, and the browser that they use."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench.peers.agent_browser import AgentBrowser
from bench.peers.chrome_devtools import ChromeDevtools
from bench.peers.install import Absent
from bench.peers.ours import Ours
from bench.peers.peer import Peer
from bench.peers.playwright_mcp import PlaywrightMcp
from uiap.drivers.chromium.process.find import find_browser

KINDS = (Ours, PlaywrightMcp, ChromeDevtools, AgentBrowser)


@asynccontextmanager
async def contestants() -> AsyncIterator[list[Peer]]:
    """Start every available contestant and yield them; print the reason for each one that is left out."""
    found = find_browser(environ=os.environ)
    if found is None:
        raise RuntimeError("no browser found; run `make browser` first")
    browser = found.path
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    started: list[Peer] = []
    try:
        for kind in KINDS:
            try:
                peer: Peer = kind(browser, sandbox)
            except Absent as absent:
                print(f"  left out: {kind.name}: {absent}")
                continue
            await peer.start()
            started.append(peer)
        yield started
    finally:
        for peer in started:
            await peer.close()
