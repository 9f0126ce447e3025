"""Discovery of Videoland in a real browser: its findings, and the server's own record that nothing was written."""

from __future__ import annotations

import asyncio
import http.server
import json
import os
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from apps.videoland import Server, Settings, serving
from apps.videoland.canaries import BILLING_CANARY, SHADOW_CANARY
from apps.videoland.routes.pages import PAGES
from uiap.api.absent import absent_for_none, none_for_absent
from uiap.api.discovery import DiscoveryOptions, Principal, discover, environment
from uiap.drivers.chromium import ChromiumBrowser, find_browser
from uiap.drivers.chromium.driver import ChromiumDriver
from uiap.drivers.events import AnyEvent, RequestBlocked
from uiap.drivers.network_rules import NetworkRules
from uiap.host.sessions.session_services import SessionServices
from uiap.spec.discovery import DiscoveryPackage, UrlSeed

ADMIN = Principal(id="admin", roles=("admin",), url="/?as=admin&lang=en")


def read_json(base: str, path: str) -> Any:
    with urllib.request.urlopen(base + path, timeout=30) as response:
        return json.load(response)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DiscoveryPackage, Server, Path]]:
    """One run that several tests inspect."""
    out = tmp_path_factory.mktemp("discovery")
    with serving(Settings(rows=60, truth=True, auto_login=True)) as server:
        asked = environment(server.url, max_states=40, max_runtime_s=240, principals=[ADMIN])
        package = asyncio.run(discover(asked, options=DiscoveryOptions(principals=[ADMIN], out=out)))
        yield package, server, out


@pytest.mark.requirement("DISC-8.2", "DISC-2.3")
def test_the_server_recorded_no_write(found: tuple[DiscoveryPackage, Server, Path]) -> None:
    _, server, _ = found
    assert read_json(server.url, "/__writes")["writes"] == []


@pytest.mark.requirement("DISC-15.1", "DISC-15.2")
def test_every_route_is_found_once_for_all_its_parameters(
    found: tuple[DiscoveryPackage, Server, Path],
) -> None:
    package, _, _ = found
    routes = {one.route_id: one.metadata["pattern"] for one in package.route_catalog.routes}
    assert routes == PAGES
    scopes = {one.scope_id for one in package.scope_catalog.scopes}
    assert {
        "app.nav",
        "videos.table",
        "video.create.dialog",
        "video.title.form",
        "password.form",
        "login.form",
    } <= scopes
    elements = {one.stable_id for one in package.element_catalog.elements}
    assert {
        "video.submit",
        "account.sign_out",
        "notification.weekly",
        "help.formats",
        "video.title.save",
    } <= elements


@pytest.mark.requirement("DISC-12.2", "DISC-12.5", "DISC-2.5")
def test_regions_behind_boundaries_are_review_items_and_their_content_is_not_stored(
    found: tuple[DiscoveryPackage, Server, Path],
) -> None:
    package, server, out = found
    assert {"opaque_frame", "closed_shadow"} <= {one.kind for one in package.review_queue.items}
    stored = b"".join(path.read_bytes() for path in out.rglob("*") if path.is_file())
    assert SHADOW_CANARY.encode() not in stored and BILLING_CANARY.encode() not in stored
    assert b"viewer@videoland.example" not in stored
    states = package.transition_graph.states
    assert states and all(one.metadata["url"].startswith(server.url) for one in states)


@pytest.mark.requirement("DISC-11.2b", "DISC-6")
def test_the_folder_has_the_package_and_its_evidence_by_digest(
    found: tuple[DiscoveryPackage, Server, Path],
) -> None:
    from hashlib import sha256

    package, _, out = found
    written = msgspec.json.decode((out / "package.json").read_bytes(), type=DiscoveryPackage)
    assert written == absent_for_none(package) and package == none_for_absent(written)
    assert package.evidence_index is not None
    files = [one for one in package.evidence_index.items if one.uri]
    assert {one.kind for one in files} == {"page_graph", "ax_tree"}
    for one in files:
        data = (out / str(one.uri)).read_bytes()
        assert one.digest == "sha256:" + sha256(data).hexdigest()


class _LoggingHandler(http.server.BaseHTTPRequestHandler):
    asked: list[str]

    def _answer(self) -> None:
        self.asked.append(f"{self.command} {self.path}")
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        port = self.server.server_address[1]
        hops = {"/hop": f"http://127.0.0.1:{port}/forbidden", "/first-hop": f"http://localhost:{port}/hop"}
        if self.path in hops:
            self.send_response(302)
            self.send_header("Location", hops[self.path])
            self.end_headers()
            return
        body = SCRIPTS.get(self.path, "<!doctype html><title>page</title>").encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/javascript" if self.path.endswith(".js") else "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        pass


SCRIPTS = {
    "/w.js": "fetch('/worker', {method: 'POST'}).finally(() => postMessage(1))",
    "/shared.js": "onconnect = e => fetch('/shared', {method: 'PUT'}).finally(() => e.ports[0].postMessage(1))",
    "/sw.js": "onmessage = e => e.waitUntil(fetch('/service', {method: 'DELETE'})"
    ".finally(() => e.source.postMessage(1)))",
}
ATTEMPTS = {
    "fetch": "fetch('/fetch', {method: 'POST'}).catch(() => 1)",
    "keepalive": "fetch('/kept', {method: 'PATCH', keepalive: true}).catch(() => 1)",
    "beacon": "navigator.sendBeacon('/beacon', 'x')",
    "form in a new tab": "(() => { const f = Object.assign(document.createElement('form'),"
    " {method: 'post', action: '/form', target: '_blank'}); document.body.append(f); f.submit() })()",
    "frame": "new Promise(r => { const f = document.createElement('iframe'); f.src = '/inside'; f.onload = () =>"
    " f.contentWindow.fetch('/frame', {method: 'POST'}).catch(() => 1).then(r); document.body.append(f) })",
    "worker": "new Promise(r => { new Worker('/w.js').onmessage = r; })",
    "shared worker": "new Promise(r => { const w = new SharedWorker('/shared.js'); w.port.onmessage = r; })",
    "service worker": "new Promise(async r => { navigator.serviceWorker.onmessage = r; await"
    " navigator.serviceWorker.register('/sw.js'); (await navigator.serviceWorker.ready).active.postMessage(1) })",
    "socket": "new Promise(r => { try { const s = new WebSocket(location.origin.replace('http', 'ws') + '/socket');"
    " s.onopen = s.onerror = r } catch { r() } })",
}


@contextmanager
def logging_server() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("Log", (_LoggingHandler,), {"asked": asked})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}", asked
        finally:
            server.shutdown()
            thread.join(10)


@pytest.mark.requirement("DISC-SEC.1")
async def test_blocked_requests_are_in_the_audit_log() -> None:
    """The host records every blocked request, whichever page sent it."""
    import os

    with logging_server() as (base, asked):
        running = await ChromiumBrowser.launch(environ=os.environ, executable=_browser())
        services = SessionServices(ChromiumDriver(running, owns_browser=True), rules="trusted")
        try:
            await services.start()
            await services.page.driver.guard_network(NetworkRules(origins=frozenset({base})))
            await services.page.driver.navigate(base + "/first-hop")
            blocked = [one for one in services.actions.audit.memory_entries if one.kind == "blocked"]
        finally:
            await services.close()
    assert [one.reason for one in blocked] == ["origin"] and "GET /forbidden" not in asked


def _browser() -> Path:
    import os

    found = find_browser(environ=os.environ)
    if found is None:
        pytest.fail("these tests need a Chromium; install one or set UIAP_BROWSER")
    return Path(found.path)


@pytest.mark.requirement("DISC-8.2", "DISC-SEC.1")
async def test_a_guarded_page_cannot_write_or_leave_its_origin_in_any_way() -> None:
    """Frames, popups, beacons, three kinds of workers, sockets, and a redirect to another origin."""
    import os

    received: list[AnyEvent] = []
    with logging_server() as (base, asked):
        running = await ChromiumBrowser.launch(environ=os.environ, executable=_browser())
        driver = ChromiumDriver(running, owns_browser=True)
        try:
            await driver.start(received.append)
            await driver.guard_network(NetworkRules(origins=frozenset({base})))
            await driver.navigate(base + "/")
            for expression in ATTEMPTS.values():
                async with asyncio.timeout(20):
                    await driver.evaluate(expression)
            await driver.navigate(base + "/hop")
        finally:
            await driver.close()
    written = [line for line in asked if not line.startswith("GET")]
    assert written == [] and "GET /socket" not in asked and "GET /forbidden" not in asked
    blocked = {one.url.removeprefix(base) for one in received if isinstance(one, RequestBlocked)}
    assert {"/fetch", "/kept", "/beacon", "/form", "/frame", "/worker", "/shared", "/service"} <= blocked
    assert any(url.endswith("/forbidden") for url in blocked)


OUTSIDE_LINKS = {
    "script": "javascript:fetch('/script', {method: 'POST'})",
    "data": "data:text/html,<script>location='http://127.0.0.1:PORT/forbidden'</script>",
    "intent": "intent://forbidden#Intent;scheme=http;end",
    "file": "file:///etc/hostname",
    "blob": "blob:http://localhost:PORT/1",
    "other origin": "http://127.0.0.1:PORT/forbidden",
    "metadata": "http://169.254.169.254/latest/",
}
LINKS = "<!doctype html><title>links</title><h1>Links</h1><ul>" + "".join(
    f'<li><a href="{href}">To {name}</a>' for name, href in OUTSIDE_LINKS.items()
)
LINKS += """<li><a href="/first-hop">Two hops</a><li><a href="/first-hop" target="_blank">Two hops aside</a></ul>
<button onclick="window.open('http://127.0.0.1:PORT/forbidden?popup')">Show popup</button>
<button onclick="this.after(Object.assign(document.createElement('iframe'), {src: '/first-hop'}))">Show frame</button>
<button aria-expanded="false" onclick="location = 'http://127.0.0.1:PORT/forbidden?assigned'">More</button>"""


@pytest.mark.requirement("DISC-SEC.1", "DISC-2.3")
async def test_a_run_does_not_leave_its_origin_by_links_or_redirects() -> None:
    """Links to other origins are denied; redirects and windows to them are blocked and reported."""
    with logging_server() as (base, asked):
        port = base.rpartition(":")[2]
        SCRIPTS["/"] = LINKS.replace("PORT", port)
        try:
            where = environment(base, max_states=20, max_runtime_s=120)
            package = await discover(where, options=DiscoveryOptions(ax_trees=False))
        finally:
            del SCRIPTS["/"]
    assert not [line for line in asked if "forbidden" in line or line.startswith("POST")]
    followed = {str(edge.metadata["label"]) for edge in package.transition_graph.edges if edge.metadata}
    assert not followed & {f"To {name}" for name in OUTSIDE_LINKS}
    outside = [one for one in package.review_queue.items if "leads outside" in one.description]
    assert len(outside) >= 2 and all("/forbidden" in one.description for one in outside)
    assert all(one.metadata["url"].startswith(base) for one in package.transition_graph.states)


@pytest.mark.skipif("UIAP_SOAK_N" not in os.environ, reason="long: UIAP_SOAK_N=1 runs it")
@pytest.mark.requirement("DISC-8.3")
async def test_a_sandbox_run_writes_and_records_every_write() -> None:
    """Forms filled with sample data create rows, and each write is a transition."""
    with serving(Settings(rows=8, truth=True, auto_login=True)) as server:
        before = read_json(server.url, "/__truth")
        asked = environment(
            server.url, mode="sandbox_write", max_states=20, max_transitions=30, principals=[ADMIN]
        )
        seeds = (UrlSeed(url=server.url + "/videos/new"),)
        options = DiscoveryOptions(principals=[ADMIN], ax_trees=False, sitemap=False)
        package = await discover(asked, seeds=seeds, options=options)
        writes = read_json(server.url, "/__writes")["writes"]
        after = read_json(server.url, "/__truth")
    assert writes and after != before
    done = [one for one in package.transition_graph.edges if one.side_effect_class == "data_write"]
    assert done, "every write is in the graph, with the decision that allowed it"
    assert not [one for one in writes if one["method"] == "DELETE"]


@pytest.mark.requirement("DISC-SEC.4")
async def test_a_package_becomes_a_bundle_that_a_session_uses_and_production_refuses(
    found: tuple[DiscoveryPackage, Server, Path], tmp_path: Path
) -> None:
    """`uiap init --from-discovery` and a build give a bundle for tests; production needs a person's approval."""
    from click.testing import CliRunner

    import uiap
    from uiap.cli import build, init

    _, server, out = found
    folder, bundle = tmp_path / "uiap", tmp_path / "bundle.json"
    cli = CliRunner()
    made = cli.invoke(init.command, ["--from-discovery", str(out / "package.json"), str(folder)])
    assert made.exit_code == 0, made.output
    built = cli.invoke(build.command, [str(folder), "--out", str(bundle)], standalone_mode=False)
    assert bundle.exists(), built.output
    gated = [str(folder), "--channel", "prod", "--out", str(tmp_path / "prod.json")]
    refused = cli.invoke(build.command, gated, standalone_mode=False)
    assert not (tmp_path / "prod.json").exists() and refused.return_value == 3
    async with uiap.open(server.url + "/videos?as=admin&lang=en", bundle=bundle) as ui:
        opened = await ui.act("ui.activate", stable_id="video.quick")
    assert opened.status == "succeeded"
