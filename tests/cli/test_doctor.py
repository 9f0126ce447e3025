"""`uiap doctor` reports what is there and what is missing; only Python and a browser are required."""

from __future__ import annotations

import json
import socket
import threading
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from uiap.cli import doctor


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that answers `--version` as a browser does."""
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho Chromium 1.2.3\n")
    program.chmod(0o755)
    found = doctor.InstalledBrowser(program, "test")
    monkeypatch.setattr(doctor, "find_browser", lambda **_: found)
    return program


def test_a_browser_is_reported_with_its_path_and_version(uiap_here: Run, browser: Path) -> None:
    ended = uiap_here("doctor")
    assert ended.returncode == 0
    assert f"  ok   browser      {browser} (Chromium 1.2.3)" in ended.stdout.splitlines()


def test_a_missing_browser_fails_the_check_and_says_how_to_get_one(
    uiap_here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "find_browser", lambda **_: None)
    ended = uiap_here("doctor", "--quiet")
    assert ended.returncode == 1
    assert "  MISS browser      none\n" in ended.stdout
    assert "uiap doctor --install-browser, or: " in ended.stdout


def test_quiet_prints_nothing_if_everything_required_is_there(uiap_here: Run, browser: Path) -> None:
    ended = uiap_here("doctor", "--quiet")
    assert (ended.returncode, ended.stdout) == (0, "")


def test_a_missing_extra_is_no_failure_and_names_its_command(
    uiap_here: Run, browser: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setattr(doctor.shutil, "which", lambda _name: None)
    ended = uiap_here("doctor", "--json")
    report = json.loads(ended.stdout)
    assert ended.returncode == 0 and report["ok"] is True
    findings = {one["part"]: one for one in report["findings"]}
    assert findings["sign"]["ok"] is False and findings["sign"]["remedy"] == "pip install 'uiap[sign]'"
    assert findings["node"] == {
        "part": "node",
        "ok": False,
        "needed": False,
        "found": "not found",
        "remedy": "only building the web parts needs it",
    }


def test_devices_are_listed_as_the_adb_server_names_them() -> None:
    listing = b"emulator-5554\tdevice\nR58\tunauthorized\n"
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            with server.accept()[0] as connection:
                connection.recv(100)
                connection.sendall(b"OKAY%04x" % len(listing) + listing)

        thread = threading.Thread(target=answer)
        thread.start()
        devices = doctor._devices(server.getsockname()[1])
        thread.join()
    assert devices == [("emulator-5554", "device"), ("R58", "unauthorized")]


def test_without_an_adb_server_no_devices_are_known() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        free_port = server.getsockname()[1]
    assert doctor._devices(free_port) is None
