"""`uiap demo` checks every step and exits; the session commands leave nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


def uiap(*words: str, home: Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "UIAP_HOME": str(home)}
    command = [sys.executable, "-m", "uiap.cli.main", *words]
    return subprocess.run(command, cwd=cwd, env=environ, capture_output=True, text=True, timeout=250)


@pytest.mark.requirement("RUN-37")
def test_the_demo_checks_every_step_with_the_server_and_exits_with_zero(tmp_path: Path):
    done = uiap("demo", home=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "✗" not in done.stdout
    assert done.stdout.count("✓") >= 10
    assert "is it the button “Create the video” now?" in done.stdout  # the workflow chapter
    assert "By its meaning" in done.stdout  # the chapter about an unknown application
    assert "it was refused, and the server created no video" in done.stdout
    assert "Traceback" not in done.stderr


def test_the_demo_outside_a_checkout_fails_with_one_sentence(tmp_path: Path):
    done = uiap("demo", home=tmp_path, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith("uiap: the demo needs a checkout")


PAGE = (
    "data:text/html,<title>t</title><h1>Till</h1><button>Pay now</button>"
    "<button onclick=\"document.querySelector('[role=status]').textContent='Saved'\">Save</button>"
    "<p role=status></p><label>Name <input></label>"
)


@pytest.mark.requirement("ACT-3.4", "ACT-15")
def test_session_commands_observe_find_act_and_close(tmp_path: Path):
    opened = uiap("open", PAGE, "--trusted", home=tmp_path)
    assert opened.returncode == 0, opened.stderr
    try:
        assert 'button "Pay now"' in uiap("observe", home=tmp_path).stdout
        assert "button" in uiap("find", "Save", home=tmp_path).stdout
        wrote = uiap(
            "act", "ui.enterText", "--role", "textbox", "--name", "Name", "--arg", "text=Ada", home=tmp_path
        )
        assert wrote.returncode == 0, wrote.stdout + wrote.stderr
        saved = uiap("act", "ui.activate", "--role", "button", "--name", "Save", home=tmp_path)
        assert saved.returncode == 0, saved.stdout
        dead = uiap("act", "ui.activate", "--role", "button", "--name", "Pay now", home=tmp_path)
        assert dead.returncode == 1
        assert "verification_failed" in dead.stdout
        missing = uiap("act", "ui.activate", "--arg", "novalue", home=tmp_path)
        assert missing.returncode == 2
    finally:
        closed = uiap("close", home=tmp_path)
    assert closed.stdout.strip() == "closed"
    after = uiap("observe", home=tmp_path)
    assert after.returncode == 1
    assert "uiap open URL" in after.stderr
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["default.log"]
