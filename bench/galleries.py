"""Third-party pages: those that packages ship, and small ones composed around components without a page.

Packages are fetched once with npm into .uiap/galleries; none of their files are part of this project. Used by the
case `accessibility`.
"""

from __future__ import annotations

import subprocess
import tarfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEPT = ROOT / ".uiap" / "galleries"
COMPOSED_FOLDER = Path(__file__).parent / "galleries_composed"
FETCH_SECONDS = 300

PACKAGES = {
    "@coreui/coreui": "5.9.0",
    "@fluentui/web-components": "2.6.1",
    "@picocss/pico": "2.1.1",
    "@shoelace-style/shoelace": "2.20.1",
    "admin-lte": "3.2.0",
    "ag-grid-community": "36.2.0",
    "bootstrap": "5.3.8",
    "bulma": "1.0.4",
    "choices.js": "11.2.4",
    "datatables.net": "3.1.2",
    "datatables.net-dt": "3.1.2",
    "daterangepicker": "3.1.0",
    "easymde": "2.21.0",
    "flatpickr": "4.6.13",
    "fomantic-ui-css": "2.9.4",
    "foundation-sites": "6.9.0",
    "jquery": "3.7.1",
    "jquery-ui-dist": "1.13.3",
    "jsgrid": "1.5.3",
    "jstree": "3.3.17",
    "leaflet": "1.9.4",
    "nouislider": "15.8.1",
    "quill": "2.0.3",
    "redoc": "2.5.4",
    "select2": "4.0.13",
    "spectre.css": "0.5.9",
    "swagger-ui-dist": "5.34.1",
    "tabulator-tables": "6.5.3",
    "toastr": "2.1.4",
    "tom-select": "2.6.2",
    "uikit": "3.25.25",
    "video.js": "8.24.1",
}
SHIPPED = (
    "admin-lte/index.html",
    "admin-lte/pages/UI/general.html",
    "admin-lte/pages/UI/modals.html",
    "admin-lte/pages/UI/sliders.html",
    "admin-lte/pages/examples/contacts.html",
    "admin-lte/pages/examples/e-commerce.html",
    "admin-lte/pages/examples/projects.html",
    "admin-lte/pages/examples/register-v2.html",
    "admin-lte/pages/forms/advanced.html",
    "admin-lte/pages/forms/general.html",
    "admin-lte/pages/forms/validation.html",
    "admin-lte/pages/mailbox/compose.html",
    "admin-lte/pages/mailbox/mailbox.html",
    "admin-lte/pages/tables/data.html",
    "admin-lte/pages/tables/simple.html",
    "admin-lte/pages/widgets.html",
    "daterangepicker/demo.html",
    "jquery-ui-dist/index.html",
    "jsgrid/demos/basic.html",
    "jsgrid/demos/sorting.html",
    "jsgrid/demos/validation.html",
    "spectre.css/docs/components/accordions.html",
    "spectre.css/docs/components/menu.html",
    "spectre.css/docs/components/tabs.html",
    "spectre.css/docs/elements/buttons.html",
    "spectre.css/docs/elements/forms.html",
    "spectre.css/docs/experimentals/calendars.html",
    "spectre.css/docs/experimentals/sliders.html",
    "toastr/demo.html",
    "uikit/tests/accordion.html",
    "uikit/tests/dropdown.html",
    "uikit/tests/filter.html",
    "uikit/tests/form.html",
    "uikit/tests/modal.html",
    "uikit/tests/navbar.html",
    "uikit/tests/pagination.html",
    "uikit/tests/slideshow.html",
    "uikit/tests/switcher.html",
    "uikit/tests/upload.html",
)
COMPOSED = tuple(sorted(path.name for path in COMPOSED_FOLDER.glob("*.html")))


def fetch_all() -> Path:
    """Return the folder that holds every package under its own name."""
    KEPT.mkdir(parents=True, exist_ok=True)
    for name, version in PACKAGES.items():
        marker = KEPT / name / ".version"
        if not marker.exists() or marker.read_text() != version:
            print(f"  fetching {name} {version}", flush=True)
            _fetch(name, version)
            marker.write_text(version)
    return KEPT


def _fetch(name: str, version: str) -> None:
    command = ["npm", "pack", "--silent", f"{name}@{version}", "--pack-destination", str(KEPT)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=True)
    packed = KEPT / done.stdout.strip().splitlines()[-1]
    with tarfile.open(packed) as archive:
        for member in archive.getmembers():
            member.name = member.name.partition("/")[2]  # npm puts every file into one folder
            if member.name:
                archive.extract(member, KEPT / name, filter="data")
    packed.unlink()


@contextmanager
def serve_pages() -> Iterator[dict[str, str]]:
    """Serve every page; yield their addresses by name."""
    folder = fetch_all()

    class Handler(SimpleHTTPRequestHandler):
        def translate_path(self, path: str) -> str:
            if path.startswith("/composed/"):
                return str(COMPOSED_FOLDER / Path(path.partition("?")[0]).name)
            return super().translate_path(path)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    try:
        yield {path: f"{base}/{path}" for path in SHIPPED} | {
            f"composed/{name}": f"{base}/composed/{name}" for name in COMPOSED
        }
    finally:
        server.shutdown()
        server.server_close()
