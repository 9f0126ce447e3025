"""The skill file is short, every command in it parses, and none gives an agent extra rights."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import pytest

from apps.videoland import Settings, serving
from tests.cli.conftest import Run, environment
from uiap.cli.command_table import SESSION_COMMANDS
from uiap.cli.commands import COMMANDS, root
from uiap.cli.session import session_parser
from uiap.cli.skill import SKILL
from uiap.graph.outline import token_count

INDENTED = re.findall(r"^    ((?:uiap|printf) .+)$", SKILL, re.MULTILINE)
INLINE = re.findall(r"`(uiap [a-z][^`]*)`", SKILL)


def test_it_is_printed_or_written_to_a_file(uiap: Run, tmp_path: Path):
    assert uiap("skill").stdout == SKILL
    done = uiap("skill", "--out", "a/b/SKILL.md")
    assert done.returncode == 0
    assert (tmp_path / "a" / "b" / "SKILL.md").read_text() == SKILL


def test_it_is_short_and_has_a_description():
    assert token_count(SKILL) <= 1_600
    assert SKILL.startswith("---\nname: uiap\ndescription: ")


@pytest.mark.parametrize("line", INLINE)
def test_every_command_in_its_text_parses(line: str):
    name, *rest = shlex.split(line)[1:] or [""]
    if name in ("COMMAND", "do"):  # a placeholder, and a command without its steps
        return
    assert name in COMMANDS
    if name in SESSION_COMMANDS:
        session_parser().parse_args([name, *(word.replace("TEXT", "x") for word in rest)])
    else:
        command = root.get_command(click.Context(root), name)
        assert command is not None
        command.make_context(name, rest)


def test_it_does_not_teach_trusted_mode_or_answering_for_the_person():
    assert "--trusted" not in SKILL
    assert "approve" not in SKILL
    assert "evaluate" not in SKILL


@pytest.mark.browser
@pytest.mark.timeout(300)
def test_every_indented_command_runs_in_order_on_a_real_application(tmp_path: Path):
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "clip.mp4").write_bytes(b"clip")
    (tmp_path / "logins").mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    with (
        TemporaryDirectory(prefix="uiap-") as home,
        serving(Settings(rows=40, auto_login=True)) as server,
    ):
        shell = {**environment(Path(home)), "PATH": path}
        try:
            for line in INDENTED:
                # the reader of the test is the person, so nothing waits for one
                given = line.replace("http://localhost:8000", f"'{server.url}/?as=admin&lang=en' --trusted")
                done = _bash(given, tmp_path, shell)
                allowed = (0, 1) if "# exit code 1" in line else (0,)
                assert done.returncode in allowed, (line, done.stdout, done.stderr)
        finally:
            _bash("uiap close", tmp_path, shell)


def _bash(line: str, folder: Path, environ: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environ, capture_output=True, text=True, timeout=60
    )
