"""A session saves logins and downloads; an agent can only name them."""

from __future__ import annotations

import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import uiap
from uiap.api.open_session import _upload_folders
from uiap.drivers.chromium.browser.files import check_upload_paths
from uiap.drivers.errors import PathRefused
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


@pytest.mark.parametrize("given", ["/", "~", ".", "", " ", "no such folder", "/etc/passwd"])
def test_one_text_is_one_folder_and_never_its_letters(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        folders = _upload_folders(given)
    except Unavailable as error:
        assert "is not a folder" in error.message
        return
    assert folders == (Path(given).resolve(),)


def test_upload_folders_are_resolved_when_the_session_is_opened(tmp_path: Path) -> None:
    first, second, link = tmp_path / "first", tmp_path / "second", tmp_path / "link"
    for folder in (first, second):
        folder.mkdir()
        (folder / "a.txt").write_text(folder.name)
    link.symlink_to(first)
    roots = _upload_folders([str(link), second])
    link.unlink()
    link.symlink_to("/etc")
    assert roots == (first, second)
    assert check_upload_paths(["a.txt"], roots) == [str(first / "a.txt")]


def upload_traps(folder: Path, outside: Path) -> dict[str, str]:
    """Return paths that must not be uploaded, by the reason."""
    (folder / "in").mkdir()
    (folder / "in" / "ok.txt").write_text("fine")
    (folder / "file-link").symlink_to(outside)
    (folder / "folder-link").symlink_to(outside.parent)
    (folder / "own-link").symlink_to(folder / "in" / "ok.txt")
    os.link(outside, folder / "hard")
    os.mkfifo(folder / "fifo")
    return {
        "parent": "../secret.txt",
        "parent that comes back": f"../{folder.name}/in/ok.txt",
        "parent inside": "in/../in/ok.txt",
        "absolute": str(outside),
        "link to a file": "file-link",
        "link to a folder": f"folder-link/{outside.name}",
        "link to a file of the folder": "own-link",
        "hard link": "hard",
        "pipe": "fifo",
        "device": "/dev/zero",
        "folder": "in",
        "null": "in/ok.txt\0",
        "nothing": "",
        "url": "file:///etc/passwd",
    }


def test_only_files_of_the_folder_are_uploaded(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "secret.txt"
    folder.mkdir()
    outside.write_text("secret")
    traps = upload_traps(folder, outside)
    assert check_upload_paths(["in/ok.txt"], [folder]) == [str(folder / "in" / "ok.txt")]
    for reason, path in traps.items():
        with pytest.raises(PathRefused):
            pytest.fail(f"{reason}: {check_upload_paths([path], [folder])}")
