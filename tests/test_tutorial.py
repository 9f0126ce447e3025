"""docs/tutorial.md works as written: every command gives the exit code it promises, and the script runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from apps.videoland import Settings, serving

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(sh|python)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
STARTED_BY_HAND = ("make demo", "export ")


class Terminal:
    """A shell with the tutorial's environment."""

    def __init__(self, folder: Path, home: str, url: str) -> None:
        self.folder = folder
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        self.environ = {**os.environ, "UIAP_HOME": home, "VIDEOLAND": url, "PATH": path}

    def start(self, line: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.environ,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )

    def run(self, line: str) -> tuple[int, str]:
        process = self.start(line)
        output, _ = process.communicate(timeout=90)
        return process.returncode, output


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal next to Videoland and the trusted session that `make demo KEEP=1` leaves open."""
    settings = Settings(rows=40, truth=True, auto_login=True)
    # the path of a socket is short, and those of pytest are not
    with TemporaryDirectory(prefix="uiap-") as home, serving(settings) as server:
        terminal = Terminal(tmp_path, home, server.url)
        code, output = terminal.run('uiap open "$VIDEOLAND/?as=admin&lang=en" --trusted')
        assert code == 0, output
        try:
            yield terminal
        finally:
            terminal.run("uiap close")
            terminal.run("uiap close --session agent")


@pytest.mark.browser
@pytest.mark.timeout(300)
def test_every_command_of_the_tutorial_works(terminal: Terminal) -> None:
    for language, body in BLOCKS:
        if language == "python":
            (terminal.folder / "second_video.py").write_text(body, "utf-8")
            code, output = terminal.run("python second_video.py")
            assert code == 0 and "succeeded applied" in output, output
            continue
        for line in body.splitlines():
            if line.startswith(STARTED_BY_HAND):
                continue
            promised = re.search(r"# exit code (\d)", line)
            code, output = terminal.run(line)
            assert code == int(promised[1] if promised else 0), (line, output)
    assert (terminal.folder / "found" / "report.html").is_file()
