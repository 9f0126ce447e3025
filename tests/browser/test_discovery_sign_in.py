"""A run that signs in: the server records that only the sign-in itself was sent."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from uiap.api.absent import absent_for_none
from uiap.api.discovery import DiscoveryOptions, Principal, discover, environment
from uiap.discovery.report.network_line import network_line

SIGN_IN = """<!doctype html><title>Sign in</title><script>
navigator.serviceWorker.register('/relay.js');
</script><form method=post action=/login><label>Name <input name=name></label><button>Sign in</button></form>"""
HOME = """<!doctype html><title>Home</title><script>
fetch('/track', {method: 'POST'}); addEventListener('pagehide', () => navigator.sendBeacon('/left', 'x'));
setInterval(() => fetch('/alive', {method: 'PUT'}).catch(() => 1), 50);
</script><h1>Home</h1><nav><a href=/reports>Reports</a></nav>"""
PAGES = {
    "/": HOME,
    "/reports": "<!doctype html><title>Reports</title><h1>Reports</h1>",
    "/relay.js": "oninstall = () => skipWaiting(); onactivate = e => e.waitUntil(clients.claim());"
    " onfetch = e => e.respondWith(fetch(e.request));",
}


class _Handler(http.server.BaseHTTPRequestHandler):
    written: list[str]

    def do_GET(self) -> None:
        signed_in = "who=sam" in self.headers.get("Cookie", "")
        body = (PAGES.get(self.path, "") if signed_in or self.path.endswith(".js") else SIGN_IN).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        self.written.append(f"{self.command} {self.path}")
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(303 if self.path == "/login" else 204)
        if self.path == "/login":
            self.send_header("Set-Cookie", "who=sam; Path=/")
            self.send_header("Location", "/reports")
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_PUT = do_PATCH = do_DELETE = do_POST  # noqa: N815

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def application() -> Iterator[tuple[str, list[str]]]:
    written: list[str] = []
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), type("App", (_Handler,), {"written": written})
    ) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}", written
        finally:
            server.shutdown()
            thread.join(10)


@pytest.mark.requirement("DISC-8.2", "DISC-SEC.1")
async def test_only_the_sign_in_reaches_the_server_and_the_report_says_so() -> None:
    with application() as (base, written):
        sam = Principal(
            id="sam",
            url="/",
            steps=[
                {"action": "ui.enterText", "role": "textbox", "name": "Name", "args": {"text": "sam"}},
                {"action": "ui.activate", "role": "button", "name": "Sign in"},
            ],
        )
        where = environment(base, max_states=5, max_runtime_s=600, principals=[sam])
        options = DiscoveryOptions(principals=[sam], ax_trees=False, sitemap=False)
        package = await discover(where, options=options)
    assert written == ["POST /login"], written
    assert {one.route_id for one in package.route_catalog.routes} >= {"/", "/reports"}
    line = network_line(absent_for_none(package))
    assert line.startswith(
        "no request that could write reached the server unexpectedly; signing in sent POST "
    )
    assert "/login" in line and "held back" in line
