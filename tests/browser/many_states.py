"""A run of very many states in a real browser: what it keeps, and what the browser does, over all of them.

The site is made up as it is asked for: a tree of pages, each with a control of its own. `make soak CASE=DISC-2000` runs
it, `python -m tests.browser.many_states 64` a small one.
"""

from __future__ import annotations

import asyncio
import http.server
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.discovery.many import FAN, STATES, word
from uiap.api.discovery import DiscoveryOptions, discover, environment

LONGEST_S = 3300
PAGE = """<!doctype html><html lang=en><title>Page {name}</title><body><nav aria-label=Main>{links}</nav>
<main><h1>Page {name}</h1><button>Frobnicate {name}</button></main></body></html>"""


class Site:
    """Which pages lead to which is decided in the order they are first asked for."""

    def __init__(self) -> None:
        self._nexts: dict[str, range] = {}
        self._lock = threading.Lock()

    def page(self, path: str) -> str:
        name = path.rpartition("/")[2] or "home"
        with self._lock:
            first = len(self._nexts) * FAN
            nexts = self._nexts.setdefault(name, range(first, first + FAN))
        links = " ".join(f'<a href="/{word(n % 5)}/{word(n)}">To {word(n)}</a>' for n in nexts)
        return PAGE.format(name=name, links=links)


@contextmanager
def served() -> Iterator[str]:
    site = Site()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = self.path not in ("/favicon.ico", "/sitemap.xml", "/robots.txt")
            body = site.page(self.path).encode() if found else b""
            self.send_response(200 if found else 404)
            self.send_header("content-type", "text/html; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Watched:
    """Memory of this process and of the browser, and the time, at every so manieth state."""

    def __init__(self, every: int) -> None:
        self._every = every
        self.ours: dict[int, int] = {}
        self.browser: dict[int, int] = {}
        self.at: dict[int, float] = {}

    def hear(self, _type: str, payload: Any) -> None:
        known = payload.visited_states
        if known and known % self._every == 0 and known not in self.at:
            mine, theirs = _memory_kib()
            self.ours[known], self.browser[known], self.at[known] = mine, theirs, time.monotonic()


def _memory_kib() -> tuple[int, int]:
    """Of this process, and of all that it started: what each holds alone and its share of the rest."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    entry.joinpath("stat").read_text().rpartition(")")[2].split()[1]
                )
            except OSError:  # it ended meanwhile
                continue
    me = int(Path("/proc/self").readlink().name)
    below: set[int] = set()
    fresh = {me}
    while fresh:
        fresh = {child for child, parent in parents.items() if parent in fresh} - below
        below |= fresh
    return _share_kib(me), sum(map(_share_kib, below))


def _share_kib(process: int) -> int:
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(one.split()[1]) for one in lines if one.startswith("Pss:")), 0)


def figures(states: int = STATES) -> dict[str, Any]:
    every = states // 8
    watched = Watched(every)
    with served() as url, tempfile.TemporaryDirectory() as folder:
        asked = environment(
            url,
            max_states=states,
            max_transitions=20 * states,
            max_per_route=states,
            max_depth=states,
            max_runtime_s=LONGEST_S,
        )
        options = DiscoveryOptions(out=Path(folder), ax_trees=False, sitemap=False, on_progress=watched.hear)
        package = asyncio.run(discover(asked, options=options))
    first, half, last = every, every * 4, every * 8
    early = (watched.at[2 * every] - watched.at[first]) / every
    late = (watched.at[last] - watched.at[last - every]) / every
    return {
        "states": len(package.transition_graph.states),
        "transitions": len(package.transition_graph.edges),
        "states a second": round((last - first) / (watched.at[last] - watched.at[first]), 2),
        "ms for each state, early": round(early * 1000),
        "ms for each state, late": round(late * 1000),
        "KiB kept of each state": round((watched.ours[last] - watched.ours[half]) / (last - half), 1),
        "browser MiB at half, at the end": [watched.browser[half] // 1024, watched.browser[last] // 1024],
        "resident MiB at the end": watched.ours[last] // 1024,
    }


if __name__ == "__main__":
    import json
    import sys

    print(json.dumps(figures(int(sys.argv[1]) if len(sys.argv) > 1 else STATES), indent=1))
