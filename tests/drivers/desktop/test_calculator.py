"""examples/calculator.py: the same script computes 7 + 5 in a web page and in a desktop application."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "calculator.py"


@pytest.mark.browser
def test_same_script_runs_in_a_web_page_and_in_an_application(environ: dict[str, str], tmp_path: Path):
    command = [sys.executable, str(EXAMPLE), "--html", "traces.html"]
    env = {**environ, "UIAP_HOME": str(tmp_path)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=90)
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    assert head.split() == ["calculator.html", "desktop:galculator"]
    assert [line.split()[0] for line in lines] == ["7", "+", "5", "="]
    assert all(line.count("succeeded") == 2 for line in lines)
    written = (tmp_path / "traces.html").read_text("utf-8")
    assert written.count("full trace") == 8 and "desktop:galculator" in written
    assert written.count("value.equals 12") == 2 and "nav.navigate" not in written
