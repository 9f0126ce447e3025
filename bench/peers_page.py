"""The same pages through two more tools that show a page to a model: how long a look takes, and how much it says.

They are installed on demand (see `bench.peers.install`) and left out with a reason where that cannot be done.
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


class Look(NamedTuple):
    ms: float
    tokens: int


class _Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Some of them open no files."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Silent, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def looks(folder: Path, names: dict[int, str]) -> dict[str, dict[int, Look]]:
    """The best look of each tool at each page, by the page's size."""
    found: dict[str, dict[int, Look]] = {}
    with serving(folder) as site:
        async with contestants() as peers:
            for peer in peers:
                if peer.name in NAMES:
                    found[peer.name] = {
                        size: min([await _look(peer, f"{site}/{name}.html") for _ in range(ROUNDS)])
                        for size, name in names.items()
                    }
    return found


async def _look(peer: Peer, url: str) -> Look:
    await peer.goto(url)
    begun = time.perf_counter()
    said = await peer.look()
    return Look((time.perf_counter() - begun) * 1000, token_count(said))
