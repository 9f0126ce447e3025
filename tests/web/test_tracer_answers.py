"""The tracer reads the answers to requests of an input from a copy, and only those."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.web.cdp import Browser
from tests.web.tab import Tab
from tests.web.traced import RoadSite, click, pending, traced_tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

REFUSED = '{"ok":false,"error":"limit reached"}'
ASKS: dict[str, tuple[str, dict[str, Any]]] = {
    # name: (what the click does, members of the reported answer)
    "fetch that is not read": ("fetch('/refuse', { method: 'POST' })", {"method": "POST", "address": "/refuse", "status": 200, "text": REFUSED}),
    "fetch that is read": ("fetch(new Request('/refuse', { method: 'PUT' })).then((r) => r.json())", {"method": "PUT", "text": REFUSED}),
    "fetch after a timer": ("setTimeout(() => fetch('/refuse', { method: 'POST' }), 20)", {"text": REFUSED}),
    "request": ("const x = new XMLHttpRequest(); x.open('POST', '/refuse'); x.send()", {"method": "POST", "status": 200, "text": REFUSED}),
    "request of json": ("const x = new XMLHttpRequest(); x.open('PATCH', '/refuse'); x.responseType = 'json'; x.send()", {"method": "PATCH", "text": REFUSED}),
    "large answer": ("fetch('/large', { method: 'POST' })", {"status": 200}),
    "document": ("fetch('/', { method: 'POST' })", {"status": 200, "text": ""}),
    "no answer": ("fetch('http://127.0.0.1:1/x', { method: 'POST' }).catch(() => 0)", {"failed": True}),
    "socket": ("socket.send(JSON.stringify({ answer: { type: 'refused', ok: false } }))", {"road": "socket", "text": '{"type": "refused", "ok": false}'}),
}  # fmt: skip
SILENT = {
    "keepalive": "fetch('/refuse', { method: 'POST', keepalive: true })",
    "beacon": "navigator.sendBeacon('/refuse', 'x')",
    "abort": "const a = new AbortController(); fetch('/never', { method: 'POST', signal: a.signal }).catch(() => 0); a.abort()",
}  # fmt: skip
PAGE = """<!doctype html><title>Answers</title><div id=buttons></div><script>
const socket = new WebSocket("$SOCKET");
setInterval(() => fetch("/refuse", { method: "POST" }), 50);
for (const [name, run] of Object.entries({ $ASKS })) {
  const button = Object.assign(document.createElement("button"), { textContent: name });
  button.addEventListener("click", run);
  buttons.append(button);
}
const ready = new Promise((r) => { socket.onopen = r });</script>"""


def answers(tab: Tab) -> dict[str, dict[str, Any]]:
    return {message["token"]: message["answer"] for message in tab.messages if message["t"] == "answer"}


async def visit(tab: Tab, site: RoadSite) -> None:
    asks = {name: run for name, (run, _) in ASKS.items()} | SILENT
    roads = ",".join(f"{name!r}: () => {{ {run} }}" for name, run in asks.items())
    site.pages["/"] = ("text/html", PAGE.replace("$SOCKET", site.socket).replace("$ASKS", roads))
    site.pages["/refuse"] = ("application/json", REFUSED)
    site.pages["/large"] = ("text/plain", "x" * 1_000_000)
    await tab.visit(f"{site.origin}/")
    await tab.evaluate("ready.then(() => 1)", awaitPromise=True)
    await tab.settle()


async def test_each_answer_to_an_input_is_reported_once_and_no_other(browser: Browser) -> None:
    async with traced_tab(browser) as tab, RoadSite({}) as site:
        await visit(tab, site)
        for name in (*ASKS, *SILENT):
            await click(tab, name, name)
        async with asyncio.timeout(5):
            while not ASKS.keys() <= answers(tab).keys():
                await asyncio.sleep(0.02)
        found = answers(tab)
        assert found.keys() == ASKS.keys(), "an answer without a question of ours was reported"
        for name, (_, members) in ASKS.items():
            assert members.items() <= found[name].items(), name
        assert len(found["large answer"]["text"]) == 65_536
        assert pending(tab, "fetch that is not read") == []


async def test_the_page_gets_its_own_response(browser: Browser) -> None:
    """The copy is read beside it: body, stream and flags are as without a tracer."""
    script = """async () => { const r = await fetch('/refuse'); const before = [r.bodyUsed, r.body.locked];
      const copy = r.clone(); const reader = r.body.getReader(); let n = 0;
      for (let p = await reader.read(); !p.done; p = await reader.read()) n += p.value.length;
      got([...before, n, (await copy.json()).error, r.bodyUsed]) }"""
    async with traced_tab(browser) as tab, RoadSite({"/refuse": ("application/json", REFUSED)}) as site:
        page = f"<!doctype html><title>Own</title><button>Go</button><script>const result = new Promise((r) => {{ window.got = r }});document.querySelector('button').onclick = {script}</script>"
        site.pages["/"] = ("text/html", page)
        await tab.visit(f"{site.origin}/")
        await click(tab, "Go", "own")
        value = await tab.evaluate("result", awaitPromise=True)
        assert value == [False, False, len(REFUSED), "limit reached", True]
