"""The work of an input: reported without a gap until its end, so that nobody stops waiting too early."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

from itertools import dropwhile
from typing import Any

import pytest

from tests.web.cdp import Browser
from tests.web.tab import Tab
from tests.web.traced import RoadSite, causes, click, pending, traced_tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CHAINS = {
    # the script of the click, which calls `done` at its end
    "a new database": "const o = indexedDB.open('work' + Math.random()); o.onupgradeneeded = () => o.result.createObjectStore('s'); o.onsuccess = () => { const t = o.result.transaction('s', 'readwrite'); t.objectStore('s').put(1, 1); t.oncomplete = done }",
    "a write that an event answers": "eventWaits['id-4713-c'] = done; fetch('/tell?id-4713-c', { method: 'POST' })",
    "a timer after a fetch": "fetch('/late').then((r) => r.json()).then(() => setTimeout(done, 30))",
    "a worker": "const w = new Worker('/worker.js'); w.onmessage = done; w.postMessage(1)",
    "a shared worker": "shared.port.onmessage = done; shared.port.postMessage(1)",
    "a broadcast": "radio.onmessage = done; radio.postMessage(1)",
    "a stored value": "addEventListener('storage', done, { once: true }); localStorage.setItem('question', Math.random())",
    "a message to the window": "addEventListener('message', done, { once: true }); postMessage(1, '*')",
    "a frame": "requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 30)))",
}
PAGE = """<!doctype html><title>Work</title><div id=buttons></div><iframe src=/frame></iframe><script>
const eventWaits = {}, events = new EventSource("/events");
events.onmessage = (e) => { const m = JSON.parse(e.data); eventWaits[m.id]?.() };
const shared = new SharedWorker("/shared.js"), radio = new BroadcastChannel("work");
let ended = 0;
for (const [name, run] of Object.entries({ $CHAINS })) {
  const button = Object.assign(document.createElement("button"), { textContent: name });
  button.addEventListener("click", () => run(() => { ended++; document.body.title = name }));
  buttons.append(button);
}
const ready = new Promise((r) => { events.onopen = r }).then(() => new Promise((r) => setTimeout(r, 250)));</script>"""

FRAME = """<!doctype html><title>Far end</title><script>
const radio = new BroadcastChannel("work");
radio.onmessage = () => setTimeout(() => radio.postMessage("answer"), 30);
addEventListener("storage", (e) => { if (e.key === "question") setTimeout(() => localStorage.setItem("answer", e.newValue), 30) });
</script>"""


def reports(tab: Tab, token: str) -> list[list[Any]]:
    return [m["work"] for m in tab.messages if m["t"] == "work" and m["token"] == token]


async def test_the_work_of_a_chain_is_reported_without_a_gap(browser: Browser) -> None:
    chains = ",".join(f"{one!r}: (done) => {{ {run} }}" for one, run in CHAINS.items())
    worker = ("text/javascript", "onmessage = () => setTimeout(() => postMessage(1), 30)")
    frame = ("text/html", FRAME)
    shared = (
        "text/javascript",
        "onconnect = ({ ports: [p] }) => { p.onmessage = () => setTimeout(() => p.postMessage(1), 30) }",
    )
    others = {"/worker.js": worker, "/shared.js": shared, "/frame": frame}
    async with traced_tab(browser) as tab, RoadSite(others) as site:
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


async def test_a_value_set_before_the_input_is_not_of_its_making(browser: Browser) -> None:
    """No mutation reports a value that a script sets, so the page script must look before the input begins."""
    page = """<!doctype html><title>Values</title><input aria-label=Before><input aria-label=During><button>Go</button><script>
      const [before, during] = document.querySelectorAll("input"), button = document.querySelector("button");
      button.onclick = () => { during.value = "ours" }</script>"""
    async with traced_tab(browser) as tab, RoadSite({"/": ("text/html", page)}) as site:
        await tab.visit(f"{site.origin}/")
        await tab.settle()
        await tab.evaluate("before.value = 'noise'")
        await click(tab, "Go", "go")
        await tab.settle()
        names = {key: node.get("name") for key, node in tab.graph["elements"].items()}
        causes: dict[Any, set[Any]] = {}
        for message in tab.messages:
            if message["t"] == "delta":
                for update in message["delta"].get("elements", {}).get("updated", []):
                    if "textValue" in update["patch"].get("state", {}):
                        causes.setdefault(names[update["key"]], set()).add(message.get("causedBy"))
        assert causes == {"Before": {None}, "During": {"go"}}


async def test_a_broad_change_does_not_claim_what_other_code_changed(browser: Browser) -> None:
    """A class on the root makes the page script read everything, also a row that a timer has just added."""
    page = """<!doctype html><title>Broad</title><style>.wide button { opacity: .9 }</style><button>Go</button><ul></ul><script>
      const list = document.querySelector("ul"), button = document.querySelector("button");
      const add = (name) => { list.innerHTML = `<li><button>${name} ${Math.random()}</button>` };
      setInterval(() => add("Theirs"), 1);
      button.onclick = () => { document.documentElement.classList.toggle("wide"); list.after(document.createElement("hr")); document.title += "." }</script>"""
    async with traced_tab(browser) as tab, RoadSite({"/": ("text/html", page)}) as site:
        await tab.visit(f"{site.origin}/")
        for number in range(30):
            await click(tab, "Go", f"go {number}")
            deltas = [m for m in tab.messages if m["t"] == "delta"]
            if any(m.get("notCaused") for m in deltas):
                break
        else:
            raise AssertionError("the timer and the click never met in one message")
        claimed = [
            node["name"]
            for m in deltas
            for node in m["delta"].get("elements", {}).get("added", [])
            if m.get("causedBy") and node["instanceId"] not in m.get("notCaused", []) and node.get("name")
        ]
        assert not [name for name in claimed if name.startswith("Theirs")]


async def test_a_far_end_that_ignored_a_draft_answers_the_press_after_it(browser: Browser) -> None:
    """Many servers take note of every key and answer only a press. The silent draft is no candidate for that answer."""
    page = """<!doctype html><title>Draft</title><button>Draft</button><button>Press</button><script>
      const socket = new WebSocket("$SOCKET"), [draft, press] = document.querySelectorAll("button");
      const said = Object.assign(document.createElement("div"), { role: "checkbox", ariaLabel: "said", ariaChecked: "false" });
      document.body.append(said);
      let shown; const answered = new Promise((r) => { shown = r });
      socket.onmessage = (e) => { if (JSON.parse(e.data).notify) { said.setAttribute("aria-checked", "true"); setTimeout(shown, 50, 1) } };
      draft.onclick = () => socket.send(JSON.stringify({ kept: "Ann", answer: 3 }));
      press.onclick = () => socket.send(JSON.stringify({ answer: { notify: "Saved" } }));
      const ready = new Promise((r) => socket.addEventListener("message", r)), pass = (ms) => new Promise((r) => setTimeout(r, ms, 1));</script>"""
    async with traced_tab(browser) as tab, RoadSite({}) as site:
        site.pages["/"] = ("text/html", page.replace("$SOCKET", site.socket))
        await tab.visit(f"{site.origin}/")
        await tab.evaluate("ready.then(() => 1)", awaitPromise=True)
        await tab.settle()
        await click(tab, "Draft", "draft")
        await tab.evaluate("pass(1200)", awaitPromise=True)  # the time that makes the far end silent
        await click(tab, "Press", "press")
        await tab.evaluate("answered", awaitPromise=True)
        await tab.settle()
        assert causes(tab)["said"] == {"press"}
        assert pending(tab, "press") == []


async def test_an_element_that_fades_a_second_time_for_one_input_is_work(browser: Browser) -> None:
    """A row that fades out and comes back shows its text only at the end of the second transition."""
    page = """<!doctype html><title>Fade</title><style>p { transition: opacity 120ms } .out { opacity: 0 }</style><p>Row</p><button>Go</button><script>
      const row = document.querySelector("p");
      document.querySelector("button").onclick = () => { row.classList.add("out"); setTimeout(() => row.classList.remove("out"), 150) }</script>"""
    async with traced_tab(browser) as tab, RoadSite({"/": ("text/html", page)}) as site:
        await tab.visit(f"{site.origin}/")
        await tab.settle()
        await click(tab, "Go", "go")
        await tab.until(lambda: ["animation"] in [[kind for kind, *_ in work] for work in reports(tab, "go")])
        await tab.until(lambda: reports(tab, "go")[-1] == [])
