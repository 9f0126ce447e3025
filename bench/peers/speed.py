"""Measure one click with its reply at three page sizes: the click, and the description of the new state."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median

from bench.peers.contestants import contestants
from bench.peers.peer import Peer
from bench.table import Claim, show
from uiap.graph.outline import token_count

SIZES = {100: 12, 1_000: 8, 10_000: 3}
"""Elements on the page, and the number of clicks of each tool."""
BUDGET = 150


def page(size: int) -> str:
    rows = "".join(
        f"<li>Item {i} <button id=b{i}>Open {i}</button><a href='#{i}'>More on {i}</a></li>"
        for i in range(size // 2)
    )
    script = (
        "window.__truth={n:0};document.addEventListener('click',e=>{if(e.target.id==='go'){__truth.n++;"
        "document.getElementById('said').textContent='pressed '+__truth.n+' times'}})"
    )
    return (
        f"<!doctype html><meta charset=utf-8><title>{size}</title><button id=go>Count up</button>"
        f"<p role=status id=said>pressed 0 times</p><ul>{rows}</ul><script>{script}</script>"
    )


@contextmanager
def serving() -> Iterator[str]:
    pages = {f"/{size}": page(size).encode() for size in SIZES}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = pages.get(self.path)
            self.send_response(200 if body else 404)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def clicks(peers: list[Peer], url: str, times: int) -> dict[str, tuple[float, int]]:
    """Return median milliseconds and tokens of the reply, by tool. The tools take turns."""
    spent: dict[str, list[float]] = {peer.name: [] for peer in peers}
    tokens: dict[str, int] = {}
    for peer in peers:
        await peer.goto(url)
        await peer.look()
    for _ in range(times):
        for peer in peers:
            begun = time.perf_counter()
            reply = await peer.press("button", "Count up", None)
            spent[peer.name].append((time.perf_counter() - begun) * 1000)
            assert reply.claimed, (peer.name, reply.text[:500])
            tokens[peer.name] = token_count(reply.text)
            if peer.name != "uiap":  # there, the references of a snapshot are valid for one action
                await peer.look()
    for peer in peers:
        assert (await peer.evaluate("window.__truth"))["n"] == times, peer.name
    return {name: (median(times_), tokens[name]) for name, times_ in spent.items()}


async def run() -> bool:
    figures: dict[int, dict[str, tuple[float, int]]] = {}
    with serving() as url:
        async with contestants() as peers:
            for size, times in SIZES.items():
                figures[size] = await clicks(peers, f"{url}/{size}", times)
            names = [peer.name for peer in peers]
    rows = [("tool", *(f"{size:,} ms" for size in SIZES), *(f"{size:,} tokens" for size in SIZES))]
    for name in names:
        spent = [f"{figures[size][name][0]:.0f}" for size in SIZES]
        rows.append((name, *spent, *(f"{figures[size][name][1]:,}" for size in SIZES)))
    return show("one click with its reply", rows, list(claims(figures, names)))


def claims(figures: dict[int, dict[str, tuple[float, int]]], names: list[str]) -> Iterator[Claim]:
    largest = max(figures[size]["uiap"][1] for size in SIZES)
    yield Claim(f"reply of {largest} tokens (at most {BUDGET})", largest <= BUDGET)
    for size, wanted in ((100, 6.0), (1_000, 10.0)):
        if "Playwright MCP" in names:
            ratio = figures[size]["Playwright MCP"][0] / figures[size]["uiap"][0]
            yield Claim(f"{ratio:.1f}× Playwright MCP at {size:,} (at least {wanted:g}×)", ratio >= wanted)
    for size in (s for s in SIZES if s >= 1_000):
        others = [figures[size][name][0] for name in names if name != "uiap"]
        if others:
            ratio = min(others) / figures[size]["uiap"][0]
            yield Claim(f"{ratio:.1f}× the fastest peer at {size:,} (more than 1×)", ratio > 1)
