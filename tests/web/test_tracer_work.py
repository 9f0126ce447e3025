"""The work of an input: reported without a gap until its end, so that nobody stops waiting too early."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from itertools import dropwhile
from typing import Any

import pytest

from tests.web.cdp import Browser
from tests.web.tab import Tab
from tests.web.traced import RoadSite, click, traced_tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CHAINS = {
    # the script of the click, which calls `done` at its end
    "a new database": "const o = indexedDB.open('work' + Math.random()); o.onupgradeneeded = () => o.result.createObjectStore('s'); o.onsuccess = () => { const t = o.result.transaction('s', 'readwrite'); t.objectStore('s').put(1, 1); t.oncomplete = done }",
    "a write that an event answers": "eventWaits['id-4713-c'] = done; fetch('/tell?id-4713-c', { method: 'POST' })",
    "a timer after a fetch": "fetch('/late').then((r) => r.json()).then(() => setTimeout(done, 30))",
    "a worker": "const w = new Worker('/worker.js'); w.onmessage = done; w.postMessage(1)",
    "a frame": "requestAnimationFrame(() => requestAnimationFrame(done))",
}
PAGE = """<!doctype html><title>Work</title><div id=buttons></div><script>
const eventWaits = {}, events = new EventSource("/events");
events.onmessage = (e) => { const m = JSON.parse(e.data); eventWaits[m.id]?.() };
let ended = 0;
for (const [name, run] of Object.entries({ $CHAINS })) {
  const button = Object.assign(document.createElement("button"), { textContent: name });
  button.addEventListener("click", () => run(() => { ended++; document.body.title = name }));
  buttons.append(button);
}
const ready = new Promise((r) => { events.onopen = r }).then(() => new Promise((r) => setTimeout(r, 250)));</script>"""


def reports(tab: Tab, token: str) -> list[list[Any]]:
    return [m["work"] for m in tab.messages if m["t"] == "work" and m["token"] == token]


async def test_the_work_of_a_chain_is_reported_without_a_gap(browser: Browser) -> None:
    chains = ",".join(f"{one!r}: (done) => {{ {run} }}" for one, run in CHAINS.items())
    worker = ("text/javascript", "onmessage = () => setTimeout(() => postMessage(1), 30)")
    async with traced_tab(browser) as tab, RoadSite({"/worker.js": worker}) as site:
        site.pages["/"] = ("text/html", PAGE.replace("$CHAINS", chains))
        await tab.visit(f"{site.origin}/")
        await tab.evaluate("ready.then(() => 1)", awaitPromise=True)
        await tab.settle()
        for number, name in enumerate(CHAINS, 1):
            await click(tab, name, name)
            waiting = f"new Promise((r) => {{ const look = () => ended >= {number} ? setTimeout(r, 20, 1) : setTimeout(look, 10); look() }})"
            await tab.evaluate(waiting, awaitPromise=True)
        await tab.settle()
        for name in CHAINS:
            # the press before the click sets nothing going
            found = list(dropwhile(lambda work: not work, reports(tab, name)))
            assert len(found) > 1 and found[-1] == [] and all(found[:-1]), (name, found)
