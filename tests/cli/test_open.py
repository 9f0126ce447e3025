"""`uiap open` saves and restores a login, and reports a bad state before it starts a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.videoland import Server, Settings, serving
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def videoland() -> Iterator[Server]:
    with serving(Settings(rows=10, auto_login=True)) as server:
        yield server


@pytest.mark.browser
def test_a_saved_login_is_restored(uiap: Run, videoland: Server, tmp_path: Path):
    begun = uiap("open", f"{videoland.url}/videos?as=admin&lang=en", "--save-state", "login.json")
    assert begun.returncode == 0, begun.stderr
    assert "uiap close" in begun.stdout.splitlines()[-1]
    assert uiap("close").returncode == 0
    state = tmp_path / "login.json"
    assert state.stat().st_mode & 0o077 == 0
    assert json.loads(state.read_text())["cookies"]
    again = uiap("open", f"{videoland.url}/videos?lang=en", "--state", "login.json", "--json")
    assert again.returncode == 0, again.stderr
    shown = uiap("observe").stdout
    uiap("close")
    assert "/login" not in shown.splitlines()[0], shown


def test_an_unreadable_state_is_reported_before_a_browser_starts(uiap: Run, tmp_path: Path):
    missing = uiap("open", "http://localhost:1", "--state", "nowhere.json")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert "cannot read the state `nowhere.json`" in missing.stderr
