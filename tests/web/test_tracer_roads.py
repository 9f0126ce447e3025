"""The ways from an input to its effect that the tracer follows, or does not, under background noise."""

# ruff: noqa: E501 (a road reads best on one line)
from __future__ import annotations

import pytest

from tests.web.cdp import Browser
from tests.web.tab import Tab
from tests.web.traced import RoadSite, causes, click, traced_tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

ROADS: dict[str, tuple[bool, str]] = {
    # name: (is the change attributed to the click?, what the click does)
    "same task": (True, "done()"),
    "microtask": (True, "queueMicrotask(done)"),
    "await": (True, "(async () => { for (let i = 0; i < 50; i++) await null; done() })()"),
    "timer": (True, "setTimeout(done, 30)"),
    "nested timers": (True, "setTimeout(() => setTimeout(() => setTimeout(done, 10), 10), 10)"),
    "interval": (True, "const i = setInterval(() => { clearInterval(i); done() }, 30)"),
    "timer of text": (False, "window.__done = done; setTimeout('__done()', 30)"),
    "animation frame": (True, "requestAnimationFrame(() => requestAnimationFrame(done))"),
    "idle callback": (True, "requestIdleCallback(done)"),
    "posted task": (True, "scheduler.postTask(done, { delay: 10 })"),
    "continuation of a posted task": (True, "scheduler.postTask(() => 1, { delay: 10 }).then(done)"),
    "yield": (True, "(async () => { await scheduler.yield(); done() })()"),
    "message to itself": (True, "addEventListener('message', (e) => { if (e.data === 'self') done() }); window.postMessage('self', '*')"),
    "message channel": (True, "pending.push(() => pending.push(done) && channel.port2.postMessage(null)); channel.port2.postMessage(null)"),
    "transferred port": (True, "const c = new MessageChannel(); c.port1.onmessage = done; new Worker('/worker.js').postMessage({ port: 1 }, [c.port2]); c.port1.postMessage('ping')"),
    "fetch and json": (True, "(async () => { const r = await fetch('/late'); await r.json(); done() })()"),
    "fetch, text and timer": (True, "fetch('/late').then((r) => r.text()).then(() => setTimeout(done, 20))"),
    "all of two fetches": (True, "(async () => { await Promise.all([fetch('/late'), fetch('/later')]); done() })()"),
    "aborted fetch": (True, "const a = new AbortController(); fetch('/never', { signal: a.signal }).catch(done); setTimeout(() => a.abort(), 20)"),
    "async generator": (True, "(async () => { async function* g() { yield 1; yield (await fetch('/late')).text(); } for await (const x of g()); done() })()"),
    "request": (True, "const x = new XMLHttpRequest(); x.open('GET', '/late'); x.onload = done; x.send()"),
    "stream reader": (True, "(async () => { const r = (await fetch('/pieces')).body.getReader(); while (!(await r.read()).done); done() })()"),
    "stream iteration": (True, "(async () => { for await (const x of (await fetch('/pieces')).body); done() })()"),
    "socket with an id": (True, "socketWaits['id-4711-a'] = done; sockets[0].send(JSON.stringify({ answer: { type: 'news', text: 'id-4711-a' } }))"),
    "socket with a type": (True, "socketWaits.saved = done; sockets[1].send(JSON.stringify({ answer: { type: 'saved' } }))"),
    "socket without a mark": (False, "socketWaits.same = done; sockets[2].send(JSON.stringify({ answer: { type: 'news', text: 'same' } }))"),
    "socket that answered the page once": (True, "socketWaits.content = done; asking.send(JSON.stringify({ answer: { type: 'content' } }))"),
    "first of two on one socket": (True, "socketWaits.first = done; talk('first', 'pressed-1')"),
    "second of two on one socket": (True, "socketWaits.second = done; talk('second', 'pressed-2')"),
    "socket that the page polls": (False, "socketWaits.price = done; polling.send(JSON.stringify({ answer: { type: 'price' } }))"),
    "new socket": (True, "const s = new WebSocket(SOCKET); s.onopen = () => { s.close(); done() }"),
    "worker": (True, "workerWaits.answer = done; worker.postMessage({ ask: 1 })"),
    "new worker": (True, "const w = new Worker('/worker.js'); w.onmessage = (e) => { if (e.data.type === 'answer') { w.terminate(); done() } }; w.postMessage({ ask: 1 })"),
    "shared worker": (True, "sharedWaits.answer = done; shared.port.postMessage({ ask: 1 })"),
    "service worker": (True, "serviceWaits.answer = done; navigator.serviceWorker.controller.postMessage({ ask: 1 })"),
    "database": (True, "const o = indexedDB.open('roads'); o.onupgradeneeded = () => o.result.createObjectStore('s'); o.onsuccess = () => { const t = o.result.transaction('s', 'readwrite'); t.objectStore('s').put(1, 1).onsuccess = () => 0; t.oncomplete = done }"),
    "file reader": (True, "const f = new FileReader(); f.onload = done; f.readAsText(new Blob(['x']))"),
    "image": (True, "const i = new Image(); i.onload = done; i.src = '/picture.svg?1'"),
    "image in the tree": (True, "const i = document.createElement('img'); i.addEventListener('load', done); i.setAttribute('src', '/picture.svg?2'); document.body.append(i)"),
    "decoded image": (True, "const i = new Image(); i.src = '/picture.svg?3'; i.decode().then(done)"),
    "injected script": (True, "const s = document.createElement('script'); s.src = '/injected.js'; s.onload = done; document.head.append(s)"),
    "code of an injected script": (False, "window.__injected = done; const s = document.createElement('script'); s.src = '/calling.js'; document.head.append(s)"),
    "import": (False, "import('/module.js').then(done)"),
    "style sheet": (True, "const l = document.createElement('link'); l.rel = 'stylesheet'; l.href = '/empty.css'; l.onload = done; document.head.append(l)"),
    "transition end": (True, "moving.addEventListener('transitionend', done, { once: true }); moving.style.opacity = '0.5'"),
    "animation end": (True, "turning.addEventListener('animationend', done, { once: true }); turning.className = 'turn'"),
    "end of an animation object": (True, "still.animate([{ opacity: 0 }, { opacity: 1 }], 30).finished.then(done)"),
    "finish of an animation object": (True, "still.animate([{ opacity: 0 }, { opacity: 1 }], 30).onfinish = done"),
    "broadcast channel": (True, "broadcastWaits.hello = done; broadcast.postMessage('hello')"),
    "late answer by broadcast": (True, "lateWaits.late = done; late.postMessage(1200)"),
    "frame round trip": (True, "frameWaits.pong = done; frames[0].postMessage('ping', '*')"),
    "function of a frame": (True, "frames[0].later(done)"),
    "storage event": (True, "storageWaits.key = done; frames[0].store('key', 'value ' + Math.random())"),
    "server-sent event with an id": (True, "eventWaits['id-4712-b'] = done; fetch('/tell?id-4712-b')"),
    "server-sent event without a mark": (False, "eventWaits.tick = done; fetch('/late')"),
    "intersection observer": (True, "new IntersectionObserver((e, o) => { o.disconnect(); done() }).observe(still)"),
    "resize observer": (True, "new ResizeObserver((e, o) => { o.disconnect(); done() }).observe(still)"),
    "mutation observer": (True, "new MutationObserver((e, o) => { o.disconnect(); done() }).observe(still, { attributes: true }); still.title = Math.random()"),
    "custom event in a timer": (True, "document.addEventListener('roads:custom', done, { once: true }); setTimeout(() => document.dispatchEvent(new CustomEvent('roads:custom')), 20)"),
    "custom element": (True, "customElements.define('road-end', class extends HTMLElement { connectedCallback() { setTimeout(done, 10) } }); document.body.append(document.createElement('road-end'))"),
    "hash change": (True, "addEventListener('hashchange', done, { once: true }); location.hash = 'road'"),
    "dialog close": (True, "dialog.addEventListener('close', done, { once: true }); dialog.show(); dialog.close()"),
    "promise of an older task": (False, "foreign.push(done)"),
    "queue of an older interval": (False, "queued.push(done)"),
}  # fmt: skip

PAGE = """<!doctype html><title>Roads</title>
<style>body{margin:0;font-size:10px} button{width:96px;height:20px;padding:0;overflow:hidden;font-size:8px}
#moving{transition:opacity 30ms} .turn{animation:turn 30ms} @keyframes turn{from{opacity:0}}
[role=checkbox]{display:inline-block;width:8px;height:8px} iframe{width:20px;height:20px}</style>
<div id=buttons></div><div id=outs></div>
<div role=checkbox aria-label=clock aria-checked=false id=clock></div><div role=checkbox aria-label=poll aria-checked=false id=poll></div>
<div role=checkbox aria-label=news aria-checked=false id=news></div>
<div id=moving>m</div><div id=turning>t</div><div id=still>s</div><dialog id=dialog>d</dialog><iframe src=/frame></iframe>
<script>
const SOCKET = "$SOCKET";
const toggle = (el) => el.setAttribute("aria-checked", String(el.getAttribute("aria-checked") !== "true"));
setInterval(() => toggle(clock), 50);
setInterval(async () => { const r = await fetch("/poll"); await r.json(); toggle(poll) }, 200);

const answers = (waits) => (type) => { const done = waits[type]; if (done) { delete waits[type]; done(); } else toggle(news); };
const pending = [], channel = new MessageChannel();
channel.port1.onmessage = () => pending.shift()();
const socketWaits = {}, sockets = [0, 1, 2].map(() => new WebSocket(SOCKET)), heard = answers(socketWaits);
sockets.forEach((socket) => { socket.onmessage = (e) => { const m = JSON.parse(e.data); heard(m.text in socketWaits ? m.text : m.type) } });
const asking = new WebSocket(SOCKET), polling = new WebSocket(SOCKET), ask = (socket, type) => socket.send(JSON.stringify({ answer: { type } }));
asking.onmessage = polling.onmessage = (e) => heard(JSON.parse(e.data).type);
const talking = new WebSocket(SOCKET), talk = (type, listener_id) => talking.send(JSON.stringify({ listener_id, answer: { type, listener_id: "any", of: listener_id } }));
talking.onmessage = asking.onmessage; talking.onopen = () => setInterval(() => talking.send('{"type":"ping"}'), 40);
asking.onopen = () => ask(asking, "content");
polling.onopen = () => setInterval(() => ask(polling, "price"), 30);
const workerWaits = {}, worker = new Worker("/worker.js"), answered = answers(workerWaits);
worker.onmessage = (e) => answered(e.data.type);
const sharedWaits = {}, shared = new SharedWorker("/shared.js"), sharedAnswered = answers(sharedWaits);
shared.port.onmessage = (e) => sharedAnswered(e.data.type);
const serviceWaits = {}, serviceAnswered = answers(serviceWaits);
navigator.serviceWorker.onmessage = (e) => serviceAnswered(e.data.type);
const broadcastWaits = {}, broadcast = new BroadcastChannel("roads"), echoed = answers(broadcastWaits);
broadcast.onmessage = (e) => { if (e.data === "echo") echoed("hello"); };
const lateWaits = {}, [late, farEnd] = ["late", "late"].map((name) => new BroadcastChannel(name)), lateEchoed = answers(lateWaits);
late.onmessage = (e) => lateEchoed(e.data);
farEnd.onmessage = (e) => setTimeout(() => farEnd.postMessage("late"), e.data);
const frameWaits = {}, ponged = answers(frameWaits);
addEventListener("message", (e) => { if (e.data === "pong") ponged("pong"); });
const storageWaits = {}, stored = answers(storageWaits);
addEventListener("storage", (e) => stored(e.key));
const eventWaits = {}, events = new EventSource("/events"), told = answers(eventWaits);
events.onmessage = (e) => { const m = JSON.parse(e.data); told(m.type === "told" ? m.id : m.type) };
const foreign = [], queued = [];
(async () => { for (;;) { await new Promise((r) => setTimeout(r, 40)); foreign.shift()?.(); } })();
setInterval(() => queued.shift()?.(), 40);

const roads = { $ROADS };
for (const [name, run] of Object.entries(roads)) {
  const out = Object.assign(document.createElement("div"), { role: "checkbox", ariaLabel: name, ariaChecked: "false" });
  outs.append(out);
  const button = Object.assign(document.createElement("button"), { textContent: name });
  button.addEventListener("click", () => run(() => out.setAttribute("aria-checked", "true")));
  buttons.append(button);
}
window.ready = Promise.all([
  ...sockets.map((socket) => new Promise((r) => { socket.onopen = r })), new Promise((r) => { events.onopen = r }),
  new Promise((r) => addEventListener("load", r)),
  navigator.serviceWorker.register("/service.js").then(() => navigator.serviceWorker.ready),
  new Promise((r) => navigator.serviceWorker.controller ? r() : navigator.serviceWorker.addEventListener("controllerchange", r)),
]).then(() => new Promise((r) => setTimeout(r, 700))); // pushes that nobody asked for have come, and the asked one long ago
</script>"""

ANSWER = "({ type: 'answer' })"
JS = "text/javascript"
FILES = {
    "/frame": ("text/html", """<script>
        addEventListener("message", (e) => { if (e.data === "ping") setTimeout(() => e.source.postMessage("pong", "*"), 20) });
        window.later = (run) => setTimeout(run, 20); window.store = (k, v) => localStorage.setItem(k, v);</script>"""),
    "/worker.js": (JS, f"setInterval(() => postMessage({{ type: 'beat' }}), 100); onmessage = (e) => {{ if (e.data.port) e.ports[0].onmessage = (m) => e.ports[0].postMessage('pong'); else setTimeout(() => postMessage({ANSWER}), 30) }}"),
    "/shared.js": (JS, f"onconnect = (e) => {{ const p = e.ports[0]; setInterval(() => p.postMessage({{ type: 'beat' }}), 100); p.onmessage = () => setTimeout(() => p.postMessage({ANSWER}), 30) }}; new BroadcastChannel('roads').onmessage = function (e) {{ if (e.data === 'hello') this.postMessage('echo') }}"),
    "/service.js": (JS, f"addEventListener('install', () => skipWaiting()); addEventListener('activate', (e) => e.waitUntil(clients.claim())); addEventListener('message', (e) => e.source.postMessage({ANSWER}))"),
    "/picture.svg": ("image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg' width='4' height='4'/>"),
    "/injected.js": (JS, "1"),
    "/calling.js": (JS, "__injected()"),
    "/module.js": (JS, "export default 1"),
    "/empty.css": ("text/css", ""),
}  # fmt: skip


def page(socket: str) -> str:
    roads = ",\n".join(f"{name!r}: (done) => {{ {run} }}" for name, (_, run) in ROADS.items())
    return PAGE.replace("$SOCKET", socket).replace("$ROADS", roads)


async def travel(tab: Tab, site: RoadSite) -> None:
    """Click every button, each with its own token, while earlier roads are still under way."""
    await tab.visit(f"{site.origin}/")
    await tab.evaluate("ready.then(() => 1)", awaitPromise=True)
    await tab.settle()
    for name in ROADS:
        await click(tab, name, name)
    every = f"document.querySelectorAll('#outs [aria-checked=true]').length === {len(ROADS)}"
    waiting = f"new Promise((r) => {{ const look = () => {every} ? r(1) : setTimeout(look, 20); look(); setTimeout(r, 3000) }})"
    await tab.evaluate(waiting, awaitPromise=True)
    missing = "[...document.querySelectorAll('#outs [aria-checked=false]')].map((e) => e.ariaLabel).join()"
    assert await tab.evaluate(missing) == ""
    await tab.settle()


async def test_each_road_is_followed_or_not_as_the_table_says_and_noise_is_never_attributed(
    browser: Browser,
) -> None:
    async with traced_tab(browser) as tab, RoadSite(FILES) as site:
        site.pages["/"] = ("text/html", page(site.socket))
        await travel(tab, site)
        found = causes(tab)
        for noise in ("clock", "poll", "news"):
            assert found.get(noise, {None}) == {None}, f"{noise} changed by itself"
        wrong = {name: found[name] for name in ROADS if not found[name] <= {name, None}}
        assert not wrong, "a change was attributed to another click"
        assert {name: name in found[name] for name in ROADS} == {
            name: followed for name, (followed, _) in ROADS.items()
        }
