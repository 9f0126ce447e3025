"""A person signs in once, and the login is saved as soon as they have."""

from __future__ import annotations

import http.server
import json
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import ENTRY, Run, environment

FORM = "<form method=post action=/home><label>Password <input type=password name=p></label><button>Log in</button>"


class _Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._send("<title>Home</title><h1>Welcome</h1>" if self.path == "/home" else FORM)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(303)
        self.send_header("Location", "/home")
        self.send_header("Set-Cookie", "sid=42; Path=/")
        self.end_headers()

    def _send(self, body: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def site() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/login"
        server.shutdown()


@pytest.mark.browser
def test_the_login_is_saved_once_the_person_has_signed_in(uiap_here: Run, site: str, tmp_path: Path):
    words = ["login", site, "--save", "kept.json", "--session", "sign", "--no-window", "--timeout", "60"]
    login = subprocess.Popen(
        [*ENTRY, *words], cwd=tmp_path, env=environment(tmp_path / "home"), stdout=subprocess.PIPE, text=True
    )
    assert login.stdout is not None and "sign in at" in login.stdout.readline()
    uiap_here("do", "fill Password=open-sesame; click Log in", "--session", "sign")
    out, _ = login.communicate(timeout=60)
    assert (login.returncode, "/home; saved to kept.json" in out) == (0, True)
    assert "sid" in json.dumps(json.loads((tmp_path / "kept.json").read_text()))


@pytest.mark.browser
def test_without_a_person_it_ends_in_time_and_saves_nothing(uiap_here: Run, site: str, tmp_path: Path):
    done = uiap_here("login", site, "--save", "kept.json", "--no-window", "--timeout", "0.2")
    assert (done.returncode, "nobody signed in within 0.2 s" in done.stderr) == (1, True)
    assert not (tmp_path / "kept.json").exists()
