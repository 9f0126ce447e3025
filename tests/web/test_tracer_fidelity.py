"""The tracer is invisible: wrapped functions behave like the native ones, and a page cannot reach it."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

import asyncio
import contextlib

import pytest

from tests.web.cdp import Browser
from tests.web.traced import NAME, RoadSite, causes, click, pending, traced_tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGE = """<!doctype html><title>Fidelity</title><button>Go</button><div role=checkbox aria-label=out aria-checked=false id=out></div>
<script>let run = () => 0; document.querySelector("button").addEventListener("click", () => run());
const done = () => out.setAttribute("aria-checked", "true"); const wait = (ms) => new Promise((r) => setTimeout(r, ms));
const errors = []; addEventListener("error", (e) => errors.push(e.message)); const rejections = [];
addEventListener("unhandledrejection", (e) => { rejections.push(String(e.reason)); e.preventDefault() });</script>"""

# Each expression is evaluated with and without the tracer, and must give the same value.
SAME = {
    "names and lengths": "[setTimeout, clearTimeout, setInterval, requestAnimationFrame, requestIdleCallback, fetch, WebSocket, Worker, SharedWorker, EventSource, BroadcastChannel, MessageChannel, XMLHttpRequest, FileReader, Image, IntersectionObserver, ResizeObserver, postMessage, Response.prototype.json, Element.prototype.animate, document.createElement, open, print, HTMLFormElement.prototype.submit, document.execCommand].map((f) => [f.name, f.length, typeof f, /\\[native code\\]/.test(f.toString()), /\\[native code\\]/.test(Function.prototype.toString.call(f))])",
    "constructors": "(() => { const s = new WebSocket('ws://127.0.0.1:9'); const m = new MessageChannel(); const x = new XMLHttpRequest(); return [s instanceof WebSocket, s.constructor === WebSocket, Object.prototype.toString.call(s), m.constructor === MessageChannel, x.constructor === XMLHttpRequest, x instanceof XMLHttpRequest, WebSocket.OPEN, new Image() instanceof HTMLImageElement, new Image(3, 4).width] })()",
    "subclasses": "(() => { class S extends WebSocket { own() { return 1 } } class T extends EventTarget {} class X extends XMLHttpRequest { own() { return 2 } } class W extends Worker {} class R extends ResizeObserver {} class B extends BroadcastChannel {} const s = new S('ws://127.0.0.1:9'), w = new W('data:text/javascript,'); w.terminate(); return [s instanceof S, s instanceof WebSocket, s.own(), s.constructor === S, new T() instanceof T, new X().own(), w instanceof W, new R(() => 0) instanceof R, new B('b') instanceof B] })()",
    "called without new": "['WebSocket', 'Worker', 'MessageChannel', 'EventSource'].map((n) => { try { window[n]('x') } catch (e) { return e.name } })",
    "illegal calls": "[() => setTimeout.call({}), () => XMLHttpRequest.prototype.send.call({}), () => new WebSocket('no address'), () => FileReader.prototype.readAsText.call({}), () => structuredClone(setTimeout)].map((f) => { try { f(); return 'no error' } catch (e) { return e.name } })",
    "arguments of a timer": "new Promise((r) => setTimeout(function (a, b) { r([a, b, this === window, arguments.length]) }, 1, 'x', 'y'))",
    "timers of text": "(window.seen = 0, setTimeout('window.seen = 7', 0), wait(20).then(() => window.seen))",
    "cleared timers": "(async () => { const seen = []; clearTimeout(setTimeout(() => seen.push(1), 5)); clearInterval(setTimeout(() => seen.push(2), 5)); cancelAnimationFrame(requestAnimationFrame(() => seen.push(3))); cancelIdleCallback(requestIdleCallback(() => seen.push(4))); clearTimeout(undefined); await wait(40); return seen })()",
    "errors in callbacks": "(async () => { setTimeout(() => { throw new Error('of a timer') }, 0); queueMicrotask(() => { throw new Error('of a microtask') }); const c = new MessageChannel(); c.port1.onmessage = () => { throw new Error('of a port') }; c.port2.postMessage(0); await wait(30); return errors.splice(0).sort() })()",
    "rejections": "(async () => { fetch('http://127.0.0.1:1/'); fetch('http://127.0.0.1:1/').catch(() => 0); new Response('{').json(); new Response('{').json().then(0, () => 0); await wait(150); return rejections.splice(0).length })()",
    "promises": "(() => { class P extends Promise {} const f = fetch('/'); return [f instanceof Promise, f.constructor === Promise, Object.prototype.toString.call(f), new P(() => 0) instanceof P, P.resolve(1).then(() => 1) instanceof P] })()",
    "source of a message": "new Promise((r) => { addEventListener('message', (e) => r([e.source === window, e.origin === self.origin, e.data]), { once: true }); postMessage('x', '*') })",
    "message between frames": "new Promise((r) => { addEventListener('message', (e) => r([e.source === frame.contentWindow, e.data]), { once: true }); const frame = document.createElement('iframe'); frame.srcdoc = '<script>parent.postMessage(1, \"*\")</' + 'script>'; document.body.append(frame) })",
    "message to a frame": "new Promise((r) => { window.got = r; const frame = document.createElement('iframe'); frame.srcdoc = '<script>onmessage = (e) => parent.got([e.source === parent, e.data])</' + 'script>'; frame.onload = () => frame.contentWindow.postMessage(2, '*'); document.body.append(frame) })",
    "empty frame": "(() => { const frame = document.body.appendChild(document.createElement('iframe')); const w = frame.contentWindow; const found = [typeof w.setTimeout, w.setTimeout === setTimeout, w.fetch.name]; frame.remove(); return found })()",
    "frame of another origin": "(() => { const frame = document.createElement('iframe'); frame.sandbox = 'allow-scripts'; frame.srcdoc = 'x'; document.body.append(frame); return new Promise((r) => frame.onload = () => r(1)) })()",
    "global names": "Object.getOwnPropertyNames(window).filter((n) => !/^(seen|got)$/.test(n)).sort().join()",
    "enumerable names": "(() => { const names = []; for (const n in window) names.push(n); return names.sort().join() })()",
    "names of prototypes": "[XMLHttpRequest, Response, WebSocket, Worker, MessagePort, IDBObjectStore, FileReader, Scheduler, Storage, Element, Document].map((c) => Object.getOwnPropertyNames(c.prototype).join())",
    "writable globals": "['setTimeout', 'fetch', 'WebSocket', 'XMLHttpRequest'].map((n) => { const d = Object.getOwnPropertyDescriptor(window, n); return [d.writable, d.enumerable, d.configurable] })",
    "observer": "new Promise((r) => { const o = new ResizeObserver(function (e, self) { r([self === o, this === o, e.length, e[0].target === out]); o.disconnect() }); o.observe(out) })",
    "animation": "(() => { const a = out.animate([], 1); return [a.constructor === Animation, a.finished === a.finished, a.finished instanceof Promise] })()",
    "replaced timers": "(() => { const native = window.setTimeout; let calls = 0; window.setTimeout = function (...a) { calls++; return native.apply(this, a) }; return new Promise((r) => setTimeout(() => { window.setTimeout = native; r(calls) }, 1)) })()",
    "replaced postMessage": "(() => { const native = window.postMessage; window.postMessage = () => 'mine'; const got = window.postMessage(); window.postMessage = native; return [got, window.postMessage === native] })()",
    "replaced constructor": "(() => { const N = WebSocket; window.WebSocket = function (u) { return new N(u) }; WebSocket.prototype = N.prototype; const s = new WebSocket('ws://127.0.0.1:9'); window.WebSocket = N; return s instanceof N })()",
    "frozen natives": "(() => { Object.freeze(window.setTimeout); Object.freeze(WebSocket.prototype); return new Promise((r) => setTimeout(() => r(1), 1)) })()",
    "event listeners of a stream": "(() => { const e = new EventSource('/none'); e.addEventListener('x', () => 0); e.addEventListener('x', null); e.removeEventListener('x', () => 0); e.close(); return e.readyState })()",
}  # fmt: skip


async def values(browser: Browser, *, tracer: bool, under_input: bool) -> dict[str, object]:
    """Return the value of each expression, evaluated by the page itself or within a guarded click."""
    found: dict[str, object] = {}
    async with RoadSite({"/": ("text/html", PAGE)}) as site, traced_tab(browser, tracer=tracer) as tab:
        await tab.visit(f"{site.origin}/")
        for name, expression in SAME.items():
            if not under_input:
                found[name] = await tab.evaluate(expression, awaitPromise=True)
                continue
            await tab.evaluate(
                f"window.result = new Promise((r, no) => {{ run = async () => {{ try {{ r(await ({expression})) }} catch (e) {{ no(e) }} }} }}); 0"
            )
            await click(tab, "Go", name)
            found[name] = await tab.evaluate("window.result", awaitPromise=True)
    return found


@pytest.mark.parametrize("under_input", [False, True])
async def test_wrapped_functions_behave_like_the_native_ones(browser: Browser, under_input: bool) -> None:
    native = await values(browser, tracer=False, under_input=under_input)
    traced = await values(browser, tracer=True, under_input=under_input)
    assert {k: v for k, v in traced.items() if native[k] != v} == {}
    assert native["rejections"] == 2


async def test_a_page_that_patches_the_timers_after_the_tracer_is_still_followed(browser: Browser) -> None:
    zone = """const native = window.setTimeout; window.setTimeout = (f, ...a) => native(function () { return f.apply(this, arguments) }, ...a);
        const N = Promise; const old = N.prototype.then; N.prototype.then = function (...a) { return old.apply(this, a) };
        run = () => setTimeout(() => fetch('/x').then(done), 5);"""
    async with RoadSite({"/": ("text/html", PAGE)}) as site, traced_tab(browser) as tab:
        await tab.visit(f"{site.origin}/")
        await tab.evaluate(zone)
        await click(tab, "Go", "t1")
        await tab.until(lambda: "out" in causes(tab))
        assert causes(tab)["out"] == {"t1"}


async def test_a_page_cannot_learn_the_name_or_the_token(browser: Browser) -> None:
    spy = f"""const heard = []; for (const owner of [EventTarget.prototype, window]) {{ const native = owner.dispatchEvent;
        owner.dispatchEvent = function (e) {{ heard.push(e.type); return native.call(this, e) }} }}
        window.Event = class extends Event {{ constructor(t, o) {{ heard.push(t); super(t, o) }} }};
        const append = document.createElement('iframe'); append.srcdoc = 'x'; document.body.append(append);
        run = () => setTimeout(done, 5); window.learned = () => heard.filter((t) => t.includes({NAME!r}) || /^(tag|work|enter|pending)$/.test(t)).length"""
    async with RoadSite({"/": ("text/html", PAGE)}) as site, traced_tab(browser) as tab:
        await tab.visit(f"{site.origin}/")
        await tab.evaluate(spy)
        await click(tab, "Go", "t1")
        await tab.until(lambda: "out" in causes(tab))
        assert causes(tab)["out"] == {"t1"}
        assert await tab.evaluate("learned()") == 0


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("/none", "text/html\r\nContent-Security-Policy: script-src 'none'", "<button>Go</button>"),
        ("/trusted", "text/html\r\nContent-Security-Policy: require-trusted-types-for 'script'", "<button>Go</button>"),
        ("/plain", "text/plain", "no markup"),
        ("/sandbox", "text/html\r\nContent-Security-Policy: sandbox", "<button>Go</button>"),
        ("/picture.svg", "image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'><text y='20'>Hi</text></svg>"),
        ("/data.xml", "text/xml", "<data><item>1</item></data>"),
    ],
)  # fmt: skip
async def test_special_documents_load_with_the_tracer(
    browser: Browser, path: str, kind: str, body: str
) -> None:
    async with RoadSite({path: (kind, body)}) as site, traced_tab(browser) as tab:
        thrown: list[str] = []
        handle = tab._handle

        def note(method: str, params: dict[str, object]) -> None:
            if method == "Runtime.exceptionThrown":
                thrown.append(str(params))
            handle(method, params)

        tab._handle = note  # type: ignore[method-assign]
        await tab.visit(f"{site.origin}{path}")
        assert thrown == []
        if "<button>" in body:
            await click(tab, "Go", "t1")
            if path == "/sandbox":  # no listener of its world runs, so nothing is traced and nothing reported
                assert pending(tab, "t1") is None
            else:
                await tab.until(lambda: pending(tab, "t1") == [])


WORK = {
    # name: (what the click does, the kinds of work that remain)
    "timer": ("setTimeout(done, 5)", []),
    "long timer": ("setTimeout(done, 5000)", ["timer"]),
    "cleared timer": ("clearTimeout(setTimeout(done, 5000))", []),
    "timer cleared as an interval": ("clearInterval(setTimeout(done, 5000))", []),
    "interval": ("setInterval(() => 0, 20)", []),
    "cancelled frame": ("cancelAnimationFrame(requestAnimationFrame(done))", []),
    "open request": ("fetch('/never')", ["request"]),
    "aborted fetch": ("const a = new AbortController(); fetch('/never', { signal: a.signal }).catch(() => 0); setTimeout(() => a.abort(), 5)", []),
    "aborted request": ("const x = new XMLHttpRequest(); x.open('GET', '/never'); x.send(); setTimeout(() => x.abort(), 5)", []),
    "aborted task": ("const a = new TaskController(); scheduler.postTask(done, { delay: 5000, signal: a.signal }).catch(() => 0); a.abort()", []),
    "failed request": ("fetch('http://127.0.0.1:1/').catch(() => 0)", []),
    "closed socket": ("const s = new WebSocket(SOCKET); s.onopen = () => { s.send('{\"answer\":1}'); s.close() }", []),
    "finished worker": ("const w = new Worker('data:text/javascript,'); w.postMessage(1); w.terminate()", []),
    "silent worker": ("window.w = new Worker('data:text/javascript,'); w.postMessage(1)", ["worker"]),
    "ended stream": ("fetch('/pieces').then((r) => r.text())", []),
    "ended animation": ("out.animate([{ opacity: 0 }, { opacity: 1 }], 10)", []),
}  # fmt: skip


async def test_work_that_ends_in_any_way_is_not_pending(browser: Browser) -> None:
    async with RoadSite({"/": ("text/html", PAGE)}) as site, traced_tab(browser) as tab:
        await tab.visit(f"{site.origin}/")
        await tab.evaluate(f"var SOCKET = {site.socket!r}")
        for name, (script, _) in WORK.items():
            await tab.evaluate(f"run = () => {{ {script} }}; 0")
            await click(tab, "Go", name)
        expected = {name: kinds for name, (_, kinds) in WORK.items()}

        def found() -> dict[str, list[str]]:
            return {name: [work[0] for work in pending(tab, name) or []] for name in WORK}

        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(tab.until(lambda: found() == expected), 10)
        assert found() == expected


async def test_the_memory_of_work_is_bounded_and_the_latest_work_is_kept(browser: Browser) -> None:
    async with RoadSite({"/": ("text/html", PAGE)}) as site, traced_tab(browser) as tab:
        await tab.visit(f"{site.origin}/")
        await tab.evaluate("run = () => { for (let i = 0; i < 2000; i++) setTimeout(() => 0, 60000 + i) }")
        await click(tab, "Go", "many")
        await tab.evaluate("run = () => setTimeout(() => 0, 777); 0")
        await click(tab, "Go", "one")
        await tab.until(lambda: bool(pending(tab, "one")) and bool(pending(tab, "many")))
        assert len(pending(tab, "many") or []) <= 20
        assert [[kind, detail] for kind, _, detail, _ in pending(tab, "one") or []] == [["timer", 777]]
