"""A run with very many states in a real browser: the time and memory of each state.

The site is generated on request: a tree of pages, each with its own control. `make soak CASE=STATES-2000` runs it;
`python -m tests.browser.many_states 64` runs a small one.
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

from tests.discovery.many_states import LINKS_PER_PAGE, STATES, page_word
from uiap.api.discovery import DiscoveryOptions, discover, environment

MAX_RUNTIME_S = 3300
PAGE = """<!doctype html><html lang=en><title>Page {name}</title><body><nav aria-label=Main>{links}</nav>
<main><h1>Page {name}</h1><button>Frobnicate {name}</button></main></body></html>"""


class Site:
    """The links of a page depend on the order in which pages are first requested."""

    def __init__(self) -> None:
        self._nexts: dict[str, range] = {}
        self._lock = threading.Lock()

    def page(self, path: str) -> str:
        name = path.rpartition("/")[2] or "home"
        with self._lock:
            first = len(self._nexts) * LINKS_PER_PAGE
            nexts = self._nexts.setdefault(name, range(first, first + LINKS_PER_PAGE))
        links = " ".join(f'<a href="/{page_word(n % 5)}/{page_word(n)}">To {page_word(n)}</a>' for n in nexts)
        return PAGE.format(name=name, links=links)


@contextmanager
def serve_site() -> Iterator[str]:
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


class ResourceRecorder:
    """Records the memory of this process and of the browser, and the time, after every `every` states."""

    def __init__(self, every: int) -> None:
        self._every = every
        self.ours: dict[int, int] = {}
        self.browser: dict[int, int] = {}
        self.at: dict[int, float] = {}

    def on_progress(self, _type: str, payload: Any) -> None:
        known = payload.visited_states
        if known and known % self._every == 0 and known not in self.at:
            mine, theirs = _memory_kib()
            self.ours[known], self.browser[known], self.at[known] = mine, theirs, time.monotonic()


def _memory_kib() -> tuple[int, int]:
    """Return the proportional memory of this process, and of all processes that it started."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int(
                    entry.joinpath("stat").read_text().rpartition(")")[2].split()[1]
                )
            except OSError:  # the process has ended
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
    recorder = ResourceRecorder(every)
    with serve_site() as url, tempfile.TemporaryDirectory() as folder:
        target = environment(
            url,
            max_states=states,
            max_transitions=20 * states,
            max_per_route=states,
            max_depth=states,
            max_runtime_s=MAX_RUNTIME_S,
        )
        options = DiscoveryOptions(
            out=Path(folder), ax_trees=False, sitemap=False, on_progress=recorder.on_progress
        )
        package = asyncio.run(discover(target, options=options))
    first, half, last = every, every * 4, every * 8
    early = (recorder.at[2 * every] - recorder.at[first]) / every
    late = (recorder.at[last] - recorder.at[last - every]) / every
    return {
        "states": len(package.transition_graph.states),
        "transitions": len(package.transition_graph.edges),
        "states a second": round((last - first) / (recorder.at[last] - recorder.at[first]), 2),
        "ms for each state, early": round(early * 1000),
        "ms for each state, late": round(late * 1000),
        "KiB kept of each state": round((recorder.ours[last] - recorder.ours[half]) / (last - half), 1),
        "browser MiB at half, at the end": [recorder.browser[half] // 1024, recorder.browser[last] // 1024],
        "resident MiB at the end": recorder.ours[last] // 1024,
    }


if __name__ == "__main__":
    import json
    import sys

    print(json.dumps(figures(int(sys.argv[1]) if len(sys.argv) > 1 else STATES), indent=1))
