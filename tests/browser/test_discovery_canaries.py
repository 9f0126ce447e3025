"""Canaries in every type of field, in addresses, placeholders and cells: none is in anything that a run stores."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from uiap.api.absent import absent_for_none
from uiap.api.discovery import DiscoveryOptions, discover, environment
from uiap.cli.discover import write_report

VALUES = {
    "text": "canarytext",
    "search": "canarysearch",
    "email": "canary.mail@example.test",
    "tel": "+49 170 7654321",
    "url": "https://canaryurl.example",
    "password": "canarypassword",
    "number": "90817263",
    "range": "73",
    "date": "1957-03-14",
    "time": "03:14:15",
    "month": "1957-03",
    "week": "1957-W11",
    "datetime-local": "1957-03-14T03:14",
    "color": "#1a2b3c",
    "hidden": "canaryhidden",
}
FIELDS = "".join(
    f'<label>Field {kind} <input type="{kind}" name="f-{kind}" value="{value}" min=0 max=99999999></label>'
    for kind, value in VALUES.items()
)
HOME = f"""<!doctype html><title>Form of canary.title@example.test</title><form>{FIELDS}
<label>Note <textarea name=note>canarytextarea</textarea></label>
<label>Box <input type=checkbox value=canarycheckbox></label>
<label>Choice <input type=radio name=r value=canaryradio checked></label>
<label>List <select><option value=canaryoption selected>First<option>Second</select></label>
<div contenteditable aria-label=Editor>canaryeditor</div>
<input aria-label=Placeholder placeholder="write to canary.placeholder@example.test"></form>
<a href="/next?token=canarytoken&mail=canary.query%40example.test">Next</a>
<a href="/people/canary.path%40example.test">Person</a>
<p title="canary.title2@example.test">Text with canary.paragraph@example.test</p>
<table><tr><th>Name<th>Card<tr><td>Canary Cellperson<td>4111 1111 1111 1111</table>"""
NEXT = "<!doctype html><title>Next</title><h1>Next</h1><button title='mail canary.button@example.test'>View</button>"
CANARIES = (
    *(value for kind, value in VALUES.items() if kind not in ("range",)),
    *("canarytextarea", "canarycheckbox", "canaryradio", "canaryoption", "canaryeditor", "canarytoken"),
    *("canary.placeholder@", "canary.query", "canary.path", "canary.title@", "canary.title2@"),
    *("canary.paragraph@", "canary.button@", "Cellperson", "4111 1111"),
)


class _Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = (HOME if self.path == "/" else NEXT).encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def application() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://localhost:{server.server_address[1]}/"
        finally:
            server.shutdown()
            thread.join(10)


@pytest.mark.requirement("DISC-SEC.2")
async def test_no_canary_is_in_package_journal_evidence_or_report(tmp_path: Path) -> None:
    with application() as base:
        where = environment(base, max_states=6, max_runtime_s=600)
        package = await discover(where, options=DiscoveryOptions(out=tmp_path, sitemap=False))
    write_report(tmp_path, absent_for_none(package))
    stored = {path: path.read_text("utf-8").lower() for path in tmp_path.rglob("*") if path.is_file()}
    assert {"package.json", "journal.jsonl", "report.html"} <= {path.name for path in stored}
    leaks = {
        f"{canary} in {path.relative_to(tmp_path).parts[0]}"
        for path, text in stored.items()
        for canary in CANARIES
        if canary.lower() in text
    }
    assert leaks == set()
