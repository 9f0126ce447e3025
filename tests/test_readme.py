"""The README is correct: its two commands exist, its Python runs, its terminal lines use existing commands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from apps.videoland import Settings, serving
from uiap.cli.commands import COMMANDS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_it_is_short_and_its_two_commands_are_targets_of_the_makefile():
    assert len(README.splitlines()) <= 150
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for command in ("demo", "test"):
        assert f"    make {command} " in README
        assert re.search(rf"^{command}:", makefile, re.MULTILINE)


@pytest.mark.browser
def test_its_python_runs(tmp_path: Path):
    (snippet,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    with serving(Settings(rows=10, truth=True, auto_login=True)) as server:
        page = f"{server.url}/videos/new?as=admin&lang=en"
        script = tmp_path / "snippet.py"
        script.write_text(snippet.replace("http://localhost:8000/videos/new", page), "utf-8")
        done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    assert "succeeded applied" in done.stdout
    assert "~ route" in done.stdout


def test_its_terminal_lines_name_commands_that_exist():
    words = re.findall(r"^    uiap (\w+)", README, re.MULTILINE) + re.findall(r"`uiap (\w+)", README)
    assert words
    assert set(words) <= set(COMMANDS)


def test_its_links_lead_somewhere():
    targets = re.findall(r"\]\(([^)#]+)\)", README)
    assert len(targets) > 5
    for target in targets:
        assert (ROOT / target).exists(), target
