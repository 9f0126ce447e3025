"""Pages and workers that try to write in every way a browser has, and a server that records what arrives."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_SOCKET = (
    "await new Promise(r => {{ try {{ const s = new WebSocket('ws://' + location.host + '/{0}-socket');"
    " s.onopen = s.onerror = r }} catch {{ r() }} }})"
)
_REPORT = "fetch('/{0}', {{method: '{1}'}}).catch(() => 1)"


def _frame(name: str, source: str, *, sandbox: str = "") -> str:
    """Return a script that opens a frame of another origin, which posts and reports that it did."""
    inside = (
        f"<script>fetch('${{location.origin}}/{name}', {{method: 'POST', mode: 'no-cors'}}).catch(() => 1)"
    )
    inside += f".then(() => parent.postMessage('{name}', '*'))<\\/script>"
    return (
        f"new Promise(r => {{ const f = document.createElement('iframe'); {sandbox} f.{source.format(inside)};"
        f" addEventListener('message', e => e.data === '{name}' && r()); document.body.append(f) }})"
    )


FILES = {
    "/relay.js": """
oninstall = e => e.waitUntil(Promise.all([skipWaiting(),
  caches.open('a').then(c => c.addAll(['/cached', '/cached-worker.js']))]));
onactivate = e => e.waitUntil(clients.claim());
onfetch = e => { const path = new URL(e.request.url).pathname;
  if (path.startsWith('/cached')) e.respondWith(caches.match(path));
  else if (path === '/asked') {
    e.waitUntil(fetch('/sw-own', {method: 'POST'}).catch(() => 1)); e.respondWith(new Response('x')) }
  else e.respondWith(fetch(e.request)) };
onsync = e => e.waitUntil(fetch('/sw-sync', {method: 'POST'}).catch(() => 1));
onmessage = e => e.waitUntil((async () => {
  await fetch('/sw-message', {method: 'DELETE'}).catch(() => 1);
"""
    + _SOCKET.format("sw")
    + "; e.source.postMessage(1) })())",
    "/worker.js": "(async () => { await "
    + _REPORT.format("worker", "POST")
    + "; importScripts('/imported.js'); "
    + _SOCKET.format("worker")
    + "; new Worker('/nested.js').onmessage = () => postMessage(1) })()",
    "/imported.js": _REPORT.format("imported", "PUT"),
    "/nested.js": "(async () => { await "
    + _REPORT.format("nested", "POST")
    + "; "
    + _SOCKET.format("nested")
    + "; postMessage(1) })()",
    "/shared.js": "onconnect = async e => { await "
    + _REPORT.format("shared", "PUT")
    + "; "
    + _SOCKET.format("shared")
    + "; e.ports[0].postMessage(1) }",
    "/cached-worker.js": "(async () => { await "
    + _REPORT.format("from-cached-worker", "POST")
    + "; "
    + _SOCKET.format("cached-worker")
    + "; postMessage(1) })()",
    "/cached": "<!doctype html><title>cached</title><script>(async () => { await "
    + _REPORT.format("from-cached", "POST")
    + "; "
    + _SOCKET.format("cached")
    + "; new Worker('/cached-worker.js').onmessage = () => parent.postMessage('cached', '*') })()</script>",
}

PAGE_ROADS = {
    "fetch": _REPORT.format("fetch", "POST"),
    "request": "new Promise(r => { const x = new XMLHttpRequest(); x.onloadend = r; x.open('POST', '/xhr');"
    " x.send() })",
    "keepalive": "fetch('/keepalive', {method: 'PATCH', keepalive: true}).catch(() => 1)",
    "beacon": "navigator.sendBeacon('/beacon', 'x')",
    "deferred fetch": "globalThis.fetchLater && fetchLater('/later', {method: 'POST', activateAfter: 0}) && 1",
    "form in a frame": "new Promise(r => { const i = Object.assign(document.createElement('iframe'), {name: 'inside'});"
    " document.body.append(i); const f = Object.assign(document.createElement('form'), {method: 'post',"
    " action: '/form-frame', target: 'inside'}); document.body.append(f); i.onload = r; f.submit() })",
    "form in a new tab": "(() => { const f = Object.assign(document.createElement('form'), {method: 'post',"
    " action: '/form-blank', target: '_blank'}); document.body.append(f); f.submit() })()",
    "ping": "(() => { const a = Object.assign(document.createElement('a'), {href: '#x', ping: '/ping'});"
    " document.body.append(a); a.click() })()",
    "sandboxed frame": _frame("sandboxed", "srcdoc = `{0}`", sandbox="f.sandbox = 'allow-scripts';"),
    "data frame": _frame("data", "src = 'data:text/html,' + encodeURIComponent(`{0}`)"),
    "worker": "new Promise(r => { new Worker('/worker.js').onmessage = r })",
    "blob worker": "new Promise(r => { new Worker(URL.createObjectURL(new Blob([`fetch('${location.origin}/blob',"
    " {method: 'POST'}).catch(() => 1).then(() => postMessage(1))`]))).onmessage = r })",
    "shared worker": "new Promise(r => { new SharedWorker('/shared.js').port.onmessage = r })",
    "socket": "(async () => { " + _SOCKET.format("page") + " })()",
    "socket of an empty frame": "new Promise(r => { const f = document.createElement('iframe');"
    " document.body.append(f); const Socket = f.contentWindow.WebSocket;"
    " const s = new Socket('ws://' + location.host + '/frame-socket'); s.onopen = s.onerror = r })",
    "prefetch": "new Promise(r => { const l = Object.assign(document.createElement('link'), {rel: 'prefetch',"
    " href: '/prefetched'}); l.onload = l.onerror = r; document.head.append(l) })",
    "speculation rules": "(() => { const s = Object.assign(document.createElement('script'), {type: 'speculationrules',"
    " textContent: JSON.stringify({prefetch: [{source: 'list', urls: ['/speculated'], eagerness: 'immediate'}],"
    " prerender: [{source: 'list', urls: ['/prerendered'], eagerness: 'immediate'}]})}); document.head.append(s) })()",
    "call by WebRTC": "typeof RTCPeerConnection === 'undefined' || Promise.reject('WebRTC is there')",
}
WORKER_ROADS = {
    "service worker by itself": "fetch('/asked').catch(() => 1)",
    "service worker by message": "new Promise(r => { navigator.serviceWorker.onmessage = r;"
    " navigator.serviceWorker.controller.postMessage(1) })",
    "background sync": "navigator.serviceWorker.ready.then(one => one.sync.register('s'))",
    "background fetch": "navigator.serviceWorker.ready.then(one => one.backgroundFetch.fetch('b',"
    " [new Request('/background', {method: 'POST', body: 'x'})])).catch(() => 1)",
    "cached page": "new Promise(r => { addEventListener('message', e => e.data === 'cached' && r());"
    " document.body.append(Object.assign(document.createElement('iframe'), {src: '/cached'})) })",
}
REGISTER = (
    "(async () => { await navigator.serviceWorker.register('/relay.js'); await navigator.serviceWorker.ready;"
    " const all = navigator.serviceWorker;"
    " if (!all.controller) await new Promise(r => { all.oncontrollerchange = r }) })()"
)
_PATHS = """/fetch /xhr /keepalive /beacon /form-frame /form-blank /ping /sandboxed /data /worker /imported /nested
/blob /shared"""
SENT = frozenset(_PATHS.split())
"""The requests that the roads of a page certainly try."""
SENT_BY_WORKERS = frozenset({"/sw-own", "/sw-message", "/sw-sync", "/from-cached", "/from-cached-worker"})
HARMLESS = frozenset(
    {"/", "/next", "/favicon.ico", "/asked", *FILES},
)
"""The addresses that may be read."""


class _Handler(http.server.BaseHTTPRequestHandler):
    arrived: list[str]

    def _answer(self) -> None:
        self.arrived.append(f"{self.command} {self.path}")
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        body = FILES.get(self.path, "<!doctype html><title>page</title><body>").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def recording_server() -> Iterator[tuple[str, list[str]]]:
    """Serve on a port of its own; yield the address and the requests that arrive."""
    arrived: list[str] = []
    handler = type("Recording", (_Handler,), {"arrived": arrived})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}", arrived
        finally:
            server.shutdown()
            thread.join(10)


def unexpected(arrived: list[str]) -> list[str]:
    """Return the requests that are not reads of a known address."""
    return [one for one in arrived if not one.startswith("GET ") or one[4:] not in HARMLESS]
