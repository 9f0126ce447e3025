"""A session saves logins and downloads; an agent can only name them."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import uiap
from uiap.errors import Forbidden, UiapError, Unavailable
from uiap.host.handlers.session_files import read_state, write_state

COOKIE, STORED = "cookie-value-5141", "stored-value-7732"
PAGE = f"""<!doctype html><title>shop</title><h1>{{}}</h1><a href="/file">Invoice</a>
<script>localStorage.setItem("who", "{STORED}")</script>"""


class _Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        if self.path == "/file":
            self.send_header("Content-Disposition", 'attachment; filename="invoice 7.txt"')
            body = b"total: 7"
        else:
            self.send_header("Content-Type", "text/html")
            if self.path == "/login":
                self.send_header("Set-Cookie", f"sid={COOKIE}; HttpOnly")
            known = COOKIE in self.headers.get("Cookie", "")
            body = PAGE.format("Welcome back" if known else "Who are you?").encode()
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Site) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{served.server_port}"
        served.shutdown()


@pytest.mark.browser
async def test_a_saved_login_is_restored_and_downloads_are_saved_to_their_folder(site: str, tmp_path: Path):
    state, store = tmp_path / "state.json", tmp_path / "journal.sqlite3"
    async with uiap.open(f"{site}/login", downloads=tmp_path / "files", store=store) as ui:
        assert await ui.downloads() == ()
        await ui.act("ui.activate", role="link", name="Invoice", policy="none")
        (got,) = await ui.downloads(after=0, timeout_ms=20_000)
        assert (got.name, got.size) == ("invoice 7.txt", 8)
        assert (tmp_path / "files" / "invoice 7.txt").read_text() == "total: 7"
        await ui.save_state(state)
        assert state.stat().st_mode & 0o077 == 0
        with pytest.raises(UiapError, match="no folder for states is set"):
            await ui.save_state(name="work")
        assert (await ui.bundle()).bundle is None
    assert COOKIE in state.read_text() and STORED in state.read_text()
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("journal.sqlite3*"))
    assert COOKIE.encode() not in kept and STORED.encode() not in kept
    async with uiap.open(f"{site}/", state=state, principal="agent:bot", rules="standard") as agent:
        assert "Welcome back" in await agent.outline()
        with pytest.raises(Forbidden, match="only a person"):
            await agent.save_state(tmp_path / "stolen.json")
        with pytest.raises(Forbidden, match="only a person"):
            await agent.load_state(state)
        assert await agent.states() == ()
    assert not (tmp_path / "stolen.json").exists()


def test_a_state_must_be_a_regular_file_without_links(tmp_path: Path):
    good = tmp_path / "good.json"
    write_state(good, {"cookies": [], "origins": []})
    assert read_state(good) == {"cookies": [], "origins": []}
    (tmp_path / "link.json").symlink_to(good)
    (tmp_path / "hard.json").hardlink_to(good)
    (tmp_path / "text.json").write_text("cookies")
    (tmp_path / "dir.json").mkdir()
    for name in ("link", "hard", "text", "dir", "none"):
        with pytest.raises(Unavailable):
            read_state(tmp_path / f"{name}.json")
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / "over.json").symlink_to(other)
    write_state(tmp_path / "over.json", {"cookies": []})
    assert other.read_text() == "mine"  # the link was replaced, not followed
