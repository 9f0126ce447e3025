"""The `uiap` fixture in a test file of a user, run in a separate pytest process."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from apps.videoland import Server

TESTS = """
def test_it_acts(uiap):
    ui = uiap("{url}/videos/new?as=admin&lang=en")
    assert ui.act("ui.enterText", role="textbox", name="Title", args={{"text": "Hello"}})

def test_it_fails(uiap):
    ui = uiap("{url}/videos/new?as=admin&lang=en")
    ui.act("ui.activate", role="button", name="No such button", timeout_ms=100).check()
"""


@pytest.mark.browser
def test_the_fixture_opens_sessions_and_a_failed_test_shows_the_page(videoland: Server, tmp_path: Path):
    (tmp_path / "test_theirs.py").write_text(TESTS.format(url=videoland.url))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_theirs.py"]
    if not entry_points(group="pytest11", name="uiap"):
        words += ["-p", "uiap.api.pytest_plugin"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "target_not_found" in done.stdout or "nothing on the page fits" in done.stdout
    assert "uiap: what the page shows" in done.stdout
    assert 'button "Create video"' in done.stdout
