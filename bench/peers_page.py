"""The same pages through two other tools that show a page to a model: time of a snapshot, and its size.

They are installed on demand (see `bench.peers.install`). A tool that cannot be installed is left out, and the
reason is printed.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from bench.peers.contestants import contestants
from bench.peers.peer import Peer
from uiap.graph.outline import token_count

NAMES = ("chrome-devtools-mcp", "agent-browser")
ROUNDS = 2


class Snapshot(NamedTuple):
    ms: float
    tokens: int


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the pages over HTTP, because some of the tools open no files."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Silent, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def snapshots(folder: Path, names: dict[int, str]) -> dict[str, dict[int, Snapshot]]:
    """Return the best snapshot of each tool of each page, by the size of the page."""
    found: dict[str, dict[int, Snapshot]] = {}
    with serving(folder) as site:
        async with contestants() as peers:
            for peer in peers:
                if peer.name in NAMES:
                    found[peer.name] = {
                        size: min([await _snapshot(peer, f"{site}/{name}.html") for _ in range(ROUNDS)])
                        for size, name in names.items()
                    }
    return found


async def _snapshot(peer: Peer, url: str) -> Snapshot:
    await peer.goto(url)
    begun = time.perf_counter()
    text = await peer.look()
    return Snapshot((time.perf_counter() - begun) * 1000, token_count(text))
