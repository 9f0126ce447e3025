"""Effects outside of the page: they are announced in the result, and expected like all others."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import uiap

PAGE = """<!doctype html><title>Outside</title>
<a href=/other target=_blank>Help</a> <a href=/file>Invoice</a> <a href=/data download=own.csv>Export</a>
<form action=/other target=_blank><button>Preview</button></form>
<button onclick="window.open('/other')">Open</button>
<button onclick="setTimeout(() => window.open('/other'), 300)">Open later</button>
<button onclick="setTimeout(() => { location.href = '/file' }, 100)">Fetch file</button>
<button onclick="save()">Save blob</button> <button onclick="print()">Print</button>
<button onclick="navigator.clipboard.writeText('x')">Copy</button>
<button onclick="document.body.classList.toggle('dark')">Theme</button>
<button onclick="document.documentElement.dataset.size = 'large'">Larger</button>
<button onclick="document.body.classList.add('pressed')">Mark</button>
<button onclick="odd(); setTimeout(odd, 200)">Flash</button>
<style>
.dark { background: #000; transition: background-color .3s } .odd { color: red } [data-size=large] { font-size: 200% }
</style>
<button>Nothing</button>
<script>
const odd = () => document.body.classList.toggle('odd');
const save = () => {
  const a = Object.assign(document.createElement('a'), { download: 'made.csv' });
  a.href = URL.createObjectURL(new Blob(['a;b']));
  a.click();
};
</script>"""


class _Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        if self.path == "/file":
            self.send_header("Content-Disposition", 'attachment; filename="invoice.txt"')
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(PAGE.encode() if self.path == "/" else b"<title>Other</title>")

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("localhost", 0), _Site) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://localhost:{served.server_port}/"
        served.shutdown()


CASES: list[tuple[str, str, Any, dict[str, Any]]] = [
    ("link", "Help", uiap.tab_opened("/other"), {"openedTabs": "/other"}),
    ("button", "Preview", uiap.tab_opened(), {"openedTabs": "/other"}),
    ("button", "Open", None, {"openedTabs": "/other"}),
    ("button", "Open later", uiap.tab_opened(), {"openedTabs": "/other"}),
    ("link", "Invoice", uiap.download_completed("invoice.txt"), {"downloads": "invoice"}),
    ("link", "Export", uiap.download_completed("*.csv"), {"downloads": "own"}),
    ("button", "Fetch file", None, {"downloads": "invoice"}),
    ("button", "Save blob", uiap.download_completed("made.csv"), {"downloads": "made"}),
    ("button", "Print", uiap.print_requested(), {}),
    ("button", "Copy", uiap.clipboard_written(), {}),
    ("button", "Theme", None, {}),
    ("button", "Larger", uiap.page_restyled(), {}),
]


@pytest.mark.browser
async def test_each_effect_is_observed_and_announced(site: str, tmp_path: Path) -> None:
    async with uiap.open(site, downloads=tmp_path) as ui:
        for role, name, signal, announced in CASES:
            result = await ui.act(
                "ui.activate", role=role, name=name, expect=() if signal is None else (signal,)
            )
            assert result.status == "succeeded", f"{name}: {result}"
            for member, words in announced.items():
                (one,) = result.metadata[member]
                assert words in str(one), name
        nothing = await ui.act("ui.activate", role="button", name="Nothing", verify_ms=800)
        assert nothing.status == "failed" and "openedTabs" not in nothing.metadata
        for name in ("Mark", "Flash"):  # nothing looks different, or it is taken back
            unseen = await ui.act("ui.activate", role="button", name=name, verify_ms=800)
            assert unseen.status == "failed", f"{name}: {unseen}"
        unmet = await ui.act(
            "ui.activate", role="button", name="Nothing", verify_ms=800, expect=(uiap.tab_opened(),)
        )
        assert unmet.status == "failed"
